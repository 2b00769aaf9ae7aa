"""The notes on one record each, on their way through a sync: found, read, and written after the log."""

from __future__ import annotations

import itertools
import posixpath
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import Busy, NoteRefused, WriteFailed
from council_vault.memory.times import age
from council_vault.notes.rating_edits import meaning
from council_vault.notes.record_note import file_name
from council_vault.state import Remembering, Replaced
from council_vault.syncing.base_file import write_base
from council_vault.syncing.linking import links_from, markdown_links
from council_vault.syncing.note_writing import write_notes
from council_vault.syncing.record_marks import marks_digest
from council_vault.syncing.record_places import find_places
from council_vault.syncing.record_reading import RecordReading, read_records
from council_vault.syncing.record_writing import RecordComposer, RecordDrawing
from council_vault.syncing.recorded import Recorded, Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.edits import RatingEdit
    from council_vault.memory.schema import Memory
    from council_vault.notes.templates import Templates
    from council_vault.notes.written_rows import WrittenRow
    from council_vault.record_facts import RecordFacts
    from council_vault.settings import Settings
    from council_vault.state import State
    from council_vault.syncing.composing import LogReading
    from council_vault.syncing.locating import Located
    from council_vault.syncing.note_writing import Written
    from council_vault.syncing.options import Options
    from council_vault.syncing.record_places import Places
    from council_vault.vault.store import Glance, VaultStore

_TOGETHER = 50  # notes whose writes are waited out together; until then each holds files open


class RecordNotes:
    """The record notes of one sync.

    Args:
        vault: where they are.
        located: where the other notes are.
        state: what is remembered.
        rows: what is remembered of the log's rows.
        settings: those in force.
        options: how the sync was asked for.
        stamp: the memory's.
    """

    def __init__(
        self,
        vault: VaultStore,
        located: Located,
        state: State,
        rows: Mapping[str, WrittenRow],
        *,
        settings: Settings,
        options: Options,
        stamp: str,
    ) -> None:
        self._vault = vault
        self._located = located
        self._state = state
        self._rows = rows
        self._settings = settings
        self._options = options
        self._stamp = stamp
        self._places: Places | None = None
        self._reading = RecordReading(facts={})

    @property
    def ratings(self) -> Mapping[str, RatingEdit]:
        """The ratings in the notes that the memory should have, by id."""
        return self._reading.ratings

    def decide(self, memory: Memory, log: LogReading) -> LogReading:
        """Find the notes, and read what the person has changed in them.

        Args:
            memory: the memory as it is now.
            log: the log as it was read.

        Returns:
            The reading of the log without those ratings that the notes decide.

        Raises:
            VaultUnavailable: the vault went away.
        """
        self._places = find_places(
            self._vault,
            self._settings,
            self._state.records(),
            memory,
            self._located.listing,
            self._stamp,
            full=self._options.full,
        )
        self._reading = read_records(self._vault, self._places, memory, log, self._options)
        return log.deciding(self._reading.pending)

    def write(self, memory: Memory, templates: Templates, at: str) -> Recorded:
        """Write the notes that do not say what they should, the newest first, and remember them.

        Args:
            memory: the memory with all ratings taken.
            templates: the templates in use.
            at: the time, in UTC.

        Raises:
            VaultUnavailable: the vault went away.
            WriteFailed: the state cannot be written.
        """
        places, options = self._places, self._options
        if places is None:
            return Recorded(outcome="later" if self._settings.notes.records else "unchanged")
        drawing = RecordDrawing(
            memory=memory,
            stamp=self._stamp,
            settings=self._settings,
            templates=templates,
            rows=self._rows,
            links=_Links(self._located, markdown=markdown_links(self._vault)),
        )
        tally = Tally(diffs=options.dry_run and options.diffs, busy=bool(self._reading.busy))
        facts = dict(self._reading.facts)
        wanted = _in_order(drawing, self._reading, places)
        possible = wanted[: options.most_records]
        for start in range(0, len(possible), _TOGETHER):
            batch = possible[start : start + _TOGETHER]
            named = {id_: _named(facts[id_], id_, places) for id_ in batch}
            facts |= self._write(drawing, {**facts, **named}, named, places.seen, tally, at)
            if tally.has_failed:
                break
        known = self._state.records()
        self._remember({id_: one for id_, one in facts.items() if one != known.get(id_)})
        base = self._base(tally)
        recorded = tally.recorded(places.folder, len(wanted) + len(self._reading.unread))
        return msgspec.structs.replace(
            recorded,
            marks=marks_digest(places.seen),
            elsewhere=places.elsewhere,
            base=base,
            messages=(*places.messages, *self._reading.messages),
        )

    def _write(
        self,
        drawing: RecordDrawing,
        facts: Mapping[str, RecordFacts],
        named: Mapping[str, RecordFacts],
        seen: Mapping[str, Glance],
        tally: Tally,
        at: str,
    ) -> dict[str, RecordFacts]:
        """Write a few notes, and return what is known of those that stand."""
        state = None if self._options.dry_run else self._state
        reading = msgspec.structs.replace(self._reading, facts=facts)
        composer = RecordComposer(drawing, reading, state, self._state.record_region)
        notes = write_notes(self._vault, {id_: one.name for id_, one in named.items()}, composer)
        known: dict[str, RecordFacts] = {}
        for id_, note in notes.items():
            name = named[id_].name
            tally.add(name, note)
            if note.stands:
                known[id_] = composer.after(id_, note, seen.get(name))
        self._remember(known, {id_: note for id_, note in notes.items() if id_ in known}, at)
        return known

    def _remember(
        self,
        known: Mapping[str, RecordFacts],
        notes: Mapping[str, Written] | None = None,
        at: str = "",
    ) -> None:
        if self._options.dry_run or not known:
            return
        notes = notes or {}
        self._state.remember(
            Remembering(
                facts=self._state.facts,
                records=known,
                record_regions={id_: note.region for id_, note in notes.items()},
                replaced=tuple(
                    Replaced(kind=id_, name=known[id_].name, at=at, content=note.before)
                    for id_, note in notes.items()
                    if note.outcome == "written" and note.before is not None
                ),
            )
        )

    def _base(self, tally: Tally) -> str | None:
        """Write the view; return what is to be remembered of it."""
        written = self._state.facts.base
        try:
            return write_base(self._vault, self._settings, self._stamp, written, full=self._options.full)
        except (NoteRefused, WriteFailed, Busy) as error:
            tally.trouble(str(error))
            return written


