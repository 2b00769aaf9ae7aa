"""Folders for new notes: made durably below a vault's folder that is held open, and unmade in vain."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from council_vault.errors import CouncilVaultError
from council_vault.files.reading import failed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def missing_folders(root: Path, note: Path) -> list[Path]:
    """Return the folders a note lacks, relative to the vault, the outermost first.

    Raises:
        OSError: a folder on the way cannot be looked at.
    """
    within = [parent for parent in note.parents if parent.is_relative_to(root)]
    return [folder.relative_to(root) for folder in reversed(within) if not folder.is_dir()]


@contextmanager
def made_folders(root: Path, vault: int, folders: Iterable[Path]) -> Iterator[None]:
    """Make folders for a note; those made for one that then cannot be written go again.

    Args:
        root: the vault, for messages.
        vault: descriptor of the vault's open folder; nothing is made but below it, whatever is unmounted.
        folders: the folders, relative to the vault, the outermost first.

    Raises:
        WriteFailed: a folder cannot be made.
    """
    made: list[Path] = []
    try:
        for folder in folders:
            try:
                _make(folder, vault, made)
            except OSError as error:
                raise failed(error, root / folder, "the folder cannot be made") from error
        yield
    except CouncilVaultError:
        for folder in reversed(made):
            with suppress(OSError):  # somebody has put something there
                os.rmdir(folder, dir_fd=vault)
        raise


def _make(folder: Path, vault: int, made: list[Path]) -> None:
    """Make a folder durably, and add it to those made unless somebody else was quicker."""
    with suppress(FileExistsError):  # a file of that name fails below
        os.mkdir(folder, dir_fd=vault)
        made.append(folder)
    for changed in (folder, folder.parent):
        descriptor = os.open(changed, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=vault)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
