"""Which files are meant by the paths that a person gives."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_ENDINGS = (".json", ".jsonl")


class Unreadable(NamedTuple):
    """A folder or file that cannot be looked into, and why."""

    path: Path
    reason: str


def files_meant(paths: Iterable[Path]) -> Iterator[Path | Unreadable]:
    """Yield the files, each once, and what cannot be read.

    A file counts whatever its name; a folder stands for all ``*.json`` and ``*.jsonl`` in it and below, in
    the order of their names. Hidden files and folders are left out; symbolic links are followed, and nothing
    is looked into twice.
    """
    seen: set[tuple[int, int]] = set()
    for path in paths:
        yield from _files(path, seen)


def reason_of(error: OSError) -> str:
    """Return what the system said, as a phrase: ``permission denied``."""
    said = error.strerror or type(error).__name__
    return said[:1].lower() + said[1:]


def _files(path: Path, seen: set[tuple[int, int]]) -> Iterator[Path | Unreadable]:
    try:
        status = path.stat()
        is_folder = stat.S_ISDIR(status.st_mode)
        names = sorted(os.listdir(path)) if is_folder else []  # noqa: PTH208 - names are sorted as text
    except OSError as error:
        yield Unreadable(path, reason_of(error))
        return
    if (status.st_dev, status.st_ino) in seen:
        return
    seen.add((status.st_dev, status.st_ino))
    if not is_folder:
        yield path if stat.S_ISREG(status.st_mode) else Unreadable(path, "it is neither a file nor a folder")
    for name in names:
        inner = path / name
        if not name.startswith(".") and (name.lower().endswith(_ENDINGS) or _is_folder(inner)):
            yield from _files(inner, seen)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
