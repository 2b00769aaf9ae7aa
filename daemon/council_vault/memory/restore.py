"""Mending a memory: vanished records put back, and records that share an id told apart."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from council_vault.memory import canonical
from council_vault.memory.canonical import Verbatim
from council_vault.memory.holdings import mark
from council_vault.memory.records import id_of, in_time, plain, records_in
from council_vault.memory.schema import next_id, parse_id

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from council_vault.memory.file import MemoryFile
    from council_vault.memory.holdings import Mark
    from council_vault.memory.schema import Memory, RecordId
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
            renamed = _renamed(record, next_id(present, _day(record["id"])))
            present[renamed["id"]] = renamed
            returning.append(renamed)
        restored[:] = [record["id"] for record in returning]
        document["deliberations"] = in_time(records, returning)
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
    ids = {id_ for record in records if (id_ := id_of(record)) is not None}
    for place, element in enumerate(records):
        id_ = id_of(element)
        if isinstance(element, Verbatim) and id_ is not None:
            new = next_id(ids, _day(id_))
            ids.add(new)
            records[place] = {**_renamed(plain(element), new), "vault_synced": False}
            given.append(NewId(id_, new))
    return tuple(given)


def _day(id_: str) -> date:
    return cast("RecordId", parse_id(id_)).day


def _mark(record: Record) -> Mark:
    return mark(record.get("timestamp"), record.get("query_hash"))


def _renamed(record: Record, id_: str) -> Record:
    renamed = copy.copy(record)
    renamed["id"] = id_
    return renamed
