"""A memory, a log note and what is remembered of it, synced as the program does it: for tests."""

from __future__ import annotations

import re

from msgspec.structs import replace

from council_vault.memory.schema import Deliberation, Memory
from council_vault.notes.log_edits import NoteEdits, Version, edits_in
from council_vault.notes.log_rows import rows_in
from council_vault.notes.log_table import merge_rows
from council_vault.notes.reconciliation import reconcile
from council_vault.notes.written_rows import WrittenRow, decode_rows, encode_rows
from support.log_notes import HEAD


class World:
    """``records`` is the memory, ``note`` the note; ``written``, ``deleted`` and ``versions`` the state."""

    def __init__(self, visible: int = 4) -> None:
        self.records: dict[str, Deliberation] = {}
        self.note = HEAD
        self.written: dict[str, WrittenRow] = {}
        self.deleted: frozenset[str] = frozenset()
        self.versions: list[str] = []
        self.visible = visible

    def add(self, record_id: str, **fields: object) -> None:
        day = f"{record_id[2:6]}-{record_id[6:8]}-{record_id[8:10]}"
        usual = {"timestamp": day, "query_summary": f"About {record_id[2:]}", "outcome": "accepted"}
        self.records[record_id] = Deliberation(**{"id": record_id} | usual | fields)

    def change(self, record_id: str, **fields: object) -> None:
        self.records[record_id] = replace(self.records[record_id], **fields)

    def forget(self) -> None:
        """Lose the state."""
        self.written, self.deleted, self.versions = {}, frozenset(), []

    @property
    def is_old_copy(self) -> bool:
        return self.note in self.versions[:-1] and self.note != self.versions[-1]

    @property
    def is_as_left(self) -> bool:
        return self.note in self.versions[-1:]

    def sync(self, *, read_only: bool = False, full: bool = False, lose_edits: bool = False) -> NoteEdits:
        rows = rows_in(self.note)
        version: Version = "old" if self.is_old_copy else "left" if self.is_as_left else "new"
        edits, looked_at = (
            edits_in(
                rows,
                self.written,
                self.memory,
                deleted=self.deleted,
                version=one,
                read_only=read_only,
                full=full,
            )
            for one in (version, "new" if version == "left" else version)
        )
        assert _found(edits) == _found(looked_at)
        for record_id, edit in () if lose_edits else edits.ratings.items():
            outcome = self.records[record_id].outcome if edit.outcome is None else edit.outcome
            self.change(record_id, user_rating=edit.rating, outcome=outcome)
        reconciled = reconcile(self.memory, rows, self.written, {}, edits)
        thorough = reconcile(self.memory, rows, self.written, {}, looked_at)
        assert reconciled.wanted == thorough.wanted
        self.versions.append(self.note)
        rated = sum(record.user_rating is not None for record in self.records.values())
        summary = f"> [!summary] {len(self.records)} deliberations, {rated} rated"
        self.note = re.sub(r"^> \[!summary\].*", summary, self.note, flags=re.MULTILINE)
        self.note = merge_rows(
            self.note, reconciled.wanted, newline="\n", visible=self.visible, absent=edits.deleted
        )
        self.versions.append(self.note)
        self.written = decode_rows(encode_rows(reconciled.written))
        self.deleted = edits.deleted
        return edits

    @property
    def memory(self) -> Memory:
        return Memory(deliberations=tuple(self.records.values()))

    def cell(self, record_id: str, column: str = "Rating") -> str:
        return rows_in(self.note)[record_id].cells[column]

    def type(self, record_id: str, text: str, column: str = "Rating") -> None:
        """Write into a cell, as a person does."""
        row = rows_in(self.note)[record_id]
        marks = "> " if row.line.startswith(">") else ""
        cells = row.line.removeprefix(marks).split(" | ")
        at = row.home.columns[column]
        cells[at] = f"{text} |" if at == len(cells) - 1 else text
        self.note = self.note[: row.start] + marks + " | ".join(cells) + self.note[row.end :]

    def delete_row(self, record_id: str) -> None:
        row = rows_in(self.note)[record_id]
        self.note = self.note[: row.start] + self.note[row.end + 1 :]


def _found(edits: NoteEdits) -> NoteEdits:
    """Return edits without what only says which rows to look at."""
    return replace(edits, touched=frozenset(), found={})
