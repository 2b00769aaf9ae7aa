"""Writing a new content, whole and durable, under a name of our own beside the file it is for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from council_vault.errors import WriteFailed
from council_vault.files import system
from council_vault.files.attributes import copy_attributes
from council_vault.files.names import part_beside
from council_vault.files.reading import READ_ONLY, read_whole

if TYPE_CHECKING:
    from pathlib import Path

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def stage(path: Path, data: bytes, old: int | None, *, verify: bool) -> Path:
    """Write ``data`` beside ``path`` and return where; nothing stays behind where that fails.

    Args:
        path: the real file that the content is for.
        data: the content.
        old: the open file whose owner, mode and attributes are taken over; ``None`` for a file that is new.
        verify: read it back, for file systems that may lose what they accepted.

    Raises:
        WriteFailed: the attributes cannot be kept, or what was written cannot be read back.
        OSError: the system refused: no room, no right, no folder.
    """
    part = part_beside(path)
    # Until it has the mode of the old one, nobody else may look into the new one.
    file = os.open(part, _CREATE, 0o666 if old is None else 0o600)
    try:
        try:
            _write(file, data)
            if old is not None:
                copy_attributes(old, file, path)
            system.make_durable(file)
        finally:
            os.close(file)
        if verify:
            _require_kept(part, data, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _require_kept(part: Path, data: bytes, path: Path) -> None:
    file = os.open(part, READ_ONLY)
    try:
        if hasattr(os, "posix_fadvise"):  # ask the file system itself rather than the page cache
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        kept = read_whole(file)
    finally:
        os.close(file)
    if kept != data:
        raise WriteFailed(
            "the file system did not keep what was written to it",
            where=path,
            remedy="Check the mount; the file itself is as it was",
        )
