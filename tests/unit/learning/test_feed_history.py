"""The most recent deliberations."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from council_vault.learning.history import history, newest_first, recent
from council_vault.memory.schema import Archived, Deliberation, Memory, QueryFeatures

NOW = datetime(2026, 3, 28, 15, tzinfo=UTC)


def at(timestamp: object, number: int = 1, day: str = "20260328") -> Deliberation:
    return Deliberation(id=f"d_{day}_{number:03d}", timestamp=timestamp)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (at("2026-03-28T10:00:00Z"), at("2026-03-28T09:00:00Z", 2)),
        (at("2026-03-28T08:00:00-07:00"), at("2026-03-28T14:00:00Z", 2)),
        (at("soon", day="20260329"), at("2026-03-28T23:00:00Z")),  # by the day in its id
        (at("2026-03-28T10:00:00Z", 2), at("2026-03-28T10:00:00Z", 1)),
        (at("2026-03-28T10:00:00Z"), Deliberation(timestamp="soon")),
    ],
)
def test_the_newest_comes_first_wherever_it_stands(first, second):
    assert newest_first([second, first]) == newest_first([first, second]) == [first, second]


def test_of_the_same_time_and_without_ids_the_later_one_in_the_file_is_newer():
    one, other = Deliberation(query_summary="one"), Deliberation(query_summary="other")
    assert newest_first([one, other]) == [other, one]


@pytest.mark.parametrize(("last", "ids"), [(1, ["003"]), (2, ["003", "002"]), (9, ["003", "002", "001"])])
def test_so_many_as_asked_for(last, ids):
    records = tuple(at(f"2026-03-28T1{number}:00:00Z", number) for number in (1, 2, 3))
    found = history(Memory(deliberations=records, archived=Archived(count=4)), NOW, last)
    assert [one.id[-3:] for one in found.history] == ids
    assert (found.deliberations, found.as_of) == (7, "2026-03-28T15:00:00Z")


def test_ten_unless_asked():
    records = tuple(at(f"2026-03-28T{number}:00:00Z", number) for number in range(10, 22))
    assert [one.id[-3:] for one in recent(Memory(deliberations=records))][::9] == ["021", "012"]


def test_what_is_shown_of_a_record():
    (shown,) = recent(
        Memory(
            deliberations=(
                Deliberation(
                    id="d_20260328_001",
                    timestamp="2026-03-28T14:30:00+02:00",
                    query_summary="RBAC",
                    query_features=QueryFeatures(category="compliance_security"),
                    models_used=("a", "b"),
                    rankings={"a": 1, "b": 2},
                    chairman="a",
                    confidence=0.8,
                    consensus_level="strong",
                    deliberation_value_added=0.4,
                    cost_usd=0.09,
                    latency_ms=4200,
                    routing_decision="deliberate",
                    user_rating="positive",
                    outcome="accepted",
                    vault_synced=True,
                ),
            )
        )
    )
    assert {name: getattr(shown, name) for name in shown.__struct_fields__} == {
        "id": "d_20260328_001",
        "timestamp": "2026-03-28T12:30:00Z",
        "query_summary": "RBAC",
        "category": "compliance_security",
        "models_used": ("a", "b"),
        "rankings": {"a": 1, "b": 2},
        "chairman": "a",
        "confidence": 0.8,
        "consensus_level": "strong",
        "deliberation_value_added": 0.4,
        "cost_usd": 0.09,
        "latency_ms": 4200,
        "routing_decision": "deliberate",
        "user_rating": "positive",
        "outcome": "accepted",
        "vault_synced": True,
    }


def test_what_is_not_known_is_none():
    (shown,) = recent(Memory(deliberations=(Deliberation(timestamp="soon"),)))
    assert (shown.id, shown.timestamp, shown.cost_usd, shown.category) == (None, None, None, "other")
