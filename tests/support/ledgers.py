"""A ledger of five deliberations on one matter: one came true, three did not, one is open."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from council_vault.operations import ledger as operation

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 10, 1, 12, 0, tzinfo=UTC)
DIRECTIVE = "Should we take BTC leverage risk now?"


def session(
    id_: str,
    ts: str,
    directive: str,
    verdict: str,
    confidence: float,
    *predictions: dict[str, Any],
    **more: Any,
) -> dict[str, Any]:
    """Return a session as it is handed over."""
    return {
        "id": id_,
        "ts": ts,
        "directive": directive,
        "verdict": verdict,
        "confidence": confidence,
        "predictions": list(predictions),
        **more,
    }


def prediction(id_: str, agent: str, statement: str, **more: Any) -> dict[str, Any]:
    """Return a prediction as it is handed over."""
    return {"id": id_, "agent": agent, "statement": statement, **more}


_UP = {"metric": "btc", "direction": "up", "confidence": 0.9}
SESSIONS = (
    session(
        "cs_moon",
        "2026-05-01T10:00:00Z",
        "Should we add leverage on BTC now, given the risk?",
        "YES max leverage, BTC moons",
        0.9,
        prediction("p_moon", "Forecaster", "BTC rallies hard", invalidation="below 58k", **_UP),
        participants=["Analyst", "Forecaster"],
    ),
    session(
        "cs_double",
        "2026-06-01T10:00:00Z",
        "How much leverage risk on a BTC position?",
        "Double the BTC leverage",
        0.85,
        prediction("p_double", "Forecaster", "BTC breaks out", invalidation="below 60k", **_UP),
        participants=["Analyst", "Forecaster"],
    ),
    session(
        "cs_keep",
        "2026-07-01T10:00:00Z",
        "BTC leverage before the earnings season: what risk?",
        "Keep leverage, BTC goes up",
        0.8,
        prediction("p_keep", "Forecaster", "BTC at 90k", **_UP),
        participants=["Strategist", "Forecaster"],
    ),
    session(
        "cs_phase",
        "2026-08-01T10:00:00Z",
        "Phase in a leverage position, with a hedge against risk?",
        "Phase in, keep a hedge",
        0.75,
        prediction("p_phase", "Skeptic", "Drawdown stays under 10%", confidence=0.7),
        participants=["Strategist", "Skeptic"],
        evidence_summary="data_gaps: ['funding rates']",
    ),
    session(
        "cs_options",
        "2026-09-01T10:00:00Z",
        "Leverage on options instead of BTC?",
        "Try spreads first",
        0.6,
        prediction("p_options", "Executor", "Spreads cost less", horizon_days=180),
    ),
)
OUTCOMES = {"p_moon": "incorrect", "p_double": "incorrect", "p_keep": "incorrect", "p_phase": "correct"}


def write_ledger(path: Path, *more: dict[str, Any]) -> None:
    """Make the ledger, with more sessions if given."""
    for one in (*SESSIONS, *more):
        operation.add(path, json.loads(json.dumps(one)), NOW)
    for id_, outcome in OUTCOMES.items():
        operation.resolve(path, id_, outcome, NOW)
