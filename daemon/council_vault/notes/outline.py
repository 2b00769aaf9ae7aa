"""The headings of a note, and what stands below each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from council_vault.notes.markdown import is_break

if TYPE_CHECKING:
    from collections.abc import Sequence

    from council_vault.notes.markdown import Line

_ATX = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<text>.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:(?P<first>=+)|-+)[ \t]*$")
_PARAGRAPH = re.compile(r" {0,3}[^\s>#|]")


class Heading(msgspec.Struct, frozen=True):
    """A heading: the index of its first line and of the line behind it, its level, and its text."""

    line: int
    end: int
    level: int
    text: str


def headings(scanned: Sequence[Line]) -> list[Heading]:
    """Return the headings of a text, those in callouts and list items included.

    Args:
        scanned: the lines; comments count as text unless `without_comments` has taken them out.
    """
    found: list[Heading] = []
    for index, line in enumerate(scanned):
        if line.state != "text":
            continue
        if atx := _ATX.match(line.content):
            found.append(Heading(index, index + 1, len(atx["marks"]), (atx["text"] or "").strip()))
        elif underline := _underline_of(scanned, index):
            level = 1 if underline["first"] else 2
            found.append(Heading(index, index + 2, level, line.content.strip()))
    return found


def _underline_of(scanned: Sequence[Line], index: int) -> re.Match[str] | None:
    """Return the line below a paragraph of one line that makes a heading of it."""
    line, below = scanned[index], scanned[index + 1 : index + 2]
    if not below or not _PARAGRAPH.match(line.content) or is_break(line.content) or line.opens_item:
        return None
    if index and _continues(scanned[index - 1], line):
        return None
    is_together = below[0].state == "text" and (below[0].quotes, below[0].items) == (line.quotes, line.items)
    return _UNDERLINE.match(below[0].content) if is_together else None


def _continues(before: Line, line: Line) -> bool:
    """Whether a line goes on with the paragraph that the line before it is of."""
    return (
        before.state == "text"
        and before.quotes == line.quotes
        and not before.blank
        and not _ATX.match(before.content)
        and not _UNDERLINE.match(before.content)
    )
