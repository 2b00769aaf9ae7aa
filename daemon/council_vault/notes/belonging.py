"""Whether the log note in the vault is of this memory, or of another one that must not be mixed into it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from council_vault.errors import NoteRefused
from council_vault.notes.cells import COLUMNS, Cells, cells, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Memory
    from council_vault.notes.log_layout import Row
    from council_vault.notes.written_rows import WrittenRow

_SAMPLE = 25
_REMEDY = (
    "To take the notes over all the same, give `council-vault sync-vault --adopt-log`; "
    "to give this memory notes of its own, set workspace.name"
)


def foreign_log(
    rows: Mapping[str, Row],
    note_stamp: str | None,
    memory: Memory,
    stamp: str,
    written: Mapping[str, WrittenRow],
) -> NoteRefused | None:
    """Return why the notes must be left alone, ``None`` if they are this memory's.

    Args:
        rows: the rows in the log note, by id.
        note_stamp: the stamp in its frontmatter, if it has one.
        memory: the memory as it is now.
        stamp: its stamp.
        written: what is remembered of the rows.
    """
    if rows and note_stamp not in {None, stamp} and not _any_ours(rows, memory, written):
        return NoteRefused(
            f"the log belongs to another memory ({note_stamp}) than this one ({stamp})", remedy=_REMEDY
        )
    if _other_records(memory, written):
        return NoteRefused(
            f"the memory file has other records under the ids in the log; both call themselves {stamp}",
            remedy=_REMEDY,
        )
    return None


def _any_ours(rows: Mapping[str, Row], memory: Memory, written: Mapping[str, WrittenRow]) -> bool:
    """Whether any row is this memory's: that its id is one of ours may be by chance."""
    records = memory.identified
    for id_, row in rows.items():
        if id_ in records:
            own = cells(records[id_], {})
        elif id_ in written:
            own = written[id_].cells(id_)
        else:
            continue
        if not _is_another(own, Cells(*(row.cells.get(column, "") for column in COLUMNS))):
            return True
    return False


def _other_records(memory: Memory, written: Mapping[str, WrittenRow]) -> bool:
    """Whether most of the newest known records are others than before: another memory in the same place."""
    newest_first = reversed(memory.identified.items())
    both = ((cells(one, {}), written[id_].cells(id_)) for id_, one in newest_first if id_ in written)
    common = list(islice(both, _SAMPLE))
    return sum(_is_another(now, before) for now, before in common) * 2 > len(common)


def _is_another(one: Cells, other: Cells) -> bool:
    """Whether both the summary and a figure differ; a correction changes one or the other."""
    pairs = ((one.summary, other.summary), (one.confidence, other.confidence), (one.cost, other.cost))
    shown = ((plain(first), plain(second)) for first, second in pairs)
    summary, *figures = [bool(first and second and first != second) for first, second in shown]
    return summary and any(figures)
