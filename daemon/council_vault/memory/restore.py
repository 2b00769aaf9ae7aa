"""Mending a memory: vanished records put back, and an id of its own for every record."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from council_vault.memory import canonical
from council_vault.memory.canonical import Verbatim
from council_vault.memory.holdings import mark
from council_vault.memory.ids import next_id, parse_id
from council_vault.memory.records import id_of, in_time, plain, records_in
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from council_vault.memory.file import MemoryFile
    from council_vault.memory.holdings import Mark
    from council_vault.memory.ids import RecordId
    from council_vault.memory.schema import Memory
    from council_vault.memory.snapshots import VanishedRecord

    Document = dict[str, Any]
    Record = dict[str, Any]


class NewId(NamedTuple):
    """A record's new id, its place in the list, and what stood there: the id of another one, or none."""

    place: int
    old: object
    new: str


def restore_records(file: MemoryFile, vanished: Sequence[VanishedRecord]) -> tuple[str, ...]:
    """Put vanished records back into the memory file, each at its place in time, saying what they said.

    A record that has come back by itself meanwhile is left alone. Where another record has taken its id, it
    gets the next free one of its day.

    Returns:
        The ids under which they are in the file now.

    Raises:
        MemoryUnreadable, MemoryReadOnly, FileChanged, WriteFailed, Busy: as `MemoryFile.operate`.
    """
    restored: list[str] = []

    def change(document: Document, _memory: Memory) -> Document:
        records = records_in(document)
        present = {id_: plain(record) for record in records if (id_ := id_of(record)) is not None}
        returning, homeless = [], []
        for one in vanished:
            record = cast("Record", canonical.parse_record(one.text))
            other = present.setdefault(one.id, record)
            if other is record:
                returning.append(record)
            elif not _mark(other).fits(_mark(record)):
                homeless.append(record)
        for record in homeless:
            renamed = _renamed(record, next_id(present, _day(record["id"]), _highest_removed(document)))
            present[renamed["id"]] = renamed
            returning.append(renamed)
        restored[:] = [record["id"] for record in returning]
        document["deliberations"] = in_time(records, returning)
        return document

    file.operate(change)
    return tuple(restored)


def give_new_ids(document: Document) -> tuple[NewId, ...]:
    """Give each record that has no id of its own the next free one of its day, in place.

    Its day is the day in UTC of its time; where that cannot be read, that of the id which it shares with an
    earlier record. A record with neither is left as it is. It is pending from then on, so that it gets a row.

    Args:
        document: what `canonical.parse` returned.
    """
    records = document.get("deliberations")
    if not isinstance(records, list):
        return ()
    given = []
    removed = _highest_removed(document)
    taken: defaultdict[date, list[str]] = defaultdict(list)
    for id_ in filter(None, map(id_of, records)):
        taken[_day(id_)].append(id_)
    for place, element in enumerate(records):
        record = plain(element)
        if not isinstance(element, Verbatim) or not isinstance(record, dict):
            continue
        shared, time = id_of(element), moment(record.get("timestamp"))
        if time is not None:
            day = time.date()
        elif shared is not None:
            day = _day(shared)
        else:
            continue
        new = next_id(taken[day], day, removed)
        taken[day].append(new)
        records[place] = {**_renamed(record, new), "vault_synced": False}
        given.append(NewId(place, record.get("id"), new))
    return tuple(given)


def _highest_removed(document: Document) -> object:
    archived = document.get("archived")
    return archived.get("highest_id") if isinstance(archived, dict) else None


def _day(id_: str) -> date:
    return cast("RecordId", parse_id(id_)).day


def _mark(record: Record) -> Mark:
    return mark(record.get("timestamp"), record.get("query_hash"))


def _renamed(record: Record, id_: str) -> Record:
    renamed = copy.copy(record)
    renamed["id"] = id_
    return renamed
