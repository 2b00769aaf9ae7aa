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
_PARAGRAPH = re.compile(r" {0,3}[^\s>|]")


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
    start: int | None = None  # of the paragraph that a line below may make a heading of
    for index, line in enumerate(scanned):
        if line.state != "text":
            start = None
        elif atx := _ATX.match(line.content):
            found.append(Heading(index, index + 1, len(atx["marks"]), (atx["text"] or "").strip()))
            start = None
        elif start is not None and (underline := _underlines(line, scanned[start])):
            text = " ".join(above.content.strip() for above in scanned[start:index])
            found.append(Heading(start, index + 1, 1 if underline["first"] else 2, text))
            start = None
        elif start is None or not _continues(line, scanned[start]):
            start = index if _PARAGRAPH.match(line.content) and not is_break(line.content) else None
    return found


def _underlines(line: Line, first: Line) -> re.Match[str] | None:
    """Return what of a line makes a heading of the paragraph above it, which begins with ``first``."""
    is_together = (line.quotes, line.items) == (first.quotes, first.items) and not line.opens_item
    return _UNDERLINE.match(line.content) if is_together else None


def _continues(line: Line, first: Line) -> bool:
    """Whether a line goes on with the paragraph above it, with or without the marks that it stands in."""
    is_inside = line.quotes <= first.quotes and line.items <= first.items
    ends_it = line.blank or line.opens_item or is_break(line.content) or line.content.lstrip().startswith("|")
    return is_inside and not ends_it
