"""Which notes a sync leaves for later: those it was not asked for, and those that somebody is writing in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.errors import NoteRefused, WriteFailed
from council_vault.files import digest
from council_vault.syncing.note_writing import Written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.notes.kinds import Kind
    from council_vault.syncing.remembered import Remembered
    from council_vault.vault.store import VaultStore

_BEING_WRITTEN = "somebody is writing in it, so it is left until it is quiet"


def left_for_later(
    vault: VaultStore, names: Mapping[Kind, str], remembered: Remembered, *, only_log: bool, quiet_for: float
) -> dict[Kind, Written]:
    """Return the notes that are not to be touched now.

    Args:
        vault: where they are.
        names: where in it.
        remembered: what the last sync left.
        only_log: whether the other two were not asked for.
        quiet_for: seconds for which nobody else may have changed a note; 0 asks for no quiet.

    Raises:
        VaultUnavailable: the vault went away.
    """
    later: dict[Kind, Written] = {}
    for kind, name in names.items():
        if only_log and kind != "log":
            later[kind] = Written(outcome="later")
        elif quiet_for and _is_being_written(vault, kind, name, remembered, quiet_for):
            later[kind] = Written(outcome="later", reason=_BEING_WRITTEN)
    return later


def _is_being_written(
    vault: VaultStore, kind: Kind, name: str, remembered: Remembered, quiet_for: float
) -> bool:
    try:
        seen = vault.glance(name)
        if seen is None or not 0 <= seen.age < quiet_for:  # a time in the future says nothing
            return False
        stored = vault.read(name)
    except (NoteRefused, WriteFailed):
        return False  # writing it will say why
    return stored is not None and not remembered.is_written_by_us(kind, digest(stored.content))
