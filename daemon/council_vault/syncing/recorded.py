"""What became of the record notes in one sync, all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.syncing.diffs import unified_diff
from council_vault.syncing.report import NoteOutcome, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.facts import Facts
    from council_vault.syncing.note_writing import Written

_NAMED = 3
_BEING_WRITTEN = "somebody is writing in a record note, so it is left until it is quiet"


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the record notes in one sync.

    Attributes:
        folder: where they are made; empty where there shall be none.
        outcome: of all of them together.
        written: how many were written.
        reason: what could not be done to some.
        diff: what a dry run would change.
        marks: digest of the glances at all of them.
        elsewhere: those that are not in the folder.
        base: the view of them as we wrote it.
        messages: what the person should know.
    """

    folder: str = ""
    outcome: Outcome = "unchanged"
    written: int = 0
    reason: str = ""
    diff: str = ""
    marks: str = ""
    elsewhere: tuple[str, ...] = ()
    base: str | None = None
    messages: tuple[str, ...] = ()

    def remembered(self, facts: Facts) -> Facts:
        """Return what is known of a memory and its notes with what is known now."""
        if not self.folder:
            return facts
        return msgspec.structs.replace(facts, elsewhere=self.elsewhere, base=self.base)

    def outcomes(self) -> Iterator[NoteOutcome]:
        """Yield what is reported of them."""
        if self.folder:
            yield NoteOutcome(
                kind="records", name=self.folder, outcome=self.outcome, reason=self.reason, diff=self.diff
            )


class Tally:
    """Counts what became of record notes.

    Args:
        diffs: whether to show what changes.
        busy: whether somebody is writing in one of them.
    """

    def __init__(self, *, diffs: bool, busy: bool) -> None:
        self._diffs = diffs
        self._busy = busy
        self._done = 0
        self._shown: list[str] = []
        self._reasons: list[str] = []
        self._outcomes: set[Outcome] = set()
        self.written = 0

    @property
    def has_failed(self) -> bool:
        """Whether a note could not be written that should have been."""
        return "failed" in self._outcomes

    def add(self, name: str, note: Written) -> None:
        """Count one note."""
        self._done += 1
        self._outcomes.add(note.outcome)
        if note.reason:
            self._reasons.append(note.reason if name in note.reason else f"{name}: {note.reason}")
        if note.outcome == "written":
            self.written += 1
            if self._diffs:
                self._shown.append(unified_diff(name, note.before, note.content))

    def trouble(self, reason: str) -> None:
        """Count something else that could not be done."""
        self._outcomes.add("failed")
        self._reasons.append(reason)

    def recorded(self, folder: str, wanted: int) -> Recorded:
        """Return what became of the notes in a folder, where so many were to be written."""
        waiting = wanted - self._done
        reasons = self._reasons[:_NAMED]
        if len(self._reasons) > _NAMED:
            reasons.append(f"The same goes for {len(self._reasons) - _NAMED} more.")
        outcome: Outcome = "written" if self.written else "unchanged"
        if "failed" in self._outcomes or "refused" in self._outcomes:
            outcome = "failed" if self.has_failed else "refused"
        elif waiting or self._busy:
            outcome = "later"
            reasons = [f"{waiting} more are to be written" if waiting else _BEING_WRITTEN]
        return Recorded(
            folder=folder,
            outcome=outcome,
            written=self.written,
            reason=" ".join(reasons),
            diff="".join(self._shown),
        )
