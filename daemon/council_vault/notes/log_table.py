"""Merging the deliberation log into a note: rows found, changed, added and moved, and no other byte touched.

The newest rows stand in the main table, older ones in one folded callout for each quarter below it. The table
is the user's to move, to sort, to restyle and to add columns to.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from council_vault.notes.cells import COLUMNS, Cells, plain
from council_vault.notes.gfm_table import Table, next_line, take_apart, with_cells
from council_vault.notes.log_layout import LogTable, Quarter
from council_vault.notes.log_rows import end_of_quote, find_rows, readable
from council_vault.notes.row_order import newest, newest_first, places, quarter_of
from council_vault.notes.text_edits import TextEdits

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from council_vault.notes.log_layout import LogRows, Row

_NEW_TABLE = LogTable(
    table=Table(
        start=0,
        rule=0,
        body=0,
        end=0,
        header=take_apart(f"| {' | '.join(COLUMNS)} |"),
        dashes=take_apart(f"| {' | '.join('---:' if name == 'Cost' else '---' for name in COLUMNS)} |"),
    ),
    names=list(COLUMNS),
    rows=[],
    place="table",
)
# What does not belong to the table that it stands directly below.
_NEXT_BLOCK = re.compile(r"[ \t]*(?:\r?\n|\Z|>|#|```|~~~|%%|<details)", re.IGNORECASE)


class _Added(msgspec.Struct, frozen=True):
    """A row to be added: its cells by column; one that moves has a table and a line it comes from."""

    id: str
    cells: Mapping[str, str]
    origin: LogTable | None = None
    line: str = ""


def merge_rows(
    text: str, wanted: Mapping[str, Cells], *, newline: str, visible: int, absent: Container[str]
) -> str:
    """Return the note's text with the rows as wanted.

    Args:
        text: the note, its managed region in place.
        wanted: what the row of a record should say; rows of other records stay as they are.
        newline: the note's line end.
        visible: how many of the newest rows the main table shows.
        absent: ids whose rows are not added, because the person deleted them. One that is there stays.

    Raises:
        NoteRefused: the markers of the managed region are damaged.
    """
    if "\r" in text and "\n" not in text:
        merged = merge_rows(readable(text), wanted, newline="\n", visible=visible, absent=absent)
        return merged.replace("\n", "\r")
    log = find_rows(text)
    standing = log.first()
    changed = _changed(standing, wanted)
    new = [
        _Added(record_id, dict(zip(COLUMNS, cells, strict=True)))
        for record_id, cells in wanted.items()
        if record_id not in standing and record_id not in absent
    ]
    is_newest = newest({*standing, *(row.id for row in new)}, visible)
    main = _main_table(log, is_newest)
    leaving = [row for row in main.rows if not is_newest(row.id)] if main else []
    if (new or leaving) and text and not text.endswith("\n"):
        # A row that goes to the end needs a line of its own.
        return merge_rows(text + newline, wanted, newline=newline, visible=visible, absent=absent)

    merge = _Merge(text, newline, log, main)
    moved = [merge.take_out(row, changed.pop(row, row.line)) for row in leaving]
    for row, line in changed.items():
        merge.edits.replace(row.start, row.end, line)
    merge.add_to_main([row for row in new if is_newest(row.id)])
    merge.add_to_quarters([row for row in (*new, *moved) if not is_newest(row.id)])
    return merge.merged()


def _changed(standing: Mapping[str, Row], wanted: Mapping[str, Cells]) -> dict[Row, str]:
    """Return the new lines of the rows that do not say what they should."""
    changed: dict[Row, str] = {}
    for record_id in wanted.keys() & standing.keys():
        row = standing[record_id]
        line = take_apart(row.line)
        stands = dict(enumerate(line.cells))
        changes = {
            at: cell
            for name, cell in zip(COLUMNS, wanted[record_id], strict=True)
            if name != "ID"  # the row was found by it, however it is decorated
            and (at := row.home.columns.get(name)) is not None
            and plain(stands.get(at, "")) != plain(cell)
        }
        if changes:
            changed[row] = with_cells(line, changes, row.home.table)
    return changed


def _main_table(log: LogRows, is_newest: Callable[[str], bool]) -> LogTable | None:
    """Return the table that new rows go to: of those in plain view the one with most of the newest."""
    tables = [table for table in log.tables if table.place == "table"]
    if len(tables) < 2:
        return tables[0] if tables else None
    return max(tables, key=lambda table: sum(is_newest(row.id) for row in table.rows))


class _Merge:
    """One merge: what stands in the note, and the edits gathered so far."""

    def __init__(self, text: str, newline: str, log: LogRows, main: LogTable | None) -> None:
        self._text = text
        self._log = log
        self._main = main
        self._layout = main or _NEW_TABLE
        self._blocks = defaultdict[int, list[list[str]]](list)
        self.edits = TextEdits(text, newline)

    def merged(self) -> str:
        """Return the text with all edits made."""
        for place, blocks in self._blocks.items():
            self.edits.insert_blocks(place, blocks)
        return self.edits.applied()

    def take_out(self, row: Row, line: str) -> _Added:
        """Take a row out of the main table, to be added elsewhere as it is."""
        self.edits.replace(row.start, next_line(self._text, row.end), "")
        cells = (cell.strip() for cell in take_apart(line).cells)
        return _Added(row.id, dict(zip(self._layout.names, cells, strict=False)), self._layout, line)

    def add_to_main(self, added: Sequence[_Added]) -> None:
        """Add the newest rows, and the main table if there is none."""
        if self._main:
            self._add(self._main, added)
        elif added:
            self._blocks[self._place_of_table()].append(_lines(self._layout, added))

    def add_to_quarters(self, added: Sequence[_Added]) -> None:
        """Add rows to the callouts of their quarters, new ones where there are none; set the counts right."""
        older = defaultdict[tuple[int, int], list[_Added]](list)
        for row in added:
            older[quarter_of(row.id)].append(row)
        counts = Counter[Quarter]()
        tables: dict[tuple[int, int], tuple[LogTable, Quarter]] = {}
        for table in self._log.tables:
            if table.quarter:
                counts[table.quarter] += len(table.rows)
                tables.setdefault(table.quarter.when, (table, table.quarter))
        for when, rows in sorted(older.items(), reverse=True):
            if when in tables:
                table, callout = tables[when]
                self._add(table, rows)
                counts[callout] += len(rows)
            else:
                self._blocks[self._place_of_quarter(when)].append(_callout(when, self._layout, rows))
        for callout, total in counts.items():
            if callout.count and self._text[slice(*callout.count)] != str(total):
                self.edits.replace(*callout.count, str(total))

    def _add(self, log_table: LogTable, added: Sequence[_Added]) -> None:
        """Add rows to a table, and the user's columns that it lacks if a row has something in them."""
        lacking = {
            name: title
            for row in added
            if row.origin
            for name, title in zip(row.origin.names, row.origin.table.titles, strict=True)
            if name not in log_table.names and name not in COLUMNS and plain(row.cells.get(name, ""))
        }
        if lacking:
            before = log_table.table
            log_table = _wider(log_table, lacking)
            for start, old, new in (
                (before.start, before.header, log_table.table.header),
                (before.rule, before.dashes, log_table.table.dashes),
            ):
                self.edits.replace(start, start + len(old.text()), new.text())
        for place, rows in places(self._text, log_table.table.body, log_table.rows, added).items():
            self.edits.insert_lines(place, (_line(log_table, row) for row in rows))

    def _place_of_table(self) -> int:
        """Where the main table is built: below the managed region, above the quarters."""
        if self._log.region:
            return self._log.region.end
        quarters = (table.quarter.start for table in self._log.tables if table.quarter)
        return min(quarters, default=len(self._text))

    def _place_of_quarter(self, when: tuple[int, int]) -> int:
        """Where a quarter's callout goes: newest first, below the main table and what belongs to it."""
        callouts = [table.quarter for table in self._log.tables if table.quarter]
        for callout in callouts:
            if callout.when < when:
                return callout.start
        if callouts:
            return callouts[-1].end
        if self._main is None:
            return self._place_of_table()
        place = end_of_quote(self._text, self._main.table.end)
        while not _NEXT_BLOCK.match(self._text, place):
            place = next_line(self._text, self._text.find("\n", place))
        return place


def _wider(log_table: LogTable, columns: Mapping[str, str]) -> LogTable:
    table = log_table.table.with_columns(list(columns.values()))
    return msgspec.structs.replace(log_table, table=table, names=[*log_table.names, *columns])


def _line(log_table: LogTable, row: _Added) -> str:
    table = log_table.table
    if row.origin and row.origin.table.titles == table.titles:
        return table.header.marks + row.line[len(take_apart(row.line).marks) :]
    return table.row([row.cells.get(name, "") for name in log_table.names])


def _lines(log_table: LogTable, rows: Iterable[_Added]) -> list[str]:
    """Return a whole table with these rows, the newest first."""
    head = (log_table.table.header.text().rstrip(), log_table.table.dashes.text().rstrip())
    return [*head, *(_line(log_table, row) for row in newest_first(rows))]


def _callout(when: tuple[int, int], layout: LogTable, rows: Sequence[_Added]) -> list[str]:
    """Return a new callout with the older rows of a quarter, in a table like the main one."""
    year, number = when
    title = f"> [!note]- Older deliberations, {year} Q{number} ({len(rows)})"
    quoted = msgspec.structs.replace(layout, table=layout.table.quoted())
    return [title, ">", *_lines(quoted, rows)]
