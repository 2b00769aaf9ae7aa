"""Which sessions of the ledger hold a term, and which stand on the same ground.

The full-text index holds terms (`learning.words.terms`) of directive and verdict, so that any script is
found, and not only words between spaces. Its row numbers are times in microseconds: the newest sessions are
its last rows, and finding them takes no sorting. Who stands on the ground of whom is worked out when a
session is added, not when a brief is wanted.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from council_vault.briefing.ground import Ground, ground, is_same, telling_words
from council_vault.briefing.quality import POOL
from council_vault.briefing.vocabulary import vocabulary

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from council_vault.briefing.cases import Session

_FIRST_ROW, LAST_ROW = -(1 << 62), 1 << 62
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_AT_ONCE = 500  # values in one query

TABLES = """
CREATE TABLE IF NOT EXISTS indexed_sessions (
    moment INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    session_id TEXT NOT NULL UNIQUE,
    terms TEXT NOT NULL,
    ground TEXT NOT NULL,
    confidence REAL
);
CREATE TABLE IF NOT EXISTS same_ground (
    moment INTEGER NOT NULL, newer INTEGER NOT NULL, PRIMARY KEY (moment, newer)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS term_counts (word TEXT PRIMARY KEY, sessions INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ground_counts (word TEXT PRIMARY KEY, sessions INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS session_terms USING fts5(
    terms, ground, content='', detail='column', columnsize=0, tokenize='ascii'
);
"""
TABLE_NAMES = frozenset({"indexed_sessions", "same_ground", "term_counts", "ground_counts", "session_terms"})

Counts = Literal["term_counts", "ground_counts"]


def add(connection: sqlite3.Connection, session: Session, time: datetime) -> None:
    """Index a new session of that time, in the transaction that is open."""
    terms, own = vocabulary(f"{session.directive}\n{session.verdict}"), ground(session.directive)
    at = row_at(time)
    moment = _free_row(connection, at)
    connection.execute(
        "INSERT INTO indexed_sessions VALUES (?, ?, ?, ?, ?, ?)",
        (moment, at, session.id, " ".join(terms), " ".join(sorted(own)), session.confidence),
    )
    connection.execute(
        "INSERT INTO session_terms (rowid, terms, ground) VALUES (?, ?, ?)",
        (moment, " ".join(map(_token, terms)), " ".join(map(_token, sorted(own)))),
    )
    _count(connection, "term_counts", terms)
    _count(connection, "ground_counts", own)
    _pair(connection, moment, own)


def row_at(time: datetime | None) -> int:
    """Return the row of a session of that time; without a time, one before all others."""
    return _FIRST_ROW if time is None else (time - _FIRST) // timedelta(microseconds=1)


def time_at(row: int) -> datetime | None:
    """Return the time of a row; ``None`` where it is none that there can be."""
    try:
        return _FIRST + timedelta(microseconds=row)
    except OverflowError:
        return None


def rarest_first(connection: sqlite3.Connection, counts: Counts, words: Collection[str]) -> list[str]:
    """Return the words that some session has, those that the fewest have first."""
    wanted, found = sorted(words), []
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        query = f"SELECT sessions, word FROM {counts} WHERE word IN ({marks(some)})"  # noqa: S608 - one of two
        found += connection.execute(query, some).fetchall()
    return [word for _, word in sorted(found)]


def holding(connection: sqlite3.Connection, term: str, limit: int) -> Iterator[int]:
    """Yield the rows of the newest sessions that hold a term."""
    query = "SELECT rowid FROM session_terms WHERE session_terms MATCH ? ORDER BY rowid DESC LIMIT ?"
    return (row for (row,) in connection.execute(query, (f'terms : "{_token(term)}"', limit)))


def newer_than(connection: sqlite3.Connection, row: int, limit: int) -> list[int]:
    """Return the rows of the newest sessions after a row that are on its ground."""
    query = "SELECT newer FROM same_ground WHERE moment = ? ORDER BY newer DESC LIMIT ?"
    return [newer for (newer,) in connection.execute(query, (row, limit))]


def on_ground(connection: sqlite3.Connection, own: Ground, first: int, last: int) -> Iterator[int]:
    """Yield the rows between two rows whose sessions are on a ground, the newest first."""
    telling = telling_words(own, lambda words: rarest_first(connection, "ground_counts", words))
    if not telling:
        return
    query = (
        "SELECT t.rowid, i.ground FROM session_terms AS t JOIN indexed_sessions AS i ON i.moment = t.rowid "
        "WHERE session_terms MATCH ? AND t.rowid BETWEEN ? AND ? ORDER BY t.rowid DESC"
    )
    wanted = " OR ".join(f'"{_token(word)}"' for word in telling)
    for row, words in connection.execute(query, (f"ground : ({wanted})", first, last)):
        if is_same(own, frozenset(words.split())):
            yield row


def marks(values: Sequence[object]) -> str:
    """Return the place holders of so many values in a query."""
    return ", ".join("?" * len(values))


def _pair(connection: sqlite3.Connection, moment: int, own: Ground) -> None:
    """Note which sessions on its ground are newer than a session, and than which it is newer itself."""
    newer: list[int] = []
    older: list[int] = []
    for row in on_ground(connection, own, _FIRST_ROW, LAST_ROW):
        if row != moment:
            (newer if row > moment else older).append(row)
        if len(older) == POOL:
            break
    pairs = [*((moment, row) for row in newer[:POOL]), *((row, moment) for row in older)]
    connection.executemany("INSERT INTO same_ground VALUES (?, ?)", pairs)


def _free_row(connection: sqlite3.Connection, row: int) -> int:
    """Return the row, or the next one that no session has."""
    query = "SELECT 1 FROM indexed_sessions WHERE moment = ?"
    while connection.execute(query, (row,)).fetchone():
        row += 1
    return row


def _count(connection: sqlite3.Connection, counts: Counts, words: Iterable[str]) -> None:
    query = (
        f"INSERT INTO {counts} VALUES (?, 1) "  # noqa: S608 - one of two
        "ON CONFLICT (word) DO UPDATE SET sessions = sessions + 1"
    )
    connection.executemany(query, [(word,) for word in words])


def _token(term: str) -> str:
    """Return a term as the index holds it: letters and digits of ASCII only, in one piece."""
    return term if term.isascii() and term.isalnum() else f"u{term.encode(errors='ignore').hex()}"
