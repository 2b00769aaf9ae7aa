"""What the person changed in the log note since the last sync: ratings typed into rows, and rows deleted.

An old copy of the note, put back by a sync service or a stale editor, says nothing about what anybody wants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.memory.edits import RatingEdit  # noqa: TC001 - msgspec reads the annotations
from council_vault.notes.cells import UNKNOWN
from council_vault.notes.rating_edits import NOTHING, RatingReading, rating_edit, read_rating
from council_vault.notes.written_rows import UNCHECKED, line_checksum

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from council_vault.memory.schema import Deliberation, Memory
    from council_vault.notes.log_layout import Row
    from council_vault.notes.written_rows import WrittenRow

Version = Literal["new", "left", "old"]
"""A version of the note: one that somebody has changed; as the last sync left it; an earlier one of these."""

RATING = "Rating"


class NoteEdits(msgspec.Struct, frozen=True, kw_only=True):
    """What a read of the log note gave.

    Attributes:
        ratings: for the memory, by id.
        pending: ids of rows whose rating the memory does not have (yet).
        unknown: ids of rows with a word that is no rating, typed since the last sync.
        decided: ids whose rating was just decided elsewhere, whatever their rows say.
        deleted: ids of all rows that the person deleted, now or before: not to be added again.
        put_back: ids of rows that were gone and are not taken for deleted.
        touched: ids of rows that say something else than when they were last read or written.
        found: new checksums of lines, by id, of rows that a read has found for the first time as they were
            written.
        old_copy: whether the note is an earlier version of itself.
        messages: what to tell the person, one sentence each.
    """

    ratings: Mapping[str, RatingEdit] = {}
    pending: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    decided: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    put_back: frozenset[str] = frozenset()
    touched: frozenset[str] = frozenset()
    found: Mapping[str, int] = {}
    old_copy: bool = False
    messages: tuple[str, ...] = ()


def edits_in(
    rows: Mapping[str, Row],
    written: Mapping[str, WrittenRow],
    memory: Memory,
    *,
    deleted: AbstractSet[str] = frozenset(),
    version: Version = "new",
    read_only: bool = False,
    full: bool = False,
) -> NoteEdits:
    """Tell what the person changed in the note.

    Args:
        rows: the rows as they stand now.
        written: what is remembered of them.
        memory: the memory as it is now.
        deleted: ids of rows that were taken for deleted before.
        version: which version of the note it is. In one that is as it was left, no row of which a read has
            found the line says anything else now.
        read_only: the memory must not be changed; ratings typed into the note stay there.
        full: bring deleted rows back.
    """
    if version == "old":
        absent = frozenset() if full else frozenset(deleted)
        lacking = frozenset(written.keys() - rows.keys() - absent)
        return NoteEdits(deleted=absent, put_back=lacking, touched=frozenset(rows), old_copy=True)
    records = memory.identified
    touched: set[str] = set()
    found: dict[str, int] = {}
    readings: dict[str, RatingReading] = {}
    for record_id in _suspects(rows, written, records) if version == "left" else rows:
        row, known, record = rows[record_id], written.get(record_id), records.get(record_id)
        if known is None:
            touched.add(record_id)
        elif known.line != (checksum := line_checksum(row.line)):
            if known.is_written_in(row.line, record_id):
                found[record_id] = checksum
            else:
                touched.add(record_id)
        if record is None or (
            known is not None and record_id not in touched and (record.user_rating or UNKNOWN) == known.rating
        ):
            continue
        reading = read_rating(record, row.cells.get(RATING), known)
        if reading is not NOTHING:
            readings[record_id] = reading
    ratings = {
        record_id: rating_edit(reading.edit[0], records[record_id])
        for record_id, reading in readings.items()
        if reading.edit
    }
    gone, put_back, message = _missing(rows, written, deleted, full=full)
    return NoteEdits(
        ratings={} if read_only else ratings,
        pending=frozenset(ratings),
        unknown=frozenset(record_id for record_id, reading in readings.items() if reading.unknown),
        deleted=gone,
        put_back=put_back,
        touched=frozenset(touched),
        found=found,
        messages=tuple(filter(None, [*(reading.message for reading in readings.values()), message])),
    )


def _suspects(
    rows: Mapping[str, Row], written: Mapping[str, WrittenRow], records: Mapping[str, Deliberation]
) -> list[str]:
    """Return the ids of rows that must be looked at in a note that is as it was left.

    Those that no read has found as they stand, and those whose rating the memory no longer says.
    """
    return [
        record_id
        for record_id in rows
        if (known := written.get(record_id)) is None
        or known.line <= UNCHECKED
        or ((record := records.get(record_id)) and (record.user_rating or UNKNOWN) != known.values[-1])
    ]


def _missing(
    rows: Mapping[str, Row], written: Mapping[str, WrittenRow], deleted: AbstractSet[str], *, full: bool
) -> tuple[frozenset[str], frozenset[str], str]:
    """Tell rows that the person deleted from rows that got lost.

    Returns:
        The ids of all deleted rows, of those to put back, and what to say about these.
    """
    if full:
        return frozenset(), frozenset(written.keys() - rows.keys()), ""
    known = written.keys() - deleted
    missing = known - rows.keys()
    before = frozenset(deleted - rows.keys())
    if not missing:
        return before, frozenset(), ""
    seen = {record_id for record_id in known if written[record_id].seen}
    left = len(seen & rows.keys())
    whole = any(row.home.place == "table" for row in rows.values())
    gone = missing & seen if whole and 2 * left > len(seen) else set[str]()
    put_back = frozenset(missing - gone)
    count = len(put_back)
    message = f"{count} rows of the log were gone" if count > 1 else "A row of the log was gone"
    return (
        before | gone,
        put_back,
        f"{message}, and not as if deleted by hand: a sync puts {'them' if count > 1 else 'it'} back."
        if put_back
        else "",
    )
