"""The ledger: deliberations with their predictions, what came of these, and the agents' reputation.

It is an SQLite database with the table and column names that other councils use, and an index of our own.
"""

from __future__ import annotations

import json
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, Self

import msgspec

from council_vault.briefing.cases import Reputation
from council_vault.briefing.ledger import index, values
from council_vault.briefing.ledger.files import open_to_read, open_to_write, reading
from council_vault.briefing.ledger.given import HORIZONS
from council_vault.briefing.reputation import PARTICIPANT, PREDICTOR, with_outcome
from council_vault.errors import InputError, LedgerUnreadable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from council_vault.briefing.ledger.given import GivenPrediction, GivenSession

Outcome = Literal["correct", "partial", "incorrect"]

_TABLES = """
CREATE TABLE IF NOT EXISTS council_sessions (
    id TEXT PRIMARY KEY, ts REAL NOT NULL, directive TEXT NOT NULL, participants TEXT NOT NULL,
    verdict TEXT NOT NULL, confidence REAL, evidence_summary TEXT NOT NULL, dissent_summary TEXT NOT NULL,
    model TEXT NOT NULL, created_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS predictions (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES council_sessions (id), agent TEXT NOT NULL,
    statement TEXT NOT NULL, metric TEXT NOT NULL, direction TEXT NOT NULL, invalidation TEXT NOT NULL,
    confidence REAL, status TEXT NOT NULL, participants TEXT NOT NULL, made_at REAL NOT NULL,
    due_7 REAL, due_30 REAL, due_90 REAL, due_180 REAL, evaluated_at REAL
);
CREATE INDEX IF NOT EXISTS predictions_of_sessions ON predictions (session_id);
CREATE TABLE IF NOT EXISTS agent_reputation (
    agent TEXT PRIMARY KEY, wins REAL NOT NULL, losses REAL NOT NULL, draws REAL NOT NULL,
    accuracy_rate REAL, alpha REAL NOT NULL, beta REAL NOT NULL, brier_sum REAL NOT NULL,
    brier_n REAL NOT NULL, calibration REAL, last_outcome_at REAL
);
"""


class ListedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session as it is listed: ``graded`` of its ``predictions`` have an outcome, accuracy is in 0..1."""

    id: str
    time: datetime | None
    directive: str
    verdict: str
    predictions: int
    graded: int
    accuracy: float | None


class DuePrediction(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction that can be looked at: since when, and after how many days that was to be."""

    id: str
    session: str
    agent: str
    statement: str
    since: datetime
    horizon_days: int


