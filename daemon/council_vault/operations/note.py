"""Reading a note as it stands in the vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.errors import CouncilVaultError
from council_vault.memory.identity import identify
from council_vault.memory.schema import Memory
from council_vault.notes import text
from council_vault.operations.reading import memory_if_any
from council_vault.state import open_state
from council_vault.syncing.locating import locate
from council_vault.syncing.remembered import recall
from council_vault.vault.discovery import discover

if TYPE_CHECKING:
    from council_vault.notes.kinds import Kind
    from council_vault.workspace import Workspace


def note_text(workspace: Workspace, kind: Kind) -> str:
    """Return a note's text, wherever in the vault the person has moved it; nothing is written.

    Raises:
        CouncilVaultError: there is no such note yet.
        VaultUnavailable: there is no vault now, or several could be meant.
        NoteRefused: it cannot be read as a note.
        MemoryUnreadable: the memory file is broken.
    """
    settings = workspace.settings
    with open_state(workspace.folder) as state:
        pin, known = state.facts.pin, recall(state, settings.workspace.name)
    vault = workspace.vault(discover(workspace.vault_request(pin)))
    stamp = identify(memory_if_any(workspace) or Memory(), known.stamp, known.rows)
    name = locate(vault, settings, known.places, stamp).names[kind]
    stored = vault.read(name)
    if stored is None:
        raise CouncilVaultError(f"{name} is not there yet", where=vault.place, remedy="A sync writes it")
    return text.decode(stored.content).text
