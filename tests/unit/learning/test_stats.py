"""Totals, right and wrong routes, and savings, against figures worked out by hand."""

from __future__ import annotations

from datetime import date

import pytest

from council_vault.learning.stats import (
    Decisions,
    Savings,
    costs,
    days,
    decisions,
    newest_day,
    savings,
    totals,
)
from council_vault.memory.schema import (
    Archived,
    ArchivedCategory,
    ArchivedDecisions,
    ArchivedSize,
    Deliberation,
    Memory,
    QueryFeatures,
    Sum,
)
from support.documents import memory_of
from support.memories import build_memory


def memory(*records: Deliberation, archived: Archived | None = None, created: str | None = None) -> Memory:
    return Memory(deliberations=records, archived=archived or Archived(), created=created)


def council(**fields: object) -> Deliberation:
    standard = {"models_used": ("a", "b"), "routing_decision": "deliberate", "routing_source": "learned"}
    return Deliberation(**{**standard, **fields})


def single(**fields: object) -> Deliberation:
    standard = {"models_used": ("a",), "routing_decision": "single_model", "routing_source": "learned"}
    return Deliberation(**{**standard, **fields})


def test_totals_count_what_is_there_and_what_was_removed() -> None:
    counted = totals(
        memory(
            council(timestamp="2026-03-28T23:59:00-07:00", cost_usd=0.1, user_rating="positive"),
            council(timestamp="2026-03-02T00:00:00Z", cost_usd=None, user_rating="negative"),
            council(timestamp=None, cost_usd=-1.0, user_rating="splendid"),
            archived=Archived(count=7, cost=Sum(sum=2.0, count=5), ratings={"positive": 3, "neutral": 1}),
            created="2025-12-07T11:21:04Z",
        )
    )
    assert counted.count == 10
    assert counted.ratings == {"positive": 4, "neutral": 1, "negative": 1}
    assert counted.rated == 6
    assert counted.spend == pytest.approx(2.1)
    assert counted.costs_known == 6
    assert counted.first_day == date(2025, 12, 7)  # the oldest records are gone
    assert counted.last_day == date(2026, 3, 28)


def test_without_removed_records_the_oldest_one_is_the_beginning() -> None:
    counted = totals(memory(council(timestamp="2026-03-02"), created="2025-12-07T11:21:04Z"))
    assert counted.first_day == counted.last_day == date(2026, 3, 2)


@pytest.mark.parametrize(
    ("timestamps", "first", "last"),
    [
        ((), None, None),
        ((None, "soon"), None, None),
        (("2026-03-28T10:00:00Z",), "2026-03-28", "2026-03-28"),
        (("2026-03-28T10:00:00Z", "2026-02-30T10:00:00Z", "2026-01-01"), "2026-01-01", "2026-03-28"),
        (("9999-99-99T00:00:00Z", "0000-00-00", "2026-05-01"), "2026-05-01", "2026-05-01"),
        (("28 Mar 2026", "2026-01-01T00:00:00Z"), "2026-01-01", "2026-03-28"),
        ((1774688728, "2026-01-01T00:00:00Z", 1774688728123), "2026-01-01", "2026-03-28"),
        (("2026-03-28T99:00:00", "2026-03-28T09:00:00"), "2026-03-28", "2026-03-28"),
    ],
)
def test_days_of_times_in_any_form(
    timestamps: tuple[object, ...], first: str | None, last: str | None
) -> None:
    found = days(memory(*(council(timestamp=timestamp) for timestamp in timestamps)))
    assert [day and day.isoformat() for day in found] == [first, last]


def test_the_newest_day_is_that_of_the_records_else_of_the_memory() -> None:
    assert newest_day(memory(council(timestamp="2026-03-02"), created="2027-01-01")) == date(2026, 3, 2)
    assert newest_day(memory(created="2025-12-07T11:21:04Z")) == date(2025, 12, 7)
    assert newest_day(memory(created="some day")) is None


@pytest.mark.parametrize(
    ("usd", "known"), [(0.09, [0.09]), (0.0, [0.0]), (-0.001, []), (None, []), (1e9, [])]
)
def test_a_cost_that_cannot_be_is_unknown(usd: float | None, known: list[float]) -> None:
    assert costs([council(cost_usd=usd)]) == known


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (council(deliberation_value_added=0.5), Decisions(hits=1)),
        (council(deliberation_value_added=0.1), Decisions(hits=1)),
        (council(deliberation_value_added=0.09), Decisions(wastes=1)),
        (council(deliberation_value_added=None), Decisions(hits=1)),
        (single(), Decisions(hits=1)),
        (single(user_rating="positive"), Decisions(hits=1)),
        (single(user_rating="negative"), Decisions(misses=1)),
        (single(deliberation_value_added=0.31), Decisions(misses=1)),
        (single(deliberation_value_added=0.3), Decisions(hits=1)),
        (council(routing_source="explicit_command", deliberation_value_added=0.0), Decisions()),
        (council(routing_source="always_deliberate"), Decisions()),
        (single(routing_source="always_shortcut", user_rating="negative"), Decisions()),
        (council(routing_source=None), Decisions()),
        (council(routing_decision="explicit_command"), Decisions()),
        (council(routing_source="heuristic_learning", deliberation_value_added=0.0), Decisions(wastes=1)),
    ],
)
def test_how_one_decision_has_turned_out(record: Deliberation, expected: Decisions) -> None:
    assert decisions(memory(record)) == expected


