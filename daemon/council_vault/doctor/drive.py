"""The sign-in to Google Drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.doctor.finding import Finding, of_error
from council_vault.errors import SettingsError, VaultUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.doctor.finding import Level
    from council_vault.operations.drive import DriveStatus
    from council_vault.workspace import Workspace

_LEAST_ROOM = 1024 * 1024  # bytes; three notes are smaller


def drive_sign_in(workspace: Workspace, *, needed: bool) -> Iterator[Finding]:
    """Look at Drive, where it is used; it is asked.

    Args:
        workspace: its settings count.
        needed: whether the vault is there, so that a trouble with Drive is one.
    """
    from council_vault.vault.drive_session import is_wanted  # noqa: PLC0415 - hardly anybody uses Drive

    level: Level = "problem" if needed else "note"
    try:
        if not needed and not is_wanted(workspace.drive):
            return
        from council_vault.operations.drive import drive_status  # noqa: PLC0415 - likewise

        found = drive_status(workspace)
    except (SettingsError, VaultUnavailable) as error:
        yield of_error(error)
        return
    if found.trouble is not None:
        yield of_error(found.trouble, level)
    elif _is_full(found):
        what = f"the storage of {found.account} is full. Make room there, or no note can be written"
        yield Finding(level, "Google Drive", what)
    else:
        nobody = found.identity == "nobody"
        who = (
            "nobody is signed in, and nobody is asked who they are"
            if nobody
            else f"{found.account} is signed in"
        )
        yield Finding("note", "Google Drive", who)


def _is_full(found: DriveStatus) -> bool:
    return found.usage is not None and found.limit is not None and found.limit - found.usage < _LEAST_ROOM
