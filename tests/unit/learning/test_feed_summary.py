"""The summary: what it counts and averages, how the router and the vault stand."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import msgspec
import pytest

from council_vault.learning.archiving import archived
from council_vault.learning.spending import spending
from council_vault.learning.summary import Category, summary
from council_vault.memory.schema import (
    Archived,
    ArchivedCategory,
    Deliberation,
    Memory,
    QueryFeatures,
    RoutingModel,
    RoutingRule,
    Sum,
)
from support.documents import memory_of
from support.memories import build_memory

NOW = datetime(2026, 3, 28, 15, tzinfo=UTC)


def of(*records: Deliberation, mode="learned", **fields: object):
    return summary(Memory(deliberations=records, **fields), mode, NOW)


def some(count: int, **fields: object) -> tuple[Deliberation, ...]:
    return tuple(Deliberation(id=f"d_20260328_{number:03d}", **fields) for number in range(1, count + 1))


def test_an_empty_memory():
    found = of()
    assert found.deliberations == found.archived == found.not_understood == 0
    assert found.total_cost_usd == 0
    assert found.average_cost_usd is found.average_latency_ms is found.average_confidence is None
    assert found.first_day is found.last_day is None
    assert found.categories == found.models == found.best_by_category == found.history == ()
    assert found.ratings == {"positive": 0, "negative": 0, "neutral": 0, "unrated": 0}
    assert (found.router.state, found.router.samples, found.router.samples_needed) == ("learning", 0, 20)
    assert (found.vault_sync.state, found.vault_sync.pending) == ("never", 0)


def test_means_are_over_what_is_known():
    found = of(
        Deliberation(cost_usd=0.1, latency_ms=1000, confidence=0.9, timestamp="2026-03-28T23:00:00-07:00"),
        Deliberation(cost_usd=0.3, latency_ms=-5, confidence=1.5, timestamp="2026-03-02"),
        Deliberation(latency_ms=2000, confidence=0.5, timestamp="soon"),
        archived=Archived(
            count=5,
            cost=Sum(sum=0.6, count=3),
            latency=Sum(sum=9000, count=2),
            confidence=Sum(sum=2.2, count=4),
        ),
        created="2026-01-05T00:00:00Z",
    )
    assert (found.deliberations, found.archived) == (8, 5)
    assert (found.total_cost_usd, found.costs_known) == (pytest.approx(1.0), 5)
    assert found.average_cost_usd == pytest.approx(0.2)
    assert (found.average_latency_ms, found.latencies_known) == (3000, 4)
    assert (found.average_confidence, found.confidences_known) == (pytest.approx(0.6), 6)
    assert (found.first_day, found.last_day) == ("2026-01-05", "2026-03-28")


def test_impossible_sums_of_removed_records_do_not_count():
    odd = Archived(count=5, latency=Sum(sum=-1, count=2), confidence=Sum(sum=2.0, count=-4))
    found = of(Deliberation(latency_ms=1000, confidence=0.5), archived=odd)
    assert (found.average_latency_ms, found.latencies_known) == (1000, 1)
    assert (found.average_confidence, found.confidences_known) == (0.5, 1)


def test_ratings_of_everything_there_has_been():
    found = of(
        *some(1, user_rating="positive"), *some(2, user_rating="negative"), *some(1, user_rating="splendid"),
        *some(1), archived=Archived(count=4, ratings={"positive": 2, "neutral": 1}),
    )  # fmt: skip
    assert list(found.ratings.items()) == [("positive", 3), ("negative", 2), ("neutral", 1), ("unrated", 3)]


def test_categories_come_largest_first():
    features = [QueryFeatures(category=one) for one in ("b", "c", "c", None, "a")]
    found = of(
        *(Deliberation(query_features=one) for one in features),
        archived=Archived(categories={"a": ArchivedCategory(count=1), "x": ArchivedCategory(count=9)}),
    )
    assert found.categories == (
        Category("x", 9), Category("a", 2), Category("c", 2), Category("b", 1), Category("other", 1)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "records", "removed", "state"),
    [
        ("learned", 19, 0, "learning"),
        ("learned", 10, 9, "learning"),
        ("learned", 20, 0, "active"),
        ("learned", 1, 19, "active"),
        ("always_deliberate", 1, 0, "always_deliberate"),
        ("always_shortcut", 20, 0, "always_shortcut"),
    ],
)
def test_how_the_router_stands(mode, records, removed, state):
    model = RoutingModel(rules=(RoutingRule(), RoutingRule()), last_rebuilt="2026-03-28T10:00:00+02:00")
    router = of(*some(records), mode=mode, routing_model=model, archived=Archived(count=removed)).router
    assert (router.state, router.mode, router.samples, router.rules) == (state, mode, records + removed, 2)
    assert router.last_rebuilt == "2026-03-28T08:00:00Z"


def test_how_often_the_router_was_right():
    own = {"routing_source": "learned", "routing_decision": "deliberate", "models_used": ("a", "b")}
    router = of(
        Deliberation(deliberation_value_added=0.5, **own),
        Deliberation(deliberation_value_added=0.05, **own),
        Deliberation(deliberation_value_added=0.05, routing_source="explicit_command"),
    ).router
    assert (router.right, router.decisions) == (1, 2)


@pytest.mark.parametrize(
    ("last", "note", "pending", "state", "known"),
    [
        (None, None, 0, "never", None),
        (None, None, 2, "never", None),
        ("2026-03-28T14:30:00+02:00", None, 0, "synced", "2026-03-28T12:30:00Z"),
        ("2026-03-28T14:30:00Z", "two rows missing", 2, "pending", "2026-03-28T14:30:00Z"),
        ("yesterday", None, 0, "synced", None),
        (None, "vault_unavailable", 2, "unavailable", None),
        ("2026-03-28T14:30:00Z", "vault_unavailable", 0, "unavailable", "2026-03-28T14:30:00Z"),
    ],
)
def test_how_the_vault_stands(last, note, pending, state, known):
    sync = of(*some(pending), last_vault_sync=last, vault_sync_note=note).vault_sync
    assert (sync.state, sync.last_synced, sync.pending) == (state, known, pending)


def test_removing_records_changes_no_figure():
    dice = random.Random(7)
    memory = memory_of(build_memory(120, 6, seed=7))
    removed = [record for record in memory.deliberations if dice.random() < 0.6]
    kept = tuple(record for record in memory.deliberations if record not in removed)
    smaller = msgspec.structs.replace(memory, deliberations=kept, archived=archived(memory, removed))
    before, after = (msgspec.to_builtins(summary(one, "learned", NOW)) for one in (memory, smaller))
    assert after.pop("archived") == len(removed) > 50
    assert before.pop("archived") == 0
    for figures in (before, after):
        figures.pop("history")
        figures["vault_sync"].pop("pending")
    assert flat(after) == pytest.approx(flat(before), abs=1e-9)
    costs = [msgspec.to_builtins(spending(one, 20.0, NOW)) for one in (memory, smaller)]
    assert flat(costs[1]) == pytest.approx(flat(costs[0]), abs=1e-9)


def flat(value: object, path: str = "") -> dict[str, object]:
    """Return the figures of a document by their paths, which can be compared with a tolerance."""
    if isinstance(value, dict | list | tuple):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return {name: one for key, below in items for name, one in flat(below, f"{path}/{key}").items()}
    return {path: value}