class Ledger:
    """Our own ledger.

    Every method raises `LedgerUnreadable` where the database cannot be used.

    Args:
        connection: to the database.
        path: where it is.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Self]:
        """Open the ledger to change it; it is made where there is none.

        Raises:
            LedgerUnreadable: it cannot be opened, or is that of another program.
        """
        with closing(open_to_write(path)) as connection, reading(path):
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            if "council_sessions" in tables and "indexed_sessions" not in tables:
                raise LedgerUnreadable(
                    "this is another program's ledger, which is only read",
                    where=path,
                    remedy="Name a file of your own with --ledger or the setting brief.ledger",
                )
            connection.executescript(_TABLES + index.TABLES)
            yield cls(connection, path)

    def add(self, session: GivenSession, now: datetime) -> bool:
        """Keep a session with its predictions; say whether it is new.

        Raises:
            InputError: another session or prediction has that id.
        """
        with self._change():
            standing = self._row("council_sessions", session.id)
            if standing is not None:
                if (standing["directive"], standing["verdict"]) == (session.directive, session.verdict):
                    return False
                raise InputError(f"another session has the id {session.id}", where="id")
            self._connection.execute(
                "INSERT INTO council_sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    session.id,
                    session.time.timestamp(),
                    session.directive,
                    _json(session.participants),
                    session.verdict,
                    session.confidence,
                    session.evidence_summary,
                    session.dissent_summary,
                    session.model,
                    now.timestamp(),
                ),
            )
            for place, given in enumerate(session.predictions):
                if self._row("predictions", given.prediction.id) is not None:
                    where = f"predictions[{place}].id"
                    raise InputError(f"another prediction has the id {given.prediction.id}", where=where)
                self._insert(given, session)
            index.add(self._connection, session.id, session.time, session.directive, session.verdict)
        return True

    def resolve(self, prediction_id: str, outcome: Outcome, now: datetime) -> tuple[Reputation, ...]:
        """Set what came of a prediction; return the reputations that follow, the predictor's first.

        Raises:
            InputError: there is no such prediction, or it has another outcome already.
        """
        with self._change():
            row = self._row("predictions", prediction_id)
            if row is None:
                raise InputError(
                    f"there is no prediction {prediction_id}",
                    where="id",
                    remedy="`council-vault ledger due` and `council-vault ledger list` show them",
                )
            prediction = values.prediction_of(row)
            if prediction.status == outcome:
                return ()
            if prediction.status != "pending":
                raise InputError(f"{prediction_id} is {prediction.status} already", where="id")
            self._connection.execute(
                "UPDATE predictions SET status = ?, evaluated_at = ? WHERE id = ?",
                (outcome, now.timestamp(), prediction_id),
            )
            graded = msgspec.structs.replace(prediction, status=outcome)
            session = self._row("council_sessions", values.text(row["session_id"])) or {}
            present = (*prediction.participants, *values.names(session.get("participants")))
            others = [agent for agent in dict.fromkeys(present) if agent != prediction.agent]
            grade = graded.grade or 0.0
            return (
                self._learn(prediction.agent, grade, prediction.confidence, now, PREDICTOR),
                *(self._learn(agent, grade, None, now, PARTICIPANT) for agent in others),
            )

    def _learn(
        self, agent: str, grade: float, confidence: float | None, now: datetime, weight: float
    ) -> Reputation:
        row = self._row("agent_reputation", agent, column="agent")
        before = values.reputation_of(row) if row else Reputation(agent=agent)
        after = with_outcome(before, grade, confidence, now, weight)
        self._connection.execute(
            "INSERT OR REPLACE INTO agent_reputation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                agent,
                after.wins,
                after.losses,
                after.draws,
                after.accuracy_rate,
                after.alpha,
                after.beta,
                after.brier_sum,
                after.brier_n,
                after.calibration,
                after.last_outcome_at.timestamp() if after.last_outcome_at else None,
            ),
        )
        return after

    def _insert(self, given: GivenPrediction, session: GivenSession) -> None:
        prediction, made = given.prediction, session.time
        due = [
            (made + timedelta(days=days)).timestamp() if days in given.horizons else None for days in HORIZONS
        ]
        self._connection.execute(
            f"INSERT INTO predictions VALUES ({', '.join('?' * 16)})",  # noqa: S608 - marks alone
            (
                prediction.id,
                session.id,
                prediction.agent,
                prediction.statement,
                prediction.metric,
                prediction.direction,
                prediction.invalidation,
                prediction.confidence,
                prediction.status,
                _json(prediction.participants),
                made.timestamp(),
                *due,
                None,
            ),
        )

    def _row(self, table: str, value: str, column: str = "id") -> dict[str, object] | None:
        cursor = self._connection.execute(f"SELECT * FROM {table} WHERE {column} = ?", (value,))  # noqa: S608 - ours
        names = [description[0] for description in cursor.description]
        row = cursor.fetchone()
        return None if row is None else dict(zip(names, row, strict=True))

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Make all of a change or none of it."""
        with reading(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def listed(path: Path, limit: int) -> tuple[ListedSession, ...]:
    """Return the newest sessions of a ledger.

    Raises:
        LedgerUnreadable: it cannot be read.
    """
    query = """
        SELECT s.id, s.ts, s.directive, s.verdict, count(p.id) AS predictions,
            count(CASE WHEN p.status IN ('correct', 'partial', 'incorrect') THEN 1 END) AS graded,
            avg(CASE p.status WHEN 'correct' THEN 1.0 WHEN 'partial' THEN 0.5 WHEN 'incorrect' THEN 0.0 END)
                AS accuracy
        FROM council_sessions AS s LEFT JOIN predictions AS p ON p.session_id = s.id
        GROUP BY s.id ORDER BY s.ts DESC, s.id LIMIT ?
    """
    with closing(open_to_read(path)) as connection, reading(path):
        return tuple(
            ListedSession(
                id=id_,
                time=values.when({"ts": ts}),
                directive=directive,
                verdict=verdict,
                predictions=predictions,
                graded=graded,
                accuracy=share,
            )
            for id_, ts, directive, verdict, predictions, graded, share in connection.execute(query, (limit,))
        )


def due(path: Path, now: datetime) -> tuple[DuePrediction, ...]:
    """Return the pending predictions of a ledger whose first horizon has passed, the longest due first.

    Raises:
        LedgerUnreadable: it cannot be read.
    """
    query = "SELECT * FROM predictions WHERE status = 'pending'"
    found = []
    with closing(open_to_read(path)) as connection, reading(path):
        cursor = connection.execute(query)
        names = [description[0] for description in cursor.description]
        for record in cursor:
            row = dict(zip(names, record, strict=True))
            passed = [(at, days) for days in HORIZONS if (at := row[f"due_{days}"]) and at <= now.timestamp()]
            if passed:
                found.append(_due(row, *min(passed)))
    return tuple(sorted(found, key=lambda one: (one.since, one.id)))


def _due(row: Mapping[str, object], at: float, days: int) -> DuePrediction:
    return DuePrediction(
        id=values.text(row["id"]),
        session=values.text(row["session_id"]),
        agent=values.text(row["agent"]),
        statement=values.text(row["statement"]),
        since=datetime.fromtimestamp(at, UTC),
        horizon_days=days,
    )


def _json(names: tuple[str, ...]) -> str:
    return json.dumps(names, ensure_ascii=False)
