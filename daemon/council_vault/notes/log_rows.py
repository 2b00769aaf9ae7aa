"""Where the rows of the deliberation log stand in a note, whoever wrote them, wherever they were moved to.

A table is the log's if its header has columns of ours and its cells hold ids of records: an id and nothing
else, though it may be linked, emphasised or escaped. Nothing counts in code, in comments, in the frontmatter
or in the managed region.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

from council_vault.notes.cell_text import undecorated
from council_vault.notes.cells import COLUMNS, plain
from council_vault.notes.gfm_table import Table, find_tables, take_apart
from council_vault.notes.log_layout import Home, LogRows, LogTable, Quarter, Row
from council_vault.notes.markdown import lines, scan
from council_vault.notes.regions import Region, find_region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_ID = r"d_[0-9]{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])_[0-9]{3,}"
_CELL = r"(?:[^|\r\n]|(?<=\\)\|)*+\|"
_ANY_ID = re.compile(rf"(?:^[ \t>]*+|(?<!\\)\|)[ \t]*+{_ID}[ \t]*+(?=\||\r?$)", re.MULTILINE)
_EXACTLY_ID = re.compile(_ID)
_STRAY = re.compile(rf"^[ \t>]*+\|({_CELL})[^\r\n]*", re.MULTILINE)
_BODY_LINE = re.compile(r"^[^\r\n]+", re.MULTILINE)
_WIKILINK = re.compile(r"!?\[\[(?:[^\[\]|#\r\n]*/)?([^\[\]|#/\r\n]+?)(?:\\?[|#][^\[\]\r\n]*)?\]\]")
_QUARTER = re.compile(
    r"[ \t>]*\[![^\]\r\n]*\][-+]?[ \t]*Older deliberations, (?P<year>[0-9]{4}) Q(?P<quarter>[1-4])\b"
    r"(?:[ \t]*\((?P<count>[0-9]+)\))?",
    re.IGNORECASE,
)
_FRONTMATTER = re.compile(r"---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_NOT_LETTERS = re.compile(r"[\W_]+")
_KNOWN = {_NOT_LETTERS.sub("", column.casefold()): column for column in COLUMNS}


def rows_in(text: str) -> dict[str, Row]:
    """Return the row of each record that has one in the note, by id.

    Raises:
        NoteRefused: the markers of the managed region are damaged.
    """
    return find_rows(readable(text)).first()


def readable(text: str) -> str:
    """Return a text whose lines end with a lone CR with LF instead: every offset stays."""
    return text.replace("\r", "\n") if "\n" not in text else text


@lru_cache(maxsize=2)  # what a sync has written is what the next one finds
def find_rows(text: str) -> LogRows:
    """Find the tables and rows of the log in a note's text.

    Raises:
        NoteRefused: the markers of the managed region are damaged.
    """
    frontmatter = _FRONTMATTER.match(text)
    body = frontmatter.end() if frontmatter else 0
    region = find_region(text, "log", body)
    tables = list(find_tables(text, body))
    between = _between(text, tables, body)
    surroundings = _surroundings(text, between, region)
    found = [
        log_table
        for table in tables
        if (place := surroundings.get(table.rule)) is not None
        and (log_table := _as_log(text, table, place)) is not None
    ]
    stray = [
        Row(record_id, match.start(), match.end(), home)
        for start, end in between
        for match in _STRAY.finditer(text, start, end)
        if match.start() in surroundings
        and (record_id := _id_in(match[1][:-1]))
        and (home := _stray_home(text, match[0], found)) is not None
    ]
    return LogRows(found, stray, region)


def end_of_quote(text: str, start: int) -> int:
    """Return where the first line from ``start`` on begins that is in no quote or callout."""
    while text.startswith(">", start):
        line_end = text.find("\n", start)
        start = line_end + 1 if line_end >= 0 else len(text)
    return start


def column_names(titles: Iterable[str]) -> list[str]:
    """Return a name for each column by which other tables have it: for those of ours the one in `COLUMNS`.

    Case, spaces and decoration make no difference. Names are unique: the second ``Cost`` is not ours.
    """
    names: list[str] = []
    for title in titles:
        letters = _NOT_LETTERS.sub("", plain(title).casefold())
        name = _KNOWN.get(letters, letters)
        while name in names:
            name += "'"
        names.append(name)
    return names


def _as_log(text: str, table: Table, place: Literal["text", "details"]) -> LogTable | None:
    names = column_names(table.titles)
    needed = 2
    if "ID" not in names:
        column = _column_of_ids(text, table)
        if column is None:
            return None
        names[column] = "ID"
        needed = 3
    if sum(name in COLUMNS for name in names) < needed and _is_translated(text, table, names):
        names = list(COLUMNS)
    columns = {name: at for at, name in enumerate(names) if name in COLUMNS}
    quarter = _quarter_around(text, table) if ">" in table.header.marks and place == "text" else None
    home = Home(text, columns, "quarter" if quarter else "table" if place == "text" else place, table)
    rows = [
        Row(match[1], match.start(), match.end(), home)
        for match in _row_pattern(columns["ID"], returns="\r" in text).finditer(text, table.body, table.end)
    ]
    count = text.count("\n", table.body, table.end) + (not text.endswith("\n", table.body, table.end))
    if count > len(rows):
        rows = sorted([*rows, *_decorated_rows(table, home, rows)], key=lambda row: row.start)
    if len(columns) < (needed if rows else 4):
        return None
    return LogTable(table, names, rows, home.place, quarter)


def _is_translated(text: str, table: Table, names: Sequence[str]) -> bool:
    """Whether a table has as many columns as ours and ids in the first: its titles are then translated."""
    pattern = _row_pattern(0, returns="\r" in text)
    return len(names) == len(COLUMNS) and pattern.search(text, table.body, table.end) is not None


@cache
def _row_pattern(column: int, *, returns: bool) -> re.Pattern[str]:
    """Lines whose cell in that column is exactly an id: the one search that goes over every row.

    ``returns`` is whether there is a carriage return in the text, which ends a line as well; going on to the
    end of a line takes most of the time, and three times as much of it then.
    """
    before = rf"(?:{_CELL}){{{column}}}" if column else ""
    rest = r"[^\r\n]" if returns else "."
    return re.compile(rf"^[ \t>]*+\|?+{before}[ \t]*+({_ID})[ \t]*+(?:\|{rest}*|$|(?=\r))", re.MULTILINE)


def _column_of_ids(text: str, table: Table) -> int | None:
    """Return which column of a table holds ids; its header says nothing of them."""
    found = _ANY_ID.search(text, table.body, table.end)
    if found is None:
        return None
    line_start = max(text.rfind("\n", 0, found.start() + 1) + 1, table.body)
    return len(take_apart(text[line_start : found.end()]).cells) - 1


def _decorated_rows(table: Table, home: Home, found: Iterable[Row]) -> Iterator[Row]:
    """Find the rows of a table whose ids are not written plainly: the few lines that no search has found."""
    known = {row.start for row in found}
    at = home.columns["ID"]
    for line in _BODY_LINE.finditer(home.text, table.body, table.end):
        if line.start() not in known:
            cells = take_apart(line[0]).cells
            if at < len(cells) and (record_id := _id_in(cells[at])):
                yield Row(record_id, line.start(), line.end(), home)


def _id_in(cell: str) -> str | None:
    """Return the id that a cell shows, or links to, and nothing else."""
    shown = plain(cell)
    for text in (undecorated(shown), undecorated(_WIKILINK.sub(r"\1", shown))):
        if _EXACTLY_ID.fullmatch(text):
            return text
    return None


def _quarter_around(text: str, table: Table) -> Quarter | None:
    """Find the title of the callout that a table stands in, if it is a quarter's."""
    start = table.start
    while start > 0:
        start = text.rfind("\n", 0, start - 1) + 1
        title = _QUARTER.match(text, start)
        if title is not None:
            count = title.span("count") if title["count"] else None
            end = end_of_quote(text, table.end)
            return Quarter(int(title["year"]), int(title["quarter"]), start, end, count)
        if not text.startswith(">", start):
            break
    return None


