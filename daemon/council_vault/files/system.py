"""System calls that Python does not offer, each with an honest answer where the system lacks it.

Exchanging two names is ``renameat2`` on Linux and ``renameatx_np`` on macOS, which take the same arguments;
creating without ever overwriting is the same call with another flag. Read leases and the type of a file
system are Linux's.
"""

from __future__ import annotations

import errno
import functools
import os
import sys
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from council_vault.files.reading import READ_ONLY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class _Renaming(NamedTuple):
    """How a system names its rename with flags; ``here`` is the number that stands for the current folder."""

    call: str
    here: int
    exchange: int
    no_replace: int


_RENAMING = {"linux": _Renaming("renameat2", -100, 2, 1), "darwin": _Renaming("renameatx_np", -2, 2, 4)}
_NOT_OFFERED = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})
_NO_LINKS = _NOT_OFFERED | {errno.EPERM, errno.EMLINK, errno.EACCES}

# The f_type of statfs(2), for the file systems that are met in practice.
_FILE_SYSTEMS = {
    0xEF53: "ext4",
    0x58465342: "xfs",
    0x9123683E: "btrfs",
    0x01021994: "tmpfs",
    0x794C7630: "overlay",
    0x65735546: "fuse",
    0x6969: "nfs",
    0x01021997: "9p",
    0xFF534D42: "cifs",
    0xFE534D42: "smb",
    0x4D44: "vfat",
    0x2011BAB0: "exfat",
    0x5346544E: "ntfs",
    0x7366746E: "ntfs",
    0x2FC12FC1: "zfs",
    0xF2F52010: "f2fs",
    0xF15F: "ecryptfs",
}


def exchange(first: Path, second: Path) -> bool:
    """Exchange two names in one step; ``False`` where the system or the file system has no such step.

    Raises:
        FileNotFoundError: one of them is not there.
        OSError: it was refused.
    """
    renaming = _RENAMING.get(sys.platform)
    return renaming is not None and _rename(first, second, renaming.exchange)


def rename_new(source: Path, target: Path) -> None:
    """Rename a file to a name that is free, and never over another file.

    Where the system has no such rename, the new name is a hard link before the old one goes; where there are
    no links either, the name is looked at just before.

    Raises:
        FileExistsError: something stands there.
        OSError: it was refused.
    """
    renaming = _RENAMING.get(sys.platform)
    if renaming is not None and _rename(source, target, renaming.no_replace):
        return
    if link(source, target):
        source.unlink()
        return
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)


def link(source: Path, target: Path) -> bool:
    """Give a file a second name; ``False`` where the file system has no hard links.

    Raises:
        FileExistsError: the name is taken.
        OSError: it was refused.
    """
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno in _NO_LINKS:
            return False
        raise
    return True


def make_durable(file: int) -> None:
    """Return once the content of an open file is on the disk itself."""
    if sys.platform == "darwin":  # pragma: no cover - there fsync(2) stops at the drive's cache
        import fcntl  # noqa: PLC0415 - the module is missing on Windows

        fcntl.fcntl(file, fcntl.F_FULLFSYNC)
    else:
        os.fsync(file)


def make_names_durable(folder: Path) -> None:
    """Return once the names in a folder are on the disk itself."""
    if sys.platform == "win32":  # pragma: no cover - folders cannot be opened there
        return
    file = os.open(folder, READ_ONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def file_system(path: Path) -> str:
    """Return the type of the file system at ``path``: ``ext4``, ``fuse`` …, or ``unknown``."""
    statfs = _c_function("statfs") if sys.platform == "linux" else None
    if statfs is None:  # pragma: no cover - Linux has it
        return "unknown"
    import ctypes  # noqa: PLC0415 - costs milliseconds that most commands need not pay

    answer = (ctypes.c_long * 64)()  # struct statfs is at most 30 words; f_type is its first
    if statfs(os.fsencode(path), answer):
        return "unknown"
    return _FILE_SYSTEMS.get(answer[0] & 0xFFFFFFFF, "unknown")


class Lease(Enum):
    """What became of asking for a read lease."""

    HELD = "held"
    REFUSED = "refused"  # someone has the file open for writing
    UNAVAILABLE = "unavailable"  # not our file, or the system has no leases


if sys.platform == "linux":
    import fcntl
    import signal

    def take_lease(file: int) -> Lease:
        """Ask for a read lease on a file opened for reading: whoever opens it for writing then waits for us.

        The kernel says so with SIGURG, which does nothing unless it is handled; SIGIO would end the process.
        Closing the file gives the lease back.
        """
        try:
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except BlockingIOError:
            return Lease.REFUSED
        except OSError:
            return Lease.UNAVAILABLE
        return Lease.HELD

    def lease_holds(file: int) -> bool:
        """Say whether nobody waits for our lease to end."""
        return fcntl.fcntl(file, fcntl.F_GETLEASE) == fcntl.F_RDLCK

    def drop_lease(file: int) -> None:
        """Give a lease back; whoever waited goes on."""
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)

else:  # pragma: no cover - only Linux has leases

    def take_lease(file: int) -> Lease:  # noqa: ARG001 - the same signature everywhere
        """Answer that there are no leases here."""
        return Lease.UNAVAILABLE

    def lease_holds(file: int) -> bool:  # noqa: ARG001 - the same signature everywhere
        """Answer that nobody waits: there is no lease."""
        return True

    def drop_lease(file: int) -> None:
        """Do nothing: there is no lease."""


def _rename(source: Path, target: Path, flag: int) -> bool:
    renaming = _RENAMING[sys.platform]
    call = _c_function(renaming.call)
    if call is None:  # pragma: no cover - an old C library
        return False
    import ctypes  # noqa: PLC0415 - costs milliseconds that most commands need not pay

    if not call(renaming.here, os.fsencode(source), renaming.here, os.fsencode(target), flag):
        return True
    code = ctypes.get_errno()
    if code in _NOT_OFFERED:
        return False
    raise OSError(code, os.strerror(code), str(source), None, str(target))


@functools.cache
def _c_function(name: str) -> Callable[..., int] | None:
    import ctypes  # noqa: PLC0415 - costs milliseconds that most commands need not pay

    function: Callable[..., int] | None = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    return function
