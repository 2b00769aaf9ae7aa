"""The ledger: deliberations with their predictions, what came of these, and the agents' reputation.

It is an SQLite database with the table and column names that other councils use, and an index of our own.
"""

from __future__ import annotations

import json
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, Self

import msgspec

from council_vault.briefing.cases import Reputation
from council_vault.briefing.ledger import index, values
from council_vault.briefing.ledger.files import open_to_write, reading
from council_vault.briefing.ledger.given import HORIZONS
from council_vault.briefing.ledger.tables import Tables
from council_vault.briefing.reputation import PARTICIPANT, PREDICTOR, with_outcome
from council_vault.errors import InputError, LedgerUnreadable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from council_vault.briefing.cases import Session
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
CREATE INDEX IF NOT EXISTS predictions_of_sessions ON predictions (session_id, status);
CREATE TABLE IF NOT EXISTS agent_reputation (
    agent TEXT PRIMARY KEY, wins REAL NOT NULL, losses REAL NOT NULL, draws REAL NOT NULL,
    accuracy_rate REAL, alpha REAL NOT NULL, beta REAL NOT NULL, brier_sum REAL NOT NULL,
    brier_n REAL NOT NULL, calibration REAL, last_outcome_at REAL
);
"""


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
            if tables and not tables >= index.TABLE_NAMES:
                raise LedgerUnreadable(
                    "this is another program's database, which is only read",
                    where=path,
                    remedy="Name a file of your own with --ledger or the setting brief.ledger",
                )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            if not tables:
                connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {index.TABLES} COMMIT;")
            yield cls(connection, path)

    def add(self, session: GivenSession, now: datetime) -> bool:
        """Keep a session with its predictions; say whether it is new.

        Raises:
            InputError: another session or prediction has that id.
        """
        with self._change():
            for standing in Tables(self._connection).sessions([session.id]):
                if _said(standing) == _said(session.as_session()):
                    return False
                raise InputError(f"another session has the id {session.id}", where="id")
            self._insert("council_sessions", (*_row_of(session), now.timestamp()))
            for place, given in enumerate(session.predictions):
                if self._row("predictions", given.prediction.id) is not None:
                    where = f"predictions[{place}].id"
                    raise InputError(f"another prediction has the id {given.prediction.id}", where=where)
                self._insert("predictions", (*_prediction_row(session, given), None))
            index.add(self._connection, session.as_session(), session.time)
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
                    remedy="`council-vault ledger due --all` lists those without an outcome",
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
        self._insert(
            "agent_reputation",
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

    def _insert(self, table: str, row: Sequence[object]) -> None:
        query = f"INSERT OR REPLACE INTO {table} VALUES ({index.marks(row)})"  # noqa: S608 - ours
        self._connection.execute(query, row)

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
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _said(session: Session) -> Session:
    """Return what was said in a session, without what came of it."""
    pending = (msgspec.structs.replace(one, status="pending") for one in session.predictions)
    by_id = tuple(sorted(pending, key=lambda one: one.id))
    return msgspec.structs.replace(session, time=None, predictions=by_id)


def _row_of(session: GivenSession) -> tuple[object, ...]:
    return (
        session.id,
        session.time.timestamp(),
        session.directive,
        _json(session.participants),
        session.verdict,
        session.confidence,
        session.evidence_summary,
        session.dissent_summary,
        session.model,
    )


def _prediction_row(session: GivenSession, given: GivenPrediction) -> tuple[object, ...]:
    prediction, made = given.prediction, session.time
    due = [(made + timedelta(days=days)).timestamp() if days in given.horizons else None for days in HORIZONS]
    return (
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
    )


def _json(names: Sequence[str]) -> str:
    return json.dumps(names, ensure_ascii=False)
