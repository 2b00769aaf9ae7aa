"""What follows a change of the memory: a snapshot of it, and a sync where one is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import Busy, CouncilVaultError, FileChanged
from council_vault.operations.setting_up import create_memory
from council_vault.state import open_state
from council_vault.syncing import requests
from council_vault.syncing.due import crosses
from council_vault.syncing.report import Report  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from council_vault.memory.file import MemoryContent
    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """What followed a change.

    ``synced`` is the report of the sync, ``None`` where there was none; ``left_to_another`` whether another
    council-vault was syncing, which takes the change along. ``warnings`` are sentences for the person: the
    change is safe whatever they say.
    """

    synced: Report | None = None
    left_to_another: bool = False
    warnings: tuple[str, ...] = ()

    def sentences(self, *, verbose: bool = False) -> Iterator[str]:
        """Yield what the person should know about the sync that followed, and what went wrong.

        Args:
            verbose: whether to say too that all went as it should.
        """
        yield from self.warnings
        report = self.synced
        if report is not None:
            yield from (*report.reasons, *report.messages, *filter(None, [report.failure]))
            if report.changed or verbose:
                yield report.sentence
        elif self.left_to_another and verbose:
            yield "Another council-vault is syncing, and will sync again."


def begin_memory(workspace: Workspace, now: datetime) -> tuple[str, ...]:
    """Create the memory file if it is missing; return what the person should know about that.

    Raises:
        WriteFailed: it cannot be written.
    """
    if workspace.memory_path.exists():
        return ()
    try:
        made = create_memory(workspace, now)
    except FileChanged:  # somebody else was quicker
        return ()
    if not made or workspace.snapshots().newest() is None:
        return ()
    missing = f"{workspace.memory_path} was missing, and a new one was begun."
    return (f"{missing} `council-vault restore` brings back the records of the one before.",)


def is_due(workspace: Workspace, memory: Memory) -> bool:
    """Return whether the deliberations that are not in the vault yet call for a sync."""
    return crosses(memory.total, len(memory.pending), workspace.settings.sync.every)


def knows_vault(workspace: Workspace, memory: Memory) -> bool:
    """Return whether there is a vault that the records are to be in, be it there now or not."""
    if workspace.settings.vault.path or memory.last_vault_sync is not None:
        return True
    if any(record.vault_synced for record in memory.deliberations):
        return True
    with open_state(workspace.folder) as state:
        return state.facts.pin is not None


def follow(workspace: Workspace, content: MemoryContent, now: datetime, *, after: str, due: bool) -> Followed:
    """Keep a snapshot of the memory as it is after a change, and sync if that is due.

    A program that rewrites the file from what it read before can undo the change; from the snapshot it comes
    back. A slow vault is not waited for: where somebody is syncing already, that one is asked to sync again.

    Args:
        workspace: where it was.
        content: the memory as it is now.
        now: an aware time.
        after: the command that made the change, for the history.
        due: whether to sync.
    """
    warnings = []
    try:
        workspace.snapshots().save(content.data, now)
    except CouncilVaultError as error:
        warnings.append(f"{error}.")
    if not due:
        return Followed(warnings=tuple(warnings))
    try:
        report = _sync_or_ask(workspace, now, f"after `{after}`")
    except CouncilVaultError as error:
        return Followed(warnings=(*warnings, f"The vault was not synced: {error}."))
    return Followed(synced=report, left_to_another=report is None, warnings=tuple(warnings))


def _sync_or_ask(workspace: Workspace, now: datetime, reason: str) -> Report | None:
    """Sync, or ask the one who is syncing to do so again, and return ``None``.

    Asking comes before trying a second time: whoever still syncs then will look for what was asked when done.
    """
    from council_vault.sync import Options, sync  # noqa: PLC0415 - takes longer to load than a change to make

    at_once = Options(patience=0.0, reason=reason)
    try:
        return sync(workspace, at_once, now)
    except Busy:
        requests.request(workspace.folder)
    try:
        return sync(workspace, at_once, now)
    except Busy:
        return None
