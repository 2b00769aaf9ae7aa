"""Whatever is asked, whatever the memory says: a route is well-formed, and says nothing of the question."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning.heuristics import rule_of_thumb
from council_vault.learning.router import Policy, Route, route
from council_vault.memory.vocabulary import CATEGORIES, ROUTING_SOURCES
from support.documents import memory_of
from support.memories import build_memory
from support.memory_files import documents, values

_SIGNALS = (
    "what is", "compare", "should I", "best", "code", "write", "security", "and", "why", "vs", "?", "？",
    "R&D", "天空为什么是蓝色的", "כן", "\ud800", "e\u0301", "\x00",
)  # fmt: skip
queries = st.lists(st.sampled_from(_SIGNALS) | st.text(max_size=8), max_size=30).map(" ".join)
policies = st.builds(
    Policy,
    mode=st.sampled_from(["learned", "learned", "always_deliberate", "always_shortcut"]),
    explore=st.integers(0, 12),
    models=st.just(())
    | st.lists(st.sampled_from(["a", "b", "openai/gpt-4o", " "]) | st.text(), max_size=7).map(tuple),
    per_deliberation_usd=st.none() | st.floats(0, 0.5),
)
rules = st.fixed_dictionaries(
    {},
    optional={
        "condition": st.sampled_from(CATEGORIES).map("category == '{}'".format) | values,
        "action": st.sampled_from(["deliberate", "single_model"]) | values,
        "preferred_model": st.none() | st.sampled_from(["a", "openai/gpt-4o"]) | values,
        "confidence": st.floats(0, 1) | values,
        "sample_count": st.integers(0, 90) | values,
        "value_score": st.floats(0, 1) | values,
        "strength": st.floats(0.5, 1) | values,
    },
)
sums = st.fixed_dictionaries({"sum": st.floats(-1, 1e308), "count": st.integers(-2, 50)})


@st.composite
def memories(draw):
    """Return a memory: consistent, or with anything in it; with rules of any kind, and removed records."""
    if draw(st.booleans()):
        size = draw(st.sampled_from([1, 19, 20, 47]))
        document = build_memory(size, draw(st.integers(1, 8)), draw(st.integers(0, 3)))
    else:
        document = draw(documents)
    if draw(st.booleans()):
        document["routing_model"] = {"rules": draw(st.lists(rules, max_size=4))}
    if draw(st.booleans()):
        document["archived"] = {
            "count": draw(st.integers(-5, 300)),
            "sizes": draw(
                st.dictionaries(
                    st.sampled_from(["1", "2", "4", "6", "0", "many"]),
                    st.fixed_dictionaries({"count": st.integers(-1, 9), "cost": sums}),
                )
            ),
        }
    return memory_of(document)


def check(found: Route) -> None:
    written = json.loads(msgspec.json.encode(found), parse_constant=pytest.fail)
    assert list(written) == list(Route.__struct_encode_fields__)
    assert found.decision in {"deliberate", "single_model"}
    assert found.routing_source in ROUTING_SOURCES
    assert 0 <= found.confidence <= 1
    assert found.uncertain == (found.confidence < 0.8)
    assert found.reasoning.endswith(".")
    assert found.estimated_cost is None or 0 <= found.estimated_cost <= 1e8
    assert len(set(found.recommended_models)) == len(found.recommended_models)
    assert found.preferred_chairman in {None, *found.recommended_models}
    assert found.learning_status.next_rebuild % 10 == 0
    if found.decision == "single_model":
        assert len(found.recommended_models) <= 1
        assert found.bias_warnings == ()
    else:
        assert len(found.recommended_models) != 1
        assert not set(found.recommended_models) & set(found.excluded_models)
    assert {warning.model for warning in found.bias_warnings} <= set(found.recommended_models)


@settings(max_examples=150, deadline=None)
@given(queries, memories(), policies)
def test_every_route_is_well_formed(query, memory, policy):
    found = route(query, memory, policy)
    check(found)
    assert found == route(query, memory, policy)
    match policy.mode:
        case "always_deliberate":
            assert (found.decision, found.routing_source) == ("deliberate", policy.mode)
        case "always_shortcut":
            assert (found.decision, found.routing_source) == ("single_model", policy.mode)
        case "learned":
            assert not found.routing_source.startswith("always_")
    if memory.total <= 0 and policy.mode == "learned":
        assert found.routing_source == "heuristic_no_memory"


@settings(max_examples=100, deadline=None)
@given(queries, memories(), policies)
def test_three_models_stay_where_there_are_as_many(query, memory, policy):
    policy = msgspec.structs.replace(policy, per_deliberation_usd=None)
    found = route(query, memory, policy)
    pool = {model for model in policy.models if model.strip()}
    if found.decision == "deliberate" and len(pool) >= 3:
        assert len(found.recommended_models) >= 3
        assert {*found.recommended_models, *found.excluded_models} == pool


@settings(max_examples=60, deadline=None)
@given(queries, memories(), policies, st.floats(0, 0.3))
def test_a_smaller_budget_never_makes_a_larger_council(query, memory, policy, less):
    roomy = msgspec.structs.replace(policy, per_deliberation_usd=less + 0.2)
    tight = msgspec.structs.replace(policy, per_deliberation_usd=less)
    before, after = (route(query, memory, one) for one in (roomy, tight))
    assert len(after.recommended_models) <= max(1, len(before.recommended_models))
    if before.decision == "single_model":
        assert after.decision == "single_model"


@settings(max_examples=60, deadline=None)
@given(memories(), policies, st.sampled_from(["zyzzyva quixote", "zyzzyva? Compare quixote", "code zyzzyva"]))
def test_the_question_is_in_nothing_that_is_said(memory, policy, query):
    said = msgspec.json.encode(route(query * 3, memory, policy)).decode()
    assert "zyzzyva" not in said
    assert "quixote" not in said


@settings(max_examples=150, deadline=None)
@given(queries, st.sampled_from(CATEGORIES), st.none() | st.floats(0, 1))
def test_a_rule_of_thumb_always_fits(query, category, budget):
    thumb = rule_of_thumb(query, category, budget)
    assert 0.5 <= thumb.confidence <= 0.95
    if budget is not None and budget < 0.03:
        assert thumb.action == "single_model"
