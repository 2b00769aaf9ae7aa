"""Reports drawn: with rich on a terminal, in colour and as wide as it is; plain everywhere else.

A report is a sequence of lines and tables, and both ways draw the same layout. Text is never taken for
markup; what comes from the memory file goes through `legible` first, so that nothing in it moves the cursor.
"""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

import click

from council_vault.cli.tables import BOX, PLAIN_BOX, Box, Fitted, Table, Words
from council_vault.cli.widths import clipped, contained, padded, width
from council_vault.notes.cell_text import LONGEST_CELL, cut, undecorated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console

# What stands for our own signs in an encoding that does not have them.
_PLAIN_SIGNS = str.maketrans({"—": "-", "→": "->", "±": "+-", "…": "...", "★": "*"})
_BAR = " | "
_QUOTES = '""'
_INDENT = "    "
_SHORTEST = 32  # columns of a quotation; where there is less room, a row takes two lines
_LONGEST_READ = 4096  # characters of a text that are looked at: far more than are shown

Line: TypeAlias = tuple[Words, ...]


class Entries(NamedTuple):
    """Rows of cells that stand below each other with bars between them; one cell of each is a quotation.

    Where there is little room the quotation is cut, and where that is not enough, what is behind it gets a
    line of its own. Rows may end early.

    Attributes:
        before: of each row, the cells before the quotation.
        quotations: of each row.
        behind: of each row, the cells behind it.
    """

    before: Sequence[Line]
    quotations: Sequence[str]
    behind: Sequence[Line]


class Choice(NamedTuple):
    """Lines as they should be, and shorter ones for where they do not fit."""

    whole: Sequence[Line]
    short: Sequence[Line]


Block: TypeAlias = Line | Table | Entries | Choice


def legible(text: str | None) -> str:
    """Return text of the memory file on one line, without Markdown's decoration and control characters."""
    return contained(cut(undecorated((text or "")[:_LONGEST_READ]), LONGEST_CELL))


