"""Names to items: one look at a vault's folders on Drive, fresh from the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from council_vault.errors import CouncilVaultError, NoteRefused
from council_vault.vault.marker import MARKER, OBSIDIAN_FOLDER
from council_vault.vault.names import comparable, problem_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from council_vault.vault.drive_client import DriveClient
    from council_vault.vault.drive_items import Item

_MARKER_FOLDER, _, _MARKER_FILE = MARKER.partition("/")


class Folder(NamedTuple):
    """A folder's identifier, and that of the shared drive it is on."""

    id: str
    drive: str | None


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


class Look:
    """One look at a vault: every folder is asked for once, and what is said agrees with itself.

    Args:
        client: the Drive.
        root: the vault's folder.
        known: folders that will probably be needed; they are asked for together, in one request.

    Attributes:
        seen: the folders that were asked for.
        twins: names that several items in one folder have, of which the oldest was taken.
    """

    def __init__(self, client: DriveClient, root: Folder, known: Iterable[Folder] = ()) -> None:
        self._client = client
        self._root = root
        self._listed: dict[Folder, list[Item]] = {}
        self._targets: dict[str, Item | None] = {}
        self.seen: list[Folder] = []
        self.twins: set[str] = set()
        self._list([root, *known])

    @property
    def is_of_vault(self) -> bool:
        """Whether the folder is a vault, by either sign."""
        return self._is_vault(self._root)

    def find(self, name: str) -> Spot:
        """Return where a name leads: to the exact one, else one that differs only in case or Unicode form."""
        *folders, title = name.split("/")
        here, refusal = self._root, None
        for depth, part in enumerate(folders):
            found = self._chosen(here, part, lambda item: item.leads_to_folder)
            if found is None:
                return Spot(here, tuple(folders[depth:]), title, refusal=refusal)
            item = self._target(found)
            if item is None:
                return Spot(here, tuple(folders[depth:]), title, refusal=_dead(found))
            refusal = refusal or self._foreign(found, item)
            here = _folder(item)
            if self._is_vault(here):
                refusal = refusal or _in_inner_vault(found.name)
        return self._find_file(here, title, refusal)

    def folder(self, name: str) -> tuple[Folder, str] | None:
        """Return a folder and its name as it is written in Drive; ``None`` where there is none."""
        here, path = self._root, []
        for part in name.split("/") if name else ():
            found = self._chosen(here, part, lambda item: item.leads_to_folder)
            item = found and self._target(found)
            if found is None or item is None or self._foreign(found, item):
                return None
            here = _folder(item)
            path.append(found.name)
            if self._is_vault(here):
                return None
        return here, "/".join(path)

    def notes_below(self, start: Folder, name: str) -> Iterator[str]:
        """Yield the names of the Markdown notes in a folder and below, in no order.

        Dot-folders and vaults inside the vault are left out. Shortcuts to folders are followed, unless they
        lead to where the vault is in, or to what has been listed before.
        """
        followed: set[str] = {folder.id for folder in self._above_root()}
        waiting = [(start, name)]
        linked: list[tuple[str, Item]] = []
        while waiting or linked:
            if not waiting:
                path, shortcut = linked.pop(0)
                target = self._target(shortcut)
                if target is None or target.id in followed or self._foreign(shortcut, target):
                    continue
                waiting = [(_folder(target), path)]
            waiting = [(folder, path) for folder, path in waiting if folder.id not in followed]
            self._list(folder for folder, _ in waiting)
            self._list(
                _folder(item)
                for folder, _ in waiting
                for item in self._listed[folder]
                if item.is_folder and item.name == _MARKER_FOLDER
            )
            level, waiting = waiting, []
            for folder, path in level:
                followed.add(folder.id)
                if folder != self._root and self._is_vault(folder):
                    continue
                prefix = f"{path}/" if path else ""
                for title in sorted({item.name for item in self._listed[folder] if _is_visible(item.name)}):
                    inner = self._chosen(folder, title, lambda item: item.leads_to_folder)
                    if inner is not None and inner.name == title:
                        if inner.is_folder:
                            waiting.append((_folder(inner), prefix + title))
                        else:
                            linked.append((prefix + title, inner))
                    if title.casefold().endswith(".md") and self._find_file(folder, title, None).item:
                        yield prefix + title

    # Within

    def _find_file(self, folder: Folder, title: str, refusal: CouncilVaultError | None) -> Spot:
        found = self._chosen(folder, title, lambda item: not item.leads_to_folder)
        if found is None:
            inner = self._chosen(folder, title, lambda item: item.leads_to_folder)
            if inner is not None:
                refusal = refusal or NoteRefused(
                    "this is a folder, not a note", where=inner.name, remedy="Rename it"
                )
            return Spot(folder, (), title, refusal=refusal)
        item = self._target(found)
        if item is None:
            return Spot(folder, (), found.name, refusal=refusal or _dead(found))
        if not item.is_file:
            refusal = refusal or NoteRefused(
                "this is a document of Google's, not a Markdown note", where=found.name, remedy="Rename it"
            )
            return Spot(folder, (), found.name, refusal=refusal)
        return Spot(folder, (), found.name, item, refusal or self._foreign(found, item))

    def _chosen(self, folder: Folder, name: str, fits: Callable[[Item], bool]) -> Item | None:
        """Return the item that a name means in a folder, out of those that fit."""
        candidates = [item for item in self._of(folder) if fits(item) and _is_nameable(item.name)]
        same = [item for item in candidates if item.name == name]
        if not same:
            wanted = comparable(name)
            alike = sorted({item.name for item in candidates if comparable(item.name) == wanted})
            same = [item for item in candidates if alike and item.name == alike[0]]
        if len(same) > 1:
            self.twins.add(same[0].name)
            if name == _MARKER_FOLDER:
                same = [item for item in same if self._holds_marker(item)] or same
        return oldest(same)

    def _is_vault(self, folder: Folder) -> bool:
        return any(
            item.leads_to_folder
            and (item.name == OBSIDIAN_FOLDER or (item.name == _MARKER_FOLDER and self._holds_marker(item)))
            for item in self._of(folder)
        )

    def _holds_marker(self, item: Item) -> bool:
        folder = self._target(item)
        return folder is not None and any(
            inner.name == _MARKER_FILE and not inner.leads_to_folder and self._target(inner) is not None
            for inner in self._of(_folder(folder))
        )

    def _target(self, item: Item) -> Item | None:
        """Return what an item is or leads to; ``None`` for a shortcut to what is gone or in the trash."""
        if item.shortcut_details is None:
            return item
        if item.id not in self._targets:
            target = self._client.item(item.shortcut_details.target_id)
            self._targets[item.id] = None if target is None or target.trashed else target
        return self._targets[item.id]

    def _foreign(self, found: Item, item: Item) -> CouncilVaultError | None:
        """Return why an item must be left alone to which a shortcut leads, if it must."""
        if found.shortcut_details is None:
            return None
        above = [item, *self._above(item)]
        if above[-1].parent != self._root.id:
            return None  # it is outside of the vault, where the person may keep what they like
        if any(step.name.startswith(".") for step in above):
            return NoteRefused("a shortcut leads into a dot-folder, which is left alone", where=found.name)
        if any(step.is_folder and self._is_vault(_folder(step)) for step in above):
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

    def _above_root(self) -> Iterator[Item]:
        """Yield the folders that the vault is in."""
        root = self._client.item(self._root.id)
        return iter(()) if root is None else self._above(root)

    def _of(self, folder: Folder) -> list[Item]:
        self._list([folder])
        return self._listed[folder]

    def _list(self, folders: Iterable[Folder]) -> None:
        """Ask for what is in folders, as far as it is not known."""
        missing = dict.fromkeys(folder for folder in folders if folder not in self._listed)
        for drive in dict.fromkeys(folder.drive for folder in missing):
            asked = [folder.id for folder in missing if folder.drive == drive]
            found = self._client.children(asked, drive)
            self._listed |= {Folder(folder, drive): items for folder, items in found.items()}
        self.seen += missing


def oldest(items: Iterable[Item]) -> Item | None:
    """Return the item that was made first: of several with one name always the same."""
    return min(items, key=lambda item: (item.created_time, item.id), default=None)


def _folder(item: Item) -> Folder:
    return Folder(item.id, item.drive_id)


def _is_nameable(title: str) -> bool:
    """Whether an item of this name can be meant by a path; in Drive a name may hold a slash."""
    return "/" not in title and (title.startswith(".") or problem_with(title) is None)


def _is_visible(title: str) -> bool:
    return not title.startswith(".") and _is_nameable(title)


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
