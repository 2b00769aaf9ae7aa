"""Whether the log note in the vault is of this memory, or of another one that must not be mixed into it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from council_vault.errors import NoteRefused
from council_vault.notes.cells import cells, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from council_vault.memory.schema import Deliberation, Memory
    from council_vault.notes.written_rows import WrittenRow

_SAMPLE = 25
_REMEDY = (
    "To take the notes over all the same, give `council-vault sync-vault --adopt-log`; "
    "to give this memory notes of its own, set workspace.name"
)


def foreign_log(
    ids: Collection[str],
    note_stamp: str | None,
    memory: Memory,
    stamp: str,
    written: Mapping[str, WrittenRow],
) -> NoteRefused | None:
    """Return why the notes must be left alone, ``None`` if they are this memory's.

    Args:
        ids: of the rows in the log note.
        note_stamp: the stamp in its frontmatter, if it has one.
        memory: the memory as it is now.
        stamp: its stamp.
        written: what is remembered of the rows.
    """
    known = memory.identified.keys() | written.keys()
    if ids and note_stamp not in {None, stamp} and known.isdisjoint(ids):
        return NoteRefused(
            f"the log belongs to another memory ({note_stamp}) than this one ({stamp})", remedy=_REMEDY
        )
    if _other_records(memory, written):
        return NoteRefused(
            f"the memory file has other records under the ids in the log; both call themselves {stamp}",
            remedy=_REMEDY,
        )
    return None


def _other_records(memory: Memory, written: Mapping[str, WrittenRow]) -> bool:
    """Whether most of the newest known records are others than before: another memory in the same place."""
    newest_first = reversed(memory.identified.items())
    common = list(islice(((one, written[id_]) for id_, one in newest_first if id_ in written), _SAMPLE))
    return sum(_is_another(record, known) for record, known in common) * 2 > len(common)


def _is_another(record: Deliberation, known: WrittenRow) -> bool:
    """Whether both the summary and a figure of a record differ; a correction changes one or the other."""
    now, before = cells(record, {}), known.cells(record.id or "")
    pairs = [(now.summary, before.summary), (now.confidence, before.confidence), (now.cost, before.cost)]
    summary, *figures = [bool(plain(one) and plain(other) and one != other) for one, other in pairs]
    return summary and any(figures)
