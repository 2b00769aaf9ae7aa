"""Looking for the vault through Drive's API: a folder of the vault's name that holds the marker."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault.errors import CouncilVaultError, SettingsError, VaultUnavailable
from council_vault.vault.drive_contents import folder_of
from council_vault.vault.drive_folder import DriveFolder
from council_vault.vault.drive_patience import Patience
from council_vault.vault.drive_queries import folders_named
from council_vault.vault.drive_refusals import DRIVE, ItemRefused
from council_vault.vault.drive_session import client, is_wanted
from council_vault.vault.drive_tree import Look
from council_vault.vault.marker import MARKER
from council_vault.vault.names import comparable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from council_vault.vault.drive_client import DriveClient
    from council_vault.vault.drive_folder import DriveAccess
    from council_vault.vault.drive_items import Item

PATIENCE = Patience(total=5.0, longest=2.0, silence=8.0, whole=15.0)
"""Nobody who asks where the vault is shall be kept waiting."""

_MOST = 20
"""Folders of one name that are looked into."""

_CHOOSE_ONE = "Set drive.folder_id to the one that is meant"


class Seen(NamedTuple):
    """What was seen on Drive.

    Attributes:
        findings: in sentences.
        candidates: the vaults found, sorted.
        chosen: the one that is meant; ``None`` where there is none, or it is not clear which.
        refusal: why Drive could not be asked, where it should have been; it does not name Drive.
    """

    findings: tuple[str, ...]
    candidates: tuple[DriveFolder, ...] = ()
    chosen: DriveFolder | None = None
    refusal: VaultUnavailable | None = None


def search_drive(access: DriveAccess, name: str) -> Seen:
    """Look for the folder that ``drive.folder_id`` names, else for one of the vault's name."""
    if access.settings.enabled is False:
        return Seen(("Not looked at: drive.enabled is false.",))
    try:
        if not is_wanted(access):
            return Seen(("Not looked at: nobody is signed in. `council-vault drive login` does it.",))
    except SettingsError as error:
        return _refused(error, ())
    if folder_id := access.settings.folder_id:
        return _asked(
            access, lambda search: search.look_at(folder_id, "the folder that drive.folder_id names")
        )
    return _asked(access, lambda search: search.look_for(name))


def look_for_pinned(access: DriveAccess, folder_id: str) -> Seen:
    """Look whether the folder used before is there; whether it still is a vault, using it will tell."""
    return _asked(access, lambda search: search.look_at(folder_id, "the folder used before", look_into=False))


def _asked(access: DriveAccess, look: Callable[[_Search], tuple[DriveFolder, ...]]) -> Seen:
    findings: list[str] = []
    try:
        search = _Search(client(access, PATIENCE), findings)
        candidates = look(search)
    except (VaultUnavailable, SettingsError, ItemRefused) as error:
        return _refused(error, findings)
    chosen = candidates[0] if len(candidates) == 1 else None
    if len(candidates) > 1:
        findings.append(
            f"{len(candidates)} vaults were found: it is not clear which is meant. {_CHOOSE_ONE}."
        )
    return Seen(tuple(findings), candidates, chosen)


def _refused(error: CouncilVaultError, findings: Iterable[str]) -> Seen:
    where = "" if error.where == DRIVE else error.where
    refusal = VaultUnavailable(error.what, where=where, remedy=error.remedy)
    return Seen((*findings, f"{str(error).rstrip('.')}."), refusal=refusal)


class _Search:
    """Looks at folders.

    Args:
        client: the Drive.
        findings: takes what is seen, in sentences.
    """

    def __init__(self, client: DriveClient, findings: list[str]) -> None:
        self._client = client
        self._findings = findings

    def look_at(self, folder_id: str, what: str, *, look_into: bool = True) -> tuple[DriveFolder, ...]:
        """Look at one folder.

        Args:
            folder_id: which one.
            what: why it is looked at.
            look_into: whether it must hold the marker.
        """
        item = self._client.item(folder_id)
        if item is None:
            self._findings.append(f"{folder_id}, {what}: it is gone, or not shared with this account.")
            return ()
        folder = self._folder(item)
        if folder is None or (look_into and not self._holds_marker(folder)):
            return ()
        found = DriveFolder(folder.name, folder.id)
        self._findings.append(f"{found}: {what}.")
        return (found,)

    def look_for(self, name: str) -> tuple[DriveFolder, ...]:
        """Look for folders of a name, shortcuts to them, and shared drives of that name."""
        wanted = comparable(name)
        named = [item for item in self._client.search(folders_named(name)) if comparable(item.name) == wanted]
        named += (
            msgspec.structs.replace(top, name=drive.name)  # as a folder, each is called “Drive”
            for drive in self._client.shared_drives()
            if comparable(drive.name) == wanted and (top := self._client.item(drive.id)) is not None
        )
        if not named:
            self._findings.append(f"No folder and no shared drive is called {name!r}.")
        if len(named) > _MOST:
            self._findings.append(
                f"{len(named)} folders are called {name!r}; {_MOST} of them were looked at."
            )
        folders = {folder.id: folder for item in named[:_MOST] if (folder := self._folder(item)) is not None}
        found = sorted(
            DriveFolder(folder.name, folder.id) for folder in folders.values() if self._holds_marker(folder)
        )
        self._findings += (f"{folder}: holds {MARKER}." for folder in found)
        return tuple(found)

    def _folder(self, item: Item) -> Item | None:
        """Return the folder that an item is or leads to, and say so where there is none."""
        target: Item | None = item
        if item.shortcut_details is not None:
            target = self._client.item(item.shortcut_details.target_id)
            if target is None or target.trashed:
                self._findings.append(f"{_named(item)}: a shortcut to what is gone or in the trash.")
                return None
        if target is None or target.trashed:
            self._findings.append(f"{_named(item)}: it is in the trash.")
        elif not target.is_folder:
            self._findings.append(f"{_named(item)}: it is not a folder.")
        else:
            return target
        return None

    def _holds_marker(self, folder: Item) -> bool:
        try:
            spot = Look(self._client, folder_of(folder)).find(MARKER)
        except ItemRefused as error:
            self._findings.append(f"{_named(folder)}: {error.what}.")
            return False
        if spot.item is None:
            self._findings.append(f"{_named(folder)}: no {MARKER}.")
        return spot.item is not None


def _named(item: Item) -> DriveFolder:
    return DriveFolder(item.name, item.id)
