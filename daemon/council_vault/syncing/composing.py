"""What each note should say: drawn from the memory, merged with what stands there and is remembered."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import NoteRefused, WriteFailed
from council_vault.learning.ratings import rating_from_cell
from council_vault.memory.schema import CURRENT_VERSION
from council_vault.notes import frontmatter, text
from council_vault.notes.announced_rows import with_announced
from council_vault.notes.belonging import foreign_log
from council_vault.notes.cells import plain, short_names
from council_vault.notes.documents import DraftSettings, draft
from council_vault.notes.log_edits import RATING, NoteEdits, edits_in
from council_vault.notes.log_rows import rows_in
from council_vault.notes.log_table import merge_rows
from council_vault.notes.merge import merge_note
from council_vault.notes.rating_edits import meaning
from council_vault.notes.reconciliation import Reconciled, reconcile
from council_vault.notes.regions import find_region
from council_vault.notes.written_rows import WrittenRow  # noqa: TC001 - msgspec reads the annotations
from council_vault.syncing.note_writing import Composed

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

    from council_vault.memory.schema import Memory
    from council_vault.notes.kinds import Kind
    from council_vault.notes.log_layout import Row
    from council_vault.notes.templates import Templates
    from council_vault.settings import Settings
    from council_vault.syncing.note_writing import Draft
    from council_vault.syncing.options import Options
    from council_vault.syncing.remembered import Remembered
    from council_vault.vault.store import VaultStore


class ReadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the log is read: ``read_only`` if the memory must not be changed, ``full`` to bring rows back.

    ``decided`` are ids whose ratings the record notes decide.
    """

    read_only: bool
    full: bool
    decided: frozenset[str] = frozenset()


class LogReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a version of the log note holds: rows, the stamp of a memory, and what the person changed.

    ``written`` is what is known of the rows, those included that a killed sync has written.
    """

    content: bytes | None
    options: ReadOptions
    rows: Mapping[str, Row] = {}
    written: Mapping[str, WrittenRow] = {}
    stamp: str | None = None
    edits: NoteEdits = NoteEdits()

    def without_rows(self) -> LogReading:
        """Return the reading of a log that must be left alone: nothing in it counts."""
        return LogReading(content=None, options=self.options)

    def typed(self, id_: str) -> str | None:
        """Return the rating that was typed into a row since the last sync, if one was."""
        row, known = self.rows.get(id_), self.written.get(id_)
        cell = None if row is None or self.edits.old_copy else row.cells.get(RATING)
        if cell is None or (known is not None and meaning(cell) == meaning(known.rating_stood)):
            return None
        return rating_from_cell(plain(cell))

    def deciding(self, elsewhere: frozenset[str]) -> LogReading:
        """Return the reading where ratings of those ids are decided elsewhere."""
        edits = msgspec.structs.replace(
            self.edits,
            ratings={id_: edit for id_, edit in self.edits.ratings.items() if id_ not in elsewhere},
            pending=self.edits.pending - elsewhere,
            decided=elsewhere,
        )
        options = msgspec.structs.replace(self.options, decided=elsewhere)
        return msgspec.structs.replace(self, edits=edits, options=options)


def read_log(
    content: bytes | None, memory: Memory, remembered: Remembered, options: ReadOptions
) -> LogReading:
    """Read the log note; ``content`` is ``None`` where there is none.

    Raises:
        NoteRefused: it cannot be understood.
    """
    note = text.decode(content).text if content is not None else ""
    rows = rows_in(note)
    written = with_announced(remembered.rows, remembered.announced, rows)
    edits = edits_in(
        rows,
        written,
        memory,
        deleted=remembered.deleted,
        version="new" if content is None else remembered.version("log", content),
        read_only=options.read_only,
        full=options.full,
    )
    reading = LogReading(
        content=content,
        options=options,
        rows=rows,
        written=written,
        stamp=frontmatter.stamp(note),
        edits=edits,
    )
    return reading.deciding(options.decided) if options.decided else reading


def read_log_in(
    vault: VaultStore, name: str, memory: Memory, remembered: Remembered, stamp: str, options: Options
) -> tuple[LogReading, NoteRefused | None]:
    """Read the log note in a vault; say why no note may be written, if so.

    Raises:
        VaultUnavailable: the vault went away.
    """
    read_options = ReadOptions(read_only=memory.version > CURRENT_VERSION, full=options.full)
    try:
        stored = vault.read(name)
        reading = read_log(stored.content if stored else None, memory, remembered, read_options)
    except (NoteRefused, WriteFailed):
        return LogReading(content=None, options=read_options), None  # writing it will say why
    if options.adopt_log:
        return reading, None
    refusal = foreign_log(reading.rows, reading.stamp, memory, stamp, remembered.rows)
    return (reading.without_rows() if refusal else reading), refusal


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the notes are drawn from, for one sync."""

    memory: Memory
    stamp: str
    settings: Settings
    templates: Templates
    links: Mapping[Kind, Mapping[Kind, str]]

    def draft(self, kind: Kind) -> str:
        """Return the note as it would be in an empty vault."""
        settings = DraftSettings(
            stamp=self.stamp,
            mode=self.settings.router.mode,
            charts=self.settings.notes.charts != "none",
            links=self.links[kind],
        )
        return draft(kind, self.memory, settings, self.templates)


