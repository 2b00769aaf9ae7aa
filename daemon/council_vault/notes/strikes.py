"""What a note says without what is struck out: ``~~…~~``, and ``<del>`` or ``<s>`` of HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from council_vault.notes.markdown import lines, scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.notes.markdown import Line

# Code and escapes are passed over.
_TOKEN = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\\[!-/:-@\[-`{-~]"
    r"|(?P<tildes>(?<!~)~~(?!~))|<(?P<closes>/?)(?P<tag>del|s|strike)(?:\s[^<>]*)?>",
    re.DOTALL | re.IGNORECASE,
)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_SHOWN = re.compile(r"[^\r\n]")


def without_strikes(text: str) -> str:
    """Return the text with spaces where it is struck out: every line and every offset stays.

    In code nothing is. What is struck out ends with its paragraph at the latest.
    """
    return "".join(_unstruck(paragraph) for paragraph in _paragraphs(scan(lines(text))))


def _unstruck(paragraph: str) -> str:
    for start, end in _struck(paragraph):
        paragraph = paragraph[:start] + _SHOWN.sub(" ", paragraph[start:end]) + paragraph[end:]
    return paragraph


def _struck(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield where something is struck out, as offsets."""
    open_at: dict[str, int] = {}
    for token in _TOKEN.finditer(paragraph):
        start, end = token.span()
        if token["tildes"]:
            kind = "~~"
            can_close = not paragraph[start - 1 : start].isspace()
            can_open = end < len(paragraph) and not paragraph[end].isspace()
        elif token["tag"]:
            kind = token["tag"].casefold()
            can_close = bool(token["closes"])
            can_open = not can_close
        else:
            continue
        if can_close and kind in open_at:
            yield open_at.pop(kind), end
        elif can_open:
            open_at.setdefault(kind, start)


def _paragraphs(scanned: list[Line]) -> Iterator[str]:
    """Yield the text in pieces: paragraphs whole, everything else line by line."""
    piece: list[str] = []
    for line in scanned:
        begins = line.blank or line.state != "text" or line.opens_item or _HEADING.match(line.content)
        if begins and piece:
            yield "".join(piece)
            piece = []
        piece.append(line.raw)
        if begins and not line.opens_item:
            yield "".join(piece)
            piece = []
    yield "".join(piece)
