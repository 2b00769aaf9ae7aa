"""The router's rules as the records give them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from council_vault.learning.rebuild import action_for, routing_model, rules
from council_vault.learning.routing import Evidence, crosses_rebuild, strength, value_score
from council_vault.learning.stats import categories
from council_vault.memory.migrations import empty_routing_model
from council_vault.memory.schema import (
    Archived,
    ArchivedCategory,
    ArchivedModel,
    Deliberation,
    Memory,
    QueryFeatures,
    RoutingRule,
    Sum,
)
from support.learned_records import learned_records, memory_of
from support.memories import build_memory
from support.memory_files import document

NOW = datetime(2026, 3, 28, 14, 30, tzinfo=UTC)


def council(value: float, category: str = "code", **fields: Any) -> Deliberation:
    """Return a deliberation of which all parts of the value score but the value are 0 or 0.5."""
    standard: dict[str, Any] = {
        "models_used": ("a", "b"),
        "rankings": {"a": 1, "b": 2},
        "chairman": "a",
        "confidence": 0.5,
        "ranking_spread": 0.5,
        "user_rating": None,
        "query_features": QueryFeatures(category=category),
        "routing_source": "learned",
        "routing_decision": "deliberate",
    }
    return Deliberation(deliberation_value_added=value, **{**standard, **fields})


def memory(*records: Deliberation, **fields: Any) -> Memory:
    return Memory(deliberations=records, **fields)


def others(count: int) -> tuple[Deliberation, ...]:
    """Return records that have no value and so no rule."""
    return (msgspec.structs.replace(council(0, "other"), deliberation_value_added=None),) * count


def the_rule(*records: Deliberation, **fields: Any) -> RoutingRule:
    (rule,) = rules(memory(*records, **fields))
    return rule


def test_a_rule_worked_out_by_hand() -> None:
    # 0.35 × 0.9 + 0.25 × 1 + 0.20 × 0.9 + 0.10 × (1 - 0.2) + 0.10 × (1 - 2/3)
    strong: dict[str, Any] = {"confidence": 0.9, "ranking_spread": 0.2, "user_rating": "positive"}
    chairmen = ("a", "b", "a")
    records = [council(0.9, "strategy", **strong, chairman=chairman) for chairman in chairmen]
    score = 0.315 + 0.25 + 0.18 + 0.08 + 0.1 / 3
    rule = the_rule(*records, *others(7))
    assert rule == RoutingRule(
        condition="category == 'strategy'",
        action="deliberate",
        preferred_model=None,
        confidence=pytest.approx(3 / 10 * score * 2),
        sample_count=3,
        value_score=pytest.approx(score),
        strength=pytest.approx(strength(score, "deliberate", [score] * 3)),
    )


def test_five_clear_records_of_twenty_five_give_little_confidence() -> None:
    # 0.35 × 0 + 0.25 × 0.5 + 0.20 × 0.75 + 0.10 × 0.5 + 0.10 × 0.5 = 0.375; 5 of 25 × 0.375 × 2
    rule = the_rule(*[council(0, confidence=0.75, chairman=None)] * 5, *others(20))
    assert rule.action == "single_model"
    assert rule.value_score == pytest.approx(0.375)
    assert rule.confidence == pytest.approx(0.15)


def test_confidence_is_capped() -> None:
    rule = the_rule(*[council(1, confidence=1, ranking_spread=0, user_rating="positive")] * 4)
    assert rule.value_score == pytest.approx(0.9)
    assert rule.confidence == 0.95


def test_strength_of_a_rule_is_never_below_one_half() -> None:
    archived = Archived(
        count=9,
        categories={
            "code": ArchivedCategory(
                count=9, deliberated=9, value=Sum(sum=0, count=9), confidence=Sum(sum=0, count=9)
            )
        },
    )
    rule = the_rule(archived=archived)
    assert (rule.action, rule.strength) == ("single_model", 0.5)
    assert rule.sample_count == 9


@pytest.mark.parametrize(
    ("score", "samples", "action"),
    [
        (0.601, 3, "deliberate"),
        (0.6, 3, None),
        (0.5, 30, None),
        (0.4, 3, None),
        (0.399, 3, "single_model"),
        (0.9, 2, None),
        (0.1, 2, None),
        (None, 0, None),
    ],
)
def test_the_lines(score: float | None, samples: int, action: str | None) -> None:
    assert action_for(Evidence(count=samples, samples=samples, score=score)) == action


def test_a_score_on_the_line_is_not_carried_over_it_by_the_last_digit() -> None:
    # 0.35 × 0.1 + 0.25 × 0.5 + 0.20 × 0.95 + 0.10 × (1 - 0.5) + 0.10 × (1 - 1) = 0.4
    assert value_score(0.1, 0.5, 0.95, 0.5, 1.0) < 0.4
    records = [council(0.1, confidence=0.95)] * 4
    assert categories(memory(*records))["code"].score == 0.4
    assert rules(memory(*records)) == ()


def test_single_answers_make_no_rule_and_no_sample() -> None:
    single = council(0, models_used=("a",), rankings={}, routing_decision="single_model")
    assert rules(memory(*[single] * 9)) == ()
    rule = the_rule(council(0), council(0), council(0), single)
    assert rule.sample_count == 3
    assert rule.confidence == pytest.approx(3 / 4 * (0.125 + 0.1 + 0.05) * 2)


def test_the_preferred_model_is_the_best_of_those_with_three_ranks_in_the_category() -> None:
    def ranked(**ranks: float) -> Deliberation:
        return council(0, rankings=ranks, models_used=tuple(ranks))

    base = [ranked(a=2, b=3, c=1), ranked(a=2, b=3, c=1), ranked(a=2, b=1)]
    elsewhere = council(0.5, "other", rankings={"c": 1, "d": 2}, models_used=("c", "d"))
    assert the_rule(*base, elsewhere).preferred_model == "a"  # c has two ranks here
    assert the_rule(*base, ranked(c=1, d=2)).preferred_model == "c"
    assert the_rule(*[ranked(a=1, b=1)] * 3).preferred_model == "a"  # as good: the first by name
    assert the_rule(*[ranked(a=1, b=1)] * 3, ranked(b=1, c=2)).preferred_model == "b"  # ranked more often
    assert the_rule(*[council(0, rankings={})] * 3).preferred_model is None


def test_ranks_of_removed_records_count_for_the_preferred_model() -> None:
    archived = Archived(
        count=2,
        categories={
            "code": ArchivedCategory(
                count=2,
                deliberated=2,
                value=Sum(sum=0, count=2),
                ranks={"a": Sum(sum=8, count=2), "b": Sum(sum=2, count=2)},
            )
        },
        models={"a": ArchivedModel(deliberations=2), "b": ArchivedModel(deliberations=2)},
    )
    assert the_rule(*[council(0)] * 3, archived=archived).preferred_model == "b"


def test_to_deliberate_there_is_no_preferred_model() -> None:
    assert the_rule(*[council(1, confidence=1, user_rating="positive")] * 3).preferred_model is None


def test_a_category_with_a_quote_in_its_name_is_quoted_otherwise() -> None:
    assert the_rule(*[council(0, "it's")] * 3).condition == 'category == "it\'s"'


def test_the_whole_routing_model() -> None:
    records = [council(0)] * 3 + [council(0.5)] * 1 + list(others(2))
    found = routing_model(memory(*records, archived=Archived(count=4)), NOW)
    assert list(found) == list(empty_routing_model())
    assert found["last_rebuilt"] == "2026-03-28T14:30:00Z"
    assert found["sample_size"] == 10
    assert found["routing_accuracy"] == pytest.approx(3 / 6)  # three were deliberated for nothing
    (rule,) = found["rules"]
    assert list(rule) == [
        "condition",
        "action",
        "preferred_model",
        "confidence",
        "sample_count",
        "value_score",
        "strength",
    ]
    assert routing_model(Memory(), NOW)["routing_accuracy"] is None


@pytest.mark.parametrize(
    ("before", "now", "due"),
    [
        (0, 19, False),
        (19, 20, True),
        (20, 21, False),
        (20, 29, False),
        (29, 30, True),
        (5, 64, True),
        (30, 30, False),
    ],
)
def test_rules_are_made_anew_when_a_multiple_of_ten_is_crossed(before: int, now: int, due: bool) -> None:
    assert crosses_rebuild(before, now) is due


@settings(max_examples=60, deadline=None)
@given(records=learned_records(16))
def test_a_rule_exists_exactly_when_the_score_says_so(records: list[dict[str, Any]]) -> None:
    learned = memory_of(document(*records))
    expected = {}
    for category, known in categories(learned).items():
        if known.samples >= 3 and known.score is not None and not 0.4 <= known.score <= 0.6:
            expected[category] = "deliberate" if known.score > 0.5 else "single_model"
    found = rules(learned)
    assert {(rule.condition or "")[13:-1]: rule.action for rule in found} == expected
    for rule in found:
        assert 0.5 <= (rule.strength or 0) <= 1
        assert 0 < (rule.confidence or 0) <= 0.95


@settings(max_examples=40, deadline=None)
@given(records=learned_records(16))
def test_rules_are_a_function_of_the_records_and_the_archive_alone(records: list[dict[str, Any]]) -> None:
    whole = document(*records)
    learned = rules(memory_of(whole))
    other = build_memory(30, 4, seed=1)
    with_other_stores = {**whole, **{name: other[name] for name in ("model_performance", "routing_model")}}
    assert rules(memory_of(with_other_stores)) == learned
    backwards = rules(memory_of(document(*reversed(records))))
    for rule, same in zip(backwards, learned, strict=True):
        assert rule.strength == pytest.approx(same.strength)
        assert msgspec.structs.replace(rule, strength=None) == msgspec.structs.replace(same, strength=None)
