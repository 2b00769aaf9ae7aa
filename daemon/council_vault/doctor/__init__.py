"""What is wrong with a memory, its notes and its vault, and how to mend it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault.doctor.content import examine_content
from council_vault.doctor.drive import drive_sign_in
from council_vault.doctor.finding import Finding, of_error
from council_vault.doctor.locks import held_locks
from council_vault.doctor.places import protection, rights, room, vault_sign
from council_vault.doctor.serving import daemon, service
from council_vault.doctor.surroundings import events, settings
from council_vault.doctor.trial import self_test
from council_vault.errors import CouncilVaultError
from council_vault.service.status import status
from council_vault.sync import Options, sync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from council_vault.service.status import Status
    from council_vault.workspace import Workspace

__all__ = ["Finding", "examine"]

_PATIENCE = 5.0  # seconds; who holds the lock for longer has been named


def examine(workspace: Workspace, now: datetime, *, trying: bool = False) -> tuple[Finding, ...]:
    """Examine everything, by a dry run too; nothing is written.

    Args:
        workspace: what is examined.
        now: an aware time.
        trying: whether to try the whole way also, with a memory and a vault that are thrown away.

    Raises:
        MemoryUnreadable: the memory file is missing or broken.
    """
    found = {str(finding): finding for finding in _findings(workspace, now, trying=trying)}
    return tuple(found.values())


def _findings(workspace: Workspace, now: datetime, *, trying: bool) -> Iterator[Finding]:
    found = status(workspace)
    vault = Path(found.vault) if found.vault and Path(found.vault).is_absolute() else None
    yield from _content(workspace, found, now)
    yield from settings(workspace)
    yield from protection(workspace.memory_path)
    yield from events(workspace.memory_path)
    yield from held_locks(workspace, now)
    yield daemon(found.daemon)
    yield service(workspace)
    yield from rights(workspace, vault)
    yield from room(workspace, vault)
    yield from drive_sign_in(workspace, needed=bool(found.vault) and vault is None)
    if vault is not None:
        yield from vault_sign(vault)
        yield from protection(vault)
    yield from _dry_run(workspace, now)
    if trying:
        yield self_test(workspace, vault, now)


def _content(workspace: Workspace, found: Status, now: datetime) -> Iterator[Finding]:
    """Look at the memory file, and at what is known to be wrong."""
    content = workspace.memory_file().read(patience=0)
    vanished = bool(workspace.snapshots().vanished(content.memory))
    for finding in examine_content(content, now, vanished=vanished):
        yield msgspec.structs.replace(finding, where=f"{found.memory}, {finding.where}")
    yield from (Finding("problem", "", message) for message in found.messages)


def _dry_run(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    """Look at vault and notes as a sync does, flags against rows included."""
    try:
        report = sync(workspace, Options(dry_run=True, diffs=False, patience=_PATIENCE), now)
    except CouncilVaultError as error:
        yield of_error(error)
        return
    yield from (Finding("problem", "", message) for message in (*report.reasons, *report.messages))
    if report.changed:
        yield Finding("note", "", f"{report.sentence} `council-vault sync-vault` does it.")
