"""What of a note may be handed to models: no properties, no comments, nothing secret, old or struck out."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import msgspec

from council_vault.notes import frontmatter
from council_vault.notes.cell_text import plain, undecorated
from council_vault.notes.comments import without_comments
from council_vault.notes.markdown import lines, scan
from council_vault.notes.outline import headings
from council_vault.notes.strikes import without_strikes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from council_vault.notes.markdown import Line
    from council_vault.notes.outline import Heading

_LEFT_OUT = re.compile(
    r"\bcold\W?storage\b|\barchived?\b|\barchives\b"
    r"|\bsecurity\b|\bcredentials?\b|\bsecrets?\b|\bpass(?:words?|phrases?|codes?|keys?)\b|\bconfidential\b"
    r"|\b(?:api|access|private|encryption|ssh)\W?(?:keys?|tokens?)\b|\b(?:recovery|backup)\W?codes?\b|^(?:keys|tokens|logins?)$"
)
_CALLOUT = re.compile(r"[ \t]*\[!(?P<kind>[^\]\r\n]*)\][-+]?(?P<title>.*)")
_MARKS = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*")  # of quotes and items
_WITHIN_WORDS = re.compile(r"[*~=`]+")  # emphasis of parts of words
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^[\w-]+[ \t]*$")
_SAYS_SOMETHING = re.compile(r"\w")
_CODE = ("fence", "code")
_CALLOUT_LEVEL = 0
_DEEPEST = 6


class _Hidden(msgspec.Struct, frozen=True):
    """What is left out, until it ends: a section, a callout, or an item of a list with what hangs on it."""

    level: int | None
    quotes: int
    items: int

    def holds(self, line: Line, heading: Heading | None, *, is_lazy: bool) -> bool:
        """Tell whether a line belongs to it; one that ``is_lazy`` goes on with the paragraph above it."""
        if line.quotes < self.quotes or line.items < self.items:
            return is_lazy or not line.raw.strip()
        if line.items == self.items and line.opens_item:
            return False
        if self.level is None or line.quotes > self.quotes or line.items > self.items:
            return True
        return heading is None or heading.level > self.level


def excerpt(note: str) -> list[str]:
    """Return the lines of a note that may be handed on, without line ends; headings are one level deeper.

    A section is left out, with all that is below its heading, if that speaks of cold storage, an archive,
    security or credentials, or is struck out itself; so is a callout with such a title. With an item of a
    list that is struck out goes what hangs on it.

    Args:
        note: the text, without BOM.
    """
    body = note[frontmatter.body_start(note) :]
    commentless = without_comments(body)
    scanned = scan(lines(commentless))
    outline = {heading.line: heading for heading in headings(scanned)}
    below = {line for heading in outline.values() for line in range(heading.line + 1, heading.end)}
    written, unstruck = lines(body), lines(without_strikes(commentless))
    kept: list[str] = []
    for index in _handed_on(scanned, outline, unstruck):
        line, heading = scanned[index], outline.get(index)
        is_inside = bool(line.quotes or line.items)
        if index in below and not is_inside:
            continue
        if heading is not None and not is_inside:
            shown = f"{'#' * min(heading.level + 1, _DEEPEST)} {_without_gaps(without_strikes(heading.text))}"
        elif line.raw == written[index] == unstruck[index]:
            shown = line.raw.rstrip("\r\n") if line.state in _CODE else line.raw.rstrip()
        else:
            shown = _tidied(unstruck[index], written[index])
            if not shown:
                continue
        if shown or (kept and kept[-1]):
            kept.append(shown)
    return kept[:-1] if kept and not kept[-1] else kept


def _handed_on(
    scanned: Sequence[Line], outline: Mapping[int, Heading], unstruck: Sequence[str]
) -> Iterator[int]:
    """Yield the indices of the lines that nothing hides, and of all that are blank."""
    hidden: _Hidden | None = None
    for index, line in enumerate(scanned):
        heading = outline.get(index)
        begins = heading or line.opens_item or line.blank or line.state != "text"
        is_lazy = not begins and index > 0 and not scanned[index - 1].blank
        if hidden is None or not hidden.holds(line, heading, is_lazy=is_lazy):
            hidden = _hides(line, heading, unstruck[index])
        if hidden is None or not line.raw.strip():
            yield index


def _hides(line: Line, heading: Heading | None, unstruck: str) -> _Hidden | None:
    """Return what a line begins that is to be left out; ``unstruck`` is what of it is not struck out."""
    if line.state != "text":
        return None
    if heading is not None:
        left = without_strikes(heading.text)
        left_out = _is_left_out(heading.text) or (left != heading.text and not _tidied(left, heading.text))
        return _Hidden(heading.level, line.quotes, line.items) if left_out else None
    title = _CALLOUT.match(line.content) if line.quotes else None
    if title is not None and any(map(_is_left_out, title.groups())):
        return _Hidden(_CALLOUT_LEVEL, line.quotes, line.items)
    is_struck_out = line.raw != unstruck and not _tidied(unstruck, line.raw)
    return _Hidden(None, line.quotes, line.items) if line.opens_item and is_struck_out else None


def _is_left_out(title: str) -> bool:
    shown = unicodedata.normalize("NFKC", plain(undecorated(title))).casefold()
    return _LEFT_OUT.search(_WITHIN_WORDS.sub("", shown).replace("_", " ")) is not None


def _tidied(raw: str, written: str) -> str:
    """Return a line out of which something was taken, without the gaps; empty where it says nothing more.

    ``written`` is the line as it was.
    """
    marks = _MARKS.match(written)
    start = marks.end() if marks else 0
    rest = _without_gaps(raw[start:])
    return raw[:start] + rest if _SAYS_SOMETHING.search(_BLOCK_ID.sub("", rest)) else ""


def _without_gaps(text: str) -> str:
    text = re.sub(r" (?=[,;:.!?)])", "", " ".join(text.split()))
    return re.sub(r"([,;:])[,;:]+", r"\1", text).lstrip(",;:. ")
