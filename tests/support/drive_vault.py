"""A vault on the emulated Drive: the store under test, and the same folder as other programs see it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from council_vault.vault.drive import DriveVault
from council_vault.vault.drive_client import DriveClient
from council_vault.vault.drive_items import OURS
from council_vault.vault.drive_patience import Patience

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.drive_emulator import DriveEmulator


class Time:
    """A clock that goes on when somebody waits, so that nobody has to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


@contextmanager
def drive_place(emulator: DriveEmulator) -> Iterator[DrivePlace]:
    """Make a vault, and remove it in the end."""
    place = DrivePlace(emulator)
    try:
        yield place
    finally:
        place.client.close()
        if place.root in emulator.files:
            emulator.delete(place.root)


class DrivePlace:
    """A vault on Drive, from inside and outside; files are put there as another program does."""

    def __init__(self, emulator) -> None:
        self.emulator = emulator
        self.root = emulator.add_folder("Vault")
        self.time = Time()
        self.client = self.new_client()
        self.store = self.new_store()
        self.put("_System/MEMORY.md", b"")

    def new_client(self, credentials=None) -> DriveClient:
        patience = Patience(total=12.0, sleep=self.time.sleep, clock=self.time.clock)
        return DriveClient(self.emulator.endpoint, credentials, patience)

    def id(self, name: str) -> str | None:
        """Return the oldest item of a name that is not in the trash."""
        return self.emulator.find(name, self.root)

    def folder(self, name: str) -> str:
        here = self.root
        for part in name.split("/") if name else ():
            here = self.emulator.find(part, here) or self.emulator.add_folder(part, here)
        return here

    def put(self, name: str, content: bytes) -> str:
        there = self.id(name)
        if there is not None:
            self.emulator.edit(there, content)
            return there
        folder, _, title = name.rpartition("/")
        return self.emulator.add_file(title, content, self.folder(folder), ago=0.0)

    def get(self, name: str) -> bytes | None:
        there = self.id(name)
        return None if there is None else self.emulator.read(there)

    def everything(self) -> dict[str, object]:
        found = self.emulator.tree(self.root)
        assert not [name for name, what in found.items() if isinstance(what, list)], "twins"
        return found

    def lose_marker(self) -> None:
        self.emulator.trash(self.id("_System"))

    def new_store(self, folder: str | None = None) -> DriveVault:
        return DriveVault(self.client, folder or self.root, "Vault")

    def restart(self) -> None:
        """Go on as a program does that was killed and started again: with nothing remembered."""
        self.client.close()
        self.client = self.new_client()
        self.store = self.new_store()

    def unfinished(self) -> list[str]:
        """Return the files with a mark of a write that is not finished, and those with a pinned revision."""
        return [
            item["name"]
            for identifier, item in self.emulator.files.items()
            if any(value for key, value in item.get("appProperties", {}).items() if key != OURS)
            or ("headRevisionId" in item and any(self._pinned(identifier)))
        ]

    def _pinned(self, identifier: str) -> list[bool]:
        return [each["keepForever"] for each in self.emulator.revisions(identifier)]
