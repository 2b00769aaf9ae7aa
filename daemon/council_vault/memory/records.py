"""The records in a parsed memory file: what `canonical.parse` returned, which is written back."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from council_vault.errors import MemoryUnreadable
from council_vault.memory.canonical import Verbatim
from council_vault.memory.ids import parse_id
from council_vault.memory.times import age

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.memory.ids import RecordId

    Document = dict[str, Any]
    Record = dict[str, Any]


def records_in(document: Document) -> list[object]:
    """Return the list of records, an empty one where there is none.

    Raises:
        MemoryUnreadable: what stands in its place is no list.
    """
    records = document.get("deliberations")
    if records is None:
        return []
    if not isinstance(records, list):
        raise MemoryUnreadable(
            "expected a list of records", where="deliberations", remedy="Mend it by hand; nothing was written"
        )
    return records


def object_at(values: Record, key: str, where: str = "") -> Record:
    """Return the object at a key, to be changed in place; an empty one is put there where there is nothing.

    Args:
        values: the document, or an object in it.
        key: the key.
        where: the path of ``values`` in the document.

    Raises:
        MemoryUnreadable: something else stands there.
    """
    value = values.get(key)
    if not value:
        value = values[key] = {}
    if not isinstance(value, dict):
        raise MemoryUnreadable(
            "expected an object",
            where=f"{where}[{json.dumps(key)}]" if where else key,
            remedy="Mend it by hand; nothing was written",
        )
    return value


def plain(element: object) -> Any:  # noqa: ANN401 (any JSON value)
    """Return what an element of the list says, whether or not it is a record with an id of its own."""
    return element.value if isinstance(element, Verbatim) else element


def id_of(element: object) -> str | None:
    """Return the id of a record, also of one that is not the first to have it."""
    record = plain(element)
    id_ = record.get("id") if isinstance(record, dict) else None
    return id_ if parse_id(id_) else None


def in_time(records: list[object], returning: list[Record]) -> list[object]:
    """Return the records with the returning ones in between: each behind the last one that is not later."""
    times: list[tuple[datetime, RecordId]] = []
    for element in records:
        before = times[-1] if times else age(None, None)
        record = plain(element)
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


def _time(record: Record) -> tuple[datetime, RecordId]:
    return age(record.get("id"), record.get("timestamp"))
