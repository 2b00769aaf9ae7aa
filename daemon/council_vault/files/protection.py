"""How much of the promise a place can keep, for those who ask and for the replacement itself."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from council_vault.files import system
from council_vault.files.reading import failed, open_to_read

if TYPE_CHECKING:
    from pathlib import Path

# Elsewhere leases are missing, or, worse, granted without meaning anything (bindfs).
_TRUSTED = frozenset({"ext4", "xfs", "btrfs", "tmpfs", "overlay"})
_POLL = 0.002


class Protection(NamedTuple):
    """What a place offers: full protection or less, on which file system, and why in words."""

    full: bool
    file_system: str
    reason: str


def protection(path: Path) -> Protection:
    """Say how well what other programs write is protected at a file, or in a folder.

    A path that is not there is judged by the nearest folder that is.

    Raises:
        WriteFailed: the path cannot be looked at.
    """
    try:
        place = next(place for place in (path, *path.absolute().parents) if place.exists())
        offered = _of_file_system(place)
        if not offered.full or place.is_dir():
            return offered
        file = open_to_read(place)
    except OSError as error:
        raise failed(error, path, "it cannot be looked at") from error
    try:
        if system.take_lease(file) is system.Lease.UNAVAILABLE:
            return Protection(
                full=False, file_system=offered.file_system, reason="the file belongs to another user"
            )
        return offered
    finally:
        os.close(file)


def lease_when_quiet(file: int, path: Path, patience: float) -> system.Lease:
    """Take a read lease on an open file as soon as nobody has it open for writing.

    Args:
        file: the file, opened for reading.
        path: where it stands.
        patience: seconds to wait for writers to close it.

    Returns:
        ``HELD``; ``REFUSED``: someone still writes; ``UNAVAILABLE``: leases cannot be trusted or had here.
    """
    if not _of_file_system(path).full:
        return system.Lease.UNAVAILABLE
    deadline = time.monotonic() + patience
    while (lease := system.take_lease(file)) is system.Lease.REFUSED and time.monotonic() < deadline:
        time.sleep(_POLL)
    return lease


def _of_file_system(path: Path) -> Protection:
    name = system.file_system(path)
    if sys.platform != "linux":  # pragma: no cover - only Linux has leases
        return Protection(
            full=False, file_system=name, reason="only Linux tells when another program opens a file"
        )
    if name not in _TRUSTED:
        return Protection(
            full=False,
            file_system=name,
            reason=f"{name} does not tell reliably when another program opens a file",
        )
    return Protection(full=True, file_system=name, reason="no write of another program can be lost")
