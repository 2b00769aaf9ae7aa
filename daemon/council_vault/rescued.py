"""What somebody wrote to a note or the settings in the very moment we did, and we have hidden for a while."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from council_vault.files import digest
from council_vault.files.reading import failed
from council_vault.files.system import make_durable, make_names_durable

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_DIGITS = 12  # of the digest in a name
_LONGEST_NAME = 200  # in bytes; with the digest before it, every file system takes it


class Rescued:
    """A folder of such contents, for the person to look at. Empty but for collisions that ended badly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, path: Path, content: bytes) -> None:
        """Keep what somebody wrote to a file, durably.

        Raises:
            WriteFailed: there is no room, or no right, to keep it.
        """
        name = path.name
        while len(os.fsencode(name)) > _LONGEST_NAME:
            name = name[1:]
        target = self._folder / f"{digest(content)[:_DIGITS]} {name}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                make_durable(descriptor)
            make_names_durable(self._folder)
        except OSError as error:
            raise failed(error, target, "what another program wrote cannot be kept") from error

    def let_go(self, versions: Collection[str]) -> None:
        """Delete what has stood in its file after all; ``versions`` are digests of what was seen there."""
        known = {version[:_DIGITS] for version in versions}
        for file in self.files():
            if file.name[:_DIGITS] in known:
                file.unlink(missing_ok=True)

    def files(self) -> tuple[Path, ...]:
        """Return what is kept."""
        return tuple(sorted(self._folder.iterdir())) if self._folder.is_dir() else ()


def rescued_settings(states: Path) -> Rescued:
    """Return what was rescued of the settings; ``states`` is the folder of states."""
    return Rescued(states / "rescued")
