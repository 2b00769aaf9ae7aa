"""Stored aggregates of a model, completed from the records as far as these are all that they are made of.

Agents keep aggregates without the fields that a running mean needs, forget some, or write what cannot be.
Whatever is stored and can be understood stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.tallies import is_rank

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.learning.tallies import Tally
    from council_vault.memory.schema import ModelPerformance


def is_complete(stored: ModelPerformance) -> bool:
    """Whether a running mean can go on from stored aggregates without a look at the records."""
    ranks, counts = stored.category_ranks, stored.category_counts
    return (
        stored.deliberations_participated > 0
        and _rank(stored.avg_rank) == stored.avg_rank
        and (stored.avg_rank is None) == (not counts)
        and stored.rank_square_sum is not None
        and stored.self_preference_tested is not None
        and bool(stored.win_rate) == bool(stored.chairman_selections)
        and bool(stored.self_preference_rate) == bool(stored.self_preference_count)
        and ranks.keys() == counts.keys()
        and all(map(is_rank, ranks.values()))
        and all(count > 0 for count in counts.values())
    )


def completed(stored: ModelPerformance, tally: Tally) -> ModelPerformance:
    """Return a model's aggregates with what is missing taken from what its records say.

    Where the stored number of deliberations is not theirs, some of them are gone or were never counted; then
    only ranks that are not stored are taken from them, and what cannot be known stays ``None`` or empty. A
    sum of squares belongs to an average rank over as many ranks as the records have.
    """
    if is_complete(stored):
        return stored
    whole = stored.deliberations_participated <= 0 or stored.deliberations_participated == tally.councils
    given = {category: rank for category, rank in stored.category_ranks.items() if is_rank(rank)}
    counts = {category: count for category, count in stored.category_counts.items() if count > 0}
    ranks = dict(given)
    counted, rank = bool(counts), _rank(stored.avg_rank)
    for category, (total, count) in tally.categories.items():
        if category not in given:
            ranks[category] = total / count
        if (counted and category not in given) or ((whole or rank is None) and not counted):
            counts[category] = count
    found = msgspec.structs.replace(
        stored,
        avg_rank=_mean(ranks, counts) if rank is None else rank,
        chairman_selections=max(0, stored.chairman_selections),
        self_preference_count=max(0, stored.self_preference_count),
        category_ranks=ranks,
        category_counts=counts,
    )
    if whole:
        found = _from_records(found, tally)
    if found.rank_square_sum is None and tally.ranks == ranked_in(found):
        found = msgspec.structs.replace(found, rank_square_sum=tally.square_sum)
    return found


def ranked_in(aggregates: ModelPerformance) -> int:
    """Return how many deliberations the average rank is the mean of: all, where no category's is known."""
    if aggregates.avg_rank is None:
        return 0
    return sum(aggregates.category_counts.values()) or max(0, aggregates.deliberations_participated)


def _from_records(found: ModelPerformance, tally: Tally) -> ModelPerformance:
    """Take what is missing from records that are all there are; each that ranked the model was a test."""
    tested = found.self_preference_tested
    return msgspec.structs.replace(
        found,
        deliberations_participated=tally.councils,
        chairman_selections=found.chairman_selections or tally.chaired,
        self_preference_count=found.self_preference_count or tally.biased,
        self_preference_tested=tally.ranks if tested is None and tally.councils else tested,
    )


def _rank(rank: float | None) -> float | None:
    return rank if rank is not None and is_rank(rank) else None


def _mean(ranks: Mapping[str, float], counts: Mapping[str, int]) -> float | None:
    """Return the average rank that the categories of known number give."""
    known = [category for category in ranks if counts.get(category)]
    if not known:
        return None
    total = sum(ranks[category] * counts[category] for category in known)
    return total / sum(counts[category] for category in known)
