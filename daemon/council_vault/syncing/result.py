"""What a sync came to, and what is reported and remembered of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault import files
from council_vault.notes.written_rows import encode_rows
from council_vault.state import Remembering, Replaced
from council_vault.syncing.diffs import unified_diff
from council_vault.syncing.recorded import Recorded  # noqa: TC001 - msgspec reads the annotations
from council_vault.syncing.report import NoteOutcome, Report
from council_vault.syncing.settled import settled_digest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from council_vault.facts import Facts
    from council_vault.memory.file import MemoryContent
    from council_vault.notes.kinds import Kind
    from council_vault.notes.reconciliation import Reconciled
    from council_vault.syncing.composing import LogReading
    from council_vault.syncing.note_writing import Written
    from council_vault.workspace import Workspace


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a sync came to.

    ``place`` is the vault, ``names`` where in it the notes are, ``markdown_links`` how they link; ``before``
    and ``after`` are the memory, ``failure`` is why it could not be written; ``ratings`` counts those taken,
    and ``reading`` is the log as it was read last. ``records`` is what became of the record notes.
    """

    place: str
    names: Mapping[Kind, str]
    notes: Mapping[Kind, Written]
    reading: LogReading
    reconciled: Reconciled
    before: MemoryContent
    after: MemoryContent
    markdown_links: bool
    records: Recorded
    ratings: int
    failure: str
    messages: tuple[str, ...]

    @property
    def is_quiet(self) -> bool:
        """Whether this sync wrote nothing and left nothing to do, not even what was typed in the meantime."""
        outcomes = {self.records.outcome, *(note.outcome for note in self.notes.values())}
        same = self.after.data == self.before.data
        return outcomes == {"unchanged"} and same and not (self.failure or self.reading.edits.ratings)

    def settled(self, workspace: Workspace) -> str | None:
        """Return the digest of everything a sync depends on, if this one left nothing to do."""
        if not self.is_quiet:
            return None
        notes = [
            (self.names[kind], None if note.content is None else files.digest(note.content))
            for kind, note in self.notes.items()
        ]
        return settled_digest(
            workspace,
            self.place,
            self.after.data,
            notes,
            markdown_links=self.markdown_links,
            records=self.records.marks,
        )

    @property
    def versions(self) -> frozenset[str]:
        """Digests of what stood in the notes when they were read."""
        return frozenset(files.digest(note.before) for note in self.notes.values() if note.before is not None)

    def report(
        self, memory: Path, *, told: Collection[str] = (), dry_run: bool = False, diffs: bool = False
    ) -> Report:
        """Return the report, with ``diffs`` or without; what the person has been ``told`` is left out."""
        added = self.reconciled.wanted.keys() - self.reading.rows.keys() - self.reading.edits.put_back
        pending, after = set(self.after.memory.pending), self.after.memory.identified.keys()
        flagged = (set(self.before.memory.pending) & after) - pending
        return Report(
            vault=self.place,
            dry_run=dry_run,
            notes=(
                *(
                    NoteOutcome(
                        kind=kind,
                        name=self.names[kind],
                        outcome=note.outcome,
                        reason=note.reason,
                        diff=unified_diff(self.names[kind], note.before, note.content) if diffs else "",
                    )
                    for kind, note in self.notes.items()
                ),
                *self.records.outcomes(),
            ),
            entries=len(added) if self.notes["log"].stands else 0,
            rows_back=len(self.reading.edits.put_back) if self.notes["log"].stands else 0,
            flagged=len(flagged),
            pending=len(pending),
            ratings=self.ratings,
            records=self.records.written,
            messages=tuple(message for message in self.messages if message not in told),
            problems=self.before.problems,
            failure=self.failure,
            memory_diff=unified_diff(str(memory), self.before.data, self.after.data) if diffs else "",
        )

    def remembering(self, facts: Facts, now: str) -> Remembering:
        """Return what shall be remembered: ``facts`` with what became of the notes, at the time ``now``."""
        standing = {kind: note for kind, note in self.notes.items() if note.stands}
        for kind, note in standing.items():
            if note.content is not None:
                before = None if note.before is None else files.digest(note.before)
                known = facts.note(kind, self.names[kind])
                facts = facts.with_note(kind, known.left_behind(before, files.digest(note.content)))
        if "routing" in standing:
            facts = msgspec.structs.replace(facts, rebuilt=self.after.memory.routing_model.last_rebuilt)
        rows = announced = None
        if "log" in standing:
            rows, announced = encode_rows(self.reconciled.written), encode_rows({})
            facts = msgspec.structs.replace(facts, deleted=self.reading.edits.deleted)
        return Remembering(
            facts=facts,
            regions={kind: note.region for kind, note in standing.items()},
            rows=rows,
            announced=announced,
            replaced=tuple(
                Replaced(kind=kind, name=self.names[kind], at=now, content=note.before)
                for kind, note in standing.items()
                if note.outcome == "written" and note.before is not None
            ),
        )
