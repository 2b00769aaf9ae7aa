"""A sync that somebody has asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.syncing.settled import settled_report

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.syncing.options import Options
    from council_vault.syncing.report import Report
    from council_vault.workspace import Workspace


def sync_vault(workspace: Workspace, options: Options, now: datetime) -> Report:
    """Bring the vault up to date with the memory file, as the options ask.

    Where no more is asked for than that all be as it should, and it is, that is found out in a fraction of
    the time that a sync takes to load.

    Raises:
        MemoryUnreadable, VaultUnavailable, Busy, WriteFailed: see `sync.sync`.
    """
    report = settled_report(workspace) if options.is_plain else None
    if report is not None:
        return report
    from council_vault.sync import sync  # noqa: PLC0415 - takes longer than to see that nothing is to do

    return sync(workspace, options, now)
