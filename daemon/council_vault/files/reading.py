"""Reading files, and saying what went wrong with one."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from council_vault.errors import WriteFailed

READ_ONLY = os.O_RDONLY | getattr(os, "O_BINARY", 0)

_REMEDIES = {
    errno.ENOSPC: "Make room on the disk; what was not written stays pending",
    errno.EDQUOT: "Make room in your quota; what was not written stays pending",
    errno.EROFS: "Mount the file system for writing",
    errno.EACCES: "Give yourself the right to read and write there",
    errno.EPERM: "Give yourself the right to read and write there",
    errno.ENAMETOOLONG: "Choose a shorter name",
    errno.ENOENT: "Make the folder, or check the path",
    errno.ENOTDIR: "Check the path",
    errno.ELOOP: "Mend the symbolic links",
    errno.EIO: "Check the disk",
}


class Identity(NamedTuple):
    """Which file it is, whatever its name: device and inode."""

    device: int
    inode: int


def identity(path: Path) -> Identity | None:
    """Return which file stands at ``path`` now, ``None`` where none does."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return Identity(found.st_dev, found.st_ino)


def identity_of(file: int) -> Identity:
    """Return which file an open one is."""
    found = os.fstat(file)
    return Identity(found.st_dev, found.st_ino)


class Pin:
    """Which file stands at a path, held open so that a later file cannot get its inode once it is deleted.

    On Windows an open file cannot be replaced, and inodes are not used again: there it stays closed.
    """

    def __init__(self, path: Path) -> None:
        self._file = None if sys.platform == "win32" else os.open(path, READ_ONLY)
        found = path.lstat() if self._file is None else os.fstat(self._file)
        self.identity = Identity(found.st_dev, found.st_ino)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def real_path(path: Path) -> Path:
    """Return where a path leads once its symbolic links are followed, be something there or not."""
    return Path(os.path.realpath(path))


def digest(data: bytes) -> str:
    """Return the SHA-256 of ``data`` in hex: how contents are compared with what was read before."""
    return hashlib.sha256(data).hexdigest()


def failed(error: OSError, path: Path, what: str) -> WriteFailed:
    """Put an error of the system into words: ``what`` failed at ``path``, and what to do about it."""
    reason = (error.strerror or str(error)).lower()
    return WriteFailed(f"{what}: {reason}", where=path, remedy=_REMEDIES.get(error.errno or 0, ""))


def open_to_read(path: Path) -> int:
    """Open a regular file for reading; never waits, not even on a named pipe.

    Raises:
        FileNotFoundError: there is none.
        WriteFailed: something else stands there, such as a folder.
        OSError: it cannot be opened.
    """
    _require_regular(path.stat(), path)
    file = os.open(path, READ_ONLY)
    try:
        _require_regular(os.fstat(file), path)
    except WriteFailed:
        os.close(file)
        raise
    return file


def read_whole(file: int) -> bytes:
    """Return all that an open file holds, from its beginning."""
    with io.FileIO(file, closefd=False) as raw:
        raw.seek(0)
        return raw.readall()


def read(path: Path) -> bytes | None:
    """Return what the file holds, ``None`` where there is none. Symbolic links are followed.

    Raises:
        WriteFailed: it is there and cannot be read, or it is not a file.
    """
    try:
        file = open_to_read(path)
        try:
            return read_whole(file)
        finally:
            os.close(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failed(error, path, "it cannot be read") from error


def _require_regular(found: os.stat_result, path: Path) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
    raise WriteFailed(f"a file was expected here, and it is {kind}", where=path, remedy="Check the path")
