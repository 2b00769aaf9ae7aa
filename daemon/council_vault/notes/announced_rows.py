"""Rows that a sync was about to write when it was killed: where they came to stand, they are ours.

Without this, what we have written ourselves would count as typed by a person, and win over the memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.notes.cells import COLUMNS, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.notes.log_layout import Row
    from council_vault.notes.written_rows import WrittenRow

_COLUMNS = tuple(column for column in COLUMNS if column != "ID")


def with_announced(
    written: Mapping[str, WrittenRow], announced: Mapping[str, WrittenRow], rows: Mapping[str, Row]
) -> Mapping[str, WrittenRow]:
    """Return what is remembered of the log's rows, with what was announced as far as it has come to stand.

    Args:
        written: what is remembered.
        announced: what should be remembered as soon as it stands.
        rows: the rows that stand in the note.
    """
    standing = {
        record_id: _as_it_stands(written.get(record_id), row, rows[record_id])
        for record_id, row in announced.items()
        if record_id in rows
    }
    return {**written, **standing} if standing else written


def _as_it_stands(known: WrittenRow | None, announced: WrittenRow, row: Row) -> WrittenRow:
    """Take each cell as announced if it says so; a person may have changed others since."""
    if known is None:
        return announced
    cells = row.cells
    values, kept = list(known.values), dict(known.kept)
    came_to_stand = 0
    for at, column in enumerate(_COLUMNS):
        cell = cells.get(column)
        says = announced.kept.get(column, announced.values[at])
        if cell is not None and says is not None and plain(cell) != plain(says):
            continue
        came_to_stand += 1
        values[at] = announced.values[at]
        kept.pop(column, None)
        if column in announced.kept:
            kept[column] = announced.kept[column]
    if came_to_stand == len(_COLUMNS):
        return announced
    date, summary, chairman, confidence, cost, rating = values
    return msgspec.structs.replace(
        known, values=(date, summary, chairman, confidence, cost, rating), source=0, kept=kept
    )
