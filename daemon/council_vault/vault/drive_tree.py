"""Names to items: one look at a vault's folders on Drive, fresh from the server."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from council_vault.errors import CouncilVaultError, NoteRefused
from council_vault.vault.drive_contents import Contents, Folder, folder_of, oldest
from council_vault.vault.marker import MARKER, OBSIDIAN_FOLDER
from council_vault.vault.names import comparable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from council_vault.vault.drive_client import DriveClient
    from council_vault.vault.drive_items import Item

_MARKER_FOLDER, _, _MARKER_FILE = MARKER.partition("/")


class Spot(NamedTuple):
    """Where a name leads.

    ``item`` is the file, ``None`` where there is none. ``folder`` is the innermost folder that exists,
    ``missing`` are the names of those that do not, and ``title`` is the file's own name in Drive. ``refusal``
    says why a note must not be read or written there.
    """

    folder: Folder
    missing: tuple[str, ...]
    title: str
    item: Item | None = None
    refusal: CouncilVaultError | None = None


class _Content(NamedTuple):
    notes: list[tuple[str, Item]]
    folders: list[tuple[Folder, str]]
    links: list[tuple[Item, str]]


class Look:
    """One look at a vault: every folder is asked for once, and what is said agrees with itself.

    Args:
        client: the Drive.
        root: the vault's folder.
        known: folders that will probably be needed; they are asked for together, in one request.

    Attributes:
        twins: names that several items in one folder have, of which the oldest was taken.
    """

    def __init__(self, client: DriveClient, root: Folder, known: Iterable[Folder] = ()) -> None:
        self._client = client
        self._root = root
        self._contents = Contents(client)
        self._contents.load([root, *known])
        self.twins: set[str] = set()

    @property
    def seen(self) -> tuple[Folder, ...]:
        """The folders that were asked for."""
        return self._contents.folders

    @property
    def is_of_vault(self) -> bool:
        """Whether the folder is a vault, by either sign."""
        return self._is_vault(self._root)

    def find(self, name: str) -> Spot:
        """Return where a name leads: to the exact one, else one that differs only in case or Unicode form."""
        *folders, title = name.split("/")
        here, refusal = self._root, None
        for depth, part in enumerate(folders):
            found = self._chosen(here, part, _leads_to_folder)
            if found is None:
                return Spot(here, tuple(folders[depth:]), title, refusal=refusal)
            item = self._contents.target(found)
            if item is None:
                return Spot(here, tuple(folders[depth:]), title, refusal=_dead(found))
            refusal = refusal or self._foreign(found, item)
            here = folder_of(item)
            if self._is_vault(here):
                refusal = refusal or _in_inner_vault(found.name)
        return self._find_file(here, title, refusal)

    def folder(self, name: str) -> tuple[Folder, str] | None:
        """Return a folder and its name as it is written in Drive; ``None`` where there is none."""
        here, path = self._root, []
        for part in name.split("/") if name else ():
            found = self._chosen(here, part, _leads_to_folder)
            item = found and self._contents.target(found)
            if found is None or item is None or self._foreign(found, item):
                return None
            here = folder_of(item)
            path.append(found.name)
            if self._is_vault(here):
                return None
        return here, "/".join(path)

    def notes_below(self, start: Folder, name: str) -> Iterator[str]:
        """Yield the names of the Markdown notes in a folder and below, as `files_below` has them."""
        return (note for note, _ in self.files_below(start, name))

    def files_below(self, start: Folder, name: str) -> Iterator[tuple[str, Item]]:
        """Yield the Markdown notes in a folder and below, each with its name, in no order.

        Dot-folders and vaults inside the vault are left out. Shortcuts to folders are followed, unless they
        lead to where the vault is in, or to what has been listed before.
        """
        followed: set[str] = set()
        level = [(start, name)]
        linked: list[tuple[Item, str]] = []
        while level or linked:
            if not level:
                shortcut, path = linked.pop(0)
                target = self._contents.target(shortcut)
                if (
                    target is None
                    or target.id in followed | self._above_root
                    or self._foreign(shortcut, target)
                ):
                    continue
                level = [(folder_of(target), path)]
            self._list_level([folder for folder, _ in level])
            inner: list[tuple[Folder, str]] = []
            for folder, path in level:
                followed.add(folder.id)
                if folder == self._root or not self._is_vault(folder):
                    content = self._content(folder, path)
                    inner += content.folders
                    linked += content.links
                    yield from content.notes
            level = inner

    def folders_in(self, start: Folder, name: str) -> Iterator[str]:
        """Yield the names of the folders in a folder, but for dot-folders and vaults inside the vault."""
        content = self._content(start, name)
        self._list_level([folder for folder, _ in content.folders])
        for _, path in (*content.folders, *content.links):
            if self.folder(path) is not None:
                yield path

    # Within

    def _find_file(self, folder: Folder, title: str, refusal: CouncilVaultError | None) -> Spot:
        found = self._chosen(folder, title, _leads_to_file)
        if found is None:
            inner = self._chosen(folder, title, _leads_to_folder)
            if inner is not None:
                refusal = refusal or NoteRefused(
                    "this is a folder, not a note", where=inner.name, remedy="Rename it"
                )
            return Spot(folder, (), title, refusal=refusal)
        item = self._contents.target(found)
        if item is None:
            return Spot(folder, (), found.name, refusal=refusal or _dead(found))
        if not item.is_file:
            refusal = refusal or NoteRefused(
                "this is a document of Google's, not a Markdown note", where=found.name, remedy="Rename it"
            )
            return Spot(folder, (), found.name, refusal=refusal)
        return Spot(folder, (), found.name, item, refusal or self._foreign(found, item))

    def _content(self, folder: Folder, path: str) -> _Content:
        """Return what a list of notes wants to know of one folder."""
        content = _Content([], [], [])
        for title, items in self._contents.of(folder).items():
            if title.startswith("."):
                continue
            name = f"{path}/{title}" if path else title
            inner = self._one_of(list(filter(_leads_to_folder, items)))
            if inner is not None and inner.is_folder:
                content.folders.append((folder_of(inner), name))
            elif inner is not None:
                content.links.append((inner, name))
            file = title.casefold().endswith(".md") and self._one_of(list(filter(_leads_to_file, items)))
            target = self._contents.target(file) if file else None
            if target is not None and target.is_file:
                content.notes.append((name, target))
        return content

    def _chosen(self, folder: Folder, name: str, fits: Callable[[Item], bool]) -> Item | None:
        """Return the item that a name means in a folder, out of those that fit."""
        named = self._contents.of(folder)
        same = list(filter(fits, named.get(name, ())))
        if not same:
            wanted = comparable(name)
            alike = (named[other] for other in sorted(named) if comparable(other) == wanted)
            same = next(filter(None, (list(filter(fits, items)) for items in alike)), [])
        if len(same) > 1:
            self.twins.add(same[0].name)
        return self._one_of(same)

    def _one_of(self, same: list[Item]) -> Item | None:
        """Return the one of several with one name that is used: that with the marker, else the oldest."""
        if len(same) > 1 and same[0].name == _MARKER_FOLDER:
            same = list(filter(self._holds_marker, same)) or same
        return oldest(same)

    def _is_vault(self, folder: Folder) -> bool:
        named = self._contents.of(folder)
        return any(item.leads_to_folder for item in named.get(OBSIDIAN_FOLDER, ())) or any(
            item.leads_to_folder and self._holds_marker(item) for item in named.get(_MARKER_FOLDER, ())
        )

    def _holds_marker(self, item: Item) -> bool:
        folder = self._contents.target(item)
        return folder is not None and any(
            not inner.leads_to_folder and self._contents.target(inner) is not None
            for inner in self._contents.of(folder_of(folder)).get(_MARKER_FILE, ())
        )

    def _foreign(self, found: Item, item: Item) -> CouncilVaultError | None:
        """Return why an item must be left alone to which a shortcut leads, if it must."""
        if found.shortcut_details is None:
            return None
        above = [item, *self._above(item)]
        if above[-1].parent != self._root.id:
            return None  # it is outside of the vault, where the person may keep what they like
        if any(step.name.startswith(".") for step in above):
            return NoteRefused("a shortcut leads into a dot-folder, which is left alone", where=found.name)
        if any(step.is_folder and self._is_vault(folder_of(step)) for step in above):
            return _in_inner_vault(found.name)
        return None

    def _above(self, item: Item) -> Iterator[Item]:
        """Yield the folders that an item is in, the innermost first, as far as the vault's own."""
        while item.parent is not None and item.parent != self._root.id:
            folder = self._client.item(item.parent)
            if folder is None:
                return
            yield folder
            item = folder

    @functools.cached_property
    def _above_root(self) -> frozenset[str]:
        """The folders that the vault is in."""
        root = self._client.item(self._root.id)
        return frozenset() if root is None else frozenset(folder.id for folder in self._above(root))

    def _list_level(self, folders: Sequence[Folder]) -> None:
        """Ask for what is in folders, and for what shows whether they are vaults."""
        self._contents.load(folders)
        inner = [item for folder in folders for item in self._contents.of(folder).get(_MARKER_FOLDER, ())]
        self._contents.load(folder_of(item) for item in inner if item.is_folder)


def _leads_to_folder(item: Item) -> bool:
    return item.leads_to_folder


def _leads_to_file(item: Item) -> bool:
    return not item.leads_to_folder


def _dead(shortcut: Item) -> CouncilVaultError:
    return NoteRefused(
        "this is a shortcut to what is gone or in the trash",
        where=shortcut.name,
        remedy="Remove the shortcut, or put back what it leads to",
    )


def _in_inner_vault(name: str) -> CouncilVaultError:
    return NoteRefused(
        "it is in a vault inside the vault, which is left alone",
        where=name,
        remedy="Choose another vault.folder",
    )
