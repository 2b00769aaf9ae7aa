"""What a text says, without what formatters change in it.

Two texts with the same normal form differ at most in cell padding, the width of delimiter rows, trailing
spaces, ``>`` and ``> ``, blank lines, line ends, where paragraphs are wrapped, the marks of emphasis,
bullets, fences and headings, escapes, and typographic quotes. What stands inside code fences counts as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.notes.markdown import Line, State, is_break, lines, scan

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = Literal["prose", "heading", "row", "break", "code"]

_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
_SETEXT = re.compile(r" {0,3}(=+|-+) *$")
_PIPE = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"(:?)-+(:?)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SPACES = re.compile(r"\s+")
_TYPOGRAPHY = str.maketrans({"_": "*", "‘": "'", "’": "'", "“": '"', "”": '"', "…": "..."})


class Unit(msgspec.Struct, frozen=True):
    """A heading, row, list item, paragraph or line of code, in normal form.

    ``first`` and ``last`` are the indices of the lines it stands on; a wrapped paragraph has several.
    """

    text: str
    first: int
    last: int


def normal_line(line: Line) -> str:
    """Return the normal form of one line; empty for a blank one."""
    return "" if line.blank else _place(line) + _shape(line.state, line.content)[1]


def units(scanned: Sequence[Line]) -> list[Unit]:
    """Return what the lines say, piece by piece: lines of one paragraph joined, blank lines left out."""
    found: list[Unit] = []
    paragraph: Line | None = None  # the line before this one, if it is one of a paragraph
    for index, line in enumerate(scanned):
        if line.blank:
            paragraph = None
            continue
        shape, text = _shape(line.state, line.content)
        if paragraph is not None and _continues(paragraph, line):
            underline = _SETEXT.match(line.content)
            if underline or shape == "prose":
                found[-1] = _joined(found[-1], index, text, underline)
                paragraph = None if underline else line
                continue
        found.append(Unit(_place(line) + text, index, index))
        paragraph = line if shape == "prose" else None
    return found


def same(one: str, other: str) -> bool:
    """Whether two texts differ in nothing but what formatters change."""
    if one == other:
        return True
    ours, theirs = scan(lines(one)), scan(lines(other))
    if [unit.text for unit in units(ours)] == [unit.text for unit in units(theirs)]:
        return True
    return [normal_line(line) for line in ours if not line.blank] == [
        normal_line(line) for line in theirs if not line.blank
    ]


def cells(content: str) -> list[str]:
    """Return the cells of a table row, trimmed, as they are written."""
    found = [cell.strip() for cell in _PIPE.split(content.strip())]
    if found and not found[0]:
        del found[0]
    if found and not found[-1]:
        del found[-1]
    return found


def is_row(content: str) -> bool:
    """Whether the content of a line is a row of a table, as we and formatters write it: in pipes."""
    return content.lstrip().startswith("|")


def is_delimiter_row(content: str) -> bool:
    """Whether the content of a line is the row below a table's header."""
    return "|" in content and bool(row := cells(content)) and all(map(_DELIMITER.fullmatch, row))


def heading(content: str) -> tuple[int, str] | None:
    """Return level and text of a heading written with ``#``, ``None`` for anything else."""
    match = _HEADING.match(content)
    return (len(match[1]), match[2] or "") if match else None


def inline(text: str) -> str:
    """Return running text without escapes, and with one kind of emphasis, quotes and spaces."""
    return _SPACES.sub(" ", _ESCAPE.sub(r"\1", text).translate(_TYPOGRAPHY)).rstrip("\\ ").lstrip(" ")


def _place(line: Line) -> str:
    return ">" * line.quotes + "·" * line.items + ("- " if line.opens_item else " ")


@lru_cache(maxsize=4096)  # the same lines stand in what was written, what stands there and what is drawn
def _shape(state: State, content: str) -> tuple[Shape, str]:
    if state == "code":
        return "code", f"\0{content}"
    if state == "fence":
        return "code", "```" + content.strip().lstrip("`~").strip()
    if found := heading(content):
        return "heading", _heading(*found)
    if is_break(content):
        return "break", "---"
    if is_row(content):
        return "row", "|".join(_cell(cell) for cell in cells(content))
    return "prose", inline(content)


def _cell(text: str) -> str:
    return _DELIMITER.sub(r"\1-\2", text) if _DELIMITER.fullmatch(text) else inline(text)


def _heading(level: int, text: str) -> str:
    return f"{'#' * level} {inline(text).casefold()}"


def _continues(paragraph: Line, line: Line) -> bool:
    return (line.quotes, line.items, line.opens_item) == (paragraph.quotes, paragraph.items, False)


def _joined(unit: Unit, index: int, text: str, underline: re.Match[str] | None) -> Unit:
    if underline is None:
        return Unit(f"{unit.text} {text}", unit.first, index)
    place, _, title = unit.text.partition(" ")
    return Unit(f"{place} {_heading(1 if '=' in underline[1] else 2, title)}", unit.first, index)
