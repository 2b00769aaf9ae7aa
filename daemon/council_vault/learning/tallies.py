"""What councils say about each of their models: ranks, chairs, and how often it favoured itself.

Counted from the records in the file, and going on from what `Archived` has of removed ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from council_vault.learning.groups import Group, by_category, is_council
from council_vault.learning.once import once

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from council_vault.memory.schema import Archived, Deliberation, Memory

LARGEST_RANK = 1e6


class Tally:
    """What is known of one model.

    ``councils`` it took part in, of which it ``chaired`` some; ``ranks`` counts those that ranked it,
    ``square_sum`` adds up the squares of its ranks, and ``categories`` has their sum and number in each
    category. ``outranked`` of ``others`` answers were ranked below its own, a tie counting one half;
    ``biased`` is how often it favoured itself.
    """

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
        """The sum of its ranks."""
        return sum(total for total, _ in self.categories.values())


@once
def tallies(memory: Memory) -> Mapping[str, Tally]:
    """Return what is known of each model that ever took part in a council."""
    found = _removed(memory.archived)
    for category, group in by_category(memory).items():
        _add_councils(category, group.councils, found)
    return found


def tallies_of(record: Deliberation) -> Mapping[str, Tally]:
    """Return what one record alone says about its models; nothing where one model answered."""
    found: defaultdict[str, Tally] = defaultdict(Tally)
    if is_council(record):
        _add_councils(record.category, Group.of([record]).councils, found)
    return found


def is_rank(rank: float) -> bool:
    """Whether a number can be a rank or a mean of ranks."""
    return 0 <= rank <= LARGEST_RANK


def _removed(archived: Archived) -> defaultdict[str, Tally]:
    found: defaultdict[str, Tally] = defaultdict(Tally)
    for model, removed in archived.models.items():
        if removed.deliberations <= 0:
            continue
        tally = found[model]
        tally.councils = removed.deliberations
        tally.chaired = removed.chaired
        tally.biased = removed.self_preferred
        tally.square_sum = removed.rank_square_sum
        tally.outranked = removed.outranked
        tally.others = removed.peers
    for category, one in archived.categories.items():
        for model, ranks in one.ranks.items():
            if ranks.count > 0 and is_rank(ranks.sum / ranks.count):
                tally = found[model]
                tally.ranks += ranks.count
                tally.councils = max(tally.councils, tally.ranks)
                tally.categories[category] = ranks.sum, ranks.count
    return found


def _add_councils(category: str, councils: Sequence[Deliberation], found: dict[str, Tally]) -> None:
    alike: defaultdict[tuple[float, ...], list[Deliberation]] = defaultdict(list)
    for record in councils:
        alike[tuple(record.rankings.values())].append(record)
    for ranks, records in alike.items():
        rankings = [record.rankings for record in records]
        if not all(map(is_rank, ranks)):
            rankings = [{model: rank for model, rank in one.items() if is_rank(rank)} for one in rankings]
        _add_ranks(category, tuple(filter(is_rank, ranks)), rankings, found)
        _add_members(records, rankings, found)


def _add_ranks(
    category: str,
    ranks: tuple[float, ...],
    rankings: Sequence[Mapping[str, float]],
    found: dict[str, Tally],
) -> None:
    """Add rankings of one category that have the same ranks in the same order: only the models differ."""
    below = _below(sorted(ranks))
    for rank, models in zip(ranks, zip(*rankings, strict=True), strict=True):
        for model, count in Counter(models).items():
            tally = found[model]
            tally.councils += count
            tally.ranks += count
            tally.square_sum += count * rank * rank
            tally.outranked += count * below[rank]
            tally.others += count * (len(ranks) - 1)
            total, ranked = tally.categories.get(category, (0.0, 0))
            tally.categories[category] = total + count * rank, ranked + count


def _add_members(
    records: Sequence[Deliberation], rankings: Sequence[Mapping[str, float]], found: dict[str, Tally]
) -> None:
    """Add members that were not ranked, chairmen, and members that favoured themselves."""
    for record, ranks in zip(records, rankings, strict=True):
        members = dict.fromkeys(record.models_used)
        for model in members:
            if model not in ranks:
                found[model].councils += 1
        chairman = record.chairman
        if chairman is not None and (chairman in ranks or chairman in members):
            found[chairman].chaired += 1
        for model, preferred in record.self_preference.items():
            if preferred and model in ranks:
                found[model].biased += 1


def _below(ordered: Sequence[float]) -> dict[float, float]:
    """Return how many answers each rank is above, of answers with these ranks; a tie counts one half."""
    return {
        rank: len(ordered) - bisect_right(ordered, rank) + (ordered.count(rank) - 1) / 2 for rank in ordered
    }
