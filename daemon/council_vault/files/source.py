"""The file that is about to be replaced, as it was read."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Self

from council_vault.errors import Busy, FileChanged
from council_vault.files import system
from council_vault.files.protection import lease_when_quiet
from council_vault.files.reading import Identity, digest, open_to_read, read_whole
from council_vault.files.recovery import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path


class Source:
    """An open file and what it held when nobody was writing to it.

    Args:
        path: where it stands; symbolic links are not followed here.

    Raises:
        FileChanged: there is none.
        Busy: somebody has it open for writing.
        WriteFailed: it is not a regular file.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.file = open_to_read(path)
        except FileNotFoundError as error:
            raise FileChanged("the file is not there any more", where=path) from error
        self._is_open = True
        try:
            self.leasable = self.lease()
            self.found = os.fstat(self.file)
            self.content = read_whole(self.file)
            if self.leasable:
                system.drop_lease(self.file)
        except BaseException:
            self.close()
            raise

    @cached_property
    def digest(self) -> str:
        """The `digest` of what it held."""
        return digest(self.content)

    @property
    def identity(self) -> Identity:
        """Which file it is."""
        return Identity(self.found.st_dev, self.found.st_ino)

    def lease(self) -> bool:
        """Take a read lease as soon as nobody writes; ``False`` where that means nothing or cannot be had.

        Raises:
            Busy: somebody still has the file open for writing.
        """
        lease = lease_when_quiet(self.file, self.path, PATIENCE)
        if lease is system.Lease.REFUSED:
            raise Busy(
                "another program has it open for writing",
                where=self.path,
                remedy="Close it there; what was not written stays pending",
            )
        return lease is system.Lease.HELD

    def lease_holds(self) -> bool:
        """Say whether nobody waits for our lease to end."""
        return system.lease_holds(self.file)

    def is_unchanged(self) -> bool:
        """Say whether the path still leads to this file, with the content, owner and mode that were read."""
        try:
            now = self.path.lstat()
        except FileNotFoundError:
            return False
        return _nature(now) == _nature(self.found) and read_whole(self.file) == self.content

    def close(self) -> None:
        """Close the file, and give its lease back. Once is enough; twice does no harm."""
        if self._is_open:
            self._is_open = False
            os.close(self.file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _nature(found: os.stat_result) -> tuple[int, ...]:
    return (
        found.st_dev,
        found.st_ino,
        found.st_mode,
        found.st_nlink,
        found.st_uid,
        found.st_gid,
        found.st_size,
    )
