"""Writing the record notes that do not say what they should, a few at a time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault import __version__
from council_vault.errors import NoteRefused
from council_vault.files import digest
from council_vault.notes import frontmatter, text
from council_vault.notes.cells import plain
from council_vault.notes.kinds import COUNCIL_ID, FILE_NAMES
from council_vault.notes.merge import merge_note
from council_vault.notes.rating_edits import Settled, meaning, settle_rating
from council_vault.notes.record_note import (
    RATING,
    live_properties,
    rating_in,
    source_checksum,
    variables,
)
from council_vault.record_facts import DIGITS, Announced, RecordFacts
from council_vault.state import Remembering
from council_vault.syncing.note_writing import Composed
from council_vault.syncing.record_marks import mark_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from council_vault.memory.schema import Memory
    from council_vault.notes.templates import Templates
    from council_vault.notes.written_rows import WrittenRow
    from council_vault.settings import Settings
    from council_vault.state import State
    from council_vault.syncing.note_writing import Draft, Written
    from council_vault.syncing.record_reading import RecordReading
    from council_vault.vault.store import Glance


class RecordDrawing(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that record notes are drawn from, for one sync.

    ``rows`` are what is remembered of the log's rows, where a summary stands that compaction took from the
    memory; ``links`` returns links to the log and the note on models, for a note of that path.
    """

    memory: Memory
    stamp: str
    settings: Settings
    templates: Templates
    rows: Mapping[str, WrittenRow]
    links: Callable[[str], tuple[str, ...]]

    def draft(self, id_: str, name: str, rating: str) -> str:
        """Return a note as it would be in an empty vault."""
        record = self.memory.identified[id_]
        row = self.rows.get(id_)
        summary = record.query_summary or (plain(row.cells(id_).summary) if row else "")
        seen = variables(record, summary=summary, rating=rating, stamp=self.stamp, links=self.links(name))
        return self.templates.render("record", seen)

    def source(self, id_: str, name: str) -> int:
        """Return the checksum of everything that a note is drawn from but for its rating."""
        drawn_with = "\n".join((__version__, self.stamp, self._template, *self.links(name)))
        return source_checksum(self.memory.identified[id_], drawn_with)

    @property
    def _template(self) -> str:
        """What tells whether the person's own template has changed."""
        folder = self.settings.notes.templates
        file = Path(folder or "", f"{FILE_NAMES['record']}.md.j2")
        if not folder or not file.exists():
            return ""
        found = file.stat()
        return f"{found.st_mtime_ns} {found.st_size}"


class RecordComposer:
    """Composes record notes, and knows what to remember of them.

    Args:
        drawing: what they are drawn from.
        reading: the notes as they were read.
        state: where it is remembered what they are about to say; ``None`` where nothing will be written.
        remembered: returns the region that we last wrote into a record's note.
    """

    def __init__(
        self,
        drawing: RecordDrawing,
        reading: RecordReading,
        state: State | None,
        remembered: Callable[[str], str],
    ) -> None:
        self._drawing = drawing
        self._reading = reading
        self._state = state
        self._remembered = remembered
        self._settled: dict[str, Settled] = {}

    def compose(self, id_: str, current: bytes | None) -> Composed:
        """See `Composer.compose`."""
        facts = self._reading.facts[id_]
        note = "" if current is None else text.decode(current).text
        if current is None and facts.versions:
            raise NoteRefused("somebody has deleted it a moment ago")
        if current is not None and frontmatter.value(note, COUNCIL_ID) not in {id_, None}:
            raise NoteRefused(f"it is not the note on {id_} any more", remedy="Rename one of the two")
        typed = None if current is None else rating_in(note)
        version = None if current is None else digest(current)
        self._settled[id_] = settled = self._rating(id_, facts, typed, version)
        draft = self._drawing.draft(id_, facts.name, settled.says)
        live = live_properties(self._drawing.memory.identified[id_])
        if settled.says != typed:
            live = (RATING, *live)
        change = self._reading.changed.get(id_)
        written = None if change is not None and change.is_old else self._remembered(id_) or None
        merged = merge_note(draft, current, kind="record", written_region=written, live=live)
        return Composed(content=text.encode(merged.text), region=merged.region, problems=merged.problems)

    def announce(self, drafts: Mapping[str, Draft]) -> None:
        """See `Composer.announce`."""
        if self._state is None:
            return
        records: dict[str, RecordFacts] = {}
        regions: dict[str, str] = {}
        for id_, draft in drafts.items():
            announced = Announced(digest(draft.composed.content)[:DIGITS], self._settled[id_].agreed)
            records[id_] = msgspec.structs.replace(self._reading.facts[id_], announced=announced)
            known, region = self._remembered(id_), draft.composed.region
            regions[id_] = known if region in known else f"{known}\n{region}"
        self._state.remember(Remembering(facts=self._state.facts, records=records, record_regions=regions))

    def after(self, id_: str, note: Written, glance: Glance | None) -> RecordFacts:
        """Return what to remember of a note once it stands.

        Args:
            id_: the record's.
            note: what became of its note.
            glance: the one at it before it was read.
        """
        facts, settled = self._reading.facts[id_], self._settled[id_]
        assert note.content is not None  # noqa: S101 - it stands
        if not settled.settled:
            # It must count as typed since the last sync until the memory has it.
            return msgspec.structs.replace(facts, mark=0, source=0)
        if note.before is not None:
            facts = facts.with_version(digest(note.before))
        differs = meaning(settled.says) != meaning(settled.agreed)
        seen = None if note.outcome == "written" else glance
        return msgspec.structs.replace(
            facts.with_version(digest(note.content)),
            mark=0 if seen is None else mark_of(seen),
            at=time.time() if seen is None else seen.at,
            source=self._drawing.source(id_, facts.name),
            rating=settled.agreed,
            stood=settled.says if differs else None,
            seen=facts.seen or seen is not None,
            announced=None,
        )

    def _rating(self, id_: str, facts: RecordFacts, typed: str | None, version: str | None) -> Settled:
        """Say what is to stand as a note's rating."""
        own = self._drawing.memory.identified[id_].user_rating or ""
        change = self._reading.changed.get(id_)
        if typed is None or (change is not None and change.is_old and change.version == version):
            return Settled(own, own, settled=True)
        before = facts.rating if facts.versions else None
        then = facts.rating_stood if change is None else change.typed
        return settle_rating(
            own,
            typed,
            before,
            pending=id_ in self._reading.pending or meaning(typed) != meaning(then or ""),
            unknown=id_ in self._reading.unknown,
            decided=id_ in self._reading.overruled,
        )
