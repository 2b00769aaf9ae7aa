"""What the council has cost, as ``stats cost`` shows it.

A day and a month are those of UTC, as in record ids and in what is kept of removed records: an amount then
does not change with the place where it is asked for.
"""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import UTC
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.groups import is_council
from council_vault.learning.means import LARGEST_COST, mean_of
from council_vault.learning.stats import totals
from council_vault.memory.schema import ArchivedSize, Sum
from council_vault.memory.times import moment, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from council_vault.memory.schema import Deliberation, Memory

SIZE_NAMES = {2: "small", 4: "medium", 6: "large"}

_LONGEST_SIZE = 10  # digits
_STAGES = ("collect", "review", "synthesize")
# The shares that operation 4 of the pattern memory goes by where no stage's cost is known.
ESTIMATED_SHARES = (0.42, 0.38, 0.20)


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """The deliberations of councils of one size.

    Attributes:
        models: how many models answered; ``None`` where that is not known.
        name: small, medium or large for 2, 4 or 6 models, ``None`` for others.
        deliberations: how many there were.
        costs_known: of how many the cost is known.
        average_cost_usd: the mean of these costs.
    """

    models: int | None
    name: str | None
    deliberations: int
    costs_known: int
    average_cost_usd: float | None


class Stages(msgspec.Struct, frozen=True, kw_only=True):
    """How the cost divides between the stages: shares in 0..1.

    Attributes:
        collect: stage 1, the answers.
        review: stage 2, the rankings.
        synthesize: stage 3, the chairman's.
        estimated: whether this is the usual split, since no stage's cost is known.
        known_usd: what the stages whose cost is known have cost together.
    """

    collect: float
    review: float
    synthesize: float
    estimated: bool
    known_usd: float


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """The feed of ``stats cost --json``; amounts in USD.

    Attributes:
        schema: which feed this is, and its version; it changes when a key goes or means something else.
        as_of: when it was made, in UTC.
        deliberations: how many there have ever been, removed ones included.
        costs_known: of how many the cost is known; every amount is over these.
        total_cost_usd: their cost.
        average_cost_usd: the mean.
        day: the UTC day that is today, such as ``2026-03-28``.
        day_cost_usd: what was spent on it; ``None`` where it had deliberations, but no cost is known.
        month: the UTC month that it is in, such as ``2026-03``.
        month_cost_usd: what was spent in it; likewise.
        budget_usd: what may be spent a month; ``None`` where no budget is set.
        remaining_usd: what is left of it, below zero where it is overdrawn.
        by_size: by the number of models, smallest first.
        by_stage: how the cost divides between the stages.
    """

    schema: str = "council-vault/cost/1"
    as_of: str
    deliberations: int
    costs_known: int
    total_cost_usd: float
    average_cost_usd: float | None
    day: str
    day_cost_usd: float | None
    month: str
    month_cost_usd: float | None
    budget_usd: float | None
    remaining_usd: float | None
    by_size: tuple[Size, ...]
    by_stage: Stages


def spending(memory: Memory, monthly_budget: float | None, now: datetime) -> Spending:
    """Return the feed on what was spent, and what is left of a monthly budget in USD."""
    counted = totals(memory)
    day = now.astimezone(UTC).date().isoformat()
    month = day[:7]
    by_day, removed = _by_day(memory), memory.archived
    today = _spent(by_day, day, removed.days.get(day, Sum()))
    this_month = _spent(by_day, month, removed.months.get(month, Sum()))
    return Spending(
        as_of=stamp(now),
        deliberations=counted.count,
        costs_known=counted.costs_known,
        total_cost_usd=counted.spend,
        average_cost_usd=counted.spend / counted.costs_known if counted.costs_known > 0 else None,
        day=day,
        day_cost_usd=today,
        month=month,
        month_cost_usd=this_month,
        budget_usd=monthly_budget,
        remaining_usd=None if monthly_budget is None else monthly_budget - (this_month or 0.0),
        by_size=sizes(memory),
        by_stage=_stages(memory),
    )


def council_size(record: Deliberation) -> int | None:
    """Return how many models answered, ``None`` where that is not known."""
    return len(record.models_used) or len(record.rankings) or (None if is_council(record) else 1)


def _by_day(memory: Memory) -> dict[str, list[Deliberation]]:
    """Return the records by their UTC day, without those whose time cannot be read."""
    alike: defaultdict[str, list[Deliberation]] = defaultdict(list)
    for record in memory.deliberations:
        written = moment(record.timestamp)
        if written is not None:
            alike[written.date().isoformat()].append(record)
    return alike


def _spent(by_day: Mapping[str, Sequence[Deliberation]], period: str, removed: Sum) -> float | None:
    """Return what was spent in a day or month, written as ISO writes it."""
    records = [record for day, alike in by_day.items() if day.startswith(period) for record in alike]
    spent = mean_of((record.cost_usd for record in records), removed, largest=LARGEST_COST)
    return None if records and not spent.count else spent.sum


def sizes(memory: Memory) -> tuple[Size, ...]:
    """Return what deliberations cost by the number of models, smallest first; those of unknown size last."""
    alike: defaultdict[int | None, list[Deliberation]] = defaultdict(list)
    for record in memory.deliberations:
        alike[council_size(record)].append(record)
    removed = {_number(key): size for key, size in memory.archived.sizes.items() if size.count > 0}
    found = []
    for models in sorted({*alike, *removed}, key=lambda models: models or math.inf):
        gone = removed.get(models, ArchivedSize())
        cost = mean_of((record.cost_usd for record in alike[models]), gone.cost, largest=LARGEST_COST)
        found.append(
            Size(
                models=models,
                name=SIZE_NAMES.get(models or 0),
                deliberations=len(alike[models]) + gone.count,
                costs_known=cost.count,
                average_cost_usd=cost.average,
            )
        )
    return tuple(found)


def _number(key: str) -> int | None:
    return int(key) or None if key.isdecimal() and len(key) < _LONGEST_SIZE else None


def _stages(memory: Memory) -> Stages:
    given = [record.stage_costs for record in memory.deliberations if record.stage_costs]
    known = []
    for stage in _STAGES:
        removed = Sum(sum=getattr(memory.archived.stages, stage), count=1)
        known.append(mean_of((getattr(one, stage) for one in given), removed, largest=LARGEST_COST).sum)
    whole = math.fsum(known)
    shares = [usd / whole for usd in known] if whole else ESTIMATED_SHARES
    return Stages(**dict(zip(_STAGES, shares, strict=True)), estimated=not whole, known_usd=whole)
