"""What a deliberation is likely to cost, by the number of models, from what others have cost."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from council_vault.learning.groups import is_council
from council_vault.learning.once import once
from council_vault.learning.stats import costs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Deliberation, Memory

LARGE, MEDIUM, SMALL, SINGLE = 6, 4, 2, 1

_COLLECTING = 0.42  # share of a council's cost that its answers are; the rest is reviews and the synthesis


def estimated_cost(memory: Memory, models: int) -> float | None:
    """Return what so many models are likely to cost in USD; ``None`` where no cost is known.

    The mean over the deliberations of that size. Where there is none, the nearest size that there is (of two
    as near the larger) in proportion to the number of models; a single answer is taken for one of those that
    a council collects, which are 42 % of its cost.
    """
    known = mean_costs(memory)
    if models in known:
        return known[models]
    councils = known.keys() - {SINGLE}
    if models > SINGLE and councils:
        nearest = min(councils, key=lambda size: (abs(size - models), -size))
        return known[nearest] * models / nearest
    if councils:
        smallest = min(councils)
        return known[smallest] * _COLLECTING / smallest
    return known[SINGLE] * models / _COLLECTING if SINGLE in known else None


@once
def mean_costs(memory: Memory) -> Mapping[int, float]:
    """Return the mean cost in USD by the number of models, removed deliberations included."""
    alike: defaultdict[int, list[Deliberation]] = defaultdict(list)
    for record in memory.deliberations:
        alike[_size(record)].append(record)
    sums: dict[int, tuple[float, int]] = {}
    for size, records in alike.items():
        known = costs(records)
        sums[size] = math.fsum(known), len(known)
    for name, removed in memory.archived.sizes.items():
        if name.isascii() and name.isdigit() and removed.cost.sum >= 0 and removed.cost.count > 0:
            total, count = sums.get(int(name), (0.0, 0))
            sums[int(name)] = total + removed.cost.sum, count + removed.cost.count
    return {size: total / count for size, (total, count) in sums.items() if size and count}


def _size(record: Deliberation) -> int:
    """Return how many models answered; 0 where a council's members are not known."""
    if not is_council(record):
        return SINGLE
    return len(record.models_used) or len(record.rankings)
