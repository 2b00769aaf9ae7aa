"""What was spent: in all, lately, by size and by stage, against figures worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from council_vault.learning.spending import Size, council_size, spending
from council_vault.memory.schema import (
    Archived,
    ArchivedSize,
    ArchivedStages,
    Deliberation,
    Memory,
    StageCosts,
    Sum,
)

NOW = datetime(2026, 3, 28, 15, tzinfo=UTC)
PAIR, FOUR, SIX = (tuple("abcdef"[:size]) for size in (2, 4, 6))


def of(*records: Deliberation, archived: Archived | None = None, budget: float | None = None):
    return spending(Memory(deliberations=records, archived=archived or Archived()), budget, NOW)


def council(cost: float | None = 0.1, at: object = "2026-03-28T14:30:00Z", models=PAIR, **fields: object):
    return Deliberation(cost_usd=cost, timestamp=at, models_used=models, **fields)


def test_nothing_was_spent():
    found = of()
    assert (found.total_cost_usd, found.average_cost_usd, found.costs_known) == (0.0, None, 0)
    assert (found.day_cost_usd, found.month_cost_usd) == (0.0, 0.0)
    assert found.by_size == ()
    assert (found.budget_usd, found.remaining_usd) == (None, None)


def test_a_day_and_a_month_are_those_of_utc():
    found = of(
        council(1, "2026-03-28T23:59:59Z"),
        council(2, "2026-03-28T20:00:00-07:00"),  # the 29th
        council(4, "2026-03-27T22:00:00-07:00"),  # the 28th
        council(8, "2026-03-01T00:00:00Z"),
        council(16, "2026-02-28T23:00:00-05:00"),  # the 1st of March
        council(32, "2026-02-28T23:59:59Z"),
        council(64, "2025-03-28T14:00:00Z"),
        council(128, "yesterday"),
        council(256, 1774709999),  # seconds: the 28th, 14:59:59
    )
    assert (found.day, found.month) == ("2026-03-28", "2026-03")
    assert found.day_cost_usd == 1 + 4 + 256
    assert found.month_cost_usd == 1 + 2 + 4 + 8 + 16 + 256
    assert found.total_cost_usd == 511


def test_it_is_today_in_utc_wherever_one_asks():
    west = datetime.fromisoformat("2026-03-27T20:00:00-07:00")
    assert spending(Memory(), None, west).day == "2026-03-28"


def test_deliberations_of_unknown_cost_are_no_free_ones():
    found = of(council(None), council(float("-1")), council(2e6), council(0.5, "2026-03-01"))
    assert found.day_cost_usd is None
    assert found.month_cost_usd == 0.5
    assert (found.costs_known, found.average_cost_usd) == (1, 0.5)


@pytest.mark.parametrize(("budget", "remaining"), [(10.0, 7.5), (2.0, -0.5), (0.0, -2.5)])
def test_a_budget_is_for_the_month(budget, remaining):
    found = of(council(2.5), council(7, "2026-02-28"), budget=budget)
    assert (found.budget_usd, found.remaining_usd) == (budget, remaining)


def test_the_budget_is_whole_where_no_cost_is_known():
    assert of(council(None), budget=3.0).remaining_usd == 3.0


def test_removed_deliberations_go_on_counting():
    archived = Archived(
        count=9,
        cost=Sum(sum=3.0, count=8),
        sizes={
            "2": ArchivedSize(count=3, cost=Sum(sum=0.9, count=3)),
            "6": ArchivedSize(count=4, cost=Sum(sum=2.0, count=4)),
            "0": ArchivedSize(count=1, cost=Sum(sum=0.1, count=1)),
            "many": ArchivedSize(count=1),
            "5": ArchivedSize(count=0),
        },
        months={"2026-03": Sum(sum=1.5, count=4), "2026-02": Sum(sum=1.5, count=4)},
        days={"2026-03-28": Sum(sum=0.25, count=1)},
        stages=ArchivedStages(collect=1e7, review=5e6, synthesize=5e6),
    )
    found = of(council(0.3), archived=archived)
    assert (found.deliberations, found.costs_known) == (10, 9)
    assert found.total_cost_usd == pytest.approx(3.3)
    assert found.day_cost_usd == pytest.approx(0.55)
    assert found.month_cost_usd == pytest.approx(1.8)
    assert [(size.models, size.deliberations) for size in found.by_size] == [(2, 4), (6, 4), (None, 1)]
    assert found.by_size[0].average_cost_usd == pytest.approx(0.3)
    assert found.by_stage.collect == 0.5
    assert found.by_stage.known_usd == 2e7


def test_sizes_that_have_names_and_sizes_that_have_none():
    found = of(
        council(0.16, models=SIX), council(0.04), council(0.06), council(0.09, models=FOUR),
        council(0.01, models=("a",)), council(None, models=tuple("abc")), council(0.3, models=tuple("abc")),
    )  # fmt: skip
    assert found.by_size == (
        Size(models=1, name=None, deliberations=1, costs_known=1, average_cost_usd=0.01),
        Size(models=2, name="small", deliberations=2, costs_known=2, average_cost_usd=0.05),
        Size(models=3, name=None, deliberations=2, costs_known=1, average_cost_usd=0.3),
        Size(models=4, name="medium", deliberations=1, costs_known=1, average_cost_usd=0.09),
        Size(models=6, name="large", deliberations=1, costs_known=1, average_cost_usd=0.16),
    )


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({"models_used": PAIR}, 2),
        ({"rankings": {"a": 1, "b": 2, "c": 3}}, 3),
        ({"models_used": (), "routing_decision": "single_model"}, 1),
        ({}, None),
    ],
)
def test_how_many_models_answered(fields, size):
    assert council_size(Deliberation(**fields)) == size


def test_the_usual_split_stands_in_where_no_stage_is_known():
    stages = of(council(), council(stage_costs=StageCosts())).by_stage
    assert (stages.collect, stages.review, stages.synthesize) == (0.42, 0.38, 0.20)
    assert stages.estimated
    assert stages.known_usd == 0


def test_stages_that_are_known_are_added_up():
    stages = of(
        council(stage_costs=StageCosts(collect=0.05, review=0.03, synthesize=0.02)),
        council(stage_costs=StageCosts(collect=0.10, synthesize=-1)),
        council(),
    ).by_stage
    assert stages.collect == pytest.approx(0.75)
    assert stages.review == pytest.approx(0.15)
    assert stages.synthesize == pytest.approx(0.10)
    assert not stages.estimated
    assert stages.known_usd == pytest.approx(0.2)


@pytest.mark.parametrize("key", ["0", "many", "9" * 5000])
def test_a_size_that_is_none_is_unknown(key):
    (size,) = of(archived=Archived(count=1, sizes={key: ArchivedSize(count=1)})).by_size
    assert (size.models, size.name, size.deliberations, size.average_cost_usd) == (None, None, 1, None)
