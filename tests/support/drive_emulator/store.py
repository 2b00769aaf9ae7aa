"""The Drive itself: items by id, who is in whose folder, and the log of changes. It knows nothing of HTTP."""

from __future__ import annotations

import random
import string
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from support.drive_emulator.items import FOLDER, SHORTCUT, USER, Item, Revision
from support.drive_emulator.replies import DriveError, bad_request, file_not_found, invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

ALPHABET = string.ascii_letters + string.digits + "-_"
UNKNOWN_TYPE = "application/octet-stream"


class Change(NamedTuple):
    """One line of the feed; ``item`` is ``None`` where a shared drive itself changed."""

    number: int
    time: float
    item: str | None
    drive: str | None


class SharedDrive(NamedTuple):
    name: str
    created: float


class Store:
    """All items of one person and of the shared drives that they are a member of.

    Every method holds the lock, so each is one step to everybody else. Ids come from the seed.

    Args:
        seed: the same seed gives the same ids in the same order.
    """

    def __init__(self, seed: int) -> None:
        self.lock = threading.RLock()
        self.random = random.Random(seed)
        self.items: dict[str, Item] = {}
        self.drives: dict[str, SharedDrive] = {}
        self.reserved: set[str] = set()
        self.changes: list[Change] = []
        self.lists = 0
        self.list_lag = 0
        self.root = self._make_root(self.new_id("0A", 19), "My Drive", None)

    # Ids

    def new_id(self, prefix: str = "1", length: int = 33) -> str:
        with self.lock:
            rest = self.random.choices(ALPHABET, k=length - len(prefix))
            return prefix + "".join(rest)

    def reserve(self, count: int) -> list[str]:
        """Return ids that a later creation may use."""
        with self.lock:
            ids = [self.new_id() for _ in range(count)]
            self.reserved.update(ids)
            return ids

    # Looking

    def get(self, item_id: str, *, shared: bool = True) -> Item:
        """Return an item; without ``shared``, what is on a shared drive does not exist."""
        with self.lock:
            item = self.items.get(self.root if item_id == "root" else item_id)
            if item is None or (item.drive is not None and not shared):
                raise file_not_found(item_id)
            return item

    def trashed(self, item: Item) -> bool:
        return any(above.explicitly_trashed for above in self.lineage(item))

    def lineage(self, item: Item) -> Iterator[Item]:
        """Yield an item and every folder above it."""
        step: Item | None = item
        while step is not None:
            yield step
            step = self.items.get(step.parent) if step.parent else None

    def children(self, folder: str) -> list[Item]:
        with self.lock:
            return [item for item in self.items.values() if item.parent == self.get(folder).id]

    def resource(self, item: Item) -> dict:
        with self.lock:
            return item.resource(trashed=self.trashed(item))

    def listable(self) -> list[Item]:
        """Return what a list request sees now, most recently changed first, and count the request."""
        with self.lock:
            self.lists += 1
            seen = [
                item
                for item in self.items.values()
                if item.listed_from <= self.lists and item.parent is not None
            ]
            return sorted(seen, key=lambda item: (item.modified, item.id), reverse=True)

    # Changing

    def add_drive(self, name: str) -> str:
        """Make a shared drive; its top folder has the same id, and the name that all such folders have."""
        with self.lock:
            drive = self.new_id("0A", 19)
            self.drives[drive] = SharedDrive(name, time.time())
            self.changes.append(Change(len(self.changes) + 1, time.time(), None, drive))
            return self._make_root(drive, "Drive", drive)

    def create(
        self,
        name: str,
        mime_type: str,
        parent: str,
        content: bytes | None,
        *,
        item_id: str | None = None,
        by: dict = USER,
        target: str | None = None,
        when: float | None = None,
    ) -> Item:
        """Make an item; a file without content is empty, folders and shortcuts have none.

        Raises:
            DriveError: the id is taken or unknown, the parent is no folder, the target does not exist.
        """
        with self.lock:
            if item_id is not None:
                self._claim(item_id)
            folder = self.get(parent)
            if not folder.is_folder:
                raise DriveError(403, "parentNotAFolder", "The specified parent is not a folder.")
            now = time.time() if when is None else when
            item = Item(
                item_id or self.new_id(),
                name,
                mime_type,
                folder.id,
                folder.drive,
                now,
                now,
                by,
                listed_from=self.lists + 1 + self.list_lag,
            )
            if mime_type == SHORTCUT:
                if target is None:
                    raise bad_request("A shortcut needs shortcutDetails.targetId.")
                pointed = self.get(target)
                item.target, item.target_type = pointed.id, pointed.mime_type
            elif mime_type != FOLDER:
                self._add_revision(item, content or b"", mime_type, now, by)
            self.items[item.id] = item
            self._changed(item)
            return item

    def write(
        self, item: Item, content: bytes, *, mime_type: str = "", by: dict = USER, when: float | None = None
    ) -> Revision:
        """Give a file new content, which becomes its head revision, even where nothing differs."""
        with self.lock:
            if not item.revisions:
                raise bad_request("Only files with binary content can be given content.")
            now = time.time() if when is None else when
            item.mime_type = mime_type or item.mime_type
            item.modified, item.by = now, by
            revision = self._add_revision(item, content, item.mime_type, now, by)
            self.touch(item)
            return revision

    def rename(self, item: Item, name: str) -> None:
        with self.lock:
            _refuse_root(item)
            item.name = name
            item.modified = time.time()
            self.touch(item)

    def move(self, item: Item, parent: str) -> None:
        with self.lock:
            folder = self.get(parent)
            if not folder.is_folder:
                raise DriveError(403, "parentNotAFolder", "The specified parent is not a folder.")
            _refuse_root(item)
            if item in self.lineage(folder):
                raise bad_request("This would make a circle of folders.")
            item.parent = folder.id
            for below in [item, *self.below(item)]:
                below.drive = folder.drive
            self.touch(item)

    def trash(self, item: Item, *, trashed: bool = True) -> None:
        with self.lock:
            _refuse_root(item)
            item.explicitly_trashed = trashed
            item.trashed_at = time.time()
            self.touch(item)

    def delete(self, item: Item) -> None:
        """Remove an item for good, with everything below it."""
        with self.lock:
            _refuse_root(item)
            for gone in [*self.below(item), item]:
                del self.items[gone.id]
                self._changed(gone)

    def below(self, item: Item) -> list[Item]:
        return [other for other in self.items.values() if other is not item and item in self.lineage(other)]

    def touch(self, item: Item) -> None:
        """Count a change of an item and put it in the feed."""
        with self.lock:
            item.version += 1
            self._changed(item)

    # Revisions

    def revision(self, item: Item, revision_id: str) -> Revision:
        with self.lock:
            for revision in item.revisions:
                if revision.id == revision_id or (revision_id == "head" and revision is item.head):
                    return revision
        raise DriveError(404, "notFound", f"Revision not found: {revision_id}.", location="revisionId")

    def purge(self, item: Item) -> None:
        """Drop the revisions that Drive drops in time: all but the head and those to be kept for ever."""
        with self.lock:
            item.revisions = [kept for kept in item.revisions if kept.keep_forever or kept is item.head]

    # Within

    def _make_root(self, root: str, name: str, drive: str | None) -> str:
        now = time.time()
        self.items[root] = Item(root, name, FOLDER, None, drive, now, now, USER)
        return root

    def _claim(self, item_id: str) -> None:
        if item_id in self.items:
            raise DriveError(409, "fileIdInUse", "A file already exists with the provided ID.")
        if item_id not in self.reserved:
            raise invalid("file.id", "The provided file ID is not usable.")

    def _add_revision(self, item: Item, content: bytes, mime_type: str, now: float, by: dict) -> Revision:
        revision = Revision(self.new_id("0B", 51), content, mime_type, now, by, item.name)
        item.revisions.append(revision)
        return revision

    def _changed(self, item: Item) -> None:
        self.changes.append(Change(len(self.changes) + 1, time.time(), item.id, item.drive))


def _refuse_root(item: Item) -> None:
    if item.parent is None:
        raise DriveError(403, "insufficientFilePermissions", "This cannot be done to the folder at the top.")
