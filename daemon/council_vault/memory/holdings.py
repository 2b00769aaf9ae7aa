"""Which records the snapshots hold that the memory file no longer does, and which snapshots may go (pure).

A record is known by its id together with its time and the hash of its query: an agent that lost records
counts from the beginning again, and then two records have one id.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.memory.ids import parse_id
from council_vault.memory.times import age, moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from council_vault.memory.glimpse import Look
    from council_vault.memory.schema import Memory

NEWEST_KEPT = 10
HOURLY_FOR = timedelta(days=1)
DAILY_FOR = timedelta(days=31)


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """What tells a record from another one with the same id: its time and its query's hash, as written."""

    time: str
    query: str

    def fits(self, other: Mark) -> bool:
        """Say whether both can be of one record: not when time and query are both known and both differ."""
        times = self.time and other.time and self.time != other.time
        queries = self.query and other.query and self.query != other.query
        return not (times and queries)


class Held(msgspec.Struct, frozen=True, array_like=True):
    """A record and the snapshot that holds it."""

    id: str
    mark: Mark
    snapshot: str


class Version(msgspec.Struct, frozen=True):
    """The records of one content by id, how many had been archived by then, and up to what time."""

    records: dict[str, Mark] = {}
    archived: int = 0
    archived_until: str = ""


class Index(msgspec.Struct):
    """What is known of the snapshots without opening them.

    ``gone`` are the records that were in a version once and in no later one; ``kept`` are displaced contents
    by snapshot, empty ones where they are no memory.
    """

    newest: str = ""
    version: Version = Version()
    gone: list[Held] = []
    dismissed: dict[str, list[Mark]] = {}
    kept: dict[str, Version] = {}

    def advance(self, snapshot: str, version: Version) -> None:
        """Take in a newer version: what it has lost is gone, what it has again is not."""
        for id_ in lost(self.version, version):
            self.gone.append(Held(id_, self.version.records[id_], self.newest))
        self.gone = [
            held
            for held in self.gone
            if not _holds(version, held.id, held.mark) and not self._dismissed(held.id, held.mark)
        ]
        for id_ in self.dismissed.keys() & version.records.keys():
            self.dismissed[id_] = [mark for mark in self.dismissed[id_] if not _holds(version, id_, mark)]
        self.newest, self.version = snapshot, version

    def missing(self, current: Version) -> list[Held]:
        """Return the records that some snapshot holds and the current file does not, each once."""
        found = [held for held in self.gone if not _holds(current, held.id, held.mark)]
        for snapshot, version in ((self.newest, self.version), *self.kept.items()):
            found += [Held(id_, version.records[id_], snapshot) for id_ in lost(version, current)]
        distinct = []
        known: dict[str, list[Mark]] = {}
        for held in found:
            marks = known.setdefault(held.id, [])
            if not any(map(held.mark.fits, marks)) and not self._dismissed(held.id, held.mark):
                marks.append(held.mark)
                distinct.append(held)
        return distinct

    def dismiss(self, ids: frozenset[str]) -> None:
        """Let go of records for good, unless they come back by themselves."""
        for version in (self.version, *self.kept.values()):
            for id_ in ids & version.records.keys():
                self.dismissed.setdefault(id_, []).append(version.records[id_])
        for held in self.gone:
            if held.id in ids:
                self.dismissed.setdefault(held.id, []).append(held.mark)
        self.gone = [held for held in self.gone if held.id not in ids]

    def settled(self) -> list[str]:
        """Return the kept memories of which every record is in the file again, archived or dismissed."""
        return [
            snapshot
            for snapshot, version in self.kept.items()
            if version.records
            and all(self._dismissed(id_, version.records[id_]) for id_ in lost(version, self.version))
        ]

    def _dismissed(self, id_: str, mark: Mark) -> bool:
        return any(map(mark.fits, self.dismissed.get(id_, ())))


def version_seen(seen: Look) -> Version:
    """Return the records that a content holds."""
    records: dict[str, Mark] = {}
    for one in seen.records:
        if one is not None and isinstance(one.id, str) and one.id not in records and parse_id(one.id):
            records[one.id] = mark(one.timestamp, one.query_hash)
    return Version(records, seen.archived, _written(seen.newest_archived))


def version_of(memory: Memory) -> Version:
    """Return the records that a memory holds."""
    marks = {id_: mark(record.timestamp, record.query_hash) for id_, record in memory.identified.items()}
    return Version(marks, memory.archived.count, _written(memory.archived.newest))


def lost(before: Version, after: Version) -> list[str]:
    """Return the ids of the records that are in ``before`` and not in ``after``.

    Compaction removes old records and counts them in ``archived``, with the newest of their times. It passes
    over some: so as many of the oldest of those that are missing, none of them known to be newer, are not
    lost. Where that time is not known, only the oldest of all can have been removed.
    """
    missing = [id_ for id_, mark in before.records.items() if not _holds(after, id_, mark)]
    removed = after.archived - before.archived
    if not missing or removed <= 0:
        return missing
    until = moment(after.archived_until)
    ages = {id_: age(id_, mark.time) for id_, mark in before.records.items()}
    old = ages if until is None else [id_ for id_ in missing if not _later(before.records[id_].time, until)]
    archived = set(sorted(old, key=ages.__getitem__)[:removed])
    return [id_ for id_ in missing if id_ not in archived]


def superfluous(times: Sequence[tuple[str, datetime]], needed: frozenset[str], now: datetime) -> list[str]:
    """Return the snapshots that may go: the 10 newest, one an hour for a day and one a day for a month stay.

    Args:
        times: name and time of each version, oldest first.
        needed: names that stay because no later version holds what they hold.
        now: the time of the newest version.
    """
    staying = {name for name, _ in times[-NEWEST_KEPT:]} | needed
    slots: set[tuple[str, Any]] = set()
    for name, time in reversed(times):
        for word, period, slot in (
            ("hour", HOURLY_FOR, time.replace(minute=0, second=0, microsecond=0)),
            ("day", DAILY_FOR, time.date()),
        ):
            if now - time <= period and (word, slot) not in slots:
                slots.add((word, slot))
                staying.add(name)
    return [name for name, _ in times if name not in staying]


def _holds(version: Version, id_: str, mark: Mark) -> bool:
    other = version.records.get(id_)
    return other is not None and mark.fits(other)


def mark(time: object, query: object) -> Mark:
    """Return a record's mark from its ``timestamp`` and ``query_hash``."""
    return Mark(_written(time), _written(query) if isinstance(query, str) else "")


def _later(time: str, other: datetime) -> bool:
    when = moment(time)
    return when is not None and when > other


def _written(value: object) -> str:
    """Return a value as text that can be kept in a file; half a character is written as its number."""
    return "" if value is None else str(value).encode(errors="backslashreplace").decode()
