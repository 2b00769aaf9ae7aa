"""A workspace: the folder of a memory file, and where everything that belongs to it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from council_vault.errors import MemoryUnreadable, SettingsError
from council_vault.files import Replacer
from council_vault.memory.file import MemoryFile
from council_vault.memory.snapshots import Snapshots
from council_vault.rescued import Rescued
from council_vault.settings import Settings, absolute, state_folder
from council_vault.state import memory_folder
from council_vault.vault.names import problem_with

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.notes.templates import Templates
    from council_vault.vault.discovery import Discovery, Request
    from council_vault.vault.drive_folder import DriveAccess
    from council_vault.vault.store import VaultStore


class Workspace(msgspec.Struct, frozen=True):
    """The settings in force, and the places that follow from them.

    ``states`` is the folder for locks, state and snapshots of all memories; ``home`` the person's own.
    """

    settings: Settings
    states: Path
    home: Path
    environment: Mapping[str, str]

    @classmethod
    def of(cls, settings: Settings, environment: Mapping[str, str]) -> Self:
        """Return the workspace that the settings name, for the person who runs the program.

        Raises:
            SettingsError: there is no home folder, or no note can be in ``vault.folder``.
        """
        if problem := problem_with(settings.vault.folder):
            raise SettingsError(
                f"vault.folder is {settings.vault.folder!r}, where no note can be: {problem}",
                remedy="Name a folder as seen from the vault's own",
            )
        return cls(settings, state_folder(), absolute("~"), environment)

    @property
    def memory_path(self) -> Path:
        """The memory file."""
        return self.settings.memory_path

    @property
    def folder(self) -> Path:
        """Where state and snapshots of this memory are kept.

        Raises:
            MemoryUnreadable: the path of the memory file leads nowhere.
        """
        try:
            return memory_folder(self.states, self.memory_path)
        except RuntimeError as error:
            raise MemoryUnreadable(
                "its symbolic links lead in a circle", where=self.memory_path, remedy="Mend the links"
            ) from error

    @property
    def locks(self) -> Path:
        """Where the locks of all memories and vaults are."""
        return self.states / "locks"

    def snapshots(self) -> Snapshots:
        """Return the kept versions of the memory file."""
        return Snapshots(self.folder / "snapshots")

    def memory_file(self) -> MemoryFile:
        """Return the memory file."""
        return MemoryFile(self.memory_path, Replacer(self.locks, self._keep_of_memory))

    def vault(self, found: Discovery) -> VaultStore:
        """Return the vault that was found, ready to be read and written.

        Raises:
            VaultUnavailable: none was found, or too many were, or it cannot be used now.
        """
        from council_vault.vault.discovery import require  # noqa: PLC0415 - who writes no note need not load it

        place = require(found)
        if isinstance(place, Path):
            from council_vault.vault.local import LocalVault  # noqa: PLC0415 - likewise

            return LocalVault(place, Replacer(self.locks, self._keep_of_note))
        from council_vault.vault.drive import DriveVault  # noqa: PLC0415 - only where the vault is on Drive
        from council_vault.vault.drive_session import client  # noqa: PLC0415 - likewise

        return DriveVault(client(self.drive), place.id, place.name)

    @property
    def drive(self) -> DriveAccess:
        """What is needed to use Drive."""
        from council_vault.vault.drive_folder import DriveAccess  # noqa: PLC0415 - not to show what is set

        return DriveAccess(self.settings.drive, self.states)

    def may_need_drive(self, pin: str | None) -> bool:
        """Whether Drive may have to be asked to find or to use the vault, which may take long.

        Args:
            pin: the vault that this memory has used before.
        """
        if self.settings.vault.path:
            return False
        from council_vault.vault.drive_folder import pinned_folder  # noqa: PLC0415 - not to show what is set

        if pin is not None:
            return pinned_folder(pin) is not None
        from council_vault.vault.drive_session import is_wanted  # noqa: PLC0415 - only until there is a pin

        try:
            return is_wanted(self.drive)
        except SettingsError:
            return False  # the search says what is wrong

    # The folder for what is hardly ever kept is found out when something is.

    def _keep_of_memory(self, path: Path, content: bytes) -> None:
        self.snapshots().keep(path, content)

    def _keep_of_note(self, path: Path, content: bytes) -> None:
        self.rescued().keep(path, content)

    def rescued(self) -> Rescued:
        """Return what was rescued of notes."""
        return Rescued(self.folder / "rescued")

    def templates(self) -> Templates:
        """Return the templates in use."""
        from council_vault.notes.templates import Templates  # noqa: PLC0415 - not to say that nothing is to do

        folder = self.settings.notes.templates
        return Templates(Path(folder) if folder else None)

    def vault_request(self, pin: str | None, *, adopt: bool = False) -> Request:
        """Return what discovery needs to know to find this memory's vault."""
        from council_vault.vault.discovery import Request  # noqa: PLC0415 - likewise

        vault = self.settings.vault
        return Request(
            workspace=self.settings.workspace_folder,
            path=vault.path,
            name=vault.name,
            mounts=vault.mounts,
            pin=pin,
            adopt=adopt,
            home=self.home,
            environment=self.environment,
            drive=self.drive,
        )
