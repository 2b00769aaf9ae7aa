"""Paths as named and as they really are."""

from __future__ import annotations

import os
from pathlib import Path


def absolute(path: Path) -> Path:
    """Return a path from the root, without ``..``; symbolic links stay."""
    return Path(os.path.normpath(path.absolute()))


def resolved(path: Path) -> Path:
    """Return where a path really leads; what does not exist, leads in a circle or cannot be a path stays."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        return path


def identity(folder: Path) -> tuple[int, int]:
    """Return device and inode, which are the same for every name of a folder.

    Raises:
        OSError: there is no such folder, or it cannot be looked at.
    """
    status = folder.stat()
    return status.st_dev, status.st_ino
