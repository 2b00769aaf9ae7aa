"""What stays of records that are removed from the memory file: sums that every statistic goes on from.

Each sum is that statistic of the removed records, with those removed before. So the same code decides what
counts, before and after.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.groups import Group, by_category
from council_vault.learning.means import LARGEST_COST, mean_of
from council_vault.learning.routing import with_removed
from council_vault.learning.spending import council_size
from council_vault.learning.stats import asked_again_with_gain, days, judged, totals
from council_vault.learning.tallies import is_rank, tallies
from council_vault.memory.ids import RecordId, parse_id
from council_vault.memory.schema import (
    Archived,
    ArchivedCategory,
    ArchivedDecisions,
    ArchivedModel,
    ArchivedSize,
    ArchivedStages,
    Memory,
    StageCosts,
    Sum,
)
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from council_vault.learning.stats import Decisions
    from council_vault.memory.schema import Deliberation

LARGEST_LATENCY = 1e9  # milliseconds; more is a mistake in the file


def archived(memory: Memory, removed: Sequence[Deliberation]) -> Archived:
    """Return what stays of removed records, together with what stayed of those before.

    Args:
        memory: the memory with the records still in it.
        removed: those of its records that are going to be removed, in the order they are remembered in.
    """
    before = memory.archived
    gone = Memory(created=memory.created, deliberations=tuple(removed), archived=before)
    counted = totals(gone)
    first_day, _ = days(gone)
    months, newest_day = _spent(before, removed)
    return Archived(
        count=gone.total,
        first_day=first_day.isoformat() if first_day else None,
        newest=_newest(before, removed),
        highest_id=_highest_id(before, removed),
        cost=Sum(sum=counted.spend, count=counted.costs_known),
        latency=_sum((record.latency_ms for record in removed), before.latency, LARGEST_LATENCY),
        confidence=_sum((record.confidence for record in removed), before.confidence, 1),
        ratings=counted.ratings,
        sizes=_sizes(before, removed),
        months=months,
        days=newest_day,
        stages=_stages(before, removed),
        decisions=_decisions(before, judged(removed, asked_again_with_gain(memory))),
        categories=_categories(gone),
        models=_models(gone),
    )


def _sum(values: Iterable[float | None], before: Sum, largest: float = LARGEST_COST) -> Sum:
    whole = mean_of(values, before, largest=largest)
    return Sum(sum=whole.sum, count=whole.count)


def _costs(records: Iterable[Deliberation], before: Sum) -> Sum:
    return _sum((record.cost_usd for record in records), before)


def _newest(before: Archived, removed: Sequence[Deliberation]) -> str | int | float | None:
    """Return the newest time of the removed records as it is written, of those that can be read."""
    times = [before.newest, *(record.timestamp for record in removed)]
    readable = [(when, place) for place, time in enumerate(times) if (when := moment(time)) is not None]
    return times[max(readable)[1]] if readable else None


def _highest_id(before: Archived, removed: Sequence[Deliberation]) -> str | None:
    """Return the newest day and the highest number in the ids of the removed records, as an id."""
    ids = [own for own in map(parse_id, (before.highest_id, *(one.id for one in removed))) if own is not None]
    if not ids:
        return None
    return str(RecordId(max(one.day for one in ids), max(one.number for one in ids)))


def _sizes(before: Archived, removed: Sequence[Deliberation]) -> dict[str, ArchivedSize]:
    alike: defaultdict[str, list[Deliberation]] = defaultdict(list)
    for record in removed:
        alike[str(council_size(record) or 0)].append(record)
    sizes = {}
    for size in sorted({*before.sizes, *alike}):
        known = before.sizes.get(size, ArchivedSize())
        records = alike[size]
        sizes[size] = ArchivedSize(count=known.count + len(records), cost=_costs(records, known.cost))
    return sizes


def _spent(before: Archived, removed: Sequence[Deliberation]) -> tuple[dict[str, Sum], dict[str, Sum]]:
    """Return what was spent by UTC month, and on the newest day."""
    by_day: defaultdict[str, list[Deliberation]] = defaultdict(list)
    for record in removed:
        written = moment(record.timestamp)
        if written is not None:
            by_day[written.date().isoformat()].append(record)
    months = dict(before.months)
    for day, records in sorted(by_day.items()):
        months[day[:7]] = _costs(records, months.get(day[:7], Sum()))
    newest = max((*before.days, *by_day), default=None)
    if newest is None:
        return months, {}
    return months, {newest: _costs(by_day[newest], before.days.get(newest, Sum()))}


def _stages(before: Archived, removed: Sequence[Deliberation]) -> ArchivedStages:
    known = [record.stage_costs or StageCosts() for record in removed]
    return ArchivedStages(
        collect=math.fsum((before.stages.collect, *_usd(one.collect for one in known))),
        review=math.fsum((before.stages.review, *_usd(one.review for one in known))),
        synthesize=math.fsum((before.stages.synthesize, *_usd(one.synthesize for one in known))),
    )


def _usd(values: Iterable[float | None]) -> list[float]:
    return [usd for usd in values if usd is not None and 0 <= usd <= LARGEST_COST]


def _decisions(before: Archived, own: Decisions) -> ArchivedDecisions:
    known = before.decisions
    return ArchivedDecisions(
        hits=max(0, known.hits) + own.hits,
        misses=max(0, known.misses) + own.misses,
        wastes=max(0, known.wastes) + own.wastes,
    )


def _categories(gone: Memory) -> dict[str, ArchivedCategory]:
    before, groups = gone.archived.categories, by_category(gone)
    ranks: defaultdict[str, dict[str, Sum]] = defaultdict(dict)
    for model, tally in sorted(tallies(gone).items()):
        for category, (total, count) in tally.categories.items():
            ranks[category][model] = Sum(sum=total, count=count)
    found = {}
    for category in sorted({*before, *groups}):
        known = before.get(category, ArchivedCategory())
        group = groups.get(category, Group((), ()))
        found[category] = msgspec.structs.replace(
            with_removed(known, group),
            cost=_costs(group.councils, known.cost),
            answer_cost=_costs(group.answers, known.answer_cost),
            ranked=known.ranked + sum(any(map(is_rank, one.rankings.values())) for one in group.councils),
            ranks=ranks[category],
        )
    return found


def _models(gone: Memory) -> dict[str, ArchivedModel]:
    return {
        model: ArchivedModel(
            deliberations=tally.councils,
            chaired=tally.chaired,
            self_preferred=tally.biased,
            rank_square_sum=tally.square_sum,
            outranked=tally.outranked,
            peers=tally.others,
        )
        for model, tally in sorted(tallies(gone).items())
    }