def test_a_short_answer_that_was_asked_again_with_gain_is_a_miss() -> None:
    again = council(repeat_of="d_20260328_001", deliberation_value_added=0.6)
    counted = decisions(memory(single(id="d_20260328_001"), single(id="d_20260328_002"), again))
    assert counted == Decisions(hits=2, misses=1)
    for_little = council(repeat_of="d_20260328_001", deliberation_value_added=0.2)
    assert decisions(memory(single(id="d_20260328_001"), for_little)) == Decisions(hits=2)


def test_decisions_of_removed_records_go_on_counting() -> None:
    archived = Archived(count=9, decisions=ArchivedDecisions(hits=5, misses=3, wastes=1))
    counted = decisions(memory(single(), archived=archived))
    assert counted == Decisions(hits=6, misses=3, wastes=1)
    assert counted.count == 10


def test_savings_against_the_mean_of_the_same_category() -> None:
    code, other = QueryFeatures(category="code_implementation"), QueryFeatures(category="factual_lookup")
    saved = savings(
        memory(
            council(query_features=code, cost_usd=0.08),
            council(query_features=code, cost_usd=0.12),
            council(query_features=code, cost_usd=None),
            single(query_features=code, cost_usd=0.01),  # 0.10 - 0.01
            single(query_features=code, cost_usd=0.5),  # dearer than deliberating: nothing, not less
            single(query_features=code, cost_usd=None),
            single(query_features=other, cost_usd=0.01),  # nothing to compare with
        )
    )
    assert (saved.answers, saved.compared) == (4, 2)
    assert saved.usd == pytest.approx(0.09)


def test_savings_go_on_over_what_was_removed() -> None:
    code = QueryFeatures(category="code_implementation")
    gone = ArchivedCategory(
        count=5, deliberated=2, cost=Sum(sum=0.2, count=2), answer_cost=Sum(sum=0.03, count=2)
    )
    lost = ArchivedCategory(count=1, answer_cost=Sum(sum=0.01, count=1))
    saved = savings(
        memory(
            council(query_features=code, cost_usd=0.04),
            single(query_features=code, cost_usd=0.02),
            archived=Archived(count=6, categories={"code_implementation": gone, "lost": lost}),
        )
    )
    # the mean is 0.08: 0.08 - 0.02 in the file, 2 × 0.08 - 0.03 removed, a third one of unknown cost
    assert (saved.answers, saved.compared) == (5, 3)
    assert saved.usd == pytest.approx(0.06 + 0.13)
    dear = ArchivedCategory(
        count=3, deliberated=1, cost=Sum(sum=0.05, count=1), answer_cost=Sum(sum=0.4, count=2)
    )
    assert savings(memory(archived=Archived(count=3, categories={"x": dear}))).usd == 0.0


def test_the_days_go_back_to_the_first_that_was_removed() -> None:
    archived = Archived(count=2, first_day="2026-01-15", newest="2026-02-01T10:00:00Z")
    whole = memory(council(timestamp="2026-03-02"), archived=archived, created="2025-12-07T11:21:04Z")
    assert days(whole) == (date(2026, 1, 15), date(2026, 3, 2))
    assert totals(whole).first_day == date(2026, 1, 15)
    assert newest_day(memory(archived=archived)) == date(2026, 2, 1)


def test_the_creation_is_no_first_day_where_only_unreadable_times_were_removed() -> None:
    archived = Archived(count=1, sizes={"2": ArchivedSize(count=1)})
    whole = memory(council(timestamp="2026-03-02"), archived=archived, created="2025-12-07T11:21:04Z")
    assert totals(whole).first_day == date(2026, 3, 2)


def test_nothing_saved_by_nothing() -> None:
    assert savings(memory()) == Savings()


def test_a_whole_memory_agrees_with_its_own_stored_accuracy() -> None:
    document = build_memory(60, 5, seed=11)
    counted = decisions(memory_of(document))
    assert counted.hits / counted.count == pytest.approx(document["routing_model"]["routing_accuracy"])
    spend = totals(memory_of(document)).spend
    assert spend == pytest.approx(sum(record["cost_usd"] for record in document["deliberations"]))
