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
    from council_vault.syncing.note_writing import Draft
    from council_vault.syncing.remembered import Remembered


class Announcer:
    """Tells the state of the notes before they are written.

    Args:
        state: where it is remembered; ``None`` where nothing is going to be written.
        names: where the notes stand in the vault.
        remembered: what was remembered of them.
    """

    def __init__(self, state: State | None, names: Mapping[Kind, str], remembered: Remembered) -> None:
        self._state = state
        self._names = names
        self._remembered = remembered

    def announce(self, drafts: Mapping[Kind, Draft]) -> None:
        """Remember the versions that are going to stand, their regions, and the rows that will change."""
        if self._state is None:
            return
        facts = self._state.facts
        regions: dict[str, str] = {}
        for kind, draft in drafts.items():
            present = None if draft.stored is None else digest(draft.stored.content)
            note = facts.note(kind, self._names[kind]).announcing(present, digest(draft.composed.content))
            facts = facts.with_note(kind, note)
            known, region = self._remembered.regions.get(kind, ""), draft.composed.region
            regions[kind] = known if region in known else f"{known}\n{region}"
        log = drafts["log"].composed if "log" in drafts else None
        self._state.remember(
            Remembering(
                facts=facts,
                regions=regions,
                rows=encode_rows(log.rows) if log and log.rows is not None else None,
                announced=encode_rows(log.coming) if log else None,
            )
        )
