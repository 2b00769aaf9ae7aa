"""The sums that stay of removed records."""

from __future__ import annotations

from typing import Any

import pytest

from council_vault.learning.archiving import archived
from council_vault.memory.schema import (
    Archived,
    ArchivedDecisions,
    ArchivedModel,
    ArchivedSize,
    ArchivedStages,
    Deliberation,
    Memory,
    QueryFeatures,
    StageCosts,
    Sum,
)


def council(id_: str = "d_20260328_001", **fields: Any) -> Deliberation:
    standard: dict[str, Any] = {
        "timestamp": "2026-03-28T10:00:00Z",
        "models_used": ("a", "b"),
        "rankings": {"a": 1.0, "b": 2.0},
        "chairman": "a",
        "confidence": 0.8,
        "cost_usd": 0.09,
        "latency_ms": 4000,
        "deliberation_value_added": 0.6,
        "routing_decision": "deliberate",
        "routing_source": "learned",
    }
    return Deliberation(id=id_, **{**standard, **fields})


def single(id_: str = "d_20260328_002", **fields: Any) -> Deliberation:
    standard: dict[str, Any] = {
        "models_used": ("a",),
        "rankings": {},
        "confidence": None,
        "deliberation_value_added": None,
        "routing_decision": "single_model",
        "cost_usd": 0.01,
    }
    return council(id_, **{**standard, **fields})


def left(
    *removed: Deliberation, before: Archived | None = None, kept: tuple[Deliberation, ...] = ()
) -> Archived:
    return archived(Memory(deliberations=(*removed, *kept), archived=before or Archived()), removed)


def test_sums_worked_out_by_hand() -> None:
    stays = left(
        council(user_rating="positive", self_preference={"b": True}, ranking_spread=0.4),
        single(latency_ms=1000, user_rating="negative", timestamp="2026-03-01T10:00:00Z"),
    )
    assert (stays.count, stays.first_day, stays.newest) == (2, "2026-03-01", "2026-03-28T10:00:00Z")
    assert stays.cost == Sum(sum=pytest.approx(0.1), count=2)
    assert stays.latency == Sum(sum=5000.0, count=2)
    assert stays.confidence == Sum(sum=0.8, count=1)
    assert stays.ratings == {"positive": 1, "neutral": 0, "negative": 1}
    assert stays.decisions == ArchivedDecisions(hits=1, misses=1)
    assert stays.sizes == {
        "1": ArchivedSize(count=1, cost=Sum(sum=0.01, count=1)),
        "2": ArchivedSize(count=1, cost=Sum(sum=0.09, count=1)),
    }
    assert stays.months == {"2026-03": Sum(sum=pytest.approx(0.1), count=2)}
    assert stays.days == {"2026-03-28": Sum(sum=0.09, count=1)}
    category = stays.categories["other"]
    assert (category.count, category.deliberated, category.ranked) == (2, 1, 1)
    assert (category.rated, category.positive, category.chairmen) == (1, 1, {"a": 1})
    assert (category.value, category.spread) == (Sum(sum=0.6, count=1), Sum(sum=0.4, count=1))
    assert (category.cost, category.answer_cost) == (Sum(sum=0.09, count=1), Sum(sum=0.01, count=1))
    assert category.ranks == {"a": Sum(sum=1.0, count=1), "b": Sum(sum=2.0, count=1)}
    assert stays.models == {
        "a": ArchivedModel(deliberations=1, chaired=1, rank_square_sum=1.0, outranked=1.0, peers=1),
        "b": ArchivedModel(deliberations=1, self_preferred=1, rank_square_sum=4.0, peers=1),
    }


def test_sums_go_on() -> None:
    first = left(council(), single())
    both = left(council("d_20260329_001", timestamp="2026-04-02T10:00:00Z"), before=first)
    assert both.count == 3
    assert list(both.months) == ["2026-03", "2026-04"]
    assert both.days == {"2026-04-02": Sum(sum=0.09, count=1)}
    assert both.sizes["2"].count == 2
    assert both.categories["other"].deliberated == 2
    assert both.models["a"].deliberations == 2
    assert left(council(), before=both).days == both.days  # an older one


def test_stages_are_added_up_each_by_itself() -> None:
    stages = StageCosts(collect=0.04, review=0.03, synthesize=0.02)
    twice = left(
        council(stage_costs=StageCosts(collect=0.01, review=-1)), before=left(council(stage_costs=stages))
    )
    assert twice.stages == ArchivedStages(collect=0.05, review=0.03, synthesize=0.02)


@pytest.mark.parametrize(
    ("gain", "expected"), [(0.9, ArchivedDecisions(misses=1)), (0.2, ArchivedDecisions(hits=1))]
)
def test_a_removed_answer_is_judged_by_a_record_that_stays(gain: float, expected: ArchivedDecisions) -> None:
    again = council("d_20260329_001", repeat_of="d_20260328_002", deliberation_value_added=gain)
    assert left(single(), kept=(again,)).decisions == expected


@pytest.mark.parametrize(
    ("times", "newest"),
    [
        (["2026-03-02T23:00:00Z", "2026-03-03T00:30:00+02:00"], "2026-03-02T23:00:00Z"),
        (["2026-03-03T00:30:00+02:00", 1772499600], 1772499600),  # 2026-03-03T01:00:00Z
        (["soon", "2026-03-01T00:00:00Z"], "2026-03-01T00:00:00Z"),
    ],
)
def test_the_newest_is_the_newest_in_time_as_it_is_written(times: list[Any], newest: Any) -> None:
    removed = [council(timestamp=time) for time in times]
    assert left(*removed).newest == newest
    assert left(*reversed(removed)).newest == newest
    assert left(council(timestamp="2025-01-01"), before=left(*removed)).newest == newest


def test_of_unreadable_times_none_is_the_newest() -> None:
    assert left(council(timestamp="soon"), council(timestamp=None)).newest is None


def test_what_cannot_be_is_in_no_sum() -> None:
    odd = council(
        timestamp="soon",
        cost_usd=-1.0,
        latency_ms=1e12,
        confidence=82.0,
        deliberation_value_added=65.0,
        rankings={"a": -1.0},
        chairman=None,
        user_rating="splendid",
    )
    stays = left(odd)
    assert (stays.count, stays.first_day, stays.months, stays.days) == (1, None, {}, {})
    assert stays.cost == stays.latency == stays.confidence == Sum()
    assert stays.sizes == {"2": ArchivedSize(count=1)}
    category = stays.categories["other"]
    assert (category.deliberated, category.ranked, category.value, category.chairmen) == (1, 0, Sum(), {})
    assert category.ranks == {}
    assert stays.models["a"] == ArchivedModel(deliberations=1)


def test_councils_of_unknown_size_and_categories_of_their_own() -> None:
    unknown = council(models_used=(), rankings={}, query_features=QueryFeatures(category="their own"))
    stays = left(unknown)
    assert list(stays.sizes) == ["0"]
    assert list(stays.categories) == ["their own"]


def test_the_newest_day_and_the_highest_number_of_all_removed_ids_are_remembered() -> None:
    first = left(council("d_20260301_012"), council("d_20260302_003"), council("d_20260228_001"))
    assert first.highest_id == "d_20260302_012"
    assert left(council("d_20260303_1000"), before=first).highest_id == "d_20260303_1000"
    assert left(council("d_20260301_002"), before=first).highest_id == "d_20260302_012"
    assert left(council("d_20260301_013"), before=first).highest_id == "d_20260302_013"
    assert left().highest_id is None
