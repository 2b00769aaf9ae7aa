"""Which sessions of the ledger hold a term: a full-text index over directive and verdict.

What is indexed are terms (`learning.words.terms`), so that any script is found, and not only words between
spaces. The row numbers of the index are times in microseconds: the newest sessions are its last rows, and
finding them takes no sorting.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from council_vault.briefing.ground import Ground, ground, is_same, telling_terms
from council_vault.briefing.quality import POOL
from council_vault.briefing.vocabulary import vocabulary

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

_FIRST_ROW, LAST_ROW = -(1 << 62), 1 << 62
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
TABLES = """
CREATE TABLE IF NOT EXISTS indexed_sessions (
    moment INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    terms TEXT NOT NULL,
    ground TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS same_ground (
    moment INTEGER NOT NULL, newer INTEGER NOT NULL, PRIMARY KEY (moment, newer)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS term_counts (term TEXT PRIMARY KEY, sessions INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS session_terms USING fts5(
    directive, verdict, content='', detail='column', tokenize='ascii'
);
"""


def add(connection: sqlite3.Connection, session_id: str, at: datetime, directive: str, verdict: str) -> None:
    """Index a new session, in the transaction that is open."""
    said, concluded = vocabulary(directive), vocabulary(verdict)
    every = dict.fromkeys((*said, *concluded))
    moment = row_at(at)
    taken = "SELECT 1 FROM indexed_sessions WHERE moment = ?"
    while connection.execute(taken, (moment,)).fetchone():
        moment += 1
    connection.execute(
        "INSERT INTO indexed_sessions VALUES (?, ?, ?, ?)",
        (moment, session_id, " ".join(every), " ".join(sorted(ground(directive)))),
    )
    connection.execute(
        "INSERT INTO session_terms (rowid, directive, verdict) VALUES (?, ?, ?)",
        (moment, " ".join(map(_token, said)), " ".join(map(_token, concluded))),
    )
    connection.executemany(
        "INSERT INTO term_counts VALUES (?, 1) ON CONFLICT (term) DO UPDATE SET sessions = sessions + 1",
        [(term,) for term in every],
    )
    own = ground(directive)
    pairs = [(older, moment) for older in on_same_ground(connection, own, _FIRST_ROW, moment - 1)]
    pairs += [(moment, newer) for newer in on_same_ground(connection, own, moment + 1, LAST_ROW)]
    connection.executemany("INSERT OR IGNORE INTO same_ground VALUES (?, ?)", pairs)


def row_at(at: datetime | None) -> int:
    """Return the row of a session of that time; without a time, one before all others."""
    return _FIRST_ROW if at is None else (at - _FIRST) // timedelta(microseconds=1)


def rarest_first(connection: sqlite3.Connection, terms: Sequence[str]) -> list[str]:
    """Return the terms that some session holds, those that the fewest hold first."""
    query = f"SELECT term, sessions FROM term_counts WHERE term IN ({marks(terms)})"  # noqa: S608 - marks alone
    counts: dict[str, int] = dict(connection.execute(query, tuple(terms)))
    return sorted((term for term in terms if term in counts), key=lambda term: (counts[term], term))


def holding(connection: sqlite3.Connection, term: str, limit: int) -> Iterator[int]:
    """Yield the rows of the newest sessions that hold a term."""
    query = "SELECT rowid FROM session_terms WHERE session_terms MATCH ? ORDER BY rowid DESC LIMIT ?"
    return (row for (row,) in connection.execute(query, (f'"{_token(term)}"', limit)))


def newer_than(connection: sqlite3.Connection, row: int, limit: int) -> list[int]:
    """Return the rows of the newest sessions after a row that are on its ground."""
    query = "SELECT newer FROM same_ground WHERE moment = ? ORDER BY newer DESC LIMIT ?"
    return [newer for (newer,) in connection.execute(query, (row, limit))]


def on_same_ground(
    connection: sqlite3.Connection, own: Ground, first: int, last: int, limit: int = POOL
) -> list[int]:
    """Return the rows between two rows whose sessions are on a ground, of the newest that may be."""
    telling = telling_terms(own, lambda terms: rarest_first(connection, terms))
    if not telling:
        return []
    wanted = " OR ".join(f'"{_token(term)}"' for term in telling)
    query = (
        "SELECT moment, ground FROM indexed_sessions WHERE moment IN (SELECT rowid FROM session_terms "
        "WHERE session_terms MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?)"
    )
    found = connection.execute(query, (f"directive : ({wanted})", first, last, limit))
    return sorted((row for row, words in found if is_same(own, frozenset(words.split()))), reverse=True)


def marks(values: Sequence[object]) -> str:
    """Return the place holders of so many values in a query."""
    return ", ".join("?" * len(values))


def time_of(row: int) -> datetime:
    """Return the time of a session by its row."""
    return _FIRST + timedelta(microseconds=row)


def _token(term: str) -> str:
    """Return a term as the index holds it: letters and digits of ASCII only, in one piece."""
    return term if term.isascii() and term.isalnum() else f"u{term.encode(errors='ignore').hex()}"
