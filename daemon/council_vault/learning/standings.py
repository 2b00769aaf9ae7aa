"""Where each model stands: its aggregates as stored, and what the notes must count themselves.

Shown as stored: deliberations, average rank, chairman selections, win rate, self-preference and category
ranks. Counted: the standard error of the average rank and the share of peers outranked; and everything for a
model that records have, but `model_performance` does not.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.groups import by_category
from council_vault.learning.routing import share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from council_vault.memory.schema import Deliberation, Memory, ModelPerformance

RANKED_FROM = 5
CATEGORY_RANKED_FROM = 3

_LARGEST_RANK = 1e6


class CategoryRank(msgspec.Struct, frozen=True):
    """A model's average rank in a category, and over how many deliberations, ``None`` where unknown."""

    rank: float
    count: int | None = None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One model. Rank 1 is best; rates and ``outranked`` are in 0..1; ``None`` is unknown.

    ``ranked`` counts the deliberations that ``rank`` is the mean of, ``error`` is its standard error.
    ``outranked`` is the share of the other answers that the model's own were ranked above, over the records
    in the file, a tie counting one half. ``self_preference`` is ``None`` where the model was never tested.
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


class _Tally:
    """What the records in the file say about one model."""

    __slots__ = ("biased", "categories", "chaired", "councils", "others", "outranked", "ranks", "square_sum")

    def __init__(self) -> None:
        self.councils = 0
        self.chaired = 0
        self.biased = 0
        self.ranks = 0
        self.square_sum = 0.0
        self.outranked = 0.0
        self.others = 0
        self.categories: dict[str, tuple[float, int]] = {}

    @property
    def rank_sum(self) -> float:
        return sum(total for total, _ in self.categories.values())


def standings(memory: Memory) -> list[Standing]:
    """Return every model, best rank first; those without a rank last."""
    tallies = _tallies(memory)
    performance = memory.model_performance
    found = [
        _stored(model, aggregates, tallies.get(model) or _Tally())
        for model, aggregates in performance.items()
    ]
    found.extend(_counted(model, tally) for model, tally in tallies.items() if model not in performance)
    return sorted(found, key=_order)


def category_samples(memory: Memory, contenders: Sequence[Standing]) -> dict[str, int]:
    """Return how many deliberations of each category ranked any of these models.

    Counted over the records in the file; where a model alone has more, some were removed: its count stands.
    """
    models = {standing.model for standing in contenders}
    samples: dict[str, int] = {}
    for category, group in by_category(memory).items():
        others = sum(models.isdisjoint(record.rankings) for record in group.councils)
        if others < len(group.councils):
            samples[category] = len(group.councils) - others
    for standing in contenders:
        for category, place in standing.categories.items():
            samples[category] = max(samples.get(category, 0), place.count or 0)
    return samples


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


def _tallies(memory: Memory) -> dict[str, _Tally]:
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    for category, group in by_category(memory).items():
        alike: defaultdict[tuple[float, ...], list[Deliberation]] = defaultdict(list)
        for record in group.councils:
            alike[tuple(record.rankings.values())].append(record)
        for ranks, records in alike.items():
            rankings = [record.rankings for record in records]
            if not all(map(_is_rank, ranks)):
                rankings = [
                    {model: rank for model, rank in one.items() if _is_rank(rank)} for one in rankings
                ]
            _add_ranks(category, tuple(filter(_is_rank, ranks)), rankings, tallies)
            _add_members(records, rankings, tallies)
    return tallies


def _is_rank(rank: float) -> bool:
    return 0 <= rank <= _LARGEST_RANK


def _add_ranks(
    category: str,
    ranks: tuple[float, ...],
    rankings: Sequence[Mapping[str, float]],
    tallies: dict[str, _Tally],
) -> None:
    """Add rankings of one category that have the same ranks in the same order: only the models differ."""
    below = _below(sorted(ranks))
    for rank, models in zip(ranks, zip(*rankings, strict=True), strict=True):
        for model, count in Counter(models).items():
            tally = tallies[model]
            tally.councils += count
            tally.ranks += count
            tally.square_sum += count * rank * rank
            tally.outranked += count * below[rank]
            tally.others += count * (len(ranks) - 1)
            total, ranked = tally.categories.get(category, (0.0, 0))
            tally.categories[category] = total + count * rank, ranked + count


