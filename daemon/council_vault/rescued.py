"""What somebody wrote to a note or the settings in the very moment we did, where it could not go back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from council_vault.files import digest

if TYPE_CHECKING:
    from pathlib import Path


class Rescued:
    """A folder of such contents, for the person to look at. Empty unless a sync was killed in a collision."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, path: Path, content: bytes) -> None:
        """Keep what somebody wrote to a file, durably.

        Raises:
            OSError: it cannot be written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        target = self._folder / f"{digest(content)[:12]} {path.name}"
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)

    def files(self) -> tuple[Path, ...]:
        """Return what is kept."""
        return tuple(sorted(self._folder.iterdir())) if self._folder.is_dir() else ()
