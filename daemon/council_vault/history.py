"""The last syncs: what each wrote, and why. They are told to the person; nothing depends on them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import sqlite3

KEPT = 200
TABLE = "CREATE TABLE IF NOT EXISTS sync (number INTEGER PRIMARY KEY, past TEXT NOT NULL);"


class PastSync(msgspec.Struct, frozen=True, kw_only=True):
    """A sync that did something, or failed.

    Attributes:
        at: when it ended, in UTC.
        reason: why it was made.
        seconds: how long it took.
        vault: where the notes are; empty where there was no vault.
        did: what it did, in a sentence.
        notes: kinds of the notes that it wrote.
        entries: new rows in the log.
        rows_back: rows of the log that were put back.
        ratings: ratings taken from the log.
        flagged: records flagged as written.
        pending: records that still were not.
        troubles: what could not be done.
        times: how often it was made, with nothing else in between, and came to the same trouble.
        first_at: when that was so first, in UTC.
    """

    at: str
    reason: str
    seconds: float
    vault: str = ""
    did: str = ""
    notes: tuple[str, ...] = ()
    entries: int = 0
    rows_back: int = 0
    ratings: int = 0
    flagged: int = 0
    pending: int = 0
    troubles: tuple[str, ...] = ()
    times: int = 1
    first_at: str = ""

    @property
    def changed(self) -> bool:
        """Whether it wrote anything."""
        return bool(self.notes or self.flagged or self.ratings)

    def repeats(self, before: PastSync) -> bool:
        """Whether it failed just as the one before."""
        same = (self.vault, self.did, self.troubles) == (before.vault, before.did, before.troubles)
        return same and not self.changed and not before.changed


def add(connection: sqlite3.Connection, sync: PastSync) -> None:
    """Add a sync to the history, in the transaction that is under way; of many, the newest stay."""
    last = connection.execute("SELECT number, past FROM sync ORDER BY number DESC LIMIT 1").fetchone()
    number, before = (0, None) if last is None else (last[0], _decoded(last[1]))
    sync = msgspec.structs.replace(sync, first_at=sync.at)
    if before is not None and sync.repeats(before):
        sync = msgspec.structs.replace(sync, times=before.times + 1, first_at=before.first_at)
    else:
        number += 1
    past = json.dumps(msgspec.to_builtins(sync))  # as opposed to msgspec, takes paths that are not Unicode
    connection.execute("INSERT OR REPLACE INTO sync VALUES (?, ?)", (number, past))
    connection.execute("DELETE FROM sync WHERE number <= ?", (number - KEPT,))


def newest(connection: sqlite3.Connection, count: int) -> tuple[PastSync, ...]:
    """Return the last syncs, the newest first, at most so many."""
    found = connection.execute("SELECT past FROM sync ORDER BY number DESC LIMIT ?", (count,))
    return tuple(past for (text,) in found if (past := _decoded(text)) is not None)


def _decoded(text: str) -> PastSync | None:
    """Return what was stored; ``None`` for what another version of this program stored differently."""
    try:
        return msgspec.convert(json.loads(text), PastSync)
    except (msgspec.ValidationError, ValueError, TypeError):
        return None
