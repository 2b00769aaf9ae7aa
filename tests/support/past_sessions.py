"""Past deliberations to make briefs from: in memory, or in a real ledger."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

from council_vault.briefing.cases import Case, Prediction, Session
from council_vault.briefing.ledger.files import open_to_read
from council_vault.briefing.ledger.given import read_session
from council_vault.briefing.ledger.recall import LedgerRecall
from council_vault.briefing.ledger.store import Ledger
from council_vault.briefing.quality import calibration, candidate_of

NOW = datetime(2026, 6, 14, 1, 20, tzinfo=UTC)


def days_ago(days):
    return NOW - timedelta(days=days)


def predicted(status="pending", **fields):
    """Return a prediction; it says nothing but what is given."""
    return Prediction(
        **{"id": "p", "agent": "Forecaster", "statement": "It rises", "status": status} | fields
    )


def past(id_, directive, *, days=30, accuracy=None, verdict="", confidence=None, **fields):
    """Return a session so many days ago, rated as given."""
    return Session(
        id=id_,
        time=None if days is None else days_ago(days),
        directive=directive,
        verdict=verdict,
        confidence=confidence,
        **{"rating": accuracy} | fields,
    )


def case_of(session, validity="UNKNOWN", matched=()):
    """Return a case of that validity, whatever the session says."""
    return Case(
        session=session,
        validity=validity,
        accuracy=session.accuracy,
        calibration=calibration(session.confidence, session.accuracy),
        similarity=0.5,
        terms=candidate_of(session).terms,
        matched=tuple(matched),
    )


def write_ledger(path, documents, outcomes=()):
    """Write sessions, given as JSON has them, and what came of their predictions, into a ledger."""
    with Ledger.open(path) as ledger:
        for document in documents:
            ledger.add(read_session(document, NOW), NOW)
        for prediction, outcome in outcomes:
            ledger.resolve(prediction, outcome, NOW)
    return path


@contextmanager
def recalling(path):
    """Open a database to recall from."""
    with closing(open_to_read(path)) as connection:
        yield LedgerRecall(connection, path)


def execute(path, *statements):
    """Execute SQL as another program would."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return [connection.execute(*statement).fetchall() for statement in statements]


DIRECTIVE = "Should we raise leverage, take more risk and hedge BTC?"
"""What the sample of a brief is about."""

_CALLS = (
    ("cs_1", 40, "Size of the leverage, with the risk in BTC", "YES max leverage, BTC moons", 0.9),
    ("cs_2", 30, "Double the leverage overnight", "Go all in with borrowed money", 0.9),
    ("cs_3", 20, "Leverage at the end of the quarter", "Stay as long as it climbs", 0.75),
)


def sample_ledger(path):
    """Write the five sessions and the reputation from which the sample of a brief follows."""
    wrong = [
        {
            "id": id_,
            "ts": days_ago(days).timestamp(),
            "directive": directive,
            "verdict": verdict,
            "confidence": confidence,
            "participants": ["Analyst", "Forecaster"],
            "predictions": [
                {
                    "id": f"{id_}_p",
                    "agent": "Forecaster",
                    "statement": "BTC rallies hard",
                    "metric": "btc",
                    "direction": "up",
                    "invalidation": "below 58k",
                    "confidence": 0.95,
                }
            ],
        }
        for id_, days, directive, verdict, confidence in _CALLS
    ]
    right = {
        "id": "cs_4",
        "ts": days_ago(25).timestamp(),
        "directive": "How to enter equities",
        "verdict": "Phase in, keep a hedge",
        "confidence": 0.75,
        "predictions": [{"id": "cs_4_p", "agent": "Skeptic", "statement": "The drawdown stays small"}],
    }
    untested = {
        "id": "cs_5",
        "ts": days_ago(5).timestamp(),
        "directive": "Raise the cash buffer",
        "verdict": "Wait for the report",
        "confidence": 0.6,
    }
    outcomes = [(f"{id_}_p", "incorrect") for id_, *_ in _CALLS]
    write_ledger(path, [*wrong, right, untested], [*outcomes, ("cs_4_p", "correct")])
    execute(
        path,
        ("DELETE FROM agent_reputation",),
        (
            "INSERT INTO agent_reputation VALUES ('Forecaster', 0, 3, 0, 0.0, 1.0, ?, 2.7, 3, 0.1, ?)",
            (1 / 0.18 - 1, NOW.timestamp()),
        ),
    )
    return path
