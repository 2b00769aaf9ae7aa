"""Sessions, predictions and reputations as rows of a database that other councils may have written.

Nothing here raises for a bad value: a number that is none is not known, a list that cannot be read is empty.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from council_vault.briefing.cases import Prediction, Reputation, Session
from council_vault.memory.numbers import number_in
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

_STATUSES = {"pending", "correct", "partial", "incorrect"}


def session_of(row: Mapping[str, object], predictions: Sequence[Prediction]) -> Session:
    """Return the session of a row of ``council_sessions``, with its predictions."""
    return Session(
        id=text(row.get("id")),
        time=when(row),
        directive=text(row.get("directive")),
        verdict=text(row.get("verdict")),
        participants=names(row.get("participants")),
        confidence=share(row.get("confidence")),
        evidence_summary=text(row.get("evidence_summary")),
        dissent_summary=text(row.get("dissent_summary")),
        predictions=tuple(predictions),
    )


def prediction_of(row: Mapping[str, object]) -> Prediction:
    """Return the prediction of a row of ``predictions``."""
    status = text(row.get("status")).strip().casefold()
    return Prediction(
        id=text(row.get("id")),
        agent=text(row.get("agent")),
        statement=text(row.get("statement")),
        metric=text(row.get("metric")),
        direction=text(row.get("direction")),
        invalidation=text(row.get("invalidation")),
        confidence=share(row.get("confidence")),
        status=status if status in _STATUSES else "pending",
        participants=names(row.get("participants")),
    )


def reputation_of(row: Mapping[str, object]) -> Reputation:
    """Return the reputation of a row of ``agent_reputation``.

    Where it has no parameters of the Beta distribution, they follow from the counts.
    """
    wins, losses, draws = (_amount(row.get(name), 0.0) for name in ("wins", "losses", "draws"))
    brier_sum, brier_n = _amount(row.get("brier_sum"), 0.0), _amount(row.get("brier_n"), 0.0)
    calibration = share(row.get("calibration"))
    if calibration is None and brier_n:
        calibration = share(1 - brier_sum / brier_n)
    return Reputation(
        agent=text(row.get("agent")),
        wins=wins,
        losses=losses,
        draws=draws,
        accuracy_rate=share(row.get("accuracy_rate")),
        alpha=_amount(row.get("alpha"), 1 + wins + draws / 2),
        beta=_amount(row.get("beta"), 1 + losses + draws / 2),
        brier_sum=brier_sum,
        brier_n=brier_n,
        calibration=calibration if brier_n or "brier_n" not in row else None,
        last_outcome_at=moment(row.get("last_outcome_at")),
    )


def when(row: Mapping[str, object]) -> datetime | None:
    """Return when a session was: ``ts``, else ``created_at``."""
    return moment(row.get("ts")) or moment(row.get("created_at"))


def text(value: object) -> str:
    """Return a text; a number as it is written, and nothing for anything else."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def share(value: object) -> float | None:
    """Return a number in 0..1, ``None`` for anything else."""
    number = number_in(value)
    return number if number is not None and 0 <= number <= 1 else None


def names(value: object) -> tuple[str, ...]:
    """Return the names in a JSON list, each once, or in a text with commas."""
    items: object = value
    if isinstance(value, (str, bytes)):
        try:
            items = json.loads(value)
        except (ValueError, RecursionError):
            written = text(value)
            items = [] if "[" in written or "{" in written else written.split(",")
    if not isinstance(items, list):
        items = [items]
    found = (text(item.get("name")) if isinstance(item, dict) else text(item) for item in items)
    return tuple(dict.fromkeys(name.strip() for name in found if name.strip()))


def _amount(value: object, unknown: float) -> float:
    number = number_in(value)
    return unknown if number is None or number < 0 else number
