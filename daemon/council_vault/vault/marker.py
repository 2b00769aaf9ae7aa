"""How a folder shows that it is a vault."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MARKER = "_System/MEMORY.md"
OBSIDIAN_FOLDER = ".obsidian"

_TROUBLES = {
    errno.EACCES: "it may not be read",
    errno.EPERM: "it may not be read",
    errno.ENOENT: "there is no such folder",
    errno.ENOTDIR: "it is not a folder",
    errno.ELOOP: "its symbolic links lead in a circle",
    errno.ENOTCONN: "it is a mount that has lost its connection",
    errno.ESTALE: "it is a mount that is no longer valid",
    errno.EIO: "the disk or the mount reports an error",
    errno.ETIMEDOUT: "the mount does not answer",
    errno.EHOSTDOWN: "the mount does not answer",
    errno.ENODEV: "the device is gone",
}
_NOT_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}


def has_marker(folder: Path, *, directory: int | None = None) -> bool:
    """Say whether a folder holds ``_System/MEMORY.md``, a file of exactly that name.

    Args:
        folder: the folder to look at.
        directory: descriptor of an open folder that ``folder`` is relative to.

    Raises:
        OSError: the folder cannot be looked at, so that nothing can be said.
    """
    mode = _mode(folder / MARKER, directory)
    return mode is not None and stat.S_ISREG(mode)


def has_obsidian_folder(folder: Path, *, directory: int | None = None) -> bool:
    """Say whether a folder holds Obsidian's own ``.obsidian`` folder; raises as `has_marker` does."""
    mode = _mode(folder / OBSIDIAN_FOLDER, directory)
    return mode is not None and stat.S_ISDIR(mode)


def is_vault(folder: Path, *, directory: int | None = None) -> bool:
    """Say whether a folder is a vault by either sign; raises as `has_marker` does.

    This is enough for a folder that a person has named, and to tell a vault from an empty mount point. The
    search for a vault asks for the marker itself.
    """
    return has_marker(folder, directory=directory) or has_obsidian_folder(folder, directory=directory)


def trouble(error: OSError) -> str:
    """Return in plain words why a folder could not be looked at."""
    return _TROUBLES.get(error.errno or 0) or (error.strerror or "it cannot be read")


def _mode(path: Path, directory: int | None) -> int | None:
    try:
        return os.stat(path, dir_fd=directory).st_mode
    except ValueError:  # a name that no file can have, such as one with a NUL
        return None
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        raise
