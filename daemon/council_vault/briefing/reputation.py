"""An agent's reputation: what each outcome of its predictions does to it (pure).

Skill is a Beta distribution that starts at Beta(1, 1) and forgets: what was learned counts for half after 90
days. Calibration is one minus the Brier score of the confidences that were stated.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.briefing.cases import Reputation

HALF_LIFE = timedelta(days=90)
PREDICTOR, PARTICIPANT = 1.0, 0.5
"""The weight of an outcome for the agent who made the prediction, and for those who only took part."""


def with_outcome(
    reputation: Reputation, grade: float, confidence: float | None, at: datetime, weight: float = PREDICTOR
) -> Reputation:
    """Return the reputation after one more outcome.

    Args:
        reputation: as it was.
        grade: 1 for correct, 0.5 for partial, 0 for incorrect.
        confidence: what the agent itself had stated, 0..1; ``None`` where it had stated nothing.
        at: when the outcome became known.
        weight: how much it counts, 0..1.
    """
    kept = _kept(reputation.last_outcome_at, at)
    wins = reputation.wins + weight * (grade == 1)
    losses = reputation.losses + weight * (grade == 0)
    draws = reputation.draws + weight * (0 < grade < 1)
    brier_sum, brier_n = reputation.brier_sum, reputation.brier_n
    if confidence is not None:
        brier_sum, brier_n = brier_sum + (confidence - grade) ** 2, brier_n + 1
    last = reputation.last_outcome_at
    return msgspec.structs.replace(
        reputation,
        wins=wins,
        losses=losses,
        draws=draws,
        accuracy_rate=(wins + draws / 2) / (wins + losses + draws),
        alpha=1 + (reputation.alpha - 1) * kept + weight * grade,
        beta=1 + (reputation.beta - 1) * kept + weight * (1 - grade),
        brier_sum=brier_sum,
        brier_n=brier_n,
        calibration=1 - brier_sum / brier_n if brier_n else None,
        last_outcome_at=at if last is None else max(last, at),
    )


def _kept(last: datetime | None, at: datetime) -> float:
    """Return the share of what was learned that is left since the last outcome."""
    return 1.0 if last is None or at <= last else 0.5 ** ((at - last) / HALF_LIFE)