def _add_members(
    records: Sequence[Deliberation], rankings: Sequence[Mapping[str, float]], tallies: dict[str, _Tally]
) -> None:
    """Add members that were not ranked, chairmen, and members that favoured themselves."""
    for record, ranks in zip(records, rankings, strict=True):
        members = record.models_used
        for model in set(members).difference(ranks):
            tallies[model].councils += 1
        chairman = record.chairman
        if chairman is not None and (chairman in ranks or chairman in members):
            tallies[chairman].chaired += 1
        for model, preferred in record.self_preference.items():
            if preferred and model in ranks:
                tallies[model].biased += 1


def _below(ordered: Sequence[float]) -> dict[float, float]:
    """Return how many answers each rank is above, of answers with these ranks; a tie counts one half."""
    return {
        rank: len(ordered) - bisect_right(ordered, rank) + (ordered.count(rank) - 1) / 2 for rank in ordered
    }


def _counted(model: str, tally: _Tally) -> Standing:
    return Standing(
        model=model,
        deliberations=tally.councils,
        ranked=tally.ranks,
        rank=tally.rank_sum / tally.ranks if tally.ranks else None,
        error=standard_error(tally.ranks, tally.rank_sum, tally.square_sum),
        chaired=tally.chaired,
        win_rate=tally.chaired / tally.councils,
        self_preference=tally.biased / tally.ranks if tally.ranks else None,
        self_preference_count=tally.biased,
        outranked=_outranked(tally),
        categories={
            category: CategoryRank(total / count, count)
            for category, (total, count) in tally.categories.items()
        },
    )


def _stored(model: str, stored: ModelPerformance, tally: _Tally) -> Standing:
    deliberations = max(0, stored.deliberations_participated)
    complete = deliberations == tally.councils
    ranked = sum(stored.category_counts.values()) or (tally.ranks if complete else deliberations)
    rank = stored.avg_rank if stored.avg_rank is not None and 0 <= stored.avg_rank <= _LARGEST_RANK else None
    win_rate = share(stored.win_rate)
    if win_rate is None and deliberations:
        win_rate = share(stored.chairman_selections / deliberations)
    return Standing(
        model=model,
        deliberations=deliberations,
        ranked=ranked,
        rank=rank,
        error=_stored_error(stored, rank, ranked, tally),
        chaired=max(0, stored.chairman_selections),
        win_rate=win_rate,
        self_preference=_self_preference(stored),
        self_preference_count=stored.self_preference_count,
        outranked=_outranked(tally),
        categories=_category_ranks(stored, tally),
    )


def _stored_error(stored: ModelPerformance, rank: float | None, ranked: int, tally: _Tally) -> float | None:
    """From the stored sum of squares; else from the records, where these are all that the rank is made of."""
    if rank is None:
        return None
    if stored.rank_square_sum is not None:
        return standard_error(ranked, rank * ranked, stored.rank_square_sum)
    if tally.ranks == ranked:
        return standard_error(ranked, tally.rank_sum, tally.square_sum)
    return None


def _self_preference(stored: ModelPerformance) -> float | None:
    if stored.self_preference_tested is None:
        return share(stored.self_preference_rate)
    if stored.self_preference_tested <= 0:
        return None
    rate = share(stored.self_preference_rate)
    return share(stored.self_preference_count / stored.self_preference_tested) if rate is None else rate


def _category_ranks(stored: ModelPerformance, tally: _Tally) -> dict[str, CategoryRank]:
    ranks = {}
    for category, rank in stored.category_ranks.items():
        if not 0 <= rank <= _LARGEST_RANK:
            continue
        count = stored.category_counts.get(category)
        if count is None and not stored.category_counts:
            count = tally.categories.get(category, (0.0, 0))[1]
        ranks[category] = CategoryRank(rank, count)
    return ranks


def _outranked(tally: _Tally) -> float | None:
    return tally.outranked / tally.others if tally.others else None
