"""Where each model stands: its aggregates as stored, and what the notes must count themselves.

Shown as stored: deliberations, average rank, chairman selections, win rate, self-preference and category
ranks. Counted: the standard error of the average rank and the share of peers outranked; and everything for a
model that records have, but `model_performance` does not.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.completion import completed, ranked_in
from council_vault.learning.groups import by_category
from council_vault.learning.routing import share
from council_vault.learning.tallies import Tally, is_rank, tallies
from council_vault.memory.schema import ModelPerformance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from council_vault.memory.schema import Memory

RANKED_FROM = 5
CATEGORY_RANKED_FROM = 3


class CategoryRank(msgspec.Struct, frozen=True):
    """A model's average rank in a category, and over how many deliberations, ``None`` where unknown."""

    rank: float
    count: int | None = None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One model. Rank 1 is best; rates and ``outranked`` are in 0..1; ``None`` is unknown.

    ``ranked`` counts the deliberations that ``rank`` is the mean of, ``error`` is its standard error.
    ``outranked`` is the share of the other answers that the model's own were ranked above, a tie counting one
    half. ``self_preference`` is ``None`` where the model was never tested.
    """

    model: str
    deliberations: int
    ranked: int
    rank: float | None = None
    error: float | None = None
    chaired: int = 0
    win_rate: float | None = None
    self_preference: float | None = None
    self_preference_count: int = 0
    outranked: float | None = None
    categories: Mapping[str, CategoryRank] = {}

    @property
    def rankable(self) -> bool:
        """Whether there is enough to rank the model by."""
        return self.rank is not None and self.ranked >= RANKED_FROM


def standings(memory: Memory) -> list[Standing]:
    """Return every model, best rank first; those without a rank last."""
    counted = tallies(memory)
    performance = memory.model_performance
    return sorted(
        (
            _standing(model, performance.get(model, ModelPerformance()), counted.get(model) or Tally())
            for model in dict.fromkeys((*performance, *counted))
        ),
        key=_order,
    )


def category_samples(memory: Memory, contenders: Sequence[Standing]) -> dict[str, int]:
    """Return how many deliberations of each category ranked any of these models.

    Which models a removed one ranked together is not known: those of a category that ranked anybody count, as
    far as these models have ranks in them. Where a model alone has more, records have gone in another way,
    and its count stands.
    """
    models = {standing.model for standing in contenders}
    samples: Counter[str] = Counter()
    for category, group in by_category(memory).items():
        samples[category] += sum(
            any(model in models and is_rank(rank) for model, rank in record.rankings.items())
            for record in group.councils
        )
    for category, removed in memory.archived.categories.items():
        samples[category] += min(
            removed.ranked, sum(ranks.count for model, ranks in removed.ranks.items() if model in models)
        )
    for standing in contenders:
        for category, place in standing.categories.items():
            samples[category] = max(samples[category], place.count or 0)
    return {category: count for category, count in samples.items() if count > 0}


def standard_error(count: int, rank_sum: float, square_sum: float) -> float | None:
    """Return the standard error of a mean: the sample's standard deviation over the root of its size.

    ``None`` for fewer than two values, or for sums that cannot belong to the same values.
    """
    if count < 2:
        return None
    variance = (square_sum - rank_sum * rank_sum / count) / (count - 1)
    if not math.isfinite(variance) or variance < -1e-6 * max(1.0, square_sum):
        return None
    return math.sqrt(max(0.0, variance) / count)


def joint_error(first: Standing, second: Standing) -> float:
    """Return the standard error of the difference of two average ranks; an unknown error counts as none."""
    return math.hypot(first.error or 0.0, second.error or 0.0)


def _order(standing: Standing) -> tuple[float, int, str]:
    rank = math.inf if standing.rank is None else standing.rank
    return rank, -standing.deliberations, standing.model


def _standing(model: str, stored: ModelPerformance, tally: Tally) -> Standing:
    known = completed(stored, tally)
    ranked = ranked_in(known)
    rank, squares = known.avg_rank, known.rank_square_sum
    win_rate = share(known.win_rate)
    if win_rate is None and known.deliberations_participated > 0:
        win_rate = share(known.chairman_selections / known.deliberations_participated)
    return Standing(
        model=model,
        deliberations=known.deliberations_participated,
        ranked=ranked,
        rank=rank,
        error=None if rank is None or squares is None else standard_error(ranked, rank * ranked, squares),
        chaired=known.chairman_selections,
        win_rate=win_rate,
        self_preference=_self_preference(known),
        self_preference_count=known.self_preference_count,
        outranked=tally.outranked / tally.others if tally.others else None,
        categories={
            category: CategoryRank(mean, _count(category, known, tally))
            for category, mean in known.category_ranks.items()
        },
    )


def _count(category: str, known: ModelPerformance, tally: Tally) -> int | None:
    """Return how many ranks of a category are known of; the records' where no number is stored at all."""
    if known.category_counts:
        return known.category_counts.get(category)
    return tally.categories.get(category, (0.0, 0))[1]


def _self_preference(stored: ModelPerformance) -> float | None:
    if stored.self_preference_tested is None:
        return share(stored.self_preference_rate)
    if stored.self_preference_tested <= 0:
        return None
    rate = share(stored.self_preference_rate)
    return share(stored.self_preference_count / stored.self_preference_tested) if rate is None else rate
