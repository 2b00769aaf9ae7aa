"""What each row of the log should say: what its record says, but for what a person wrote into it.

A cell that a person changed is kept until the record's own value for that cell changes. A value never gives
way to none: compaction takes summaries from the memory, and not from the note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.notes.cells import COLUMNS, Cells, cells, plain
from council_vault.notes.log_edits import RATING
from council_vault.notes.rating_edits import settle_rating
from council_vault.notes.written_rows import UNCHECKED, UNREAD, WrittenRow, line_checksum, source_checksum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Memory
    from council_vault.notes.log_edits import NoteEdits
    from council_vault.notes.log_layout import Row

_COLUMNS = tuple((column, at) for at, column in enumerate(COLUMNS) if column != "ID")


class Reconciled(msgspec.Struct, frozen=True):
    """What rows should say that do not say it yet, and what to remember once they do."""

    wanted: Mapping[str, Cells]
    written: Mapping[str, WrittenRow]


def reconcile(
    memory: Memory,
    rows: Mapping[str, Row],
    written: Mapping[str, WrittenRow],
    names: Mapping[str, str],
    edits: NoteEdits,
) -> Reconciled:
    """Say what each row should say.

    Args:
        memory: the memory, with the edits made.
        rows: the rows as they were read.
        written: what was remembered of them.
        names: the models' `short_names`.
        edits: what the person changed.
    """
    wanted: dict[str, Cells] = {}
    remembered = dict(written)
    for record_id, record in memory.identified.items():
        row, known = rows.get(record_id), written.get(record_id)
        if row is None and record_id in edits.deleted:
            continue
        source = source_checksum(record, names.get(record.chairman or "", record.chairman or ""))
        same = known is not None and known.source == source
        if known is not None and same and row is not None and record_id not in edits.touched:
            if record_id in edits.found:
                remembered[record_id] = msgspec.structs.replace(known, line=edits.found[record_id])
            continue
        own = known.cells(record_id) if known is not None and same else cells(record, names)
        if row is None:
            remembered[record_id], wanted[record_id] = _added(own, known, source, edits)
            continue
        remembered[record_id], stands = _merged(row, own, known, source, edits)
        if stands is not None:
            wanted[record_id] = stands
    for record_id in edits.put_back - memory.identified.keys():
        known = written[record_id]
        remembered[record_id], wanted[record_id] = _added(known.cells(record_id), known, 0, edits)
    for record_id in (edits.touched | edits.found.keys()) & written.keys() - memory.identified.keys():
        # The record is gone from the memory; its row stays as it is.
        line = line_checksum(rows[record_id].line)
        remembered[record_id] = msgspec.structs.replace(written[record_id], line=line)
    return Reconciled(wanted, remembered)


def _added(own: Cells, known: WrittenRow | None, source: int, edits: NoteEdits) -> tuple[WrittenRow, Cells]:
    """Return what to remember of a row that is put (back) into the note, and what it says."""
    agreed = _never_less(own, known, edits)
    kept = {
        column: former
        for column, at in _COLUMNS
        if (former := _former(column, agreed[at], known)) is not None
    }
    settled = agreed.rating == own.rating
    return WrittenRow(agreed[1:], source if settled else 0, UNREAD, dict(kept)), _with(agreed, kept)


def _merged(
    row: Row, own: Cells, known: WrittenRow | None, source: int, edits: NoteEdits
) -> tuple[WrittenRow, Cells | None]:
    """Return what to remember of a row that stands, and what it should say if it says something else."""
    stands = row.cells
    agreed = _never_less(own, known, edits)
    settled = True
    says: dict[str, str] = {}
    kept: dict[str, str | None] = {}
    for column, at in _COLUMNS:
        cell = stands.get(column)
        if cell is None:
            kept[column] = None
            continue
        if edits.old_copy:
            says[column] = _former(column, agreed[at], known) or agreed[at]
        elif column != RATING:
            says[column] = _cell(column, agreed[at], cell, known)
        else:
            rating, says[column], settled = settle_rating(
                own.rating,
                cell,
                known.rating if known is not None else None,
                pending=own.id in edits.pending,
                unknown=own.id in edits.unknown,
                decided=own.id in edits.decided,
            )
            agreed = agreed._replace(rating=rating)
        if plain(says[column]) != plain(agreed[at]):
            kept[column] = says[column]
    if not settled and known is not None:
        # The cell must count as typed since the last sync, until the memory has it.
        kept.pop(RATING, None)
        kept |= {column: cell for column, cell in known.kept.items() if column == RATING}
    changed = any(plain(cell) != plain(stands[column]) for column, cell in says.items())
    line = UNCHECKED if changed or not settled else line_checksum(row.line)
    agreeing = settled and plain(agreed.rating) == plain(own.rating)
    return (
        WrittenRow(agreed[1:], source if agreeing else 0, line, kept),
        _with(agreed, says) if changed else None,
    )


def _cell(column: str, own: str, stands: str, known: WrittenRow | None) -> str:
    """Return what a cell should say: the record's value if that is new, else what a person made of it."""
    if known is None:
        return stands
    if plain(own) != plain(known.values[COLUMNS.index(column) - 1]):
        return own
    came_back = column in known.kept and known.kept[column] is None
    return own if came_back and not plain(stands) else stands


def _former(column: str, own: str, known: WrittenRow | None) -> str | None:
    """Return what a person made of a cell before, if the record's own value is still the same."""
    if known is None or plain(own) != plain(known.values[COLUMNS.index(column) - 1]):
        return None
    return known.kept.get(column)


def _never_less(own: Cells, known: WrittenRow | None, edits: NoteEdits) -> Cells:
    """Return a record's cells, with the values that it has lost; a rating that was decided stays decided."""
    if known is None:
        return own
    cells = Cells(
        *(cell if plain(cell) else before for cell, before in zip(own, known.cells(own.id), strict=True))
    )
    return cells._replace(rating=own.rating) if own.id in edits.decided else cells


def _with(own: Cells, says: Mapping[str, str]) -> Cells:
    return Cells(*(says.get(column, cell) for column, cell in zip(COLUMNS, own, strict=True)))
