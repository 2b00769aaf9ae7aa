"""Giving a new file the owner, group, extended attributes, access list and mode of the one it replaces."""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import TYPE_CHECKING

from council_vault.errors import WriteFailed

if TYPE_CHECKING:
    from pathlib import Path

# What people and programs set; the others (security.*, trusted.*) the system sets itself.
_TO_KEEP = ("user.", "system.posix_acl_access")


def require_replaceable(path: Path, found: os.stat_result) -> None:
    """Refuse to replace a file where that would break something the person has set up.

    A file with several hard links is refused: replacing would cut its names apart, and they would silently
    differ from then on. So is a file that whoever runs us may not write, though renaming over it would work.

    Raises:
        WriteFailed: it must not be replaced.
    """
    if found.st_nlink > 1:
        raise WriteFailed(
            f"the file has {found.st_nlink} names (hard links), and replacing it would cut them apart",
            where=path,
            remedy="Make the other names symbolic links, or copies",
        )
    if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise WriteFailed("the file is write-protected", where=path, remedy="Allow yourself to write to it")


def copy_attributes(source: int, target: int, path: Path) -> None:
    """Give an open new file what the open old one at ``path`` has.

    Raises:
        WriteFailed: the owner, the group or an attribute cannot be kept.
        OSError: the system refused for another reason.
    """
    if sys.platform == "win32":  # pragma: no cover - access there comes from the folder
        return
    old = os.fstat(source)
    _copy_owner(old, target, path)
    if sys.platform == "linux":
        _copy_extended(source, target, path)
    if stat.S_IMODE(os.fstat(target).st_mode) != stat.S_IMODE(old.st_mode):
        os.fchmod(target, stat.S_IMODE(old.st_mode))


def _copy_owner(old: os.stat_result, target: int, path: Path) -> None:
    new = os.fstat(target)
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return
    try:
        os.fchown(target, old.st_uid, old.st_gid)
    except PermissionError as error:
        raise WriteFailed(
            f"its owner (user {old.st_uid}, group {old.st_gid}) could not be kept",
            where=path,
            remedy="Run as its owner, or make the file yours",
        ) from error


if sys.platform == "linux":

    def _copy_extended(source: int, target: int, path: Path) -> None:
        wanted, present = _extended(source), _extended(target)
        for name in present.keys() - wanted.keys():
            os.removexattr(target, name)
        for name, value in wanted.items():
            if present.get(name) == value:
                continue
            try:
                os.setxattr(target, name, value)
            except OSError as error:
                raise WriteFailed(
                    f"its attribute {name} could not be kept: {os.strerror(error.errno or 0).lower()}",
                    where=path,
                ) from error

    def _extended(file: int) -> dict[str, bytes]:
        try:
            names = [name for name in os.listxattr(file) if name.startswith(_TO_KEEP)]
        except OSError as error:
            if error.errno in {errno.ENOTSUP, errno.ENOSYS}:
                return {}
            raise
        return {name: os.getxattr(file, name) for name in names}
