"""Which deliberations of a file the memory holds already, also those that were imported long ago."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from council_vault.learning.compaction import KEPT
from council_vault.learning.features import query_hash
from council_vault.memory.times import age, moment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from council_vault.learning.log_input import LogInput
    from council_vault.memory.schema import Deliberation, Memory

_NO_TIME = datetime.min.replace(tzinfo=UTC)


class Standing(Enum):
    """Whether the memory holds a deliberation."""

    NEW = auto()
    THERE = auto()
    TOO_OLD = auto()  # it can be one of those of which the memory keeps only sums


class Mark(NamedTuple):
    """What a deliberation is known by; compacted records have no hash of their query any more."""

    when: datetime
    models: frozenset[str]
    query_hash: str | None

    def fits(self, record: Mark) -> bool:
        """Say whether this can be the record's deliberation."""
        return self.models == record.models and record.query_hash in (None, self.query_hash)


def mark_of(given: LogInput) -> Mark:
    """Return what a deliberation with a time of its own is known by."""
    when = _second(given.timestamp or _NO_TIME)
    return Mark(when, frozenset(given.models_used), query_hash(given.query_text))


class Known:
    """The deliberations that are there, those added from one file after the other included.

    A file can hold the same question twice at one time, as several deliberations of a conversation have only
    the conversation's time: in one file, each record stands for one deliberation. Another file with the same
    ones is a copy.
    """

    def __init__(self, memory: Memory) -> None:
        self._records: defaultdict[datetime, list[Mark]] = defaultdict(list)
        for record in memory.deliberations:
            mark = _mark(record)
            self._records[mark.when].append(mark)
        self._oldest_kept = _oldest_kept(memory)

    def sort_out(self, marks: Iterable[Mark]) -> list[Standing]:
        """Return how each deliberation of one file stands, and know the new ones from then on."""
        free: dict[datetime, list[Mark]] = {}
        standings = []
        added = []
        for mark in marks:
            if mark.when not in free:
                free[mark.when] = self._records[mark.when].copy()
            records = free[mark.when]
            found = next((record for record in records if record.query_hash and mark.fits(record)), None)
            found = found or next(filter(mark.fits, records), None)
            if found is not None:
                records.remove(found)
                standings.append(Standing.THERE)
            elif mark.when <= self._oldest_kept:
                standings.append(Standing.TOO_OLD)
            else:
                standings.append(Standing.NEW)
                added.append(mark)
        for mark in added:
            self._records[mark.when].append(mark)
        return standings


def _mark(record: Deliberation) -> Mark:
    when, _ = age(record.id, record.timestamp)
    return Mark(_second(when), frozenset(record.models_used), record.query_hash)


def _second(when: datetime) -> datetime:
    return when.replace(microsecond=0)


def _oldest_kept(memory: Memory) -> datetime:
    """Return the time up to which records may have been removed.

    Where that is not said, those removed were older than 500 others.
    """
    if not memory.archived.count:
        return _NO_TIME
    newest_removed = moment(memory.archived.newest)
    if newest_removed is not None:
        return newest_removed
    newest_first = sorted((_mark(record).when for record in memory.deliberations), reverse=True)
    return newest_first[:KEPT][-1] if newest_first else _NO_TIME
