"""Remembering what is about to be written: a killed sync's text is ours all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.files import digest
from council_vault.notes.written_rows import encode_rows
from council_vault.state import Remembering

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.notes.kinds import Kind
    from council_vault.state import State
    from council_vault.syncing.note_writing import Composed
    from council_vault.syncing.remembered import Remembered


class Announcer:
    """Tells the state of each note before it is written.

    Args:
        state: where it is remembered; ``None`` where nothing is going to be written.
        names: where the notes stand in the vault.
        remembered: what was remembered of them.
    """

    def __init__(self, state: State | None, names: Mapping[Kind, str], remembered: Remembered) -> None:
        self._state = state
        self._names = names
        self._remembered = remembered

    def announce(self, kind: Kind, before: bytes | None, composed: Composed) -> None:
        """Remember the version that is going to stand, the region in it, and the rows that will change."""
        if self._state is None:
            return
        note = self._state.facts.note(kind, self._names[kind])
        present = None if before is None else digest(before)
        note = note.announcing(present, digest(composed.content))
        known = self._remembered.regions.get(kind, "")
        region = known if composed.region in known else f"{known}\n{composed.region}"
        self._state.remember(
            Remembering(
                facts=self._state.facts.with_note(kind, note),
                regions={kind: region},
                rows=None if composed.rows is None else encode_rows(composed.rows),
                announced=encode_rows(composed.coming) if kind == "log" else None,
            )
        )
