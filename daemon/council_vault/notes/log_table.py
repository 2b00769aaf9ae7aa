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
from council_vault.notes.log_rows import Quarter, column_names, end_of_quote, find_rows, readable
from council_vault.notes.row_order import newest, newest_first, places, quarter_of
from council_vault.notes.text_edits import TextEdits

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from council_vault.notes.log_rows import LogRows, LogTable, Place, Row

_NEW_TABLE = Table(
    start=0,
    rule=0,
    body=0,
    end=0,
    header=take_apart(f"| {' | '.join(COLUMNS)} |"),
    dashes=take_apart(f"| {' | '.join('---:' if column == 'Cost' else '---' for column in COLUMNS)} |"),
)
# What does not belong to the table that it stands directly below.
_NEXT_BLOCK = re.compile(r"[ \t]*(?:\r?\n|\Z|>|#|```|~~~|%%|<details)", re.IGNORECASE)


_Blocks = defaultdict[int, list[list[str]]]  # new blocks of lines, by the place they go to


class _Added(msgspec.Struct, frozen=True):
    """A row to be added: its cells by the names of their columns.

    One that moves has the ``line`` it stood on, below these ``titles``, and goes on as it is where they are
    the same.
    """

    id: str
    cells: Mapping[str, str]
    line: str = ""
    titles: Sequence[str] = ()


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
    changed = _changed(text, standing, wanted)
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

    edits = TextEdits(text, newline)
    moved = (
        [_moved(main, row, changed.pop(row, text[row.start : row.end])) for row in leaving] if main else []
    )
    for row in leaving:
        edits.replace(row.start, next_line(text, row.end), "")
    for row, line in changed.items():
        edits.replace(row.start, row.end, line)
    blocks = _Blocks(list)
    _add_to_main(edits, text, log, main, [row for row in new if is_newest(row.id)], blocks)
    _add_to_quarters(edits, text, log, main, [row for row in (*new, *moved) if not is_newest(row.id)], blocks)
    for place, block in blocks.items():
        edits.insert_blocks(place, block)
    return edits.applied()


def _add_to_main(
    edits: TextEdits, text: str, log: LogRows, main: LogTable | None, added: Sequence[_Added], blocks: _Blocks
) -> None:
    if main:
        _add(edits, text, main, added)
    elif added:
        blocks[_place_of_table(text, log)].append(_lines(_NEW_TABLE, added))


def _add_to_quarters(
    edits: TextEdits, text: str, log: LogRows, main: LogTable | None, added: Sequence[_Added], blocks: _Blocks
) -> None:
    """Add rows to the callouts of their quarters, new ones where there are none; set the counts right."""
    older = defaultdict[tuple[int, int], list[_Added]](list)
    for row in added:
        older[quarter_of(row.id)].append(row)
    counts = Counter[Quarter]()
    callouts: dict[tuple[int, int], LogTable] = {}
    for table in log.tables:
        if table.quarter:
            counts[table.quarter] += len(table.rows)
            callouts.setdefault(table.quarter.when, table)
    for quarter, rows in sorted(older.items(), reverse=True):
        callout = callouts.get(quarter)
        if callout and callout.quarter:
            _add(edits, text, callout, rows)
            counts[callout.quarter] += len(rows)
        else:
            layout = main.table if main else _NEW_TABLE
            place = _place_of_quarter(text, log, main, quarter)
            blocks[place].append(_callout(quarter, layout, rows))
    for callout_seen, total in counts.items():
        if callout_seen.count and text[slice(*callout_seen.count)] != str(total):
            edits.replace(*callout_seen.count, str(total))


def _changed(
    text: str, standing: Mapping[str, tuple[Row, Mapping[str, int], Place]], wanted: Mapping[str, Cells]
) -> dict[Row, str]:
    """Return the new lines of the rows that do not say what they should."""
    changed: dict[Row, str] = {}
    for record_id in wanted.keys() & standing.keys():
        row, columns, _ = standing[record_id]
        line = take_apart(text[row.start : row.end])
        cells = dict(enumerate(line.cells))
        changes = {
            at: cell
            for name, cell in zip(COLUMNS, wanted[record_id], strict=True)
            if (at := columns.get(name)) is not None and plain(cells.get(at, "")) != plain(cell)
        }
        if changes:
            changed[row] = with_cells(line, changes)
    return changed


def _main_table(log: LogRows, is_newest: Callable[[str], bool]) -> LogTable | None:
    """Return the table that new rows go to: of those in plain view the one with most of the newest."""
    tables = [table for table in log.tables if table.place == "table"]
    if len(tables) < 2:
        return tables[0] if tables else None
    return max(tables, key=lambda table: sum(is_newest(row.id) for row in table.rows))


def _moved(main: LogTable, row: Row, line: str) -> _Added:
    titles = main.table.titles
    cells = (cell.strip() for cell in take_apart(line).cells)
    return _Added(row.id, dict(zip(column_names(titles), cells, strict=False)), line, titles)


def _add(edits: TextEdits, text: str, log_table: LogTable, added: Sequence[_Added]) -> None:
    """Add rows to a table, and the user's columns that it lacks if a row has something in them."""
    table = log_table.table
    names = set(column_names(table.titles)).union(COLUMNS)
    lacking = {
        name: title
        for row in added
        for name, title in zip(column_names(row.titles), row.titles, strict=True)
        if name not in names and plain(row.cells.get(name, ""))
    }
    if lacking:
        before, table = table, table.with_columns(list(lacking.values()))
        edits.replace(before.start, before.start + len(before.header.text()), table.header.text())
        edits.replace(before.rule, before.rule + len(before.dashes.text()), table.dashes.text())
    for place, additions in places(text, table.body, log_table.rows, added).items():
        edits.insert_lines(place, (_line(table, row) for row in additions))


def _line(table: Table, row: _Added) -> str:
    titles = table.titles
    if row.line and row.titles == titles:
        return table.header.marks + row.line[len(take_apart(row.line).marks) :]
    return table.row([row.cells.get(name, "") for name in column_names(titles)])


def _lines(table: Table, rows: Iterable[_Added]) -> list[str]:
    """Return a whole table with these rows, the newest first."""
    return [
        table.header.text().rstrip(),
        table.dashes.text().rstrip(),
        *(_line(table, row) for row in newest_first(rows)),
    ]


def _callout(quarter: tuple[int, int], layout: Table, rows: Sequence[_Added]) -> list[str]:
    """Return a new callout with the older rows of a quarter, in a table as the main one."""
    year, number = quarter
    title = f"> [!note]- Older deliberations, {year} Q{number} ({len(rows)})"
    return [title, ">", *_lines(layout.quoted(), rows)]


def _place_of_table(text: str, log: LogRows) -> int:
    """Where the table is built when there is none: below the managed region, above the quarters."""
    if log.region:
        return log.region.end
    return min((table.quarter.start for table in log.tables if table.quarter), default=len(text))


def _place_of_quarter(text: str, log: LogRows, main: LogTable | None, quarter: tuple[int, int]) -> int:
    """Where a quarter's callout goes: newest first, below the main table and what belongs to it."""
    callouts = [table.quarter for table in log.tables if table.quarter]
    for callout in callouts:
        if callout.when < quarter:
            return callout.start
    if callouts:
        return callouts[-1].end
    if main is None:
        return _place_of_table(text, log)
    place = end_of_quote(text, main.table.end)
    while not _NEXT_BLOCK.match(text, place):
        place = next_line(text, text.find("\n", place))
    return place
