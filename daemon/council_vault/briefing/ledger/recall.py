"""Past deliberations in a SQLite database: our own ledger, or that of another council, which is only read."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from council_vault.briefing.cases import Candidate, Prediction, accuracy, grade
from council_vault.briefing.ground import ground
from council_vault.briefing.ledger import index, values
from council_vault.briefing.ledger.files import reading
from council_vault.briefing.recall import HeldSessions

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from council_vault.briefing.cases import Reputation, Session

WITHOUT_INDEX = 2000
"""Sessions of a database without our index that are looked at: its newest."""

_AT_ONCE = 500  # values in one query
_INDEX = {"indexed_sessions", "term_counts", "session_terms"}


class LedgerRecall:
    """A `Recall` over a database with the tables of a ledger; whatever is missing of them is no data.

    Every method raises `LedgerUnreadable` where the database is locked, or no database.

    Args:
        connection: to the database.
        path: where it is, for errors.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._rows: dict[str, int] = {}
        self._known_columns: dict[str, set[str]] = {}

    def candidates(self, terms: Sequence[str], limit: int) -> Sequence[Candidate]:
        """See `Recall.candidates`."""
        if self._held is not None:
            return self._held.candidates(terms, limit)
        with reading(self._path):
            rows: dict[int, None] = {}
            for term in index.rarest_first(self._connection, terms):
                rows.update(dict.fromkeys(index.holding(self._connection, term, limit)))
                if len(rows) >= limit:
                    break
            return self._candidates(list(islice(rows, limit)))

    def newer(self, than: Candidate, limit: int) -> Sequence[Candidate]:
        """See `Recall.newer`."""
        if self._held is not None:
            return self._held.newer(than, limit)
        with reading(self._path):
            row = self._rows.get(than.id)
            if row is not None:
                return self._candidates(index.newer_than(self._connection, row, limit))
            own, after = ground(than.directive), index.row_at(than.time) + 1
            return self._candidates(index.on_same_ground(self._connection, own, after, index.LAST_ROW, limit))

    def sessions(self, ids: Sequence[str]) -> Mapping[str, Session]:
        """See `Recall.sessions`."""
        if self._held is not None:
            return self._held.sessions(ids)
        with reading(self._path):
            return {
                session.id: session for session in self._whole(self._select("council_sessions", "id", ids))
            }

    def reputations(self, agents: Collection[str]) -> Mapping[str, Reputation]:
        """See `Recall.reputations`."""
        with reading(self._path):
            rows = self._select("agent_reputation", "agent", list(agents))
            known = [values.reputation_of(row) for row in rows]
        return {reputation.agent: reputation for reputation in known}

    @cached_property
    def _held(self) -> HeldSessions | None:
        """The newest sessions of a database that has no index, ``None`` for one that has."""
        with reading(self._path):
            if self._tables >= _INDEX:
                return None
            columns = self._columns("council_sessions")
            if "id" not in columns:
                return HeldSessions((), {})
            order = next((name for name in ("ts", "created_at") if name in columns), "id")
            query = f"SELECT * FROM council_sessions ORDER BY {order} DESC LIMIT ?"  # noqa: S608 - one of three
            return HeldSessions(self._whole(_named(self._connection.execute(query, (WITHOUT_INDEX,)))), {})

    @cached_property
    def _tables(self) -> set[str]:
        return {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master")}

    def _columns(self, table: str) -> set[str]:
        if table not in self._known_columns:
            rows = self._connection.execute(f"PRAGMA table_info({table})")
            self._known_columns[table] = {row[1] for row in rows}
        return self._known_columns[table]

    def _candidates(self, rows: Sequence[int]) -> list[Candidate]:
        """Return what stands in rows of the index, in their order."""
        if not rows:
            return []
        query = (
            "SELECT i.moment, i.session_id, i.terms, s.directive, s.confidence, "  # noqa: S608 - marks alone
            "(SELECT group_concat(status) FROM predictions WHERE session_id = i.session_id) "
            "FROM indexed_sessions AS i JOIN council_sessions AS s ON s.id = i.session_id "
            f"WHERE i.moment IN ({index.marks(rows)})"
        )
        found = {}
        for row, id_, terms, directive, confidence, statuses in self._connection.execute(query, rows):
            self._rows[id_] = row
            found[row] = Candidate(
                id=id_,
                time=index.time_of(row),
                directive=directive,
                terms=frozenset(terms.split()),
                confidence=confidence,
                accuracy=accuracy([grade(status) for status in statuses.split(",")]) if statuses else None,
            )
        return [found[row] for row in rows if row in found]

    def _whole(self, rows: Iterable[Mapping[str, object]]) -> list[Session]:
        """Return the sessions of rows, with their predictions; rows without an id are left out."""
        kept = [row for row in rows if values.text(row.get("id"))]
        predictions: defaultdict[str, list[Prediction]] = defaultdict(list)
        for row in self._select("predictions", "session_id", [row["id"] for row in kept]):
            predictions[values.text(row["session_id"])].append(values.prediction_of(row))
        return [values.session_of(row, predictions[values.text(row["id"])]) for row in kept]

    def _select(self, table: str, column: str, wanted: Sequence[object]) -> Iterator[dict[str, object]]:
        """Yield the rows of a table that have one of these values; none where there is no such column."""
        if column not in self._columns(table):
            return
        for start in range(0, len(wanted), _AT_ONCE):
            some = tuple(wanted[start : start + _AT_ONCE])
            query = f"SELECT * FROM {table} WHERE {column} IN ({index.marks(some)})"  # noqa: S608 - ours
            yield from _named(self._connection.execute(query, some))


def _named(cursor: sqlite3.Cursor) -> Iterator[dict[str, object]]:
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))
