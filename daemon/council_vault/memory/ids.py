"""Ids of records, such as ``d_20260328_001``: a UTC day and a number."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

_ID = re.compile(r"d_(\d{4})(\d{2})(\d{2})_(\d{3,9})", re.ASCII)


class RecordId(msgspec.Struct, frozen=True, order=True):
    """The day and number in an id such as ``d_20260328_001``; ordered as the records came."""

    day: date
    number: int

    def __str__(self) -> str:
        return f"d_{self.day.isoformat().replace('-', '')}_{self.number:03d}"


def parse_id(text: object) -> RecordId | None:
    """Return the day and number in a record's id, ``None`` for anything that is not exactly an id."""
    match = _ID.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    year, month, day, number = (int(part) for part in match.groups())
    try:
        return RecordId(date(year, month, day), number)
    except ValueError:
        return None


def next_id(ids: Iterable[object], day: date, removed: object = None) -> str:
    """Return the id that follows the highest one of a UTC day; what is not an id does not count.

    ``removed`` is `Archived.highest_id`: up to its day and number, ids may be those of rows in the vault.
    """
    start = f"d_{day:%Y%m%d}_"
    taken = [parse_id(text) for text in ids if isinstance(text, str) and text.startswith(start)]
    gone = parse_id(removed)
    taken.append(gone if gone is not None and day <= gone.day else None)
    return str(RecordId(day, max((one.number for one in taken if one), default=0) + 1))
