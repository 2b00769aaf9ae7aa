"""The view of the record notes: written once, and never again over what a person has made of it."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from council_vault.errors import FileChanged
from council_vault.notes.base import base
from council_vault.notes.kinds import base_name

if TYPE_CHECKING:
    from council_vault.settings import Settings
    from council_vault.vault.store import VaultStore


def write_base(
    vault: VaultStore, settings: Settings, stamp: str, written: str | None, *, full: bool
) -> str | None:
    """Write the view unless there is one, or was; one that is just as we wrote it is brought up to date.

    Args:
        vault: where it goes.
        settings: the folder, and the suffix of the name.
        stamp: the memory's.
        written: what we last wrote there, ``None`` for nothing.
        full: whether to make it again where somebody has deleted it.

    Returns:
        What is to be remembered as written.

    Raises:
        VaultUnavailable, NoteRefused, WriteFailed, Busy: it cannot be written now.
    """
    name = posixpath.join(settings.vault.folder, base_name(settings.workspace.name))
    drawn = base(stamp if settings.workspace.name else None)
    stored = vault.read(name)
    if stored is not None and stored.content == drawn.encode():
        return drawn
    is_ours = stored is not None and written is not None and stored.content == written.encode()
    is_new = stored is None and (written is None or full)
    if not (is_ours or is_new):
        return written
    try:
        vault.write(name, drawn.encode(), stored.version if stored else None)
    except FileChanged:
        return written  # somebody was quicker; the next sync looks again
    finally:
        vault.settle()
    return drawn