class _Links:
    """Links to the log and the note on models, for a note of a path; those of one folder are the same."""

    def __init__(self, located: Located, *, markdown: bool) -> None:
        self._located = located
        self._markdown = markdown
        self._known: dict[str, tuple[str, ...]] = {}

    def __call__(self, name: str) -> tuple[str, ...]:
        folder = posixpath.dirname(name) if self._markdown else ""
        if folder not in self._known:
            links = links_from(name, self._located, markdown=self._markdown)
            self._known[folder] = (links["log"], links["performance"])
        return self._known[folder]


def _in_order(drawing: RecordDrawing, reading: RecordReading, places: Places) -> list[str]:
    """Return the ids of notes that may not say what they should: those that changed, then the newest."""
    records = drawing.memory.identified
    found = [id_ for id_ in records if _is_due(id_, drawing, reading, places)]

    def order(id_: str) -> tuple[bool, object]:
        return (id_ in reading.changed, age(id_, records[id_].timestamp))

    return sorted(found, key=order, reverse=True)


def _is_due(id_: str, drawing: RecordDrawing, reading: RecordReading, places: Places) -> bool:
    facts, rating = reading.facts[id_], drawing.memory.identified[id_].user_rating or ""
    if facts.deleted or id_ in reading.busy or id_ in reading.unread:
        return False
    if id_ in reading.changed or (rating != facts.rating and meaning(rating) != meaning(facts.rating)):
        return True
    return facts.source != drawing.source(id_, facts.name or _usual(id_, places))


def _usual(id_: str, places: Places) -> str:
    return posixpath.join(places.folder, file_name(id_))


def _named(facts: RecordFacts, id_: str, places: Places) -> RecordFacts:
    """Return facts about a note with the path that it has, or shall have: the first where no other one is."""
    if facts.name:
        return facts
    usual = _usual(id_, places)
    stem = usual.removesuffix(".md")
    names = itertools.chain([usual], (f"{stem}-{number}.md" for number in itertools.count(2)))
    return msgspec.structs.replace(facts, name=next(name for name in names if name not in places.names))
