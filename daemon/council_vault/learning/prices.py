"""What a deliberation is likely to cost, by the number of models, from what others have cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.learning.means import LARGEST_COST
from council_vault.learning.once import once
from council_vault.learning.spending import ESTIMATED_SHARES, sizes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Memory

LARGE, MEDIUM, SMALL, SINGLE = 6, 4, 2, 1

_COLLECTING = ESTIMATED_SHARES[0]


def estimated_cost(memory: Memory, models: int) -> float | None:
    """Return what so many models are likely to cost in USD; ``None`` where no cost is known.

    The mean over the deliberations of that size. Where there is none, the nearest size that there is (of two
    as near the larger) in proportion to the number of models; a single answer is taken for one of those that
    a council collects, which are 42 % of its cost.
    """
    known = _known(memory)
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
def _known(memory: Memory) -> Mapping[int, float]:
    """Return the mean cost in USD by the number of models, removed deliberations included."""
    return {
        size.models: size.average_cost_usd
        for size in sizes(memory)
        if size.models is not None
        and size.average_cost_usd is not None
        and size.average_cost_usd <= LARGEST_COST
    }
