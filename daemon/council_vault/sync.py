"""The one road from memory to vault and back.

Order is the guarantee. A rating typed into the log goes into the memory before the notes are drawn; a flag is
set only after its row is durable; a row is found by its id. So a crash anywhere costs at most a repeat that
changes nothing.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from council_vault import files
from council_vault.errors import (
    Busy,
    CouncilVaultError,
    FileChanged,
    MemoryReadOnly,
    MemoryUnreadable,
    VaultUnavailable,
    WriteFailed,
)
from council_vault.memory import edits as byte_edits
from council_vault.memory.edits import Edits
from council_vault.memory.file import MemoryContent
from council_vault.memory.identity import UNKNOWN_STAMP, identify
from council_vault.memory.schema import CURRENT_VERSION
from council_vault.memory.times import stamp as timestamp
from council_vault.state import Remembering, open_state
from council_vault.syncing import requests
from council_vault.syncing.announcing import Announcer
from council_vault.syncing.composing import (
    Drawing,
    NoteComposer,
    read_log_in,
)
from council_vault.syncing.concerns import concerns
from council_vault.syncing.linking import links_between, markdown_links
from council_vault.syncing.locating import locate
from council_vault.syncing.note_writing import write_notes
from council_vault.syncing.options import Options
from council_vault.syncing.past import Occasion
from council_vault.syncing.record_notes import RecordNotes
from council_vault.syncing.remembered import recall
from council_vault.syncing.report import Report
from council_vault.syncing.result import Result
from council_vault.syncing.settled import is_settled
from council_vault.syncing.waiting import left_for_later
from council_vault.vault.discovery import discover
from council_vault.vault.rehearsal import Rehearsal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from council_vault.notes.kinds import Kind
    from council_vault.state import State
    from council_vault.syncing.composing import LogReading
    from council_vault.syncing.note_writing import Written
    from council_vault.syncing.remembered import Remembered
    from council_vault.vault.store import VaultStore
    from council_vault.workspace import Workspace

__all__ = ["Options", "sync"]

_NO_VAULT = Edits(last_vault_sync=None, vault_sync_note="vault_unavailable")


def sync(workspace: Workspace, options: Options, now: datetime) -> Report:
    """Bring the vault and the memory together, once, and again for whoever has asked for it meanwhile.

    Raises:
        MemoryUnreadable: the memory file is missing or broken; nothing was written.
        VaultUnavailable: there is no vault to write to now; the memory file says so.
        Busy: another sync of this memory takes longer than the patience for it.
        WriteFailed: the state cannot be used.
    """
    if not workspace.memory_path.exists():
        workspace.memory_file().read()  # says so, before a lock or a state is made for it
    report = _once(workspace, options, now)
    why = "because of a change during the sync before"
    again = Options(quiet_for=options.quiet_for, patience=0.0, reason=why)
    with suppress(Busy):  # whoever holds the lock now took the request before reading the memory
        while not options.dry_run and requests.is_requested(workspace.folder):
            report = report.followed_by(_once(workspace, again, now))
    return report


def _once(workspace: Workspace, options: Options, now: datetime) -> Report:
    lock = files.sync_lock(workspace.locks, workspace.memory_path, timeout=options.patience)
    with lock, open_state(workspace.folder) as state:
        if not options.dry_run:
            requests.take(workspace.folder)
        return _Sync(workspace, options, state, now).run()


class _Sync:
    """One sync, under its lock."""

    def __init__(self, workspace: Workspace, options: Options, state: State, now: datetime) -> None:
        self.workspace = workspace
        self.options = options
        self.state = state
        self.now = now
        self.file = workspace.memory_file()
        self.templates = workspace.templates()
        self.pin = state.facts.pin
        self.stamp: str | None = None
        self.failures: list[str] = []
        self.occasion = Occasion(timestamp(now), options.reason)

    def run(self) -> Report:
        """Go the road; where there is no vault, or none any more, let the memory file say so."""
        try:
            vault = self.find_vault()
            self.recover()
            if self.options.is_plain and is_settled(self.workspace, vault, self.state.facts):
                return Report(vault=vault.place, dry_run=self.options.dry_run)
            return self.go(vault)
        except CouncilVaultError as error:
            if not self.options.dry_run:
                self.could_not(error)
            raise

    def could_not(self, error: CouncilVaultError) -> None:
        """Let the history and, where there is no vault, the memory file say why there was no sync."""
        with suppress(CouncilVaultError):  # the error is what the person must hear of
            if isinstance(error, VaultUnavailable):
                self.file.edit(_NO_VAULT)
            self.state.remember(Remembering(facts=self.state.facts, sync=self.occasion.failed(error)))

    def go(self, vault: VaultStore) -> Report:
        """Go the road, from one end to the other."""
        before = self.file.read()
        remembered = self.recall()
        stamp = identify(before.memory, remembered.stamp, remembered.rows)
        if remembered.stamp not in {None, stamp}:
            remembered = remembered.without_rows()  # they are of another memory
            if not self.options.dry_run:
                self.state.forget_records()
        located = locate(vault, self.workspace.settings, remembered.places, stamp)

        later = left_for_later(
            vault,
            located.names,
            remembered,
            only_log=self.options.only_log,
            quiet_for=self.options.quiet_for,
        )
        reading, refusal = read_log_in(
            vault, located.names["log"], before.memory, remembered, stamp, self.options
        )
        records = RecordNotes(
            vault,
            located,
            self.state,
            remembered.rows,
            settings=self.workspace.settings,
            options=self.options,
            stamp=stamp,
        )
        if "log" in later:
            reading = reading.without_rows()
        elif self.workspace.settings.notes.records and refusal is None and not self.options.only_log:
            reading = records.decide(before.memory, reading)
        ratings = {**reading.edits.ratings, **records.ratings}
        content = self.edit(before, Edits(ratings=ratings))
        markdown = markdown_links(vault)
        drawing = Drawing(
            memory=content.memory,
            stamp=stamp,
            settings=self.workspace.settings,
            templates=self.templates,
            links=links_between(located, markdown=markdown),
        )
        announcer = Announcer(None if self.options.dry_run else self.state, located.names, remembered)
        composer = NoteComposer(drawing, reading, remembered, refusal, announcer.announce)
        names = {kind: name for kind, name in located.names.items() if kind not in later}
        notes = {**later, **write_notes(vault, names, composer)}
        content = self.flag(content, notes, composer.reading)
        recorded = records.write(content.memory, self.templates, timestamp(self.now))

        messages = (
            *located.messages,
            *reading.edits.messages,
            *composer.reading.edits.messages,
            *recorded.messages,
            *(f"{problem}." for problem in self.templates.problems),
        )
        if refusal is None and stamp != UNKNOWN_STAMP:
            self.stamp = stamp
        return self.finish(
            Result(
                place=vault.place,
                names=located.names,
                notes=notes,
                reading=composer.reading,
                reconciled=composer.reconciled,
                before=before,
                after=content,
                markdown_links=markdown,
                records=recorded,
                ratings=len(ratings),
                failure=" ".join(self.failures),
                messages=tuple(dict.fromkeys(messages)),
            )
        )

    def find_vault(self) -> VaultStore:
        """Return the vault; in a dry run, one that only pretends to be written to."""
        found = discover(self.workspace.vault_request(self.pin, adopt=self.options.adopt_vault))
        self.pin = found.pin
        vault = self.workspace.vault(found)
        return Rehearsal(vault) if self.options.dry_run else vault

    def recover(self) -> None:
        """Settle what a killed predecessor left beside the memory file; the vault does so for the notes."""
        if not self.options.dry_run:
            try:
                self.file.recover()
            except WriteFailed as error:
                self.failures.append(str(error))

    def recall(self) -> Remembered:
        """Return what is remembered of the notes, nothing if others are meant than before."""
        name = self.workspace.settings.workspace.name
        remembered = recall(self.state, name)
        if self.state.facts.name != name and not self.options.dry_run:
            self.state.forget_notes(name)
        self.stamp = remembered.stamp
        return remembered

    def edit(self, content: MemoryContent, edits: Edits) -> MemoryContent:
        """Edit the memory file, or in a dry run what was read of it; if that fails, it is as it was."""
        if edits == Edits():
            return content
        try:
            if self.options.dry_run:
                return MemoryContent(byte_edits.apply(content.data, edits))
            return self.file.edit(edits)
        except (Busy, FileChanged, MemoryReadOnly, WriteFailed) as error:
            self.failures.append(str(error))
            return content

    def flag(
        self, content: MemoryContent, notes: Mapping[Kind, Written], reading: LogReading
    ) -> MemoryContent:
        """Flag the records whose rows stand in the log, and stamp the sync; return the memory then."""
        log, memory = notes["log"], content.memory
        if not log.stands or memory.version > CURRENT_VERSION:
            return content
        confirmed = frozenset(
            id_ for id_ in memory.pending if id_ in log.rows or id_ in reading.edits.deleted
        )
        written = any(note.outcome == "written" for note in notes.values())
        if not (confirmed or written or memory.last_vault_sync is None or memory.vault_sync_note):
            return content
        stamped = Edits(flags=confirmed, last_vault_sync=timestamp(self.now), vault_sync_note=None)
        try:
            return self.edit(content, stamped)
        except MemoryUnreadable as error:  # since it was read, somebody has broken it
            self.failures.append(str(error))
            return content

    def finish(self, result: Result) -> Report:
        """Keep a snapshot, remember everything, and return the report."""
        if self.options.dry_run:
            return result.report(self.workspace.memory_path, dry_run=True, diffs=self.options.diffs)
        messages = list(result.messages)
        snapshots = self.workspace.snapshots()
        try:
            snapshots.save(result.after.data, self.now)
        except CouncilVaultError as error:
            messages.append(f"{error}.")
        messages += (f"{problem}." for problem in snapshots.problems)
        self.workspace.rescued().let_go(result.versions)
        concerned = tuple(concerns(self.workspace, result.after.memory))
        result = msgspec.structs.replace(result, messages=tuple(dict.fromkeys((*messages, *concerned))))
        before = self.state.facts
        report = result.report(self.workspace.memory_path, told=before.standing + before.concerns)
        facts = msgspec.structs.replace(
            result.records.remembered(before),
            pin=self.pin,
            stamp=self.stamp,
            settled=result.settled(self.workspace),
            standing=(
                *(message for message in result.messages if message not in concerned),
                *report.reasons,
            ),
            concerns=concerned,
            synced_at=timestamp(self.now) if report.changed else before.synced_at,
        )
        remembering = result.remembering(facts, timestamp(self.now))
        self.state.remember(msgspec.structs.replace(remembering, sync=self.occasion.done(report)))
        return report
