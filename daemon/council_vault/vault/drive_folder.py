"""A vault on Google Drive: which folder it is, how it is remembered, and what is needed to get there.

This is all of Drive that a run loads that does not use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

    from council_vault.settings import DriveSettings

_PIN = "drive:"


class DriveFolder(msgspec.Struct, frozen=True, order=True):
    """A folder on Google Drive: the name that people know it by, and its id, which never changes."""

    name: str
    id: str

    def __str__(self) -> str:
        return f"{self.name} on Google Drive ({self.id})"

    @property
    def pin(self) -> str:
        """How a memory remembers that this is its vault."""
        return f"{_PIN}{self.id}"


def pinned_folder(pin: str) -> str | None:
    """Return the id of the folder on Drive that a pin means; ``None`` where it means none."""
    return pin.removeprefix(_PIN) if pin.startswith(_PIN) else None


class DriveAccess(msgspec.Struct, frozen=True):
    """What is needed to use Drive.

    Attributes:
        settings: the person's.
        states: the folder for locks and state of all memories; a sign-in is kept there too.
    """

    settings: DriveSettings
    states: Path
