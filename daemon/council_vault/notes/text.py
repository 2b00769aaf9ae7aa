"""The bytes of a note as text and back, byte for byte: BOM, any line ends, a missing final newline."""

from __future__ import annotations

import codecs
import re

import msgspec

from council_vault.errors import NoteRefused

_LINE_END = re.compile(r"\r\n|\n|\r")
_OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


class NoteText(msgspec.Struct, frozen=True):
    r"""A note's text without its BOM, its line ends as they stand in the file.

    ``newline`` is the line end that most lines have, ``"\n"`` where there is none.
    """

    text: str
    bom: bool = False
    newline: str = "\n"


def decode(content: bytes) -> NoteText:
    """Return the text of a note; `encode` gives the same bytes again.

    Raises:
        NoteRefused: the content is not UTF-8 text.
    """
    if content.startswith(_OTHER_ENCODINGS) or b"\0" in content:
        raise _refused("it looks like UTF-16 or binary data")
    try:
        text = content.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refused(f"line {line} holds the byte 0x{content[error.start]:02x}") from error
    return NoteText(text=text, bom=content.startswith(codecs.BOM_UTF8), newline=dominant_newline(text))


def encode(note: NoteText) -> bytes:
    """Return the bytes of a note.

    Raises:
        NoteRefused: the text holds half a surrogate pair, which no file can hold.
    """
    try:
        body = note.text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = len(_LINE_END.findall(note.text, 0, error.start)) + 1
        raise NoteRefused(
            f"line {line} of the new text holds {note.text[error.start]!a}, which is no character",
            remedy="If the note comes from a template of your own, correct the template",
        ) from error
    return codecs.BOM_UTF8 + body if note.bom else body


def dominant_newline(text: str) -> str:
    r"""Return the line end that most lines of ``text`` have; ``"\n"`` where there is none, or as many."""
    windows = text.count("\r\n")
    counts = {"\n": text.count("\n") - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(counts, key=lambda newline: counts[newline])


def with_newlines(text: str, newline: str) -> str:
    """Return ``text`` with every line end written as ``newline``."""
    if newline == "\n" and "\r" not in text:
        return text
    return _LINE_END.sub(newline, text)


def _refused(reason: str) -> NoteRefused:
    return NoteRefused(
        f"the note is not UTF-8 text ({reason}), so it stays as it is",
        remedy="Save it as UTF-8, or move it away and let it be made again",
    )
