"""What the router's rules rest on: the value of deliberating in a category, and how sure that is.

A category's *evidence* is what its deliberated records that have a value say: single-model answers and their
ratings say nothing about deliberating. Records that compaction removed go on counting through `Archived`.
"""

from __future__ import annotations

import math
from statistics import NormalDist, pvariance
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from council_vault.memory.schema import ArchivedCategory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from council_vault.memory.schema import Deliberation

Action = Literal["deliberate", "single_model"]
ACTIONS: dict[str, Action] = {action: action for action in get_args(Action)}

DELIBERATE_ABOVE = 0.6
SINGLE_MODEL_BELOW = 0.4
SAMPLES_FOR_A_RULE = 3
FIRM_FROM = 0.8
FIRST_REBUILD = 20
REBUILD_EVERY = 10

_UNKNOWN = 0.5  # a rate, spread or consistency that nothing is known of
_DOUBT = 0.01  # variance that one record leaves in doubt even where all records agree
_DIFFERENT_RANKS = 2  # fewer answers cannot be spread


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a category's records say about deliberating in it.

    ``count`` is of all its records, single-model answers and removed ones included; ``samples`` of the
    deliberated ones with a value. ``score`` is the value score in 0..1, ``None`` without samples;
    ``record_scores`` are those of the records in the file, each on its own.
    """

    count: int = 0
    samples: int = 0
    score: float | None = None
    record_scores: tuple[float, ...] = ()


def value_score(
    *, value: float, positive_rate: float, confidence: float, spread: float, chairman_consistency: float
) -> float:
    """Return how much deliberating is worth, 0..1; all arguments are in 0..1.

    The formula is that of the pattern memory's operation 5: the value that deliberation added weighs most,
    because ratings are sparse and confidence measures agreement.

    Args:
        value: mean of ``deliberation_value_added``.
        positive_rate: positive ratings among the rated.
        confidence: mean confidence.
        spread: mean ranking spread, normalized.
        chairman_consistency: share of the most frequent chairman.
    """
    return (
        0.35 * value
        + 0.25 * positive_rate
        + 0.20 * confidence
        + 0.10 * (1 - spread)
        + 0.10 * (1 - chairman_consistency)
    )


def strength(score: float, action: Action, record_scores: Sequence[float]) -> float:
    """Return how sure it is that ``score`` lies on the rule's side of its line, 0.5..1.

    Φ(distance / se), se = √((s² + 0.01) / n), with s² the population variance of the scores of the category's
    n records in the file. A rule's confidence, by operation 5, measures how common the category is, so
    nothing could ever act on it. Without records there is nothing to be sure by: 0.5.
    """
    distance = score - DELIBERATE_ABOVE if action == "deliberate" else SINGLE_MODEL_BELOW - score
    if not record_scores or distance <= 0:
        return 0.5
    error = math.sqrt((pvariance(record_scores) + _DOUBT) / len(record_scores))
    return NormalDist().cdf(distance / error)


def is_council(record: Deliberation) -> bool:
    """Tell whether several models answered, whatever the router had decided."""
    models = len(record.models_used) or len(record.rankings)
    return models > 1 if models else record.routing_decision != "single_model"


def ranking_spread(record: Deliberation) -> float | None:
    """Return how far the answers were apart, 0..1: as stored, else from ranks that are tied or fractional.

    Strict whole ranks carry no information about it: 0.5. ``None`` where fewer than two answers were ranked.
    """
    stored = share(record.ranking_spread)
    if stored is not None:
        return stored
    ranks = [rank for rank in record.rankings.values() if 0 <= rank <= len(record.rankings)]
    if len(ranks) < _DIFFERENT_RANKS:
        return None
    if len(set(ranks)) == len(ranks) and all(rank == int(rank) for rank in ranks):
        return _UNKNOWN
    widest = (len(ranks) ** 2 - 1) / 12  # variance of the ranks 1 to n
    return min(1.0, math.sqrt(pvariance(ranks) / widest))


def share(number: float | None) -> float | None:
    """Return a number that is in 0..1, ``None`` for any other."""
    return number if number is not None and 0 <= number <= 1 else None


def evidence(records: Iterable[Deliberation], archived: ArchivedCategory | None = None) -> Evidence:
    """Return what a category's records, and what is left of removed ones, say about deliberating in it."""
    removed = archived or ArchivedCategory()
    every = list(records)
    samples = [
        record
        for record in every
        if is_council(record) and share(record.deliberation_value_added) is not None
    ]
    count = len(samples) + removed.value.count
    if count <= 0:
        return Evidence(count=len(every) + removed.count)
    values = [record.deliberation_value_added or 0.0 for record in samples]
    confidences = [share(record.confidence) for record in samples]
    spreads = [ranking_spread(record) for record in samples]
    ratings = [_is_positive(record.user_rating) for record in samples]
    rated = sum(rating is not None for rating in ratings) + removed.rated
    positive = sum(rating is True for rating in ratings) + removed.positive
    rate = _ratio(positive, rated)
    confidence = _mean(confidences, removed.confidence.sum, removed.confidence.count)
    spread = _mean(spreads, removed.spread.sum, removed.spread.count)
    consistency = _consistency(samples, removed.chairmen)
    return Evidence(
        count=len(every) + removed.count,
        samples=count,
        score=value_score(
            value=_mean(values, removed.value.sum, removed.value.count),
            positive_rate=rate,
            confidence=confidence,
            spread=spread,
            chairman_consistency=consistency,
        ),
        record_scores=tuple(
            value_score(
                value=value,
                positive_rate=rate if rating is None else float(rating),
                confidence=confidence if own_confidence is None else own_confidence,
                spread=spread if own_spread is None else own_spread,
                chairman_consistency=consistency,
            )
            for value, rating, own_confidence, own_spread in zip(
                values, ratings, confidences, spreads, strict=True
            )
        ),
    )


def next_rebuild(total: int) -> int:
    """Return at how many deliberations the rules are rebuilt next: at 20, 30, 40 and so on."""
    return max(FIRST_REBUILD, total // REBUILD_EVERY * REBUILD_EVERY + REBUILD_EVERY)


def _is_positive(rating: str | None) -> bool | None:
    return rating == "positive" if rating in {"positive", "neutral", "negative"} else None


def _ratio(part: float, whole: float) -> float:
    ratio = share(part / whole) if whole > 0 else None
    return _UNKNOWN if ratio is None else ratio


def _mean(numbers: Sequence[float | None], other_sum: float, other_count: int) -> float:
    known = [number for number in numbers if number is not None]
    return _ratio(sum(known) + other_sum, len(known) + other_count)


def _consistency(samples: Sequence[Deliberation], removed: Mapping[str, int]) -> float:
    chairmen = dict(removed)
    for record in samples:
        if record.chairman:
            chairmen[record.chairman] = chairmen.get(record.chairman, 0) + 1
    return _ratio(max(chairmen.values(), default=0), sum(chairmen.values()))
