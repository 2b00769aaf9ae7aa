"""Asking whoever is syncing to do so once more, instead of waiting until they have done.

Who finds the sync lock held leaves a request. A sync takes all requests before it reads the memory, so that
it does for whatever was written until then; and when it has given the lock back, it looks for new ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.files.reading import failed

if TYPE_CHECKING:
    from pathlib import Path

_NAME = "sync-again"


def request(folder: Path) -> None:
    """Ask for a sync of the memory whose state is in that folder.

    Raises:
        WriteFailed: the folder cannot be used.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / _NAME).touch(mode=0o600)
    except OSError as error:
        raise failed(error, folder, "the program's own state cannot be used") from error


def is_requested(folder: Path) -> bool:
    """Return whether somebody has asked for a sync that has not begun yet."""
    return (folder / _NAME).exists()


def take(folder: Path) -> None:
    """Take what was asked for, since a sync begins.

    Raises:
        WriteFailed: the folder cannot be used.
    """
    try:
        (folder / _NAME).unlink(missing_ok=True)
    except OSError as error:
        raise failed(error, folder, "the program's own state cannot be used") from error