def compose_note(kind: Kind, drawing: Drawing, current: bytes | None, remembered: Remembered) -> Composed:
    """Return a note whose every word of ours is in its region.

    Raises:
        NoteRefused: what stands there must be left alone.
    """
    written = remembered.regions.get(kind)
    if current is not None and remembered.version(kind, current) == "old":
        # Ours in it may be older than what was written last; a person's words may stand between.
        written = _region_in(current, kind) if remembered.is_left_by_us(kind, current) else None
    merged = merge_note(drawing.draft(kind), current, kind=kind, written_region=written)
    return Composed(content=text.encode(merged.text), region=merged.region, problems=merged.problems)


def compose_log(drawing: Drawing, reading: LogReading, remembered: Remembered) -> tuple[Composed, Reconciled]:
    """Return the log note with its rows, and what to remember of these once they stand.

    Raises:
        NoteRefused: what stands there must be left alone.
    """
    composed = compose_note("log", drawing, reading.content, remembered)
    records = drawing.memory.identified.values()
    names = short_names({record.chairman for record in records if record.chairman})
    reconciled = reconcile(drawing.memory, reading.rows, reading.written, names, reading.edits)
    note = text.decode(composed.content)
    rows = merge_rows(
        note.text,
        reconciled.wanted,
        newline=note.newline,
        visible=drawing.settings.notes.visible_rows,
        absent=reading.edits.deleted,
    )
    standing = reading.rows.keys()
    if rows != note.text:
        standing = rows_in(rows).keys()
        _require_in_view(chain(reading.rows, reconciled.wanted), standing)
    content = text.encode(msgspec.structs.replace(note, text=rows))
    coming = {record_id: reconciled.written[record_id] for record_id in reconciled.wanted}
    known = None if reading.written is remembered.rows else reading.written
    composed = msgspec.structs.replace(
        composed, content=content, standing=standing, rows=known, coming=coming
    )
    return composed, reconciled


def _require_in_view(ids: Iterable[str], standing: Container[str]) -> None:
    """Refuse to put rows where no reader sees them, and where the next sync would not find them."""
    hidden = [record_id for record_id in ids if record_id not in standing]
    if hidden:
        raise NoteRefused(
            f"{min(hidden)} would come to stand in a comment or code block that is never closed, "
            "so the note stays as it is",
            remedy="Close what is open: a comment with --> or %%, a code block with ```",
        )


class NoteComposer:
    """Composes the notes of one sync, and remembers what the log's rows came to.

    Args:
        drawing: what the notes are drawn from.
        reading: the log as it was read before the ratings were taken.
        remembered: what is remembered of the notes.
        refusal: why no note may be written, if so.
        announce: is told of what is about to be written.
    """

    def __init__(
        self,
        drawing: Drawing,
        reading: LogReading,
        remembered: Remembered,
        refusal: NoteRefused | None,
        announce: Callable[[Mapping[Kind, Draft]], None],
    ) -> None:
        self._drawing = drawing
        self._remembered = remembered
        self._refusal = refusal
        self.announce = announce
        self.reading = reading
        self.reconciled = Reconciled({}, remembered.rows)

    def compose(self, kind: Kind, current: bytes | None) -> Composed:
        """See `Composer.compose`."""
        if self._refusal is not None:
            raise self._refusal
        if kind != "log":
            return compose_note(kind, self._drawing, current, self._remembered)
        if current != self.reading.content:
            self.reading = read_log(current, self._drawing.memory, self._remembered, self.reading.options)
        composed, self.reconciled = compose_log(self._drawing, self.reading, self._remembered)
        return composed


def _region_in(content: bytes, kind: Kind) -> str | None:
    note = text.decode(content).text
    region = find_region(note, kind, frontmatter.body_start(note))
    return note[region.inside : region.close] if region else None
