"""What the router's rules rest on: the value of deliberating in a category, and how sure that is.

A category's *evidence* is what its deliberated records that have a value say: single-model answers and their
ratings say nothing about deliberating. Records that compaction removed go on counting through `Archived`.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from council_vault.memory.schema import ArchivedCategory, Sum

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from council_vault.learning.groups import Group
    from council_vault.memory.schema import Deliberation

Action = Literal["deliberate", "single_model"]
ACTIONS: dict[str, Action] = {action: action for action in get_args(Action)}

DELIBERATE_ABOVE = 0.6
SINGLE_MODEL_BELOW = 0.4
SAMPLES_FOR_A_RULE = 3
FIRM_FROM = 0.8
FIRST_REBUILD = 20
REBUILD_EVERY = 10

_POSITIVE: Mapping[str | None, float] = {"positive": 1.0, "neutral": 0.0, "negative": 0.0}
_UNKNOWN = 0.5  # a rate, spread or consistency that nothing is known of
_DOUBT = 0.01  # variance that one record leaves in doubt even where all records agree
_DIGITS = 12  # of a score: the order in which records are added up must not carry it over a line
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
    value: float, positive_rate: float, confidence: float, spread: float, chairman_consistency: float
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
    error = math.sqrt((_variance(record_scores) + _DOUBT) / len(record_scores))
    return (1 + math.erf(distance / error / math.sqrt(2))) / 2


def ranking_spread(record: Deliberation) -> float | None:
    """Return how far the answers were apart, 0..1: as stored, else from ranks that are tied or fractional.

    Strict whole ranks carry no information about it: 0.5. ``None`` where fewer than two answers were ranked.
    """
    stored = share(record.ranking_spread)
    return _spread(tuple(sorted(record.rankings.values()))) if stored is None else stored


@lru_cache(maxsize=1024)  # most councils give out the same ranks
def _spread(places: tuple[float, ...]) -> float | None:
    ranks = [rank for rank in places if 0 <= rank <= len(places)]
    if len(ranks) < _DIFFERENT_RANKS:
        return None
    if len(set(ranks)) == len(ranks) and all(rank == int(rank) for rank in ranks):
        return _UNKNOWN
    widest = (len(ranks) ** 2 - 1) / 12  # variance of the ranks 1 to n
    return min(1.0, math.sqrt(_variance(ranks) / widest))


def share(number: float | None) -> float | None:
    """Return a number that is in 0..1, ``None`` for any other."""
    return number if number is not None and 0 <= number <= 1 else None


def evidence(group: Group, archived: ArchivedCategory | None = None) -> Evidence:
    """Return what a category's records, and what is left of removed ones, say about deliberating in it."""
    removed = archived or ArchivedCategory()
    every = len(group.councils) + len(group.answers) + removed.count
    samples = samples_in(group)
    count = len(samples) + removed.value.count
    if count <= 0:
        return Evidence(count=every)
    values = [record.deliberation_value_added or 0.0 for record in samples]
    ratings = [_POSITIVE.get(record.user_rating) for record in samples]
    confidences = [share(record.confidence) for record in samples]
    spreads = [ranking_spread(record) for record in samples]
    rate = _mean(ratings, removed.positive, removed.rated)
    confidence = _mean(confidences, removed.confidence.sum, removed.confidence.count)
    spread = _mean(spreads, removed.spread.sum, removed.spread.count)
    consistency = _consistency(samples, removed.chairmen)
    score = value_score(
        value=_mean(values, removed.value.sum, removed.value.count),
        positive_rate=rate,
        confidence=confidence,
        spread=spread,
        chairman_consistency=consistency,
    )
    each = map(
        value_score,
        values,
        _filled(ratings, rate),
        _filled(confidences, confidence),
        _filled(spreads, spread),
        repeat(consistency),
    )
    return Evidence(count=every, samples=count, score=round(score, _DIGITS), record_scores=tuple(each))


def samples_in(group: Group) -> list[Deliberation]:
    """Return the records of a category that say something about deliberating in it."""
    return [record for record in group.councils if share(record.deliberation_value_added) is not None]


def with_removed(archived: ArchivedCategory, group: Group) -> ArchivedCategory:
    """Return what is left of a category's removed records once those of a group are removed as well.

    Of what evidence rests on; costs and ranks stay as they are.
    """
    samples = samples_in(group)
    ratings = [known for record in samples if (known := _POSITIVE.get(record.user_rating)) is not None]
    chairmen = Counter(archived.chairmen)
    chairmen.update(record.chairman for record in samples if record.chairman)
    return msgspec.structs.replace(
        archived,
        count=archived.count + len(group.councils) + len(group.answers),
        deliberated=archived.deliberated + len(group.councils),
        value=_added(archived.value, (record.deliberation_value_added for record in samples)),
        confidence=_added(archived.confidence, (share(record.confidence) for record in samples)),
        spread=_added(archived.spread, map(ranking_spread, samples)),
        rated=archived.rated + len(ratings),
        positive=archived.positive + int(sum(ratings)),
        chairmen=dict(chairmen),
    )


def next_rebuild(total: int) -> int:
    """Return at how many deliberations the rules are rebuilt next: at 20, 30, 40 and so on."""
    return max(FIRST_REBUILD, total // REBUILD_EVERY * REBUILD_EVERY + REBUILD_EVERY)


def crosses_rebuild(before: int, after: int) -> bool:
    """Whether rules are to be rebuilt when the total of deliberations has grown: at 20, 30, 40 and so on."""
    return after >= next_rebuild(before)


def _added(removed: Sum, numbers: Iterable[float | None]) -> Sum:
    known = [number for number in numbers if number is not None]
    return Sum(sum=math.fsum((removed.sum, *known)), count=removed.count + len(known))


def _filled(numbers: Iterable[float | None], unknown: float) -> list[float]:
    """Return the numbers with another one in place of those that are not known."""
    return [unknown if number is None else number for number in numbers]


def _variance(numbers: Sequence[float]) -> float:
    """Return the population variance."""
    mean = math.fsum(numbers) / len(numbers)
    return math.fsum((number - mean) ** 2 for number in numbers) / len(numbers)


def _ratio(part: float, whole: float) -> float:
    ratio = share(part / whole) if whole > 0 else None
    return _UNKNOWN if ratio is None else ratio


def _mean(numbers: Sequence[float | None], other_sum: float, other_count: int) -> float:
    known = [number for number in numbers if number is not None]
    return _ratio(sum(known) + other_sum, len(known) + other_count)


def _consistency(samples: Sequence[Deliberation], removed: Mapping[str, int]) -> float:
    chairmen = Counter(record.chairman for record in samples if record.chairman)
    chairmen.update(removed)
    return _ratio(max(chairmen.values(), default=0), sum(chairmen.values()))
