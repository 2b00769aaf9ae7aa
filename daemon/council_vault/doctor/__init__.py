"""What is wrong with a memory, its notes and its vault, and how to mend it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault.doctor.content import examine_content
from council_vault.doctor.finding import Finding
from council_vault.doctor.surroundings import protection, surroundings
from council_vault.errors import VaultUnavailable
from council_vault.service.status import status
from council_vault.sync import Options, sync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from council_vault.workspace import Workspace

__all__ = ["Finding", "examine"]


def examine(workspace: Workspace, now: datetime) -> tuple[Finding, ...]:
    """Examine everything, by a dry run too; nothing is written.

    Raises:
        MemoryUnreadable: the memory file is missing or broken.
        Busy: a sync is going on for longer than 30 s.
    """
    found = {str(finding): finding for finding in _findings(workspace, now)}
    return tuple(found.values())


def _findings(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    found = status(workspace)
    content = workspace.memory_file().read(patience=0)
    vanished = bool(workspace.snapshots().vanished(content.memory))
    for finding in examine_content(content, now, vanished=vanished):
        yield msgspec.structs.replace(finding, where=f"{found.memory}, {finding.where}")
    for message in found.messages:
        yield Finding("problem", "", message)
    yield from surroundings(workspace, found.daemon)
    try:
        report = sync(workspace, Options(dry_run=True, diffs=False), now)
    except VaultUnavailable as error:
        yield Finding("problem", error.where, f"{error.what}. {error.remedy}")
        return
    yield from (Finding("problem", "", message) for message in (*report.reasons, *report.messages))
    if report.changed:
        yield Finding("note", "", f"{report.sentence} `council-vault sync-vault` does it.")
    yield from protection(Path(report.vault))
