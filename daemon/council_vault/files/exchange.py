"""Replacing a file without losing an update, even against a writer that takes no locks.

Under our own lock on the file, one replacement goes like this:

1. What a killed predecessor left beside the file is settled (`recovery`).
2. The file is read while nobody has it open for writing. The new content is written beside the *real* file
   (symbolic links are followed) with the owner, group, mode, access list and user attributes of the old one,
   made durable, and given a name that tells what was read and what is ours.
3. A read lease is taken on the file. Refused: somebody has it open for writing; we wait for them, 5 s at
   most. Under the lease the path must still lead to the very file and bytes that were read. Nothing slow
   happens before the exchange: whoever opens the file for writing waits for us.
4. The two names are exchanged in one step.
5. What came out must be the file that was read. If not, somebody has renamed theirs over it: back at once.
6. If somebody waits to open the file that came out, it goes back likewise, before the lease ends.
7. The folder is made durable. The displaced file and the lease are kept until 20 ms after the exchange, and
   looked at again: whoever had found the file before the exchange has opened it by then. Then the lease ends
   and the file goes.

What goes back is given to `keep` as well, if it was hidden for a moment: who read the file in that moment
builds on ours, and will overwrite theirs. What comes out for it is ours, and is deleted only once nobody has
written to it either: every displaced file is settled by the same rule, at once, at the end, or after a kill.

The promise, on ext4, xfs, btrfs, tmpfs and overlay on Linux, for files that we own (or as superuser): what
another program writes is in the file, or `keep` has it, or, while somebody has a displaced file open for
longer than 5 s, it stands beside until the next replacement or `recover`.

- It holds against writing in place, renaming over the file, holding it open, and any mix of them.
- It holds through a kill of ours at any point: whoever comes next settles what was left.
- It rests on one figure: between finding a file and having it open, both inside one ``open(2)``, nobody
  takes 20 ms.
- A program that writes what it had read *before* us undoes our change, as it would undo anybody's.

Elsewhere (FUSE, NFS, 9p, SMB, other systems, files of other users) leases are missing or mean nothing. There
the content is compared immediately before the exchange, and what came out right after it; that is kept for
5 s, looked at all the while, and goes back as soon as somebody has written into it. What can be lost is a
write through a handle that stays open for longer. Where names cannot be exchanged, the old file gets a second
name (a hard link) and ours is renamed over the first: what somebody else renames to it in these microseconds
can be lost too. Where there are no hard links, so can every write through a handle opened before. What was
written is read back before it replaces anything. `protection` tells which places these are.

A file with several hard links is refused rather than cut off from its other names. A new file never
overwrites another. An error leaves the file as it was, and nothing beside it.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from council_vault.errors import Busy, FileChanged
from council_vault.files import system
from council_vault.files.attributes import require_replaceable
from council_vault.files.displaced import Displaced
from council_vault.files.names import DIGITS, Leftover, short, stem, swap_beside
from council_vault.files.protection import protection
from council_vault.files.reading import Pin, identity, read
from council_vault.files.recovery import GRACE, GRACE_WITHOUT_LEASES
from council_vault.files.staging import stage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from council_vault.files.recovery import Recovery
    from council_vault.files.source import Source

POINTS = ("part-written", "staged", "leased", "checked", "exchanged", "inspected", "durable")
"""The points of a replacement under a lease, in order, as `observe` is told them."""

_READ_AGAIN = "Read it again and repeat"


def replace(source: Source, data: bytes, recovery: Recovery, observe: Callable[[str], None]) -> Displaced:
    """Take steps 2 to 6, and make the result durable. Whoever calls it holds the file's lock.

    Args:
        source: the file as it was read; it is closed when this fails, and when the result has been settled.
        data: the new content.
        recovery: gives back what must go back.
        observe: is told each of `POINTS` when it is reached.

    Returns:
        What was displaced, to be settled.

    Raises:
        FileChanged: the file is not what was read any more.
        WriteFailed: it must not be replaced, or its owner or attributes cannot be kept.
        Busy: somebody has it open for writing.
        OSError: the system refused.
    """
    require_replaceable(source.path, source.found)
    return _Exchange(source, data, recovery, observe).run()


def create(path: Path, data: bytes, observe: Callable[[str], None]) -> Displaced:
    """Make a new file, durably, where nothing stands.

    Raises:
        FileChanged: something stands there.
        WriteFailed: the file system did not keep what was written.
        OSError: the system refused.
    """
    part = stage(path, data, None, verify=not protection(path.parent).full)
    try:
        observe("part-written")
        system.rename_new(part, path)
        observe("created")
        system.make_names_durable(path.parent)
    except FileExistsError as error:
        raise FileChanged("a file stands there by now", where=path, remedy=_READ_AGAIN) from error
    finally:
        part.unlink(missing_ok=True)
    return Displaced(path, None, None)


def changed(path: Path) -> FileChanged:
    """Put into words that the file is not what was read."""
    return FileChanged("somebody else has changed it meanwhile", where=path, remedy=_READ_AGAIN)


class _Exchange:
    """One replacement: ours stands beside the file, and then the file itself stands where ours stood."""

    def __init__(
        self, source: Source, data: bytes, recovery: Recovery, observe: Callable[[str], None]
    ) -> None:
        self._source = source
        self._path = source.path
        self._recovery = recovery
        self._observe = observe
        self._part = stage(self._path, data, source.file, verify=not source.leasable)
        self._ours = Pin(self._part)
        read_digits, our_digits = source.digest[:DIGITS], short(data)
        aside = swap_beside(self._path, read_digits, our_digits)
        self._aside = Leftover(aside, stem(self._path.name), read_digits, our_digits)
        self._undo = ExitStack()  # what is to be done unless ours gets its place

    def run(self) -> Displaced:
        with self._undo:
            self._undo.callback(self._ours.close)
            self._undo.callback(self._discard, self._aside.path)
            self._undo.callback(self._discard, self._part)
            self._observe("part-written")
            self._name()
            self._observe("staged")
            try:
                return self._under_lease() or self._without_lease()
            except FileNotFoundError as error:  # deleted, or renamed away, at the last moment
                raise changed(self._path) from error

    def _name(self) -> None:
        try:
            system.rename_new(self._part, self._aside.path)
        except FileExistsError as error:
            raise Busy("another program still writes to an earlier version", where=self._path) from error

    def _under_lease(self) -> Displaced | None:
        """Exchange while a lease is held; ``None`` where it cannot be had, or names cannot be exchanged."""
        if not self._source.lease():
            return None
        self._observe("leased")
        if not self._source.is_unchanged():
            raise changed(self._path)
        self._observe("checked")
        if not system.exchange(self._aside.path, self._path):
            return None
        self._undo.pop_all()
        self._observe("exchanged")
        displaced = Displaced(self._path, self._aside, self._ours, leased=self._source, grace=GRACE)
        is_read = identity(self._aside.path) == self._source.identity and self._source.lease_holds()
        return self._durable(displaced, stands=is_read)

    def _without_lease(self) -> Displaced:
        """Compare, exchange, compare again; without exchange the old file keeps a second name."""
        self._source.close()  # an open file cannot be replaced everywhere
        if read(self._path) != self._source.content:
            raise changed(self._path)
        self._observe("checked")
        aside = self._aside if self._exchanged() else None
        self._undo.pop_all()
        self._observe("exchanged")
        displaced = Displaced(self._path, aside, self._ours, grace=GRACE_WITHOUT_LEASES)
        return self._durable(displaced, stands=aside is None or read(aside.path) == self._source.content)

    def _exchanged(self) -> bool:
        """Put ours in the place of the old file; say whether the old one stands aside."""
        if system.exchange(self._aside.path, self._path):
            return True
        self._aside.path.rename(self._part)
        is_linked = system.link(self._path, self._aside.path)
        self._observe("linked")
        self._part.replace(self._path)
        return is_linked

    def _durable(self, displaced: Displaced, *, stands: bool) -> Displaced:
        if not stands:
            displaced.take_back(self._recovery)
            raise changed(self._path)
        self._observe("inspected")
        try:
            system.make_names_durable(self._path.parent)
        except OSError:
            displaced.take_back(self._recovery)
            raise
        self._observe("durable")
        return displaced

    def _discard(self, name: Path) -> None:
        """Remove what is only ours, or only another name of the file itself; never what was displaced."""
        if identity(name) in {self._ours.identity, identity(self._path)} - {None}:
            name.unlink()
