"""A vault that is a folder on Google Drive, reached over the network."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from council_vault.errors import FileChanged, NoteRefused, VaultUnavailable, WriteFailed
from council_vault.files import digest
from council_vault.vault.conflict_copies import is_conflict_copy
from council_vault.vault.drive_contents import Folder, folder_of, oldest
from council_vault.vault.drive_items import OURS
from council_vault.vault.drive_overwriting import Mark, Overwriting, checksum
from council_vault.vault.drive_refusals import DRIVE, ItemMissing, ItemRefused, not_from_drive
from council_vault.vault.drive_tree import Look, Spot
from council_vault.vault.marker import MARKER
from council_vault.vault.names import comparable, within_vault
from council_vault.vault.store import OBSIDIAN_SETTINGS, Glance, StoredNote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from council_vault.vault.drive_changes import Changes
    from council_vault.vault.drive_client import DriveClient
    from council_vault.vault.drive_items import Item

_READINGS = 3
_USUAL = "council"  # part of the name of all notes that this program makes
_Seen = TypeVar("_Seen")


class DriveVault:
    """A `VaultStore` over a folder on Drive.

    Every answer comes fresh from the server. What is remembered between two of them are only folders that
    are likely to be asked for again, so that one request asks for all of them, and the versions of contents
    that need not be read twice. Shortcuts are followed as a folder's symbolic links are.

    A write that hides what somebody wrote at the same moment is taken back within `write`, which then says
    so; nothing is left to settle. See `drive_overwriting`.

    Args:
        client: the Drive.
        folder_id: the vault's folder, or a shortcut to it.
        name: what people call the vault.
    """

    def __init__(self, client: DriveClient, folder_id: str, name: str) -> None:
        self._client = client
        self._folder_id = folder_id
        self._name = name
        self._overwriting = Overwriting(client)
        self._root: Folder | None = None
        self._ways: dict[str, tuple[Folder, ...]] = {}
        self._changes: Changes | None = None
        self._versions: dict[str, tuple[str, str]] = {}

    @property
    def place(self) -> str:
        """The vault's name, and that it is on Drive."""
        return f"{self._name} on {DRIVE}"

    def read(self, name: str) -> StoredNote | None:
        """See `VaultStore.read`."""
        spot = self._find(OBSIDIAN_SETTINGS) if name == OBSIDIAN_SETTINGS else self._note(name)
        if spot.item is None:
            return None
        with self._concerning(name, "it cannot be read"):
            try:
                item = self._finished(spot.item)
                content = self._content(item)
            except ItemMissing:
                return None  # it went away a moment ago
        return StoredNote(content, self._versions[item.id][1])

    def glance(self, name: str) -> Glance | None:
        """See `VaultStore.glance`."""
        item = self._note(name).item
        return None if item is None else _glance(item)

    def glances(self, folder: str = "") -> Mapping[str, Glance]:
        """See `VaultStore.glances`."""
        return {name: _glance(item) for name, item in self._found(Look.files_below, folder)}

    def write(self, name: str, content: bytes, expected: str | None) -> None:
        """See `VaultStore.write`."""
        spot = self._note(name)
        with self._concerning(name, "it cannot be written"):
            if spot.item is not None:
                self._update(spot.item, content, expected)
            elif expected is None:
                self._create(spot, content)
            else:
                raise FileChanged("the note is gone")

    def settle(self) -> tuple[str, ...]:
        """See `VaultStore.settle`; whatever had to be taken back was taken back by `write`."""
        return ()

    def list(self, folder: str = "") -> tuple[str, ...]:
        """See `VaultStore.list`."""
        return tuple(sorted(self._found(Look.notes_below, folder)))

    def may_be_ours(self) -> tuple[str, ...]:
        """See `VaultStore.may_be_ours`: those made here say so, others may have come by a mount of Drive."""
        found = self._found(Look.files_below, "")
        return tuple(sorted(name for name, item in found if _may_be_ours(item)))

    def folders(self, folder: str = "") -> tuple[str, ...]:
        """See `VaultStore.folders`."""
        return tuple(sorted(self._found(Look.folders_in, folder)))

    def exists(self, name: str) -> bool:
        """See `VaultStore.exists`."""
        return self._find(within_vault(name)).item is not None

    def may_have_changed(self, names: Iterable[str]) -> bool:
        """See `VaultStore.may_have_changed`; only what is on the vault's own drive is known of."""
        if self._changes is None:
            self._changes = self._client.changes(self._opened.drive)
        changed = self._changes.names()
        wanted = {comparable(name.rpartition("/")[2]) for name in names}
        return changed is None or any(comparable(name) in wanted for name in changed)

    # Looking

    def _note(self, name: str) -> Spot:
        """Return where a note that may be read and written is.

        Raises:
            NoteRefused: it must be left alone.
        """
        plain = within_vault(name)
        if is_conflict_copy(plain):
            raise NoteRefused("this is a conflict copy, which is left alone", where=plain, remedy="Rename it")
        spot = self._find(plain)
        if spot.refusal is not None:
            raise spot.refusal
        return spot

    def _found(self, seen: Callable[[Look, Folder, str], Iterable[_Seen]], folder: str) -> Iterable[_Seen]:
        """Return what is seen in a folder; nothing where there is none."""
        plain = within_vault(folder) if folder else ""
        look = self._look(plain)
        found = look.folder(plain)
        return () if found is None else seen(look, *found)

    def _find(self, name: str) -> Spot:
        folder = name.rpartition("/")[0]
        look = self._look(folder)
        spot = look.find(name)
        self._ways[folder] = look.seen
        for twin in sorted(look.twins):
            self._client.say_once(
                f"Several items in one folder of {self.place} are named {twin}. The oldest is used, and the"
                " others are left alone: rename or remove those that are not needed."
            )
        return spot

    def _look(self, folder: str) -> Look:
        """Look at the vault anew.

        Raises:
            VaultUnavailable: it is gone, or no vault any more.
        """
        root = self._opened
        look = Look(self._client, root, self._ways.get(folder, ()))
        if not look.is_of_vault:
            self._root = None
            self._open()  # it may itself be what is gone
            raise self._unavailable(f"{MARKER} is gone")
        return look

    @property
    def _opened(self) -> Folder:
        if self._root is None:
            self._root = self._open()
        return self._root

    def _open(self) -> Folder:
        item = self._client.item(self._folder_id)
        if item is not None and item.shortcut_details is not None and not item.trashed:
            item = self._client.item(item.shortcut_details.target_id)
        if item is None:
            raise self._unavailable("its folder is gone, or not shared with this account")
        if item.trashed:
            raise self._unavailable("its folder is in the trash")
        if not item.is_folder:
            raise self._unavailable("it is not a folder")
        return folder_of(item)

    def _unavailable(self, reason: str) -> VaultUnavailable:
        return VaultUnavailable(
            f"the vault is not there now: {reason}",
            where=self.place,
            remedy="Put it back, or sign in as its owner",
        )

    # Reading and writing

    def _finished(self, item: Item) -> Item:
        """Return a file after finishing a write to it that was interrupted."""
        if Mark.on(item) is None:
            return item
        return self._overwriting.finish(self._current(item))

    def _current(self, item: Item) -> Item:
        """Return a file as it is now, since lists lag behind.

        Raises:
            ItemMissing: it is gone, or in the trash.
        """
        current = self._client.item(item.id)
        if current is None or current.trashed:
            raise ItemMissing("it is gone")
        return current

    def _content(self, item: Item) -> bytes:
        """Read a file whole: what was received must be what Drive has."""
        for _ in range(_READINGS):
            content = self._client.content(item.id)
            if checksum(content) == item.md5_checksum:
                self._remember(item, content)
                return content
            item = self._current(item)
        raise not_from_drive()

    def _update(self, item: Item, content: bytes, expected: str | None) -> None:
        try:
            current = self._finished(self._current(item))
            if self._version(current) != expected:
                raise FileChanged("the note was changed at the same time")
            if current.md5_checksum == checksum(content):
                return
            written = self._overwriting.write(current, content)
        except ItemMissing:
            raise FileChanged("the note is gone") from None
        if written.md5_checksum != checksum(content):
            raise FileChanged("the note was changed at the same time, and what was written is taken back")
        self._remember(item, content)

    def _version(self, item: Item) -> str:
        if self._versions.get(item.id, ("", ""))[0] != item.md5_checksum:
            self._content(item)
        return self._versions[item.id][1]

    def _remember(self, item: Item, content: bytes) -> None:
        """Remember the version of what a file says, by its checksum, so that it need not be read again."""
        self._versions[item.id] = checksum(content), digest(content)

    def _create(self, spot: Spot, content: bytes) -> None:
        """Create a note with the folders it needs; of two that are made at once the older one stays."""
        parent = self._client.item(spot.folder.id)
        if parent is None or parent.trashed:
            raise FileChanged("the note's folder is gone")
        folder = spot.folder
        for title in spot.missing:
            folder = self._make_folder(folder, title)
        item = self._client.create_note(spot.title, folder.id, content)
        if self._first_of_its_name(item, folder).id != item.id:
            self._client.trash(item.id)
            raise FileChanged("somebody else made the note at the same time")
        if item.md5_checksum != checksum(content):
            raise FileChanged("the note was made before")
        self._remember(item, content)

    def _make_folder(self, parent: Folder, title: str) -> Folder:
        made = self._client.create_folder(title, parent.id)
        first = self._first_of_its_name(made, parent)
        if first.id != made.id and not self._client.children([made.id], made.drive_id)[made.id]:
            self._client.trash(made.id)
        return folder_of(first)

    def _first_of_its_name(self, item: Item, folder: Folder) -> Item:
        beside = self._client.children([folder.id], folder.drive)[folder.id]
        return (
            oldest([item, *(o for o in beside if o.name == item.name and o.is_folder == item.is_folder)])
            or item
        )

    @contextmanager
    def _concerning(self, name: str, what: str) -> Iterator[None]:
        """Name the note in whatever goes wrong with it."""
        try:
            yield
        except ItemRefused as error:
            raise WriteFailed(f"{what}: {error.what}", where=name, remedy=error.remedy) from error
        except FileChanged as error:
            raise FileChanged(error.what, where=name) from error


def _may_be_ours(item: Item) -> bool:
    return OURS in item.app_properties or _USUAL in item.name.casefold()


def _glance(item: Item) -> Glance:
    mark = (item.id, item.head_revision_id, item.md5_checksum, item.modified_time)
    at = item.modified_time.timestamp()
    return Glance(mark, time.time() - at, at)
