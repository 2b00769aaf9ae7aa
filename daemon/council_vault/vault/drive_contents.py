"""What is in folders on Drive: asked for once each, and what shortcuts lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from council_vault.vault.names import problem_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from council_vault.vault.drive_client import DriveClient
    from council_vault.vault.drive_items import Item


class Folder(NamedTuple):
    """A folder's identifier, and that of the shared drive it is on."""

    id: str
    drive: str | None


class Contents:
    """What is in folders, as it was when they were first asked for.

    Args:
        client: the Drive.
    """

    def __init__(self, client: DriveClient) -> None:
        self._client = client
        self._listed: dict[Folder, dict[str, list[Item]]] = {}
        self._targets: dict[str, Item | None] = {}

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The folders that were asked for."""
        return tuple(self._listed)

    def load(self, folders: Iterable[Folder]) -> None:
        """Ask for what is in folders, as far as it is not known, with as few requests as it takes."""
        missing = dict.fromkeys(folder for folder in folders if folder not in self._listed)
        for drive in dict.fromkeys(folder.drive for folder in missing):
            asked = [folder.id for folder in missing if folder.drive == drive]
            for folder, items in self._client.children(asked, drive).items():
                named = self._listed.setdefault(Folder(folder, drive), {})
                for item in items:
                    if _is_nameable(item.name):
                        named.setdefault(item.name, []).append(item)

    def of(self, folder: Folder) -> Mapping[str, list[Item]]:
        """Return what is in a folder by name, as far as a path can mean it."""
        self.load([folder])
        return self._listed[folder]

    def target(self, item: Item) -> Item | None:
        """Return what an item is or leads to; ``None`` for a shortcut to what is gone or in the trash."""
        if item.shortcut_details is None:
            return item
        if item.id not in self._targets:
            target = self._client.item(item.shortcut_details.target_id)
            self._targets[item.id] = None if target is None or target.trashed else target
        return self._targets[item.id]


def folder_of(item: Item) -> Folder:
    """Return an item that is a folder as a place to look into."""
    return Folder(item.id, item.drive_id)


def oldest(items: Iterable[Item]) -> Item | None:
    """Return the item that was made first: of several with one name always the same."""
    return min(items, key=lambda item: (item.created_time, item.id), default=None)


def _is_nameable(title: str) -> bool:
    """Whether an item of this name can be meant by a path; in Drive a name may hold a slash."""
    return "/" not in title and (title.startswith(".") or problem_with(title) is None)
