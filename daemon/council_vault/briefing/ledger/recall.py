"""Past deliberations in a SQLite database: our own ledger, or that of another council, which is only read."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from council_vault.briefing.cases import Candidate
from council_vault.briefing.ledger import index
from council_vault.briefing.ledger.files import reading
from council_vault.briefing.ledger.tables import Tables
from council_vault.briefing.quality import MOST_TERMS
from council_vault.briefing.recall import HeldSessions

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from council_vault.briefing.cases import Reputation, Session

WITHOUT_INDEX = 2000
"""Sessions of a database without our index that are looked at: its newest."""

# What the types of columns promise is not believed of a file that may be damaged.
_CANDIDATES = """
    SELECT moment, CASE WHEN typeof(at) = 'integer' THEN at ELSE moment END,
        CAST(session_id AS TEXT), CAST(terms AS TEXT), CAST(ground AS TEXT),
        CASE WHEN confidence BETWEEN 0 AND 1 THEN confidence END,
        (SELECT avg(CASE status WHEN 'correct' THEN 1.0 WHEN 'partial' THEN 0.5 WHEN 'incorrect' THEN 0.0 END)
            FROM predictions WHERE predictions.session_id = indexed_sessions.session_id)
    FROM indexed_sessions
    WHERE moment IN ({}) AND session_id IS NOT NULL AND terms IS NOT NULL AND ground IS NOT NULL
"""


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
        with reading(path):
            self._tables = Tables(connection)

    def candidates(self, terms: Sequence[str], limit: int) -> Sequence[Candidate]:
        """See `Recall.candidates`."""
        if self._held is not None:
            return self._held.candidates(terms, limit)
        with reading(self._path):
            rows: dict[int, None] = {}
            for term in index.rarest_first(self._connection, "term_counts", terms)[:MOST_TERMS]:
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
                rows = index.newer_than(self._connection, row, limit)
            else:
                after = index.row_at(than.time) + 1
                rows = list(
                    islice(index.on_ground(self._connection, than.ground, after, index.LAST_ROW), limit)
                )
            found = self._candidates(rows)
        # Sessions of the same time have rows of their own.
        return [one for one in found if than.time is None or one.time is None or one.time > than.time]

    def sessions(self, ids: Sequence[str]) -> Mapping[str, Session]:
        """See `Recall.sessions`."""
        if self._held is not None:
            return self._held.sessions(ids)
        with reading(self._path):
            return {session.id: session for session in self._tables.sessions(ids)}

    def reputations(self, agents: Collection[str]) -> Mapping[str, Reputation]:
        """See `Recall.reputations`."""
        with reading(self._path):
            return {one.agent: one for one in self._tables.reputations(sorted(agents))}

    @cached_property
    def _held(self) -> HeldSessions | None:
        """The newest sessions of a database that has no index, ``None`` for one that has."""
        with reading(self._path):
            if self._tables.has_index:
                return None
            return HeldSessions(self._tables.newest_sessions(WITHOUT_INDEX), {})

    def _candidates(self, rows: Sequence[int]) -> list[Candidate]:
        """Return what stands in rows of the index, in their order."""
        if not rows:
            return []
        found = {}
        for row, at, id_, terms, ground, confidence, correct in self._connection.execute(
            _CANDIDATES.format(index.marks(rows)), rows
        ):
            self._rows[id_] = row
            found[row] = Candidate(
                id=id_,
                time=index.time_at(at),
                terms=terms.split(),
                ground_words=ground,
                confidence=confidence,
                accuracy=correct,
            )
        return [found[row] for row in rows if row in found]
