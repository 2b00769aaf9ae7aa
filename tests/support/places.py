"""Folders as they are in the world: vaults, full and read-only disks, dead mounts, other people's folders."""

from __future__ import annotations

import ctypes
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534
READ_ONLY, REMOUNT, DETACH = 1, 32, 2


def make_vault(folder: Path, *, obsidian: bool = False) -> Path:
    """Make a folder that holds the marker, or only Obsidian's own folder."""
    if obsidian:
        (folder / ".obsidian").mkdir(parents=True)
    else:
        (folder / "_System").mkdir(parents=True)
        (folder / "_System" / "MEMORY.md").write_text("# Memory\n")
    return folder


@contextmanager
def as_nobody() -> Iterator[Path]:
    """Run as a user without rights; yield a folder of theirs. As an ordinary user, stay who one is."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)


@contextmanager
def small_disk(folder: Path, kibibytes: int = 128) -> Iterator[Path]:
    """Mount a small disk, or skip the test where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    _mount("tmpfs", folder, 0, f"size={kibibytes}k")
    try:
        yield folder
    finally:
        _unmount(folder)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a disk made by `small_disk` read-only for a while."""
    _mount("tmpfs", folder, REMOUNT | READ_ONLY, "")
    try:
        yield
    finally:
        _mount("tmpfs", folder, REMOUNT, "")


@contextmanager
def dead_mount(folder: Path) -> Iterator[Path]:
    """Mount a FUSE file system whose server is gone: every look at it fails with ENOTCONN."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        server = os.open("/dev/fuse", os.O_RDWR)
    except OSError as error:
        pytest.skip(f"FUSE cannot be used here: {error}")
    try:
        _mount("fuse", folder, 0, f"fd={server},rootmode=40000,user_id=0,group_id=0")
    finally:
        os.close(server)
    try:
        yield folder
    finally:
        _unmount(folder)


def _mount(kind: str, folder: Path, flags: int, options: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(kind.encode(), os.fsencode(folder), kind.encode(), flags, options.encode()):
        pytest.skip(f"{kind} cannot be mounted here: {os.strerror(ctypes.get_errno())}")


def _unmount(folder: Path) -> None:
    if ctypes.CDLL(None, use_errno=True).umount2(os.fsencode(folder), DETACH):
        raise OSError(ctypes.get_errno(), f"cannot unmount {folder}")
