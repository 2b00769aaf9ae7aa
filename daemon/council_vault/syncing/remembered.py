"""What is remembered of a memory's notes, as a sync uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.files import digest
from council_vault.notes.kinds import KINDS, Kind
from council_vault.notes.written_rows import WrittenRow, decode_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.facts import NoteFacts
    from council_vault.notes.log_edits import Version
    from council_vault.state import State


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """The memory's stamp, facts and regions of its notes, the log's rows, and ids of those deleted.

    ``announced`` are rows that a killed sync may have written.
    """

    stamp: str | None
    notes: Mapping[Kind, NoteFacts]
    regions: Mapping[Kind, str]
    rows: Mapping[str, WrittenRow]
    announced: Mapping[str, WrittenRow]
    deleted: frozenset[str]

    @property
    def places(self) -> dict[Kind, str]:
        """Where the notes stood last."""
        return {kind: note.name for kind, note in self.notes.items()}

    def without_rows(self) -> Remembered:
        """Return what is left when the rows turn out to be of another memory."""
        return msgspec.structs.replace(self, rows={}, announced={}, deleted=frozenset())

    def version(self, kind: Kind, content: bytes) -> Version:
        """Say which version of a note that is.

        An earlier one was put back by a sync service or a stale editor; one is as it was left if it is the
        last sync's, byte for byte, and none has been at it since.
        """
        if kind not in self.notes:
            return "new"
        note, version = self.notes[kind], digest(content)
        if note.is_old(version):
            return "old"
        return "left" if note.versions[-1:] == (version,) and not note.announced else "new"

    def is_left_by_us(self, kind: Kind, content: bytes) -> bool:
        """Whether a note is as a sync left it, so that all text in its region is ours."""
        return kind in self.notes and digest(content) in self.notes[kind].left

    def is_written_by_us(self, kind: Kind, version: str) -> bool:
        """Whether a version of a note, by its digest, is the one that the last sync left or was to leave."""
        if kind not in self.notes:
            return False
        note = self.notes[kind]
        return version in note.versions[-1:] + note.announced[-1:]


def recall(state: State, name: str | None) -> Remembered:
    """Return what the state remembers of the notes whose names have that suffix."""
    if state.facts.name != name:
        return Remembered(stamp=None, notes={}, regions={}, rows={}, announced={}, deleted=frozenset())
    regions = {kind: state.region(kind) for kind in KINDS}
    return Remembered(
        stamp=state.facts.stamp,
        notes={kind: state.facts.notes[kind] for kind in KINDS if kind in state.facts.notes},
        regions={kind: region for kind, region in regions.items() if region is not None},
        rows=decode_rows(state.rows()),
        announced=decode_rows(state.announced()),
        deleted=state.facts.deleted,
    )
