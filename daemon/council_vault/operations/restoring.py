"""What was lost, brought back: vanished records, the memory file, an earlier version of a note."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault import files
from council_vault.errors import CouncilVaultError, WriteFailed
from council_vault.learning.model_checks import check_models
from council_vault.memory.ids import parse_id
from council_vault.memory.restore import restore_records
from council_vault.memory.times import stamp as timestamp
from council_vault.notes.kinds import FILE_NAMES, KINDS
from council_vault.operations.counting import count_in
from council_vault.state import Remembering, Replaced, open_state
from council_vault.vault.discovery import discover

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace


def restore_vanished(workspace: Workspace) -> tuple[str, ...]:
    """Put vanished records back into the memory file; return the ids they have there.

    Who lost records mostly wrote back an older file, with its aggregates: where those are the ones of the
    records that were left, what came back is counted in them again.

    Raises:
        MemoryUnreadable, MemoryReadOnly, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    file = workspace.memory_file()
    left = file.read().memory
    vanished = workspace.snapshots().vanished(left)
    if not vanished:
        return ()
    restored = restore_records(file, vanished)
    if not any(check_models(left, left.model_performance, complete=True)):
        file.operate(lambda document, memory: _counted(document, memory, frozenset(restored)))
    return restored


def _counted(document: dict[str, Any], memory: Memory, restored: frozenset[str]) -> dict[str, Any]:
    """Count restored records in the aggregates; each model that was ranked counts as tested for bias."""
    returned = [record for id_, record in memory.identified.items() if id_ in restored]
    others = tuple(one for one in memory.deliberations if one.id not in restored)
    known = msgspec.structs.replace(memory, deliberations=others)
    for record in returned:
        known = count_in(document, known, record, record.rankings)
    return document


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


def restore_note(workspace: Workspace, kind: str, changes_back: int, now: datetime) -> Replaced:
    """Put a note back as it was before one of its last changes; return the version put back.

    What stands there now can be restored in the same way. The next sync brings the managed part up to date
    again; what the person wrote stays as restored.

    Args:
        workspace: whose note.
        kind: which note: its kind, or the id of the record that it is on.
        changes_back: 1 for the version before the last change.
        now: the time.

    Raises:
        CouncilVaultError: there is no such version.
        VaultUnavailable, NoteRefused, FileChanged, WriteFailed, Busy: the note cannot be written now.
    """
    name = FILE_NAMES[kind] if kind in KINDS else kind
    with (
        files.sync_lock(workspace.locks, workspace.memory_path),
        open_state(workspace.folder) as state,
    ):
        versions = state.replaced(kind)
        if not versions:
            raise CouncilVaultError("no earlier version of it is kept", where=name)
        if not 1 <= changes_back <= len(versions):
            raise CouncilVaultError(
                f"{changes_back} changes back is further than what is kept of it",
                where=name,
                remedy=f"The furthest is {kind}:{len(versions)}",
            )
        version = versions[changes_back - 1]
        vault = workspace.vault(discover(workspace.vault_request(state.facts.pin)))
        standing = vault.read(version.name)
        vault.write(version.name, version.content, standing.version if standing else None)
        if vault.settle():
            raise WriteFailed("another program is writing it", where=version.name, remedy="Try again")
        if standing is not None:
            kept = Replaced(kind=kind, name=version.name, at=timestamp(now), content=standing.content)
            state.remember(Remembering(facts=state.facts, replaced=(kept,)))
        return version


def kind_named(name: str) -> str | None:
    """Return which note is meant by ``log``, a record's id, a file name or a path; ``None`` if none is."""
    base = name.rpartition("/")[2].removesuffix(".md").casefold()
    if parse_id(base):
        return base
    return next((kind for kind in KINDS if base == kind or base.startswith(FILE_NAMES[kind])), None)
