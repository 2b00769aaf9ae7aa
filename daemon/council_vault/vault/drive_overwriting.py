"""Giving a file new content on a server that knows no conditions, without losing what others write meanwhile.

Drive takes every update, whatever stood there. So an update also leaves a mark with the file: which revision
it was made from, and what it wrote. Then the list of revisions tells whether somebody wrote in between. If
so, their content is put back at once, by an update with a mark of its own, and the change is made anew from
it. Where somebody has written again after ours, theirs is left standing, and what ours had hidden becomes a
conflict copy beside the note.

The mark is removed last. Whatever is interrupted is finished by whoever reads the note next, for every step
can be repeated.
"""

from __future__ import annotations

import hashlib
import itertools
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

    from council_vault.vault.drive_client import DriveClient
    from council_vault.vault.drive_items import Item, Revision

_READ, _WROTE, _RESTORED = "councilVaultRead", "councilVaultWrote", "councilVaultRestored"


class Mark(NamedTuple):
    """What a write of ours says of itself.

    Attributes:
        read: the revision it was made from.
        wrote: the checksum of what it wrote.
        restored: the revision that it put back; ``None`` for a change of our own.
    """

    read: str
    wrote: str
    restored: str | None = None

    @classmethod
    def on(cls, item: Item) -> Self | None:
        """Return the mark on a file, ``None`` where all is finished."""
        read, wrote = item.app_properties.get(_READ), item.app_properties.get(_WROTE)
        return cls(read, wrote, item.app_properties.get(_RESTORED)) if read and wrote else None

    def properties(self) -> dict[str, str | None]:
        """Return the mark as properties of a file."""
        return {_READ: self.read, _WROTE: self.wrote, _RESTORED: self.restored}


_NO_MARK = {_READ: None, _WROTE: None, _RESTORED: None}


def checksum(content: bytes) -> str:
    """Return the checksum that Drive gives for content."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def overwritten(revisions: Sequence[Revision], mark: Mark) -> tuple[Revision, ...]:
    """Return what others wrote and a write of ours then replaced, the oldest first.

    Args:
        revisions: all of the file's, the oldest first.
        mark: of the write. If what it was made from is no longer among them, nothing can be said.
    """
    places = [place for place, revision in enumerate(revisions) if revision.id == mark.read]
    if not places:
        return ()
    since = revisions[places[-1] :]
    return tuple(
        before
        for before, after in itertools.pairwise(since[1:])
        if after.md5_checksum == mark.wrote != before.md5_checksum
    )


class Overwriting:
    """Writes to files, and finishes writes.

    Args:
        client: the Drive.
    """

    def __init__(self, client: DriveClient) -> None:
        self._client = client

    def write(self, item: Item, content: bytes) -> Item:
        """Give a file new content; return the file as it then stands, with this content or another's.

        Args:
            item: the file, as it was when what it says was read.
            content: what it shall say.
        """
        mark = Mark(item.head_revision_id or "", checksum(content))
        return self.finish(self._client.update(item.id, content, mark.properties()))

    def finish(self, item: Item) -> Item:
        """Put back what a write has hidden, and remove its mark; return the file as it then stands."""
        while (mark := Mark.on(item)) is not None:
            revisions = self._client.revisions.of(item.id, item.head_revision_id)
            standing = revisions[-1]
            hidden = [
                each for each in overwritten(revisions, mark) if each.md5_checksum != standing.md5_checksum
            ]
            putting_back = standing.md5_checksum == mark.wrote and mark.restored is None and bool(hidden)
            for revision in hidden[:-1] if putting_back else hidden:
                self._copy(item, revision)
            if putting_back:
                item = self._put_back(item, standing, hidden[-1])
                continue
            if mark.restored is not None:
                self._client.revisions.keep(item.id, mark.restored, forever=False)
            item = self._client.set_properties(item.id, _NO_MARK)
        return item

    def _put_back(self, item: Item, standing: Revision, hidden: Revision) -> Item:
        content = self._content(item, hidden)
        mark = Mark(standing.id, checksum(content), hidden.id)
        return self._client.update(item.id, content, mark.properties())

    def _copy(self, item: Item, revision: Revision) -> None:
        """Keep a revision as a conflict copy beside its file."""
        parent = item.parent or "root"
        stem, dot, extension = item.name.rpartition(".")
        when = f"{revision.modified_time:%Y-%m-%d %H.%M.%S}"
        name = f"{stem or extension} (conflicted copy {when}){dot if stem else ''}{extension if stem else ''}"
        content = self._content(item, revision)
        beside = self._client.children([parent], item.drive_id)[parent]
        if all(other.name != name for other in beside):
            self._client.create_note(name, parent, content)
        self._client.revisions.keep(item.id, revision.id, forever=False)

    def _content(self, item: Item, revision: Revision) -> bytes:
        self._client.revisions.keep(item.id, revision.id, forever=True)
        return self._client.revisions.content(item.id, revision.id)
