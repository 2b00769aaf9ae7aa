"""What the deliberation log in a note is made of: its tables, the callouts of its quarters, and its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.notes.gfm_table import Table, take_apart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.notes.regions import Region

Place = Literal["table", "quarter", "details", "stray"]


class Home(msgspec.Struct, frozen=True, eq=False):
    """What a row stands in: where our columns are, and its table, ``None`` below no header."""

    text: str
    columns: Mapping[str, int]
    place: Place
    table: Table | None = None


class Row(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A row: the record's id, where its line stands, without its line end, and what it stands in."""

    id: str
    start: int
    end: int
    home: Home

    @property
    def line(self) -> str:
        """Its line."""
        return self.home.text[self.start : self.end]

    @property
    def cells(self) -> dict[str, str]:
        """The raw text of its cells, trimmed, by the names in `COLUMNS`; those it has."""
        found = take_apart(self.line).cells
        return {name: found[at].strip() for name, at in self.home.columns.items() if at < len(found)}


class Quarter(msgspec.Struct, frozen=True):
    """The callout of a quarter's older rows: ``start`` of its title, ``end`` behind its last line.

    ``count`` is where in the text the number of its rows stands, ``None`` where the user took it out.
    """

    year: int
    quarter: int
    start: int
    end: int
    count: tuple[int, int] | None

    @property
    def when(self) -> tuple[int, int]:
        """Its year and number."""
        return self.year, self.quarter


class LogTable(msgspec.Struct, frozen=True):
    """A table of the log: the names of its columns, and its rows in order."""

    table: Table
    names: list[str]
    rows: list[Row]
    place: Place
    quarter: Quarter | None = None


class LogRows(msgspec.Struct, frozen=True):
    """Everything of the log in a note; ``stray`` are rows below no header."""

    tables: list[LogTable]
    stray: list[Row]
    region: Region | None

    def first(self) -> dict[str, Row]:
        """The row of each record: the first one that stands in a table, else the first."""
        found = {row.id: row for row in reversed(self.stray)}
        for table in reversed(self.tables):
            found.update({row.id: row for row in reversed(table.rows)})
        return found
