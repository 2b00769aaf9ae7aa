"""What is done by hand to a memory, its settings and its notes: read, change, write back without loss."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from council_vault import config, files
from council_vault.errors import CouncilVaultError, SettingsError, WriteFailed
from council_vault.files.reading import failed, real_path
from council_vault.memory import canonical
from council_vault.memory.restore import NewId, give_new_ids, restore_records
from council_vault.memory.times import stamp as timestamp
from council_vault.notes.kinds import FILE_NAMES, KINDS, Kind
from council_vault.rescued import rescued_settings
from council_vault.state import Remembering, Replaced, open_state
from council_vault.vault.discovery import discover, require

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path
    from typing import Any

    from council_vault.workspace import Workspace


def create_memory(workspace: Workspace, now: datetime) -> bool:
    """Create the memory file, unless there is one; say whether it was made.

    Raises:
        MemoryUnreadable: there is one, but it cannot be understood.
        WriteFailed: it cannot be written.
    """
    file, real = workspace.memory_file(), real_path(workspace.memory_path)
    if os.path.lexists(real):
        file.read()
        return False
    _make_folder(real.parent)
    file.create(now)
    return True


def change_settings(path: Path, states: Path, changes: Mapping[str, str]) -> None:
    """Change settings in a settings file, which is made if it is missing; comments in it stay.

    Args:
        path: the settings file.
        states: the folder of states.
        changes: values as typed, by key; an empty one unsets.

    Raises:
        SettingsError: the file cannot be understood, there is no such setting, or the value cannot stand
            there; nothing was changed.
        WriteFailed, FileChanged, Busy: the file cannot be written.
    """

    def change(data: bytes) -> bytes:
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise SettingsError("the settings cannot be read: they are not UTF-8", where=path) from error
        config.parsed(path, text.removeprefix("\ufeff"))
        for key, value in changes.items():
            text = config.with_setting(text, key, value)
        return text.encode()

    new = change(b"")
    replacer = files.Replacer(states / "locks", rescued_settings(states).keep)
    real = real_path(path)
    if os.path.lexists(real):
        replacer.update(path, change)
    elif new:
        _make_folder(real.parent)
        replacer.replace(path, new, None)
        replacer.settle()


def restore_vanished(workspace: Workspace) -> tuple[str, ...]:
    """Put vanished records back into the memory file; return the ids they have there.

    Raises:
        MemoryUnreadable, MemoryReadOnly, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    file = workspace.memory_file()
    vanished = workspace.snapshots().vanished(file.read().memory)
    return restore_records(file, vanished) if vanished else ()


def restore_file(workspace: Workspace) -> datetime | None:
    """Put the last good version in the place of a memory file that is missing or broken.

    What stands there is kept beside it, with ``.broken`` behind its name.

    Returns:
        When that version was kept; ``None`` where there is none, and nothing was done.

    Raises:
        FileChanged, WriteFailed, Busy: it cannot be written now.
    """
    snapshots = workspace.snapshots()
    newest = snapshots.newest()
    if newest is None:
        return None
    content, kept_at = newest
    path = workspace.memory_path
    replacer = files.Replacer(workspace.locks, snapshots.keep)
    broken = files.read(path)
    if broken is not None:
        beside = path.with_name(f"{path.name}.broken")
        former = files.read(beside)
        replacer.replace(beside, broken, None if former is None else files.digest(former))
    replacer.replace(path, content, None if broken is None else files.digest(broken))
    if replacer.settle():
        raise WriteFailed("another program is writing it", where=path, remedy="Try again")
    return kept_at


def dismiss_vanished(workspace: Workspace) -> tuple[str, ...]:
    """Let go of vanished records; return their ids.

    Raises:
        MemoryUnreadable, WriteFailed, Busy: it cannot be done now.
    """
    snapshots = workspace.snapshots()
    ids = tuple(record.id for record in snapshots.vanished(workspace.memory_file().read().memory))
    if ids:
        snapshots.dismiss(ids)
    return ids


def restore_note(workspace: Workspace, kind: Kind, changes_back: int, now: datetime) -> Replaced:
    """Put a note back as it was before one of its last changes; return the version put back.

    What stands there now can be restored in the same way. The next sync brings the managed part up to date
    again; what the person wrote stays as restored.

    Args:
        workspace: whose note.
        kind: which note.
        changes_back: 1 for the version before the last change.
        now: the time.

    Raises:
        CouncilVaultError: there is no such version.
        VaultUnavailable, NoteRefused, FileChanged, WriteFailed, Busy: the note cannot be written now.
    """
    with (
        files.sync_lock(workspace.locks, workspace.memory_path),
        open_state(workspace.folder) as state,
    ):
        versions = state.replaced(kind)
        if not versions:
            raise CouncilVaultError("no earlier version of it is kept", where=FILE_NAMES[kind])
        if not 1 <= changes_back <= len(versions):
            raise CouncilVaultError(
                f"{changes_back} changes back is further than what is kept of it",
                where=FILE_NAMES[kind],
                remedy=f"The furthest is {kind}:{len(versions)}",
            )
        version = versions[changes_back - 1]
        vault = workspace.local_vault(require(discover(workspace.vault_request(state.facts.pin))))
        standing = vault.read(version.name)
        vault.write(version.name, version.content, standing.version if standing else None)
        if vault.settle():
            raise WriteFailed("another program is writing it", where=version.name, remedy="Try again")
        if standing is not None:
            kept = Replaced(kind=kind, name=version.name, at=timestamp(now), content=standing.content)
            state.remember(Remembering(facts=state.facts, replaced=(kept,)))
        return version


def kind_named(name: str) -> Kind | None:
    """Return which note is meant by ``log``, a file name or a path; ``None`` if none is."""
    base = name.rpartition("/")[2].removesuffix(".md").casefold()
    return next((kind for kind in KINDS if base == kind or base.startswith(FILE_NAMES[kind])), None)


def tell_apart(workspace: Workspace, now: datetime) -> tuple[NewId, ...]:
    """Give records that share an id with an earlier one an id of their own, after a snapshot.

    Where none does, nothing is written.

    Raises:
        MemoryUnreadable, MemoryReadOnly, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    file = workspace.memory_file()
    data = file.read().data
    given = give_new_ids(canonical.parse(data))
    if not given:
        return ()
    workspace.snapshots().save(data, now)

    def change(document: dict[str, Any]) -> dict[str, Any]:
        nonlocal given
        given = give_new_ids(document)
        return document

    file.operate(change)
    return given


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise failed(error, folder, "the folder cannot be made") from error
