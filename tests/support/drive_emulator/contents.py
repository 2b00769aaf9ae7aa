"""What is on the Drive, in a test's hand: putting things there, doing what another person does, looking."""

from __future__ import annotations

import time
from pathlib import Path

from support.drive_emulator.items import FOLDER, SHORTCUT, SOMEBODY
from support.drive_emulator.store import UNKNOWN_TYPE, Store

TYPES = {".md": "text/markdown", ".json": "application/json", ".txt": "text/plain"}

Found = bytes | str | None


class Contents:
    """What is on the Drive.

    What is done here is what another person does: it is in the changes feed, and theirs by
    ``lastModifyingUser``.

    Args:
        store: where everything is kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    # Putting things there

    def add_folder(self, name: str, parent: str = "root", *, drive: str | None = None) -> str:
        """Make a folder, even where one of that name is; ``drive`` puts it at the top of a shared drive."""
        return self._store.create(name, FOLDER, drive or parent, None, by=SOMEBODY).id

    def add_file(self, name: str, content: bytes, parent: str = "root", *, ago: float = 3600.0) -> str:
        """Make a file, even where one of that name is, last changed so many seconds ago."""
        kind = TYPES.get(Path(name).suffix.lower(), UNKNOWN_TYPE)
        return self._store.create(name, kind, parent, content, by=SOMEBODY, when=time.time() - ago).id

    def add_shortcut(self, name: str, target: str, parent: str = "root") -> str:
        """Make a shortcut to a file or folder."""
        return self._store.create(name, SHORTCUT, parent, None, by=SOMEBODY, target=target).id

    def add_shared_drive(self, name: str) -> str:
        """Make a shared drive; its id is also that of its top folder."""
        return self._store.add_drive(name)

    def add_tree(self, folder: Path, name: str, parent: str = "root") -> str:
        """Copy a folder of this machine, hidden files included; return the id of the copy."""
        made = self.add_folder(name, parent)
        for inside in sorted(folder.iterdir()):
            if inside.is_dir():
                self.add_tree(inside, inside.name, made)
            else:
                self.add_file(inside.name, inside.read_bytes(), made)
        return made

    # What another person does

    def edit(self, file_id: str, content: bytes, *, ago: float = 0.0) -> str:
        """Give a file new content, so many seconds ago; return the id of the revision."""
        item = self._store.get(file_id)
        return self._store.write(item, content, by=SOMEBODY, when=time.time() - ago).id

    def rename(self, item_id: str, name: str) -> None:
        self._store.rename(self._store.get(item_id), name)

    def move(self, item_id: str, parent: str) -> None:
        self._store.move(self._store.get(item_id), parent)

    def trash(self, item_id: str) -> None:
        self._store.trash(self._store.get(item_id))

    def untrash(self, item_id: str) -> None:
        self._store.trash(self._store.get(item_id), trashed=False)

    def delete(self, item_id: str) -> None:
        """Remove for good, with everything below."""
        self._store.delete(self._store.get(item_id))

    def purge_revisions(self, file_id: str) -> None:
        """Let the time pass after which Drive drops revisions that are not kept for ever."""
        self._store.purge(self._store.get(file_id))

    # Looking

    def read(self, file_id: str) -> bytes:
        """Return the content of a file."""
        head = self._store.get(file_id).head
        assert head is not None, f"{file_id} has no content"
        return head.content

    def get(self, item_id: str) -> dict:
        """Return the whole resource, as the API shows it with ``fields=*``."""
        return self._store.resource(self._store.get(item_id))

    @property
    def files(self) -> dict[str, dict]:
        """The whole resources of everything that is there, the trash and the top folders included, by id."""
        with self._store.lock:
            return {item.id: self._store.resource(item) for item in self._store.items.values()}

    def revisions(self, file_id: str) -> list[dict]:
        """Return the resources of a file's revisions, oldest first, each with its ``content`` added."""
        with self._store.lock:
            return [
                revision.resource() | {"content": revision.content}
                for revision in self._store.get(file_id).revisions
            ]

    def find(self, path: str, folder: str = "root") -> str | None:
        """Return the id of what is at a path such as ``Vault/_System/MEMORY.md``; the oldest of several."""
        here = self._store.get(folder).id
        for name in path.split("/"):
            named = [
                item
                for item in self._store.children(here)
                if item.name == name and not item.explicitly_trashed
            ]
            if not named:
                return None
            here = min(named, key=lambda item: item.created).id
        return here

    def tree(self, folder: str = "root") -> dict[str, Found | list[Found]]:
        """Return everything in a folder that is not in the trash, by path.

        A file is its bytes, a folder ``None``, a shortcut the id that it points to. Where several have one
        path, the value is a list of theirs, oldest first.
        """
        found: dict[str, list[Found]] = {}
        with self._store.lock:
            self._collect(self._store.get(folder).id, "", found)
        return {path: values[0] if len(values) == 1 else values for path, values in sorted(found.items())}

    def _collect(self, folder: str, above: str, found: dict[str, list[Found]]) -> None:
        for item in sorted(self._store.children(folder), key=lambda child: (child.created, child.id)):
            if item.explicitly_trashed:
                continue
            path = above + item.name
            found.setdefault(path, []).append(item.head.content if item.head else item.target)
            if item.is_folder:
                self._collect(item.id, f"{path}/", found)
