"""What the last syncs saw and wrote, one SQLite database for each memory file.

Losing it loses nothing: the memory file and the notes are the truth, and a sync without state only knows less
about who changed what.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import msgspec

from council_vault import history, record_facts
from council_vault.errors import WriteFailed
from council_vault.facts import Facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from council_vault.history import PastSync
    from council_vault.record_facts import RecordFacts

REPLACED_KEPT = 5
_TABLES = f"""
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS replaced (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    at TEXT NOT NULL,
    content BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS replaced_of_kind ON replaced (kind);
{history.TABLE}
{record_facts.TABLE}
"""


class Replaced(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a note that was replaced; ``at`` in UTC."""

    kind: str
    name: str
    at: str
    content: bytes


class Remembering(msgspec.Struct, frozen=True, kw_only=True):
    """What a sync wants remembered: the facts, and of the rest what changed.

    ``announced`` are rows of the log that are about to be written, in the form of ``rows``; ``sync`` is the
    sync itself, for the history. ``records`` are facts about record notes, by id, and ``record_regions`` what
    we wrote into them.
    """

    facts: Facts
    regions: Mapping[str, str] = {}
    rows: bytes | None = None
    announced: bytes | None = None
    replaced: tuple[Replaced, ...] = ()
    sync: PastSync | None = None
    records: Mapping[str, RecordFacts] = {}
    record_regions: Mapping[str, str] = {}


class State:
    """The state of one memory file; opened by `open_state`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, timeout=10.0)
        try:
            # No waiting for the disk: a power cut may undo the last transactions, and no more.
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(_TABLES)
            stored = self._fact("facts")
            self.facts = _decoded(stored) if stored else Facts()
        except (sqlite3.Error, msgspec.MsgspecError, ValueError):
            self.close()
            raise

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def region(self, kind: str) -> str | None:
        """Return the managed region last written to the note of that kind."""
        stored = self._fact(f"region:{kind}")
        return None if stored is None else stored.decode()

    def rows(self) -> bytes | None:
        """Return what was remembered of the log's rows, in the form it was given in."""
        return self._fact("rows")

    def announced(self) -> bytes | None:
        """Return the rows of the log that a sync was about to write when it was killed, likewise."""
        return self._fact("announced")

    def records(self) -> dict[str, RecordFacts]:
        """Return what is known of the record notes, by id."""
        return record_facts.load(self._connection)

    def record_region(self, record_id: str) -> str:
        """Return what we wrote into the region of a record's note; empty where that is not known."""
        return record_facts.region(self._connection, record_id)

    def remember(self, remembering: Remembering) -> None:
        """Store what a sync saw and wrote, all of it or nothing.

        Raises:
            WriteFailed: the state cannot be written.
        """
        facts = {"facts": _encoded(remembering.facts)}
        facts |= {f"region:{kind}": region.encode() for kind, region in remembering.regions.items()}
        rows = {"rows": remembering.rows, "announced": remembering.announced}
        facts |= {name: stored for name, stored in rows.items() if stored is not None}
        with _naming(self._path), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", facts.items())
            for old in remembering.replaced:
                self._connection.execute(
                    "INSERT INTO replaced (kind, name, at, content) VALUES (?, ?, ?, ?)",
                    (old.kind, old.name, old.at, old.content),
                )
                self._connection.execute(
                    "DELETE FROM replaced WHERE kind = ? AND number NOT IN"
                    " (SELECT number FROM replaced WHERE kind = ? ORDER BY number DESC LIMIT ?)",
                    (old.kind, old.kind, REPLACED_KEPT),
                )
            if remembering.sync is not None:
                history.add(self._connection, remembering.sync)
            record_facts.save(self._connection, remembering.records, remembering.record_regions)
        self.facts = remembering.facts

    def forget_notes(self, name: str | None) -> None:
        """Forget everything about the notes, because from now on others are meant, of names with a suffix.

        Raises:
            WriteFailed: the state cannot be written.
        """
        facts = Facts(name=name, pin=self.facts.pin, synced_at=self.facts.synced_at)
        with _naming(self._path), self._connection:
            self._connection.execute("DELETE FROM fact")
            record_facts.forget(self._connection)
            self._connection.execute("INSERT INTO fact VALUES ('facts', ?)", (_encoded(facts),))
        self.facts = facts

    def forget_records(self) -> None:
        """Forget everything about the record notes, because they are of another memory.

        Raises:
            WriteFailed: the state cannot be written.
        """
        with _naming(self._path), self._connection:
            record_facts.forget(self._connection)

    def replaced(self, kind: str) -> tuple[Replaced, ...]:
        """Return the replaced versions of a note, the newest first."""
        found = self._connection.execute(
            "SELECT kind, name, at, content FROM replaced WHERE kind = ? ORDER BY number DESC", (kind,)
        )
        return tuple(
            Replaced(kind=kind, name=name, at=at, content=content) for kind, name, at, content in found
        )

    def syncs(self, count: int) -> tuple[PastSync, ...]:
        """Return the last syncs that did something or failed, the newest first, at most so many."""
        return history.newest(self._connection, count)

    def _fact(self, name: str) -> bytes | None:
        row = self._connection.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])


def _encoded(facts: Facts) -> bytes:
    """Return facts as they are stored; the standard library's JSON also takes paths that are not Unicode."""
    return json.dumps(msgspec.to_builtins(facts)).encode()


def _decoded(stored: bytes) -> Facts:
    return msgspec.convert(json.loads(stored), Facts)


def memory_folder(states: Path, memory: Path) -> Path:
    """Return the folder for all that is kept about a memory file, in the folder of states."""
    real = memory.resolve()
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()
    return states / f"{real.parent.name or 'root'}-{digest[:12]}"


@contextmanager
def open_state(folder: Path) -> Iterator[State]:
    """Open the state in a folder, which is made if it is missing.

    A database that cannot be understood is set aside, and a new one begun.

    Raises:
        WriteFailed: the folder cannot be used.
    """
    path = folder / "state.sqlite"
    with _naming(path):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = _opened(path)
        path.chmod(0o600)
    with closing(state):
        yield state


def _opened(path: Path) -> State:
    try:
        return State(path)
    except sqlite3.OperationalError:
        raise
    except (sqlite3.DatabaseError, msgspec.MsgspecError, ValueError):
        path.replace(path.with_suffix(".broken"))
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return State(path)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise WriteFailed(
            f"the program's own state cannot be used: {error}",
            where=path,
            remedy="Make room for it, or make that folder writable",
        ) from error
