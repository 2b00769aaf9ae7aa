"""Mending a memory: vanished records put back, and records that share an id told apart."""

from __future__ import annotations

import copy
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from council_vault.errors import MemoryUnreadable
from council_vault.memory import canonical
from council_vault.memory.canonical import Verbatim
from council_vault.memory.holdings import age, mark
from council_vault.memory.schema import next_id, parse_id

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from council_vault.memory.file import MemoryFile
    from council_vault.memory.holdings import Mark
    from council_vault.memory.schema import RecordId
    from council_vault.memory.snapshots import VanishedRecord

    Document = dict[str, Any]
    Record = dict[str, Any]


class NewId(NamedTuple):
    """A record's new id and the one that it shared with an earlier record."""

    old: str
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

    def change(document: Document) -> Document:
        records = _list_in(document)
        present = {id_: _plain(record) for record in records if (id_ := _id_of(record)) is not None}
        returning, homeless = [], []
        for one in vanished:
            record = cast("Record", canonical.parse_record(one.text))
            other = present.setdefault(one.id, record)
            if other is record:
                returning.append(record)
            elif not _mark(other).fits(_mark(record)):
                homeless.append(record)
        for record in homeless:
            renamed = _renamed(record, next_id(present, _day(record["id"])))
            present[renamed["id"]] = renamed
            returning.append(renamed)
        restored[:] = [record["id"] for record in returning]
        document["deliberations"] = _in_time(records, returning)
        return document

    file.operate(change)
    return tuple(restored)


def give_new_ids(document: Document) -> tuple[NewId, ...]:
    """Give each record that shares an id with an earlier one the next free id of its day, in place.

    It counts as pending from then on, so that it gets a row of its own.

    Args:
        document: what `canonical.parse` returned.
    """
    records = document.get("deliberations")
    if not isinstance(records, list):
        return ()
    given = []
    ids = {id_ for record in records if (id_ := _id_of(record)) is not None}
    for place, element in enumerate(records):
        id_ = _id_of(element)
        if isinstance(element, Verbatim) and id_ is not None:
            new = next_id(ids, _day(id_))
            ids.add(new)
            records[place] = {**_renamed(_plain(element), new), "vault_synced": False}
            given.append(NewId(id_, new))
    return tuple(given)


def _list_in(document: Document) -> list[object]:
    records = document.get("deliberations")
    if records is None:
        return []
    if not isinstance(records, list):
        raise MemoryUnreadable(
            "expected a list of records", where="deliberations", remedy="Mend it by hand; nothing was written"
        )
    return records


def _plain(element: object) -> Any:  # noqa: ANN401 (any JSON value)
    return element.value if isinstance(element, Verbatim) else element


def _id_of(element: object) -> str | None:
    """Return the id of a record, also of one that is not the first to have it."""
    record = _plain(element)
    id_ = record.get("id") if isinstance(record, dict) else None
    return id_ if parse_id(id_) else None


def _day(id_: str) -> date:
    return cast("RecordId", parse_id(id_)).day


def _mark(record: Record) -> Mark:
    return mark(record.get("timestamp"), record.get("query_hash"))


def _time(record: Record) -> tuple[datetime, RecordId]:
    return age(record.get("id"), record.get("timestamp"))


def _renamed(record: Record, id_: str) -> Record:
    renamed = copy.copy(record)
    renamed["id"] = id_
    return renamed


def _in_time(records: list[object], returning: list[Record]) -> list[object]:
    """Return the records with the returning ones in between: each behind the last one that is not later."""
    times: list[tuple[datetime, RecordId]] = []
    for element in records:
        before = times[-1] if times else age(None, None)
        record = _plain(element)
        own = _time(record) if isinstance(record, dict) else before
        times.append(before if own == age(None, None) else own)
    for place in range(len(times) - 2, -1, -1):  # from here on: the earliest that is still to come
        times[place] = min(times[place], times[place + 1])
    result: list[object] = []
    done = 0
    for record in sorted(returning, key=_time):
        place = bisect_right(times, _time(record))
        result += records[done:place]
        result.append(record)
        done = place
    return result + records[done:]
