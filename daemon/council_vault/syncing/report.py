"""What a sync did, for the person and for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.memory.schema import Problem  # noqa: TC001 - msgspec reads the annotations
from council_vault.notes.kinds import Kind  # noqa: TC001 - likewise

if TYPE_CHECKING:
    from collections.abc import Iterator

Outcome = Literal["written", "unchanged", "later", "refused", "failed"]


class NoteOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one note, or, of the kind ``records``, of all notes in the folder of that name.

    ``later`` is a note that this sync was to leave alone. ``reason`` says what was not done, ``diff`` what a
    dry run would change.
    """

    kind: Kind | Literal["records"]
    name: str
    outcome: Outcome
    reason: str = ""
    diff: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What one sync did.

    ``entries`` counts new rows in the log, ``rows_back`` those that were put back, ``flagged`` the records
    flagged as written, ``pending`` those that still are not, ``ratings`` the ratings taken from the notes,
    ``records`` the record notes that were written.
    ``messages`` are what the person should know and has not been told before; ``problems`` what in the memory
    could not be understood; ``failure`` why the memory file could not be written, if so. A dry run says what
    would be; ``memory_diff`` is its diff of the memory file.
    """

    vault: str
    dry_run: bool = False
    notes: tuple[NoteOutcome, ...] = ()
    entries: int = 0
    rows_back: int = 0
    flagged: int = 0
    pending: int = 0
    ratings: int = 0
    records: int = 0
    messages: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    failure: str = ""
    memory_diff: str = ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """What could not be done to the notes, each reason once, with the notes that it holds for."""
        names: dict[str, list[str]] = {}
        for note in self.notes:
            if note.reason and note.outcome != "later":
                names.setdefault(note.reason, []).append(note.name)
        return tuple(why if of[0] in why else f"{', '.join(of)}: {why}" for why, of in names.items())

    @property
    def failed(self) -> bool:
        """Whether something that should have been written was not."""
        return bool(self.failure) or any(note.outcome in {"refused", "failed"} for note in self.notes)

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        written = any(note.outcome == "written" for note in self.notes)
        return written or bool(self.flagged or self.ratings or self.records)

    def followed_by(self, later: Report) -> Report:
        """Return the report of this sync and the one right after it, as of one."""
        before = {note.kind: note for note in self.notes}
        return msgspec.structs.replace(
            later,
            notes=tuple(
                before[note.kind] if note.outcome == "unchanged" and note.kind in before else note
                for note in later.notes
            )
            or self.notes,
            entries=self.entries + later.entries,
            rows_back=self.rows_back + later.rows_back,
            flagged=self.flagged + later.flagged,
            ratings=self.ratings + later.ratings,
            records=self.records + later.records,
            messages=tuple(dict.fromkeys((*self.messages, *later.messages))),
        )

    @property
    def sentence(self) -> str:
        """The one sentence that sums the sync up."""
        updated = list(self._updated())
        if updated:
            start = "Nothing was written. A sync would update" if self.dry_run else "Vault synced: updated"
            return f"{start} {_listed(updated)}."
        if self.failed:
            return "The vault could not be brought up to date."
        return "Nothing to do: the vault is up to date."

    def _updated(self) -> Iterator[str]:
        written = {note.kind for note in self.notes if note.outcome == "written"}
        if "performance" in written:
            yield "model performance"
        if "routing" in written:
            yield "routing intelligence"
        if self.entries:
            yield f"{self.entries} new deliberation log {'entry' if self.entries == 1 else 'entries'}"
        elif "log" in written:
            back = f" ({self.rows_back} {'row' if self.rows_back == 1 else 'rows'} brought back)"
            yield f"the deliberation log{back if self.rows_back else ''}"
        if self.records:
            yield f"{self.records} record {'note' if self.records == 1 else 'notes'}"
        if self.ratings:
            yield f"{self.ratings} {'rating' if self.ratings == 1 else 'ratings'} in the memory"
        if self.flagged and not written:
            yield f"{self.flagged} {'flag' if self.flagged == 1 else 'flags'} in the memory"


def _listed(parts: list[str]) -> str:
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"
