"""What the notes and ``stats`` must count themselves: totals, right and wrong routes, savings, categories.

Every count goes on over the records that compaction has removed, through `Archived`, as far as these are kept
apart there. Each is one pass over the records.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.groups import Group, by_category
from council_vault.learning.once import once
from council_vault.learning.routing import Evidence, evidence
from council_vault.memory.schema import ArchivedCategory
from council_vault.memory.times import calendar_day

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date

    from council_vault.memory.schema import Deliberation, Memory

RATINGS = ("positive", "neutral", "negative")
WORTH_DELIBERATING_ABOVE = 0.3
WASTED_BELOW = 0.1

_NONE = Group((), ())
_NOTHING = ArchivedCategory()
_LARGEST_COST = 1e6  # USD for one deliberation; more is a mistake in the file


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over all deliberations ever logged.

    ``ratings`` has a count for each of `RATINGS`; ``spend`` is in USD, over the deliberations whose cost is
    known; the days are those of the oldest and newest record, ``None`` where no time can be read.
    """

    count: int
    ratings: Mapping[str, int]
    spend: float
    costs_known: int
    first_day: date | None
    last_day: date | None

    @property
    def rated(self) -> int:
        """How many deliberations have a rating."""
        return sum(self.ratings.values())


class Decisions(msgspec.Struct, frozen=True, kw_only=True):
    """How often the router was right, answered too shortly (misses), and deliberated for little (wastes)."""

    hits: int = 0
    misses: int = 0
    wastes: int = 0

    @property
    def count(self) -> int:
        """How many decisions the router took itself."""
        return self.hits + self.misses + self.wastes


class Savings(msgspec.Struct, frozen=True, kw_only=True):
    """What single-model answers have saved.

    ``answers`` counts them, ``compared`` those whose saving is known, ``usd`` is the sum over these.
    """

    answers: int = 0
    compared: int = 0
    usd: float = 0.0


def costs(records: Iterable[Deliberation]) -> list[float]:
    """Return what deliberations cost in USD, without those where that is unknown or cannot be."""
    return [usd for record in records if (usd := record.cost_usd) is not None and 0 <= usd <= _LARGEST_COST]


@once
def totals(memory: Memory) -> Totals:
    """Count the deliberations, their ratings, their cost and their days."""
    archived = memory.archived
    given = Counter(record.user_rating for record in memory.deliberations)
    known = costs(memory.deliberations)
    first_day, last_day = days(memory)
    if archived.count and archived.first_day is None and not archived.sizes:  # a bare count, not our sums
        created = calendar_day(memory.created)
        first_day = min((day for day in (first_day, created) if day is not None), default=None)
    return Totals(
        count=memory.total,
        ratings={rating: max(0, archived.ratings.get(rating, 0)) + given[rating] for rating in RATINGS},
        spend=archived.cost.sum + sum(known),
        costs_known=archived.cost.count + len(known),
        first_day=first_day,
        last_day=last_day,
    )


@once
def days(memory: Memory) -> tuple[date | None, date | None]:
    """Return the calendar days of the oldest and the newest record, ``None`` where no time can be read.

    Removed records count as far as their days are known. Times in ISO form are ordered as text, so that only
    the outermost need to be understood.
    """
    times = [record.timestamp for record in memory.deliberations]
    times += memory.archived.first_day, memory.archived.newest
    ordered = sorted(time for time in times if isinstance(time, str) and time[4:5] == time[7:8] == "-")
    outermost = [_first_day(ordered), _first_day(reversed(ordered))]
    if len(ordered) < len(times):
        outermost += map(calendar_day, set(times).difference(ordered))
    known = [day for day in outermost if day is not None]
    return min(known, default=None), max(known, default=None)


def newest_day(memory: Memory) -> date | None:
    """Return the calendar day of the newest record; without records, the day the memory was created."""
    return days(memory)[1] or calendar_day(memory.created)


def categories(memory: Memory) -> dict[str, Evidence]:
    """Return what is known about deliberating in each category that ever had a deliberation."""
    groups = by_category(memory)
    removed = memory.archived.categories
    return {
        category: evidence(groups.get(category, _NONE), removed.get(category))
        for category in dict.fromkeys((*groups, *removed))
    }


def decisions(memory: Memory) -> Decisions:
    """Count how the decisions that the router took itself have turned out; see `judged`."""
    removed = memory.archived.decisions
    own = judged(memory.deliberations, asked_again_with_gain(memory))
    return Decisions(
        hits=own.hits + max(0, removed.hits),
        misses=own.misses + max(0, removed.misses),
        wastes=own.wastes + max(0, removed.wastes),
    )


def judged(records: Sequence[Deliberation], worth_it: Collection[str | None]) -> Decisions:
    """Judge the decisions among records that the router took itself.

    A miss: a single-model answer where deliberating was worth more than 0.3, at once or when the same was
    asked again, or that was rated negative. A waste: a deliberation worth less than 0.1. Commands of the
    person and fixed modes are no decisions of the router.

    Args:
        records: the records.
        worth_it: ids of those whose query was asked again, where deliberating was worth it then.
    """
    hits = misses = wastes = 0
    sources = {record.routing_source for record in records}
    own = {source for source in sources if _is_routers(source)}
    for record in records:
        if record.routing_source not in own:
            continue
        if record.routing_decision == "single_model":
            missed = record.user_rating == "negative" or _was_worth_it(record) or record.id in worth_it
            misses, hits = misses + missed, hits + (not missed)
        elif record.routing_decision == "deliberate":
            value = record.deliberation_value_added
            wasted = value is not None and value < WASTED_BELOW
            wastes, hits = wastes + wasted, hits + (not wasted)
    return Decisions(hits=hits, misses=misses, wastes=wastes)


def asked_again_with_gain(memory: Memory) -> frozenset[str]:
    """Return the ids of the records whose query was asked again, and deliberating was worth it then."""
    return frozenset(
        record.repeat_of for record in memory.deliberations if record.repeat_of and _was_worth_it(record)
    )


def savings(memory: Memory) -> Savings:
    """Add up what single-model answers have saved.

    For each, the mean cost of its category's deliberations minus its own cost, never below zero; those of a
    category without a deliberation of known cost cannot be compared. Of removed answers only the sum is
    known, which is never below zero as a whole.
    """
    answers = compared = 0
    saved = 0.0
    groups, removed = by_category(memory), memory.archived.categories
    for category in dict.fromkeys((*groups, *removed)):
        councils, singles = groups.get(category, _NONE)
        gone = removed.get(category, _NOTHING)
        answers += len(singles) + max(0, gone.count - gone.deliberated)
        deliberated = costs(councils)
        known = len(deliberated) + gone.cost.count
        if known > 0:
            mean = math.fsum((*deliberated, gone.cost.sum)) / known
            savings = [max(0.0, mean - usd) for usd in costs(singles)]
            compared += len(savings) + gone.answer_cost.count
            saved += sum(savings) + max(0.0, gone.answer_cost.count * mean - gone.answer_cost.sum)
    return Savings(answers=answers, compared=compared, usd=saved)


def _first_day(times: Iterable[str]) -> date | None:
    return next((day for day in map(calendar_day, times) if day is not None), None)


def _is_routers(source: str | None) -> bool:
    return source is not None and source != "explicit_command" and not source.startswith("always_")


def _was_worth_it(record: Deliberation) -> bool:
    value = record.deliberation_value_added
    return value is not None and value > WORTH_DELIBERATING_ABOVE