class Screen(NamedTuple):
    """Where a report is shown.

    Attributes:
        columns: how wide it is; ``None``: as wide as need be, since another program reads it.
        encoding: what it can show.
        colour: whether it shows colours.
    """

    columns: int | None
    encoding: str
    colour: bool

    @classmethod
    def of_output(cls) -> Self:
        """Return what standard output is: a terminal, or another program.

        Colours are off where ``NO_COLOR`` or the terminal say so. ``COLUMNS`` sets the width of both.
        """
        context = click.get_current_context(silent=True)
        wanted = context is None or context.color is not False
        return cls(
            columns=shutil.get_terminal_size((0, 0)).columns or None,
            encoding=sys.stdout.encoding or "ascii",
            colour=sys.stdout.isatty() and wanted,
        )

    def show(self, report: Iterable[Block]) -> None:
        """Print a report."""
        if self.colour:
            from rich.console import Console  # noqa: PLC0415 - programs that read reports do not wait for it

            self.paint(report, Console(width=self.columns, highlight=False))
        else:
            click.echo("\n".join(self.lines(report)))

    def paint(self, report: Iterable[Block], console: Console) -> None:
        """Draw a report with rich."""
        from rich.text import Text  # noqa: PLC0415 - likewise

        for block in report:
            drawn = self._drawn(block)
            if isinstance(drawn, Fitted):
                console.print(drawn.painted(self._box))
            else:
                for line in drawn:
                    console.print(Text.assemble(*line), no_wrap=True, overflow="ignore", crop=False)

    def lines(self, report: Iterable[Block]) -> Iterator[str]:
        """Yield the lines of a report without colours."""
        for block in report:
            drawn = self._drawn(block)
            if isinstance(drawn, Fitted):
                yield from drawn.lines(self._box)
            else:
                yield from ("".join(words.text for words in line).rstrip() for line in drawn)

    @property
    def _box(self) -> Box:
        return BOX if self._has("".join(BOX)) else PLAIN_BOX

    def _has(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def _text(self, text: str) -> str:
        """Return a text as it can be shown here, which may be longer; so nothing is measured before."""
        if self._has(text):
            return text
        return text.translate(_PLAIN_SIGNS).encode(self.encoding, "backslashreplace").decode(self.encoding)

    def _words(self, words: Iterable[Words]) -> Line:
        return tuple(Words(self._text(one.text), one.style) for one in words)

    def _drawn(self, block: Block) -> Fitted | list[Line]:
        """Return a table, or lines, that fit."""
        if isinstance(block, Table):
            table = self._table(block)
            return table.fitted(self.columns) or self._wrapped(table.listed())
        if isinstance(block, Entries):
            return self._wrapped(self._entries(block))
        if isinstance(block, Choice):
            whole = [*map(self._words, block.whole)]
            fits = self.columns is None or max(map(_width, whole), default=0) <= self.columns
            return self._wrapped(whole if fits else map(self._words, block.short))
        return self._wrapped([self._words(block)])

    def _wrapped(self, lines: Iterable[Line]) -> list[Line]:
        if self.columns is None:
            return list(lines)
        return [part for line in lines for part in _broken(line, self.columns)]

    def _table(self, table: Table) -> Table:
        return Table(
            header=[self._text(title) for title in table.header],
            names=[(self._text(whole), self._text(short)) for whole, short in table.names],
            figures=[self._words(cells) for cells in table.figures],
            above=table.above,
        )

    def _entries(self, entries: Entries) -> Iterator[Line]:
        before = _aligned([*map(self._words, entries.before)])
        behind = _aligned([*map(self._words, entries.behind)], last=True)
        texts = [self._text(text) for text in entries.quotations]
        start, end = (max(map(_width, rows), default=0) for rows in (before, behind))
        start += len(_BAR)
        longest = max(map(width, texts), default=0) + len(_QUOTES)
        columns = start + longest + len(_BAR) + end if self.columns is None else self.columns
        room = columns - start - len(_BAR) - end
        apart = room < min(longest, _SHORTEST)
        if apart:
            room = columns - start if columns - start >= _SHORTEST else columns - len(_INDENT)
        indent = max(len(_INDENT), min(start, columns - end))
        for left, text, right in zip(before, texts, behind, strict=True):
            cell = contained(f'"{clipped(text, room - len(_QUOTES), self._text("…"))}"')
            if apart:
                yield (*left, Words(_BAR + cell))
                yield (Words(" " * indent), *right)
            else:
                yield (*left, Words(_BAR + padded(cell, min(room, longest)) + _BAR), *right)


def _width(line: Line) -> int:
    return sum(width(words.text) for words in line)


def _broken(line: Line, columns: int) -> Iterator[Line]:
    """Break a line between words where it is too long; what follows stands further in than its start."""
    if _width(line) <= columns:
        yield line
        return
    start = line[0].text
    further = " " * (len(start) - len(start.lstrip()) + len(_INDENT))
    part: list[Words] = []
    gap = ""
    for words in line:
        for text in re.findall(r"\s+|\S+", words.text):
            if text.isspace():
                gap += text
                continue
            if part and gap and _width((*part, Words(gap + text))) > columns:
                yield tuple(part)
                part, gap = [], further
            part.append(Words(gap + text, words.style))
            gap = ""
    yield tuple(part)


def _aligned(rows: Sequence[Line], *, last: bool = False) -> list[Line]:
    """Return rows whose cells stand below each other, with bars between them.

    Args:
        rows: the cells of each.
        last: whether nothing follows them, so that their ends need no padding.
    """
    count = max(map(len, rows), default=0)
    widths = [max(width(row[place].text) for row in rows if place < len(row)) for place in range(count)]
    aligned = []
    for row in rows:
        line: list[Words] = []
        for cell, columns in zip(row, widths, strict=False):
            line += [Words(_BAR)] if line else []
            line.append(Words(padded(cell.text, columns), cell.style))
        aligned.append((*line[:-1], row[-1]) if last else tuple(line))
    return aligned
