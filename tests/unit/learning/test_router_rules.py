"""Which of the stored rules the router follows, and how sure it takes them to be."""

from __future__ import annotations

import pytest

from council_vault.learning import stats
from council_vault.learning.routing import Evidence, strength
from council_vault.learning.rules import Rule, category_in, followed, strength_of, value_of
from council_vault.memory.schema import Memory, RoutingModel, RoutingRule
from support.documents import memory_of
from support.memory_files import document


@pytest.mark.parametrize(
    ("condition", "category"),
    [
        ("category == 'other'", "other"),
        ('  category=="data migration" ', "data migration"),
        ("category == 'other' and length > 3", None),
        ('category == "it\'s"', "it's"),
        ("category == 'other\"", None),
        ("length > 3", None),
        ("", None),
        (None, None),
    ],
)
def test_the_category_of_a_condition(condition: str | None, category: str | None) -> None:
    assert category_in(condition) == category


def rule(**fields: object) -> RoutingRule:
    standard = {
        "condition": "category == 'other'",
        "action": "single_model",
        "preferred_model": "a",
        "confidence": 0.2,
        "sample_count": 5,
        "value_score": 0.3,
        "strength": 0.9,
    }
    return RoutingRule(**{**standard, **fields})


def rules_of(*stored: RoutingRule) -> dict[str, Rule]:
    memory = Memory(routing_model=RoutingModel(rules=stored))
    return followed(memory, stats.categories(memory))


def test_a_rule_is_followed_as_stored() -> None:
    assert rules_of(rule()) == {
        "other": Rule(action="single_model", preferred_model="a", samples=5, value=0.3, strength=0.9)
    }


@pytest.mark.parametrize(
    "broken",
    [
        {"action": "single"},
        {"action": None},
        {"action": "explicit_command"},
        {"condition": "length > 3"},
        {"condition": None},
    ],
)
def test_a_rule_that_cannot_be_followed_is_not(broken: dict[str, object]) -> None:
    assert rules_of(rule(**broken)) == {}
    assert rules_of(rule(**broken), rule(condition="category == 'x'")).keys() == {"x"}


def test_of_two_rules_for_a_category_the_first_that_can_be_followed_stands() -> None:
    rules = rules_of(rule(action="maybe"), rule(preferred_model="b"), rule(action="deliberate"))
    assert rules["other"].preferred_model == "b"


@pytest.mark.parametrize("missing", [None, 7.0, -0.1])
def test_a_strength_that_is_missing_or_cannot_be_is_worked_out(missing: float | None) -> None:
    known = Evidence(count=4, samples=4, score=0.5, record_scores=(0.2, 0.3, 0.3, 0.4))
    expected = strength(0.3, "single_model", known.record_scores)
    assert strength_of(rule(strength=missing), known) == expected
    assert 0.5 < expected < 1
    by_records = strength_of(rule(strength=missing, value_score=missing), known)
    assert by_records == strength(0.5, "single_model", known.record_scores)


def test_nothing_is_made_up_where_nothing_is_known() -> None:
    nothing = Evidence()
    assert value_of(rule(value_score=1.2), nothing) is None
    assert strength_of(rule(strength=None, value_score=None), nothing) is None
    assert strength_of(rule(strength=None, action="maybe"), nothing) is None
    assert strength_of(rule(strength=None, condition="?"), nothing) is None
    assert strength_of(rule(condition="?"), nothing) == 0.9
    assert strength_of(rule(strength=None), nothing) == 0.5


def test_mistyped_numbers_count_as_missing_and_the_rule_is_followed() -> None:
    stored = {
        "condition": "category == 'other'",
        "action": "deliberate",
        "preferred_model": "",
        "confidence": "high",
        "sample_count": "many",
        "value_score": [0.7],
        "strength": float("nan"),
    }
    memory = memory_of(document(routing_model={"rules": [stored, "deliberate always", 7]}))
    assert followed(memory, stats.categories(memory)) == {"other": Rule(action="deliberate")}
