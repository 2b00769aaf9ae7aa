"""Seeing which record notes are not as the last sync left them, at the price of a glance at each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.errors import NoteRefused, WriteFailed
from council_vault.facts import Facts
from council_vault.state import open_state
from council_vault.syncing.record_marks import folder_of_records, look, mark_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.record_facts import RecordFacts
    from council_vault.vault.store import VaultStore
    from council_vault.workspace import Workspace


class RecordLookout:
    """Looks at the record notes of one memory; where there shall be none, it sees none.

    Args:
        workspace: where they are.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._facts = Facts()
        self._known: dict[str, RecordFacts] = {}
        self._marks: dict[str, int] = {}
        self._versions: dict[str, tuple[int, str | None]] = {}

    @property
    def names(self) -> list[str]:
        """The notes that there should be."""
        return list(self._known)

    def compare_with(self, facts: Facts) -> None:
        """Compare from now on with what the last sync has left; ``facts`` tell whether that was another one.

        Raises:
            WriteFailed: the program's state cannot be read.
        """
        if facts == self._facts:
            return
        self._facts = facts
        self._known = {}
        if self._workspace.settings.notes.records:
            with open_state(self._workspace.folder) as state:
                known = state.records().values()
            self._known = {one.name: one for one in known if one.name and not one.deleted}

    def look_at(self, vault: VaultStore) -> None:
        """Look at all of them, and read those that have come to look otherwise.

        Raises:
            VaultUnavailable: the vault went away.
        """
        if not self._known:
            return
        folder = folder_of_records(self._workspace.settings)
        glances = look(vault, folder, self._facts.elsewhere)
        self._marks = {name: mark_of(glances[name]) for name in self._known if name in glances}
        for name, mark in self._marks.items():
            seen = self._versions.get(name)
            if mark == self._known[name].mark or (seen is not None and seen[0] == mark):
                continue
            try:
                stored = vault.read(name)
            except (NoteRefused, WriteFailed):  # a sync will say why
                continue
            self._versions[name] = (mark, stored.version if stored else None)

    def changed(self) -> Iterator[tuple[str, str | None]]:
        """Yield those that are not as they were left, with the versions they have now."""
        for name, one in self._known.items():
            mark = self._marks.get(name)
            if mark is None:
                yield name, None
            elif mark != one.mark and name in self._versions:
                version = self._versions[name][1]
                if version is None or not one.is_last(version):
                    yield name, version
