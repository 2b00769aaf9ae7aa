"""A memory file held against its schema, in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.doctor.structure import violations
from council_vault.memory import canonical
from council_vault.memory.decoding import decode
from support.memory_files import document, dump, names, record, values

FIRST = "deliberations[0]"


def said(*records, **fields):
    return {problem.where: problem.what for problem in violations(document(*records, **fields))}


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("confidence", 85, "expected a number from 0 to 1, got 85"),
        ("confidence", -0.1, "expected a number from 0 to 1, got -0.1"),
        ("confidence", "1.5", 'expected a number from 0 to 1, got "1.5"'),
        ("confidence", "high", 'expected a number, got "high"'),
        ("confidence", True, "expected a number, got true"),
        ("cost_usd", -1, "expected a number of at least 0, got -1"),
        ("cost_usd", "$-1", 'expected a number of at least 0, got "$-1"'),
        ("vault_synced", "yes", 'expected true or false, got "yes"'),
        ("models_used", "all", 'expected a list, got "all"'),
        ("models_used", ["a", "a"], "expected each of them once, got a list"),
        ("rankings", [1, 2], "expected an object, got a list"),
        ("chairman", 5, "expected text, got 5"),
        ("timestamp", None, "expected something such as 2026-03-28T14:30:00Z, got null"),
        ("id", "d_1", 'expected something such as d_20260328_001, got "d_1"'),
        ("id", "d_20260328_001\n", 'expected something such as d_20260328_001, got "d_20260328_001\\n"'),
        ("outcome", "fine", 'expected accepted, rejected, partial or unknown, got "fine"'),
        ("timestamp", ..., "missing"),
        ("query_features", ..., "missing"),
    ],
)
def test_a_field_that_is_not_as_the_schema_says(field, value, what):
    assert said(record(1, **{field: value})) == {f"{FIRST}.{field}": what}


def test_a_single_word_and_a_whole_number_and_a_pattern():
    features = {"category": "other", "length": 2.5}
    rule = {"condition": "length > 5", "action": "deliberate"}
    routing = {"last_rebuilt": None, "sample_size": 0, "routing_accuracy": None, "rules": [rule]}
    assert said(record(1, query_features=features), version="1.2", routing_model=routing) == {
        "version": 'expected 1.3, got "1.2"',
        f"{FIRST}.query_features.length": "expected a whole number, got 2.5",
        "routing_model.rules[0].condition": (
            "expected something such as category == 'factual_lookup', got \"length > 5\""
        ),
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cost_usd", "0.0123"),
        ("cost_usd", "$0.01"),
        ("confidence", "0.9"),
        ("latency_ms", None),
        ("rankings", None),
        ("self_preference", None),
        ("vault_synced", None),
        ("timestamp", 1774688728),
        ("query_features", {"category": "other", "length": "52"}),
        ("stage_costs", None),
        ("stage_costs", {"collect": "0.01", "mine": 1}),
    ],
)
def test_what_reading_takes_as_it_is_meant_is_no_mistake(field, value):
    memory = document(record(1, **{field: value}))
    assert list(violations(memory)) == []
    assert decode(dump(memory)).problems == ()


ODD = ["a.b", "x[0]", "{}", "{x}", '"', "", "%s", "a", "a.b.c", "data", "d.avg_rank", "ü 🏛️"]


@pytest.mark.parametrize("model", ODD)
def test_names_of_any_kind_are_named_exactly(model):
    ranks = {**dict.fromkeys(ODD, 1), model: 0}
    performance = {**{name: {"deliberations_participated": 0} for name in ODD}, model: {"avg_rank": 0}}
    found = said(record(1, rankings=ranks), model_performance=performance)
    name = json.dumps(model)
    assert found == {
        f"{FIRST}.rankings[{name}]": "expected a number of at least 1, got 0",
        f"model_performance[{name}].avg_rank": "expected a number of at least 1, got 0",
        f"model_performance[{name}].deliberations_participated": "missing",
    }


def test_a_name_that_reads_like_a_field_of_another_one_is_told_apart():
    performance = {
        "a.avg_rank": {"deliberations_participated": 0},
        "a": {"deliberations_participated": 0, "avg_rank": 0.5},
    }
    assert list(said(model_performance=performance)) == ['model_performance["a"].avg_rank']


def test_several_mistakes_are_each_named():
    assert list(said(record(1, confidence=2, cost_usd=-1, outcome="x"), 5, record(2, id=5))) == [
        f"{FIRST}.confidence",
        f"{FIRST}.cost_usd",
        f"{FIRST}.outcome",
        "deliberations[1]",
        "deliberations[2].id",
    ]


@settings(deadline=None, max_examples=60)
@given(
    odd=st.dictionaries(names, values, max_size=4),
    field=st.sampled_from(
        ["deliberations", "routing_model", "model_performance", "archived", "optimization_log"]
    ),
    value=values | st.lists(st.dictionaries(names, values, max_size=3), max_size=3),
)
def test_whatever_stands_there_is_put_into_words(odd, field, value):
    memory = {**document(record(1) | odd), field: value} | {"extra": odd}
    for problem in violations(memory):
        assert problem.where
        assert problem.what


@settings(deadline=None, max_examples=60)
@given(odd=st.dictionaries(st.sampled_from(list(record())), values, min_size=1, max_size=3))
def test_what_reading_cannot_take_is_not_as_the_schema_says(odd):
    data = dump(document(record(1) | odd))
    named = {one.where for one in violations(canonical.parse(data) | {"deliberations": [record(1) | odd]})}
    unread = {one.where for one in decode(data).problems}
    semantic = {
        f"{FIRST}.timestamp",
        f"{FIRST}.id",
    }  # whether a text is a time, and a day, only reading knows
    assert unread - semantic <= named