def _between(text: str, tables: Iterable[Table], body: int) -> list[tuple[int, int]]:
    """The parts of the text that are no rows of tables."""
    starts = [body, *(table.end for table in tables)]
    ends = [*(table.body for table in tables), len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def _surroundings(
    text: str, between: Iterable[tuple[int, int]], region: Region | None
) -> dict[int, Literal["text", "details"]]:
    """Say of each line outside the tables' rows, by its offset, whether it is in HTML's ``<details>``.

    Lines of code, of comments and of the managed region are left out. The rows of a table cannot begin or end
    any of these, so that 10 000 of them cost nothing.
    """
    offsets: list[int] = []
    raw_lines: list[str] = []
    for start, end in between:
        offset = start
        for raw in lines(text[start:end]):
            offsets.append(offset)
            raw_lines.append(raw)
            offset += len(raw)
    depth = 0
    found: dict[int, Literal["text", "details"]] = {}
    for offset, line in zip(offsets, scan(raw_lines), strict=True):
        is_code = line.state != "text" or line.content.startswith("    ")
        if is_code or (region is not None and region.start <= offset < region.end):
            continue
        tag = line.content.casefold()
        depth = max(0, depth + tag.count("<details") - tag.count("</details"))
        found[offset] = "details" if depth else "text"
    return found


def _stray_home(text: str, line: str, tables: Iterable[LogTable]) -> Home | None:
    """Return the columns of a row below no header: those of the log's table, or ours, if they fit."""
    count = len(take_apart(line).cells)
    names = next((table.names for table in tables if len(table.names) == count), list(COLUMNS))
    if len(names) != count or names[0] != "ID":
        return None
    return Home(text, {name: at for at, name in enumerate(names) if name in COLUMNS}, "stray")
