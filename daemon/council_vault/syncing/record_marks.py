"""Glances at the record notes, which tell whether any of them may have changed; cheap, and load little."""

from __future__ import annotations

import hashlib
import posixpath
from typing import TYPE_CHECKING

from council_vault.errors import NoteRefused, WriteFailed
from council_vault.files import digest
from council_vault.notes.kinds import records_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from council_vault.settings import Settings
    from council_vault.vault.store import Glance, VaultStore


def folder_of_records(settings: Settings) -> str:
    """Return the folder in the vault in which record notes are made."""
    return posixpath.join(settings.vault.folder, records_folder(settings.workspace.name))


def mark_of(glance: Glance) -> int:
    """Return a number that tells a glance from another one, never 0."""
    hashed = hashlib.blake2b(repr(glance.mark).encode(), digest_size=7)
    return int.from_bytes(hashed.digest(), "big") or 1


def look(vault: VaultStore, folder: str, elsewhere: Iterable[str]) -> dict[str, Glance]:
    """Look at the notes in a folder and at some elsewhere, without reading any; by name.

    Raises:
        VaultUnavailable: the vault went away.
    """
    seen = dict(vault.glances(folder))
    for name in elsewhere:
        try:
            glance = vault.glance(name)
        except (NoteRefused, WriteFailed):
            continue
        if glance is not None:
            seen[name] = glance
    return seen


def marks_digest(seen: Mapping[str, Glance]) -> str:
    """Return a digest that tells whether any of the notes may have changed."""
    return digest(repr(sorted((name, glance.mark) for name, glance in seen.items())).encode())


def marks_of_records(vault: VaultStore, settings: Settings, elsewhere: Iterable[str]) -> str:
    """Return the digest of the glances at all record notes as they are now.

    Raises:
        VaultUnavailable: the vault went away.
    """
    return marks_digest(look(vault, folder_of_records(settings), elsewhere))
