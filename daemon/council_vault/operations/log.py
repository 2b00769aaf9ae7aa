"""A deliberation logged: one more record, and all that is learned from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from council_vault.learning.ratings import outcome_for
from council_vault.learning.record import build_record, draft_record, overruled, same_deliberation
from council_vault.learning.routing import crosses_rebuild
from council_vault.memory.records import in_time, records_in
from council_vault.memory.schema import Deliberation, Memory
from council_vault.memory.times import stamp
from council_vault.operations.counting import count_in
from council_vault.operations.following import Followed, begin_memory, follow, is_due

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from council_vault.learning.log_input import LogInput
    from council_vault.learning.record import Draft
    from council_vault.workspace import Workspace

    Document = dict[str, Any]
    Record = dict[str, Any]

_REJECTED = "negative"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of logging a deliberation.

    ``already`` is whether it had been logged before, and nothing was added. ``rejected`` is the single-model
    answer that it asked again, if there was one; ``rebuilt`` whether the routing model was made anew.
    """

    id: str
    record: dict[str, Any]
    already: bool = False
    rejected: str | None = None
    rebuilt: bool = False
    followed: Followed = Followed()

    def sentences(self, *, verbose: bool = False) -> Iterator[str]:
        """Yield what the person should know beside the record; the argument is as in `Followed.sentences`."""
        if self.already:
            yield "It had been logged already; nothing was added."
        if self.rejected:
            yield f"{self.rejected} was a single answer to the same query; it is rated negative now."
        if self.rebuilt and verbose:
            yield "The routing model was rebuilt."
        yield from self.followed.sentences(verbose=verbose)


class Entry(NamedTuple):
    """One deliberation in the memory: its record, whether it was there already, and what it asked again."""

    record: Record
    already: bool
    rejected: str | None


class Added(NamedTuple):
    """What `add` came to; ``memory`` is what the records say now, not yet compacted."""

    entries: tuple[Entry, ...]
    rebuilt: bool
    memory: Memory

    @property
    def changed(self) -> bool:
        """Whether anything was added."""
        return not all(entry.already for entry in self.entries)


def log(workspace: Workspace, given: LogInput, now: datetime) -> Outcome:
    """Add a deliberation to the memory, which is created if it is missing.

    What follows (a snapshot, a sync where one is due) may fail: the record is safe, and the outcome says so.

    Raises:
        MemoryUnreadable, MemoryReadOnly, FileChanged, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    began = begin_memory(workspace, now)
    drafts = (draft_record(given, now),)  # before the file is locked: texts take their time
    made: list[Added] = []  # the last one stands: a change may be made more than once

    def change(document: Document, memory: Memory) -> Document | None:
        made.append(add(document, memory, drafts, workspace, now))
        return document if made[-1].changed else None

    content = workspace.memory_file().operate(change)
    added = made[-1]
    ((record, already, rejected),) = added.entries
    due = added.rebuilt or rejected is not None or is_due(workspace, added.memory)
    followed = follow(workspace, content, now, after="log", due=due)
    return Outcome(
        id=record["id"],
        record=record,
        already=already,
        rejected=rejected,
        rebuilt=added.rebuilt,
        followed=msgspec.structs.replace(followed, warnings=(*began, *followed.warnings)),
    )


def add(
    document: Document,
    memory: Memory,
    drafts: Iterable[Draft],
    workspace: Workspace,
    now: datetime,
    *,
    judging: bool = True,
) -> Added:
    """Add deliberations to a parsed memory file, in place, and learn from them.

    Each gets its record and its part in the aggregates; one with a time of its own stands where that belongs.
    The routing model is made anew, and old records are reduced, once at the end. Where all had been logged
    before, nothing is changed.

    Args:
        document: what `MemoryFile.operate` hands to a change.
        memory: what of it could be understood.
        drafts: the deliberations, one after the other.
        workspace: whose memory it is.
        now: the time.
        judging: whether a single model's answer counts as not accepted where the council is asked the same.

    Raises:
        MemoryUnreadable: the file holds something else where records or aggregates should be.
    """
    book = _Book(document, memory, now, judging=judging)
    entries = tuple(map(book.enter, drafts))
    if all(entry.already for entry in entries):
        return Added(entries, rebuilt=False, memory=memory)
    book.close()
    rebuilt = crosses_rebuild(memory.total, book.memory.total)
    if rebuilt:
        from council_vault.operations.rebuild import relearn  # noqa: PLC0415 - nine of ten logs do without

        relearn(document, workspace, now)
    return Added(entries, rebuilt, book.memory)


class _Book:
    """A memory to which deliberations are added one by one."""

    def __init__(self, document: Document, memory: Memory, now: datetime, *, judging: bool) -> None:
        self.memory = memory
        self._judging = judging
        self._document = document
        self._now = now
        self._elements = records_in(document)
        self._records: dict[str, Record] = {
            element["id"]: element for element in self._elements if isinstance(element, dict)
        }
        self._placed: list[Record] = []

    def enter(self, draft: Draft) -> Entry:
        """Add one, unless it is there."""
        given, known = draft.given, self.memory.deliberations
        if (same := same_deliberation(given, known, self._now)) is not None:
            return Entry(self._records[same], already=True, rejected=None)
        rejected = self._reject(overruled(given, known)) if self._judging else None
        record = build_record(draft, self.memory)
        view = msgspec.convert(record, Deliberation)
        self.memory = count_in(self._document, self.memory, view, draft.tested)
        self._records[record["id"]] = record
        if given.timestamp is None:
            self._elements.append(record)
        else:
            self._placed.append(record)
        return Entry(record, already=False, rejected=rejected)

    def close(self) -> None:
        """Put the records that have a time of their own where they belong."""
        if self._placed:
            self._elements = in_time(self._elements, self._placed)
        self._document["deliberations"] = self._elements
        self._document["last_updated"] = stamp(self._now)

    def _reject(self, id_: str | None) -> str | None:
        """Rate a single answer that the full council was asked for again."""
        if id_ is not None:
            earlier = self.memory.identified[id_]
            change = {"user_rating": _REJECTED, "outcome": outcome_for(_REJECTED, earlier.outcome)}
            self._records[id_].update(change)
            self.memory = msgspec.structs.replace(
                self.memory,
                deliberations=tuple(
                    msgspec.structs.replace(one, **change) if one is earlier else one
                    for one in self.memory.deliberations
                ),
            )
        return id_
