"""When the daemon looks and syncs: pure, in moments of a monotonic clock that are given from outside."""

from __future__ import annotations

import math

import msgspec

from council_vault.syncing.due import crosses

GATHERING = 1.0
"""Seconds after which changes are looked at even if they do not stop."""


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to do, as far as it can be seen without doing it.

    Attributes:
        total: deliberations ever logged.
        pending: ids of the records that are not flagged.
        rebuilt: when the router was rebuilt, ``None`` where the routing note shows those rules already.
        rated: ids and ratings of the records that the log shows with another rating.
        notes: names and versions of the notes that are not as the last sync left them.
    """

    total: int = 0
    pending: tuple[str, ...] = ()
    rebuilt: str | int | float | None = None
    rated: frozenset[tuple[str, str | None]] = frozenset()
    notes: frozenset[tuple[str, str | None]] = frozenset()


class Due(msgspec.Struct, frozen=True):
    """A sync that is due: why, and whether only the log is to be written."""

    reason: str
    only_log: bool = False

    def joined_by(self, other: Due) -> Due:
        """Return the sync that does for both."""
        return self if other.only_log and not self.only_log else other


AT_START = Due("the daemon has started")
PENDING_LONG = Due("records have been pending for long", only_log=True)


def due(outlook: Outlook, attempted: Outlook, every: int) -> Due | None:
    """Return the sync that an outlook calls for, ``None`` for none.

    Args:
        outlook: what there is to do now.
        attempted: what there was to do when a sync last tried. What it could not do it will not be able to
            do now, unless something has changed.
        every: how many deliberations make a sync worth while.
    """
    if outlook.pending != attempted.pending and crosses(outlook.total, len(outlook.pending), every):
        return Due(f"a multiple of {every} deliberations was reached" if every > 1 else "records are pending")
    if outlook.rebuilt not in {None, attempted.rebuilt}:
        return Due("the router was rebuilt")
    if outlook.rated - attempted.rated:
        return Due("a rating was changed in the memory")
    if outlook.notes - attempted.notes:
        return Due("a note was changed")
    return None


def at_start(outlook: Outlook, every: int) -> Due | None:
    """Return the sync to begin with.

    Where nothing is pending, what else has changed since the last sync (settings, templates, notes) counts.
    """
    return AT_START if not outlook.pending else due(outlook, Outlook(), every)


class Pauses:
    """Pauses between attempts, each twice as long as the one before.

    Args:
        first: seconds.
        longest: seconds.
    """

    def __init__(self, first: float, longest: float) -> None:
        self._first, self._longest = first, longest
        self._next = first

    def next(self) -> float:
        """Return the pause to make now, in seconds."""
        pause = self._next
        self._next = min(2 * pause, self._longest)
        return pause

    def reset(self) -> None:
        """Begin anew, since an attempt has succeeded."""
        self._next = self._first


class Schedule:
    """The moments at which there is something to do; ``math.inf`` is never.

    Attributes:
        look_at: when the memory file is looked at.
        rescan_at: when everything is looked at, since events may be missing.
        sync_at: when the sync that is wanted begins.
        flush_at: when what is pending will have been so for too long.
    """

    def __init__(self) -> None:
        self.look_at = self.rescan_at = self.sync_at = self.flush_at = math.inf
        self._first_heard = math.inf

    @property
    def next(self) -> float:
        """The first of the moments."""
        return min(self.next_but_sync, self.sync_at)

    @property
    def next_but_sync(self) -> float:
        """The first of the moments at which something else than a sync is to be done."""
        return min(self.look_at, self.rescan_at, self.flush_at)

    def heard(self, now: float, debounce: float) -> None:
        """Take note of a change: look once it has been quiet, or when that takes too long."""
        self._first_heard = min(self._first_heard, now)
        self.look_at = min(now + debounce, self._first_heard + max(GATHERING, debounce))

    def looked(self, now: float, until_next: float = math.inf) -> None:
        """Take note of a look at the memory file, and of when the next one is, if nothing is heard."""
        self._first_heard = math.inf
        self.look_at = now + until_next
