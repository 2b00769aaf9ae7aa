"""What the router says, with little to go by and with rules; modes, second looks, budgets."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from council_vault.learning.log_input import read_log_input
from council_vault.learning.router import Policy, Route, route
from council_vault.memory.schema import (
    Archived,
    ArchivedSize,
    Deliberation,
    Memory,
    QueryFeatures,
    RoutingModel,
    RoutingRule,
    Sum,
)
from support.documents import memory_of
from support.memories import build_memory

CODE = "code_implementation"
ASK_CODE = "Debug this function for me, it fails at night"
ASK_OTHER = "Plan a week of dinners for four people"
START = datetime(2026, 3, 1, tzinfo=UTC)
MODELS = ("a", "b", "c", "d")


def council(minutes: int, category: str = CODE, **fields: object) -> Deliberation:
    standard = {
        "timestamp": f"{START + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}",
        "query_features": QueryFeatures(category=category),
        "models_used": MODELS,
        "rankings": {model: float(rank) for rank, model in enumerate(MODELS, start=1)},
        "chairman": "a",
        "confidence": 0.5,
        "deliberation_value_added": 0.1,
        "cost_usd": 0.08,
        "routing_decision": "deliberate",
    }
    return Deliberation(**{**standard, **fields})


def answer(minutes: int, category: str = CODE, **fields: object) -> Deliberation:
    alone = {
        "models_used": ("a",),
        "rankings": {},
        "deliberation_value_added": None,
        "cost_usd": 0.01,
        "routing_decision": "single_model",
    }
    return council(minutes, category, **{**alone, **fields})


def rule(category: str = CODE, action: str = "single_model", **fields: object) -> RoutingRule:
    standard = {
        "condition": f"category == '{category}'",
        "action": action,
        "preferred_model": "b" if action == "single_model" else None,
        "confidence": 0.15,
        "sample_count": 12,
        "value_score": 0.31 if action == "single_model" else 0.72,
        "strength": 0.93,
    }
    return RoutingRule(**{**standard, **fields})


def memory_with(*records: Deliberation, rules: tuple[RoutingRule, ...] = (), **fields: object) -> Memory:
    return Memory(deliberations=records, routing_model=RoutingModel(rules=rules), **fields)


def experienced(*rules: RoutingRule, records: tuple[Deliberation, ...] = ()) -> Memory:
    """A memory with 20 deliberations, and more, that has rules."""
    return memory_with(*(council(minute) for minute in range(20)), *records, rules=rules)


def asked(query: str, memory: Memory, **policy: object) -> Route:
    return route(query, memory, Policy(**policy))


# Little to go by


def test_without_any_memory():
    found = asked("Compare SQLite and Postgres for an edge cache", Memory(), models=MODELS)
    assert json.loads(msgspec.json.encode(found)) == {
        "decision": "deliberate",
        "confidence": 0.9,
        "reasoning": "Rule of thumb: it compares, or weighs pros and cons.",
        "routing_source": "heuristic_no_memory",
        "uncertain": False,
        "recommended_models": ["a", "b", "c", "d"],
        "excluded_models": [],
        "preferred_chairman": None,
        "recommended_protocol": "voting",
        "estimated_cost": None,
        "bias_warnings": [],
        "query_features": {
            "length": 45,
            "category": "architecture_decision",
            "keywords": ["compare"],
            "protocol_used": "voting",
        },
        "learning_status": {
            "phase": "no_memory",
            "deliberations": 0,
            "rules": 0,
            "firm_rules": 0,
            "next_rebuild": 20,
            "category_samples": 0,
        },
    }


def test_its_keys_are_those_that_callers_know():
    assert Route.__struct_encode_fields__ == (
        "decision", "confidence", "reasoning", "routing_source", "uncertain", "recommended_models",
        "excluded_models", "preferred_chairman", "recommended_protocol", "estimated_cost",
        "bias_warnings", "query_features", "learning_status",
    )  # fmt: skip


def test_nobody_to_recommend_where_nobody_is_known():
    found = asked("Compare SQLite and Postgres for an edge cache", Memory())
    assert found.recommended_models == ()
    assert asked("Why?", Memory()).recommended_models == ()
    assert asked("Why?", Memory()).decision == "single_model"
    # one model that once answered alone makes no council
    found = asked("Compare SQLite and Postgres for an edge cache", memory_with(answer(0)))
    assert (found.decision, found.recommended_models) == ("deliberate", ())
    assert asked("Why?", memory_with(answer(0))).recommended_models == ("a",)


@pytest.mark.parametrize(("records", "source"), [(1, "heuristic_learning"), (19, "heuristic_learning")])
def test_while_learning(records, source):
    memory = memory_with(*(council(minute) for minute in range(records)), rules=(rule(),))
    found = asked(ASK_CODE, memory)
    assert (found.decision, found.confidence, found.routing_source) == ("single_model", 0.65, source)
    assert found.uncertain
    assert found.learning_status.phase == "learning"
    assert (found.learning_status.deliberations, found.learning_status.next_rebuild) == (records, 20)
    assert found.learning_status.category_samples == records


def test_twenty_records_without_a_rule_to_follow_are_still_learning():
    found = asked(ASK_CODE, experienced(rule(action="maybe"), rule(condition="always")))
    assert (found.routing_source, found.confidence) == ("heuristic_learning", 0.65)
    assert found.learning_status.phase == "learning"
    assert (found.learning_status.rules, found.learning_status.next_rebuild) == (0, 30)


def test_removed_records_count():
    memory = memory_with(council(0), rules=(rule(),), archived=Archived(count=19))
    assert asked(ASK_CODE, memory).routing_source == "learned"
    memory = memory_with(council(0), rules=(rule(),), archived=Archived(count=18))
    assert asked(ASK_CODE, memory).routing_source == "heuristic_learning"


# Rules


def test_a_rule_for_one_model():
    found = asked(ASK_CODE, experienced(rule()))
    assert (found.decision, found.confidence, found.uncertain) == ("single_model", 0.93, False)
    assert found.routing_source == "learned"
    assert found.recommended_models == ("b",)
    assert found.preferred_chairman is None
    assert found.estimated_cost == pytest.approx(0.08 * 0.42 / 4)
    assert found.reasoning == (
        "Learned: one model is enough for code_implementation (value score 0.31, 12 deliberations, 93% sure)."
    )
    status = found.learning_status
    assert (status.phase, status.rules, status.firm_rules, status.next_rebuild) == ("active", 1, 1, 30)


def test_a_rule_for_a_council():
    found = asked(ASK_CODE, experienced(rule(action="deliberate")))
    assert (found.decision, found.confidence, found.uncertain) == ("deliberate", 0.93, False)
    assert found.recommended_models == ("a", "b", "c")  # d was always last
    assert found.excluded_models == ("d",)
    assert found.preferred_chairman == "a"
    assert found.estimated_cost == pytest.approx(0.06)
    assert "code_implementation is worth deliberating (value score 0.72," in found.reasoning


@pytest.mark.parametrize(("strength", "uncertain"), [(0.7999, True), (0.8, False), (0.5, True), (1.0, False)])
def test_a_rule_is_followed_and_said_to_be_uncertain_below_four_fifths(strength, uncertain):
    found = asked(ASK_CODE, experienced(rule(strength=strength)))
    assert (found.decision, found.confidence, found.uncertain) == ("single_model", strength, uncertain)
    assert found.learning_status.firm_rules == (not uncertain)
    assert "100%" not in found.reasoning


def test_a_rule_of_which_nothing_but_the_action_is_known():
    bare = rule(preferred_model=None, sample_count=None, value_score=None, strength=None)
    memory = memory_with(rules=(bare,), archived=Archived(count=20))
    found = asked(ASK_CODE, memory, models=MODELS)
    assert (found.decision, found.confidence, found.recommended_models) == ("single_model", 0.5, ("a",))
    assert found.reasoning.endswith("(nothing is known of its grounds).")


def test_the_preferred_model_counts_if_it_is_in_the_council():
    assert asked(ASK_CODE, experienced(rule())).recommended_models == ("b",)
    assert asked(ASK_CODE, experienced(rule(preferred_model="gone"))).recommended_models == ("gone",)
    inside = asked(ASK_CODE, experienced(rule(preferred_model="c")), models=("d", "c"))
    assert inside.recommended_models == ("c",)
    outside = asked(ASK_CODE, experienced(rule(preferred_model="gone")), models=("d", "c", "b"))
    assert outside.recommended_models == ("b",)


def test_a_category_without_a_rule_is_deliberated_to_learn():
    found = asked(ASK_OTHER, experienced(rule()))
    assert (found.decision, found.confidence, found.uncertain) == ("deliberate", 0.5, True)
    assert found.routing_source == "learned"
    assert found.reasoning == "Little is known of other yet: it is deliberated to learn."
    between = tuple(council(30 + minute, "other", deliberation_value_added=0.5) for minute in range(3))
    found = asked(ASK_OTHER, experienced(rule(), records=between))
    assert found.learning_status.category_samples == 3
    assert found.reasoning == (
        "Whether other is worth deliberating is open (value score 0.45, 3 deliberations): "
        "it is deliberated to learn."
    )


# The second look


def singles(count: int, start: int = 100, category: str = CODE) -> tuple[Deliberation, ...]:
    return tuple(answer(start + minute, category) for minute in range(count))


@pytest.mark.parametrize(
    ("alone", "explore", "decision"),
    [
        (0, 10, "single_model"),
        (8, 10, "single_model"),
        (9, 10, "deliberate"),
        (10, 10, "deliberate"),
        (30, 0, "single_model"),
        (0, 1, "deliberate"),
        (0, 2, "single_model"),
        (1, 2, "deliberate"),
    ],
)
def test_every_tenth_is_looked_at_again(alone, explore, decision):
    found = asked(ASK_CODE, experienced(rule(), records=singles(alone)), explore=explore)
    assert found.decision == decision
    if decision == "deliberate":
        assert (found.confidence, found.uncertain) == (0.07, True)
        assert f"deliberated all the same, to see whether that is still so, as 1 in {explore} is." in (
            found.reasoning
        )
        assert len(found.recommended_models) == 3


def test_a_council_ends_the_row():
    memory = experienced(rule(), records=(*singles(9), council(200), *singles(8, 300)))
    assert asked(ASK_CODE, memory).decision == "single_model"
    memory = experienced(rule(), records=(*singles(9), council(200), *singles(9, 300)))
    assert asked(ASK_CODE, memory).decision == "deliberate"


def test_the_row_is_counted_by_time_then_place_and_in_the_category_alone():
    late_in_the_file = (*singles(9, 300), council(200))
    assert asked(ASK_CODE, experienced(rule(), records=late_in_the_file)).decision == "deliberate"
    same_time = (*(answer(50) for _ in range(9)), council(50), *(answer(50) for _ in range(8)))
    assert asked(ASK_CODE, experienced(rule(), records=same_time)).decision == "single_model"
    others = (*singles(5), *singles(9, 300, "other"))
    assert asked(ASK_CODE, experienced(rule(), records=others)).decision == "single_model"
    without_time = tuple(msgspec.structs.replace(one, timestamp="soon") for one in singles(9))
    assert asked(ASK_CODE, experienced(rule(), records=without_time)).decision == "single_model"


def test_a_rule_for_a_council_needs_no_second_look():
    found = asked(ASK_CODE, experienced(rule(action="deliberate"), records=singles(9)))
    assert found.confidence == 0.93


# Modes


@pytest.mark.parametrize("memory", [Memory(), experienced(rule()), experienced(rule(), records=singles(9))])
def test_fixed_modes(memory):
    always = asked(ASK_CODE, memory, mode="always_deliberate", models=MODELS)
    assert (always.decision, always.confidence, always.uncertain) == ("deliberate", 1.0, False)
    assert always.routing_source == "always_deliberate"
    never = asked("Compare Raft and Paxos", memory, mode="always_shortcut", models=MODELS)
    assert (never.decision, never.confidence, never.uncertain) == ("single_model", 1.0, False)
    assert never.routing_source == "always_shortcut"
    assert never.recommended_models == ("a",)
    assert always.learning_status == asked(ASK_CODE, memory).learning_status


# Protocol


@pytest.mark.parametrize(
    ("query", "protocol"),
    [
        ("Prepare us for the NIST audit in May", "consensus"),
        ("What is the capital of Trinidad?", "consensus"),
        (ASK_CODE, "voting"),
        (ASK_OTHER, "voting"),
    ],
)
def test_the_protocol_follows_the_category(query, protocol):
    found = asked(query, Memory())
    assert found.recommended_protocol == found.query_features.protocol_used == protocol


# Budgets


def priced(*sizes: tuple[int, float]) -> Memory:
    """A memory of five models in which councils of these sizes have cost so much."""
    models = ("a", "b", "c", "d", "e", "f", "g")
    records = [
        council(
            minute,
            "other",
            models_used=models[:size],
            rankings=dict.fromkeys(models[:size], 1.0),
            cost_usd=cost,
            routing_decision="single_model" if size == 1 else "deliberate",
        )
        for minute, (size, cost) in enumerate(sizes)
    ]
    return memory_with(*records, rules=(rule("other", "deliberate"),), archived=Archived(count=20))


KNOWN = ((6, 0.16), (4, 0.09), (2, 0.04), (1, 0.01))


@pytest.mark.parametrize(
    ("budget", "size", "cost"),
    [
        (None, 6, 0.16),
        (0.16, 6, 0.16),
        (0.15, 4, 0.09),
        (0.0899, 2, 0.04),
        (0.0399, 1, 0.01),
        (0.001, 1, 0.01),
    ],
)
def test_over_the_budget_the_council_gets_smaller(budget, size, cost):
    found = asked(ASK_OTHER, priced(*KNOWN), per_deliberation_usd=budget)
    assert len(found.recommended_models) == size
    assert found.estimated_cost == pytest.approx(cost)
    assert found.decision == ("single_model" if size == 1 else "deliberate")
    assert found.routing_source == "learned"
    if size == 1:
        assert (found.confidence, found.uncertain) == (0.95, False)
    said = f" But a council of 6 would cost about $0.16, more than the budget of ${budget}, so "
    assert (said in found.reasoning) == (size < 6)
    assert found.reasoning.endswith((").", "so 4 are asked.", "so 2 are asked.", "so one is asked."))


def test_amounts_are_said_with_two_to_four_decimals():
    found = asked(ASK_OTHER, priced((6, 1.2)), per_deliberation_usd=0.08125)
    assert "about $1.20, more than the budget of $0.0813," in found.reasoning


def test_a_council_of_another_size_gets_smaller_by_the_same_steps():
    five = ("a", "b", "c", "d", "e")
    assert len(asked(ASK_OTHER, priced(*KNOWN), models=five).recommended_models) == 5
    found = asked(ASK_OTHER, priced(*KNOWN), models=five, per_deliberation_usd=0.1)
    assert len(found.recommended_models) == 4
    found = asked(ASK_OTHER, priced(*KNOWN), models=five[:3], per_deliberation_usd=0.05)
    assert len(found.recommended_models) == 2


def test_a_fixed_mode_keeps_at_least_two():
    found = asked(ASK_OTHER, priced(*KNOWN), mode="always_deliberate", per_deliberation_usd=0.001)
    assert (found.decision, len(found.recommended_models)) == ("deliberate", 2)
    assert found.confidence == 1.0


def test_a_second_look_stays_within_the_budget():
    memory = experienced(rule(), records=singles(9))
    found = asked(ASK_CODE, memory, per_deliberation_usd=0.02)
    assert found.decision == "single_model"
    assert found.recommended_models == ("a",)
    assert "deliberated all the same" in found.reasoning
    assert found.reasoning.endswith("so one is asked.")


def test_where_no_cost_is_known_three_cents_are_the_least():
    memory = priced((4, None))
    enough = asked(ASK_OTHER, memory, per_deliberation_usd=0.03)
    assert (enough.decision, enough.estimated_cost) == ("deliberate", None)
    found = asked(ASK_OTHER, memory, per_deliberation_usd=0.02)
    assert (found.decision, found.estimated_cost) == ("single_model", None)
    assert " But a council of 4 is likely to cost more than the budget of $0.02, so one is asked." in (
        found.reasoning
    )


def test_rules_of_thumb_have_a_budget_too():
    little = memory_with(council(0))
    query = "Compare Raft and Paxos for a ledger"
    assert asked(query, little, per_deliberation_usd=0.02).confidence == 0.95
    assert len(asked(query, little, per_deliberation_usd=0.05).recommended_models) == 2
    removed = Archived(count=1, sizes={"4": ArchivedSize(count=1, cost=Sum(sum=0.02, count=1))})
    found = asked(query, Memory(archived=removed), models=MODELS, per_deliberation_usd=0.03)
    assert (found.decision, found.estimated_cost) == ("deliberate", 0.02)


def test_a_budget_without_end_is_none():
    found = asked(ASK_OTHER, priced(*KNOWN), per_deliberation_usd=float("inf"))
    assert len(found.recommended_models) == 6
    assert "budget" not in found.reasoning


def test_a_council_of_one_is_one_model():
    found = asked("Compare Raft and Paxos for a ledger", Memory(), models=("a",))
    assert (found.decision, found.recommended_models) == ("single_model", ("a",))
    assert found.reasoning.endswith(" But the council has one model only.")
    found = asked(ASK_CODE, Memory(), models=("a",), mode="always_deliberate")
    assert found.decision == "deliberate"


@pytest.mark.parametrize(
    ("query", "memory"),
    [(ASK_CODE, Memory()), (ASK_CODE, experienced(rule())), (ASK_OTHER, experienced(rule()))],
)
def test_what_it_says_can_be_logged_as_it_is(query, memory):
    found = asked(query, memory, models=MODELS)
    given = {
        "query_text": query,
        "models_used": list(found.recommended_models),
        "routing_decision": json.loads(msgspec.json.encode(found)),
    }
    logged = read_log_input(given)
    assert logged.routing_decision == found.decision
    assert logged.routing_source == found.routing_source
    assert logged.routing_confidence == found.confidence


def test_the_same_question_gets_the_same_answer():
    document = build_memory(90, 7, seed=5)
    policy = Policy(per_deliberation_usd=0.1)
    first, second = (route(ASK_CODE, memory_of(document), policy) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("budget", [None, 0.0, 0.05])
@pytest.mark.parametrize("blank", [("",), (" ", ""), (" ", "\t", "")])
def test_a_list_of_blank_models_is_no_council_at_all(blank: tuple[str, ...], budget: float | None) -> None:
    memory = build_memory(30, 4, 1)
    for asked in (ASK_CODE, ASK_OTHER):
        named = route(asked, memory_of(memory), Policy(models=blank, per_deliberation_usd=budget))
        assert named == route(asked, memory_of(memory), Policy(per_deliberation_usd=budget))


def test_a_model_that_is_named_twice_is_one() -> None:
    twice = Policy(models=("b", "a", "b", " "))
    assert route(ASK_OTHER, Memory(), twice) == route(ASK_OTHER, Memory(), Policy(models=("b", "a")))
