"""Seeing which notes are not as the last sync left them: those are read whose looks have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.errors import NoteRefused, VaultUnavailable, WriteFailed
from council_vault.service.record_lookout import RecordLookout
from council_vault.vault.discovery import discover

if TYPE_CHECKING:
    from council_vault.facts import Facts
    from council_vault.vault.store import VaultStore
    from council_vault.workspace import Workspace

ChangedNotes = frozenset[tuple[str, str | None]]
"""Names of notes, each with the version that it has now, ``None`` for one that is gone."""


class NoteLookout:
    """Looks at the notes of one memory.

    Args:
        workspace: where they are.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._vault: VaultStore | None = None
        self._pin: str | None = None
        self._marks: dict[str, object] = {}
        self._versions: dict[str, str | None] = {}
        self._records = RecordLookout(workspace)

    def look(self, facts: Facts) -> ChangedNotes | None:
        """Return the notes that are not as they were left; ``None`` where there is no vault now.

        Args:
            facts: what is known of the vault and its notes.
        """
        if not (facts.pin or self._workspace.settings.vault.path):
            return None
        try:
            vault = self._meant(facts.pin)
            names = [note.name for note in facts.notes.values()]
            self._records.compare_with(facts)
            if vault.may_have_changed([*names, *self._records.names]):
                self._look_at(vault, names)
                self._records.look_at(vault)
        except (VaultUnavailable, WriteFailed):  # a sync will say why
            self._vault = None
            return None
        changed = (
            (note.name, self._versions[note.name])
            for note in facts.notes.values()
            if note.name in self._versions and note.versions[-1:] != (self._versions[note.name],)
        )
        return frozenset((*changed, *self._records.changed()))

    def _meant(self, pin: str | None) -> VaultStore:
        if self._vault is None or pin != self._pin:
            self._vault = self._workspace.vault(discover(self._workspace.vault_request(pin)))
            self._pin = pin
        return self._vault

    def _look_at(self, vault: VaultStore, names: list[str]) -> None:
        for name in names:
            try:
                seen = vault.glance(name)
                mark = seen and seen.mark
                if name not in self._versions or self._marks[name] != mark:
                    stored = vault.read(name)
                    self._marks[name], self._versions[name] = mark, stored and stored.version
            except (NoteRefused, WriteFailed):  # likewise
                self._versions.pop(name, None)
