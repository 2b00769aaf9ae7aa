"""What a deliberation is likely to cost."""

from __future__ import annotations

import pytest

from council_vault.learning.prices import estimated_cost
from council_vault.memory.schema import Archived, ArchivedSize, Deliberation, Memory, Sum

MODELS = tuple("abcdefgh")


def cost_of(size: int, usd: float | None) -> Deliberation:
    return Deliberation(models_used=MODELS[:size], cost_usd=usd)


def removed(**sizes: ArchivedSize) -> Archived:
    return Archived(count=1, sizes={name.removeprefix("of_"): size for name, size in sizes.items()})


def test_the_mean_of_the_same_size():
    memory = Memory(deliberations=(cost_of(4, 0.08), cost_of(4, 0.12), cost_of(4, None), cost_of(2, 0.03)))
    assert estimated_cost(memory, 4) == pytest.approx(0.10)
    assert estimated_cost(memory, 2) == pytest.approx(0.03)


def test_removed_deliberations_count():
    archived = removed(of_4=ArchivedSize(count=3, cost=Sum(sum=0.5, count=3)))
    assert estimated_cost(Memory(deliberations=(cost_of(4, 0.1),), archived=archived), 4) == pytest.approx(
        0.15
    )
    assert estimated_cost(Memory(archived=archived), 4) == pytest.approx(0.5 / 3)


@pytest.mark.parametrize(
    ("known", "models", "expected"),
    [
        ((4, 0.08), 6, 0.12),
        ((4, 0.08), 2, 0.04),
        ((4, 0.08), 1, 0.0084),  # one of four answers, which are 42 %
        ((1, 0.0042), 4, 0.04),
    ],
)
def test_another_size_in_proportion(known, models, expected):
    assert estimated_cost(Memory(deliberations=(cost_of(*known),)), models) == pytest.approx(expected)


def test_the_nearest_size_counts_the_larger_of_two():
    memory = Memory(deliberations=(cost_of(2, 0.02), cost_of(6, 0.18), cost_of(1, 0.004)))
    assert estimated_cost(memory, 3) == pytest.approx(0.03)
    assert estimated_cost(memory, 5) == pytest.approx(0.15)
    assert estimated_cost(memory, 4) == pytest.approx(0.12)
    assert estimated_cost(memory, 1) == pytest.approx(0.004)
    assert estimated_cost(Memory(deliberations=memory.deliberations[:2]), 1) == pytest.approx(0.0042)


@pytest.mark.parametrize(
    "memory",
    [
        Memory(),
        Memory(deliberations=(cost_of(4, None),)),
        Memory(deliberations=(cost_of(4, -1.0), cost_of(4, 1e9))),
        Memory(deliberations=(Deliberation(cost_usd=0.1),)),  # of unknown size
        Memory(archived=removed(of_4=ArchivedSize(count=2, cost=Sum(sum=-1.0, count=2)))),
        Memory(archived=removed(of_4=ArchivedSize(count=2, cost=Sum(sum=1.0, count=0)))),
        Memory(archived=removed(of_4=ArchivedSize(count=1, cost=Sum(sum=1e308, count=1)))),
        Memory(archived=removed(of_many=ArchivedSize(count=1, cost=Sum(sum=1.0, count=1)))),
        Memory(archived=removed(of_0=ArchivedSize(count=1, cost=Sum(sum=1.0, count=1)))),
    ],
)
def test_nothing_is_made_up_where_no_cost_is_known(memory):
    assert estimated_cost(memory, 4) is None
    assert estimated_cost(memory, 1) is None
