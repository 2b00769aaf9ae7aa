"""One Markdown table as it stands in a text: its cells and its style, and rows and cells made to fit it.

Pipes split cells wherever they stand, in code too; a backslash before one keeps it in its cell.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault.notes.tables import width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MARKS = re.compile(r"[ \t>]*+")  # what may stand before a table in a quote or callout
_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(
    r"^(?P<marks>[ \t>]*+)(?=[^\r\n]*\|)"
    r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+(?=\r?$)",
    re.MULTILINE,
)
# What ends a table: a blank line, or the beginning of something else.
_OTHER_BLOCK = r"[ \t]*+(?:\r?$|[>#<]|```|~~~|%%|[-*+][ \t]|(?:[-*_][ \t]*+){3,}+\r?$)"


class Line(NamedTuple):
    """A row taken apart; ``marks + "|".join(parts) + rest`` is the line again.

    ``cells`` is the slice of ``parts`` that are cells; the others are the empty text before a leading pipe
    and after a trailing one.
    """

    marks: str
    parts: list[str]
    rest: str
    first: int
    last: int

    @property
    def cells(self) -> list[str]:
        """The raw text of every cell, its padding included."""
        return self.parts[self.first : self.last]

    @property
    def trailing_pipe(self) -> bool:
        """Whether the line ends with a pipe."""
        return self.last < len(self.parts)

    def text(self) -> str:
        """The line again."""
        return self.marks + "|".join(self.parts) + self.rest


def take_apart(line: str) -> Line:
    """Take a row, without its line end, apart into cells."""
    marks = _MARKS.match(line)[0]  # type: ignore[index]  # it matches everywhere
    inner = line[len(marks) :]
    kept = inner.rstrip()
    parts = _PIPE.split(kept)
    first = 1 if len(parts) > 1 and not parts[0] else 0
    last = len(parts) - 1 if len(parts) > first + 1 and not parts[-1] else len(parts)
    return Line(marks, parts, inner[len(kept) :], first, last)


class Table(msgspec.Struct, frozen=True):
    """Where a table stands in a text, and how it is written. All positions are offsets in the text.

    ``start`` is where its header begins, ``rule`` where the line of dashes does, ``body`` where the first
    line below that does; ``end`` is the beginning of the first line that is no part of the table.
    """

    start: int
    rule: int
    body: int
    end: int
    header: Line
    dashes: Line

    @property
    def titles(self) -> list[str]:
        """What stands in the header's cells."""
        return [cell.strip() for cell in self.header.cells]

    @property
    def widths(self) -> list[int]:
        """The width that each cell is padded to, its spaces included; 0 in a table that is not padded."""
        heads = [width(head) for head in self.header.cells]
        dashes = [width(dash) for dash in self.dashes.cells]
        return dashes if heads == dashes else [0] * len(dashes)

    @property
    def to_the_right(self) -> list[bool]:
        """Which columns are aligned to the right."""
        dashes = [dash.strip() for dash in self.dashes.cells]
        return [dash.endswith(":") and not dash.startswith(":") for dash in dashes]

    def row(self, cells: Sequence[str]) -> str:
        """Return a new row in the table's style, compact or padded, with or without pipes at its ends."""
        if any(head != head.strip() for head in self.header.cells):
            columns = zip(cells, self.widths, self.to_the_right, strict=True)
            cells = [_filled(cell, columns, right=right) for cell, columns, right in columns]
        parts = [*self.header.parts[: self.header.first], *cells]
        if self.header.trailing_pipe:
            parts.append("")
        if not self.header.first:
            parts[0] = parts[0].lstrip()
        return self.header._replace(parts=parts, rest="").text().rstrip()

    def with_columns(self, titles: Sequence[str]) -> Table:
        """Return the table with more columns at its right; its rows need no cells there."""
        dashes = ["---"] * len(titles)
        return msgspec.structs.replace(
            self, header=_extended(self.header, titles), dashes=_extended(self.dashes, dashes)
        )

    def quoted(self) -> Table:
        """Return the table as it is written in a callout."""
        return msgspec.structs.replace(
            self, header=self.header._replace(marks="> "), dashes=self.dashes._replace(marks="> ")
        )


def find_tables(text: str, start: int = 0) -> Iterator[Table]:
    """Find the tables of a text from ``start`` on, in code as well: that is for the caller to tell apart."""
    done = floor = start
    while (rule := _RULE.search(text, done)) is not None:
        done = rule.end()
        begin = text.rfind("\n", 0, max(rule.start() - 1, 0)) + 1
        if begin < floor or begin == rule.start():
            continue
        header, dashes = take_apart(text[begin : rule.start()].rstrip("\r\n")), take_apart(rule[0])
        quotes = dashes.marks.count(">")
        if (
            "|" not in header.text()
            or len(header.cells) != len(dashes.cells)
            or header.marks.count(">") != quotes
        ):
            continue
        body = next_line(text, rule.end())
        lines = _body(quotes).match(text, body)
        done = floor = lines.end() if lines else body
        yield Table(begin, rule.start(), body, floor, header, dashes)


def next_line(text: str, end: int) -> int:
    """Return where the next line begins; ``end`` is the end of a line, before its line end."""
    if text.startswith("\r\n", end):
        return end + 2
    return min(end + 1, len(text))


def with_cells(line: Line, changes: dict[int, str], table: Table | None) -> str:
    """Return a row with other text in some of its cells, by column; their padding and all else is kept."""
    longest = max(changes) + 1
    if longest > len(line.cells):
        line = _extended(line, [changes.get(place, "") for place in range(len(line.cells), longest)])
    parts = line.parts.copy()
    for place, text in changes.items():
        old = parts[line.first + place]
        shown = old.strip()
        left, right = len(old) - len(old.lstrip()), len(old) - len(old.rstrip())
        if table is not None and table.widths[place] == width(old):
            parts[line.first + place] = _filled(text, width(old), right=table.to_the_right[place])
        elif not shown or left + right > 2:
            parts[line.first + place] = _filled(text, width(old), right=bool(shown) and left > right)
        else:
            parts[line.first + place] = " " * left + text + " " * right
    return line._replace(parts=parts).text()


@cache
def _body(quotes: int) -> re.Pattern[str]:
    """Return what matches the lines of a table below its dashes, at that depth of quotes."""
    marks = r"[ \t]*+" + r">[ \t]?" * quotes if quotes else ""
    return re.compile(rf"(?:{marks}(?!{_OTHER_BLOCK})[^\n]*+\n?)*+", re.MULTILINE)


def _extended(line: Line, cells: Sequence[str]) -> Line:
    """Add cells at the right of a line."""
    parts = line.parts.copy()
    added = [f" {cell} " if cell else " " for cell in cells]
    if not line.trailing_pipe:
        parts[-1] += " "
        added[-1] = added[-1].rstrip()
    parts[line.last : line.last] = added
    return line._replace(parts=parts, last=line.last + len(added))


def _filled(text: str, columns: int, *, right: bool) -> str:
    """Pad a cell to a width, one space at each side at least."""
    fill = " " * (columns - 2 - width(text))
    if not text and not fill:
        return " "
    return f" {fill}{text} " if right else f" {text}{fill} "
