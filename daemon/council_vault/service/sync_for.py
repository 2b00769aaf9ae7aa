"""The sync that the daemon wants."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from council_vault.service.schedule import AT_START
from council_vault.syncing.settled import settled_report

if TYPE_CHECKING:
    from council_vault.service.schedule import Due
    from council_vault.syncing.report import Report
    from council_vault.workspace import Workspace

_MOST_RECORDS = 200  # record notes in one sync, so that all else is not kept waiting for thousands of them


def sync_for(workspace: Workspace, wanted: Due, quiet_for: float) -> Report:
    """Sync, and return what was done.

    Args:
        workspace: what is synced.
        wanted: why, and whether only the log is.
        quiet_for: seconds for which nobody else may have changed a note, for it to be written.

    Raises:
        CouncilVaultError: as `sync` does.
    """
    if wanted is AT_START and (settled := settled_report(workspace)):
        return settled
    # Many a daemon never gets here, and does without the memory that these take.
    from council_vault.sync import Options, sync  # noqa: PLC0415 - see above

    options = Options(
        only_log=wanted.only_log,
        quiet_for=quiet_for,
        most_records=_MOST_RECORDS,
        reason=f"because {wanted.reason}",
    )
    return sync(workspace, options, datetime.now(UTC))
