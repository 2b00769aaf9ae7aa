"""What the person changed in the record notes since the last sync: their ratings.

A rating stands in three places: in the memory, in the log's row, and in the record's own note. A place that
alone differs from what was last written wins. Where several differ, a note wins over the memory, a value over
none, and of two values in notes the one in the record's own note, which says nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault.errors import NoteRefused, WriteFailed
from council_vault.learning.ratings import rating_from_cell
from council_vault.memory.edits import RatingEdit  # noqa: TC001 - msgspec reads the annotations
from council_vault.memory.schema import CURRENT_VERSION
from council_vault.notes import text
from council_vault.notes.cells import plain
from council_vault.notes.rating_edits import NOTHING, RatingReading, meaning, rating_edit, read_rating
from council_vault.notes.record_note import rating_in
from council_vault.record_facts import RecordFacts  # noqa: TC001 - likewise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from council_vault.memory.schema import Deliberation, Memory
    from council_vault.syncing.composing import LogReading
    from council_vault.syncing.options import Options
    from council_vault.syncing.record_places import Places
    from council_vault.vault.store import StoredNote, VaultStore


class Changed(NamedTuple):
    """A note that is not as it was left.

    ``typed`` is what stands as its rating, ``None`` where that cannot be told or does not count, because the
    note is an old copy.
    """

    version: str
    typed: str | None
    is_old: bool


class RecordReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a read of the record notes gave.

    Attributes:
        facts: what is known of each note now, by id.
        changed: the notes that are not as they were left.
        busy: ids of those that somebody is writing in.
        unread: ids of those that are left for the next sync, since there are too many.
        ratings: for the memory, by id.
        pending: ids of those whose rating the memory does not have (yet); what the log says of these does not
            count.
        unknown: ids of those with a word that is no rating, typed since the last sync.
        overruled: ids whose rating in the log counts, whatever the note says.
        messages: what to tell the person, one sentence each.
    """

    facts: Mapping[str, RecordFacts]
    changed: Mapping[str, Changed] = {}
    busy: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    ratings: Mapping[str, RatingEdit] = {}
    pending: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    overruled: frozenset[str] = frozenset()
    messages: tuple[str, ...] = ()


def read_records(
    vault: VaultStore,
    places: Places,
    memory: Memory,
    log: LogReading,
    options: Options,
) -> RecordReading:
    """Read the notes that are not as they were left, and compare ratings.

    Args:
        vault: where the notes are.
        places: where in it.
        memory: the memory as it is now.
        log: the log as it was read.
        options: how the sync was asked for.

    Raises:
        VaultUnavailable: the vault went away.
    """
    facts = dict(places.facts)
    changed: dict[str, Changed] = {}
    busy: set[str] = set()
    unread: set[str] = set()
    for id_, one in places.facts.items():
        if one.deleted or not one.name or one.mark == (mark := places.mark(one.name)):
            continue
        if options.most_records is not None and len(changed) >= options.most_records:
            unread.add(id_)
            continue
        try:
            stored = vault.read(one.name)
        except (NoteRefused, WriteFailed):
            continue  # writing it will say why
        if stored is None:
            continue  # it went away a moment ago; the next sync will look for it
        known = one.arrived(stored.version)
        if known.is_last(stored.version):
            facts[id_] = msgspec.structs.replace(known, mark=mark, at=places.seen[one.name].at, seen=True)
        elif options.quiet_for and 0 <= places.seen[one.name].age < options.quiet_for:
            busy.add(id_)
        else:
            facts[id_] = known
            changed[id_] = _changed(known, stored, places.seen[one.name].at)
    reading = RecordReading(facts=facts, changed=changed, busy=frozenset(busy), unread=frozenset(unread))
    return _compared(reading, memory, log)


def _changed(known: RecordFacts, stored: StoredNote, at: float) -> Changed:
    if known.is_old(stored.version, at):
        return Changed(stored.version, None, is_old=True)
    try:
        typed = rating_in(text.decode(stored.content).text)
    except NoteRefused:
        typed = None
    return Changed(stored.version, typed, is_old=False)


def _compared(reading: RecordReading, memory: Memory, log: LogReading) -> RecordReading:
    """Return the reading with what the notes say of ratings, where that is not what the memory says."""
    ratings: dict[str, RatingEdit] = {}
    unknown: set[str] = set()
    messages: list[str] = []
    for id_, record, rating in _ratings(reading, memory, log):
        if rating.unknown:
            unknown.add(id_)
        if rating.message:
            messages.append(rating.message)
        if rating.edit is None:
            continue
        edit, in_log = rating_edit(rating.edit[0], record), log.typed(id_)
        if edit.rating is None and in_log is not None:
            messages.append(
                f"{id_} was rated {in_log} in the log and unrated in its own note; the log counts."
            )
            continue
        if id_ in log.edits.pending and in_log != edit.rating:
            was = f"rated {in_log}" if in_log else "unrated"
            messages.append(
                f"{id_} was {was} in the log and rated {edit.rating} in its own note; the latter counts."
            )
        ratings[id_] = edit
    return msgspec.structs.replace(
        reading,
        ratings={} if memory.version > CURRENT_VERSION else ratings,
        pending=frozenset(ratings),
        unknown=frozenset(unknown),
        overruled=log.edits.pending - ratings.keys(),
        messages=tuple(messages),
    )


def _ratings(
    reading: RecordReading, memory: Memory, log: LogReading
) -> Iterator[tuple[str, Deliberation, RatingReading]]:
    """Yield what notes say of ratings where that may be news.

    A note with the rating that was agreed on wins over a memory that has lost it, but not over the log.
    """
    left = reading.busy | reading.unread
    for id_, one in reading.facts.items():
        record = memory.identified.get(id_)
        if record is None or not one.name or one.deleted or id_ in left:
            continue
        change = reading.changed.get(id_)
        if change is None and (record.user_rating or not one.rating):
            continue
        typed = one.rating_stood if change is None else change.typed
        known = one if one.versions else None
        is_new = known is None or meaning(typed or "") != meaning(known.rating_stood)
        if is_new or id_ not in log.edits.pending:
            read = read_rating(record, typed, known)
            yield id_, record, _in_view_of(log, id_, read, rating_from_cell(plain(typed or "")))


def _in_view_of(log: LogReading, id_: str, read: RatingReading, typed: str | None) -> RatingReading:
    """Return the reading of a rating that is news if only for the log: there it is another one."""
    if read is NOTHING and typed is not None and id_ in log.edits.pending:
        return RatingReading(edit=(typed,))
    return read
