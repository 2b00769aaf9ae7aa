"""The tables of a ledger, read whatever is missing of them: other councils keep theirs as they like."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property, partial
from typing import TYPE_CHECKING

from council_vault.briefing.ledger import index, values
from council_vault.briefing.quality import age_order

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from council_vault.briefing.cases import Prediction, Reputation, Session

_AT_ONCE = 500  # values in one query


class Tables:
    """Sessions, predictions and reputations of a database; a missing table or column is no data.

    Every method raises `sqlite3.Error` where the database cannot be read.

    Args:
        connection: to the database.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._columns: dict[str, frozenset[str]] = {}
        if not self.has_index:
            connection.text_factory = partial(str, encoding="utf-8", errors="replace")

    @cached_property
    def has_index(self) -> bool:
        """Whether this is our own ledger, with its index."""
        return {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master")} >= (
            index.TABLE_NAMES
        )

    def sessions(self, ids: Sequence[str]) -> list[Session]:
        """Return sessions by id."""
        return self._whole(self._having("council_sessions", "id", ids))

    def newest_sessions(self, limit: int) -> list[Session]:
        """Return the newest sessions, in this order; those without an id are left out."""
        columns = self._columns_of("council_sessions")
        if "id" not in columns:
            return []
        times = [name for name in ("ts", "created_at") if name in columns]
        order = f"coalesce({', '.join([*times, 'NULL'])}) DESC, id" if times else "id DESC"
        query = f"SELECT * FROM council_sessions ORDER BY {order} LIMIT ?"  # noqa: S608 - columns named above
        found = self._whole(_named(self._connection.execute(query, (limit,))))
        return sorted(found, key=lambda session: (age_order(session.time), session.id))

    def pending(self) -> Iterator[Mapping[str, object]]:
        """Yield the rows of predictions that have no outcome."""
        columns = self._columns_of("predictions")
        if not columns:
            return
        query = "SELECT * FROM predictions"
        if "status" in columns:
            query += " WHERE (lower(trim(status)) IN ('correct', 'partial', 'incorrect')) IS NOT TRUE"
        yield from _named(self._connection.execute(query))

    def reputations(self, agents: Sequence[str]) -> list[Reputation]:
        """Return what is known of these agents."""
        return [values.reputation_of(row) for row in self._having("agent_reputation", "agent", agents)]

    def _whole(self, rows: Iterable[Mapping[str, object]]) -> list[Session]:
        """Return the sessions of rows, with their predictions."""
        kept = {id_: row for row in rows if (id_ := values.text(row["id"]))}
        predictions: defaultdict[str, list[Prediction]] = defaultdict(list)
        for row in self._having("predictions", "session_id", list(kept)):
            predictions[values.text(row["session_id"])].append(values.prediction_of(row))
        return [values.session_of(row, predictions[id_]) for id_, row in kept.items()]

    def _having(self, table: str, column: str, wanted: Sequence[str]) -> Iterator[Mapping[str, object]]:
        """Yield the rows of a table that have one of these values; none where there is no such column."""
        if column not in self._columns_of(table):
            return
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            # A column without a type does not take 5 for '5'.
            numbers = (
                [] if self.has_index else [int(one) for one in some if one.isdecimal() and len(one) < 19]
            )
            query = f"SELECT * FROM {table} WHERE {column} IN ({index.marks([*some, *numbers])})"  # noqa: S608 - ours
            yield from _named(self._connection.execute(query, [*some, *numbers]))

    def _columns_of(self, table: str) -> frozenset[str]:
        if table not in self._columns:
            rows = self._connection.execute(f"PRAGMA table_info({table})")
            self._columns[table] = frozenset(row[1] for row in rows)
        return self._columns[table]


def _named(cursor: sqlite3.Cursor) -> Iterator[Mapping[str, object]]:
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))
