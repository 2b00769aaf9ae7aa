"""Log input: what is read, and what is refused with its field named and none of its text shown."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.errors import InputError
from council_vault.learning.log_input import LogInput, read_log_input
from council_vault.learning.record import build_record, draft_record
from council_vault.memory.canonical import render
from council_vault.memory.ids import parse_id
from council_vault.memory.schema import Deliberation, Memory, StageCosts
from support.councils import (
    ANSWERS,
    CLAUDE,
    COUNCIL,
    GEMINI,
    GPT,
    GROK,
    NOW,
    QUERY,
    SYNTHESIS,
    log_input,
    single,
)


def refusal(document: object) -> InputError:
    with pytest.raises(InputError) as caught:
        read_log_input(document)
    return caught.value


def read(**changes: object) -> LogInput:
    return read_log_input(log_input(**changes))


# What is read


def test_everything_that_was_given() -> None:
    whole = read(
        query_summary="Monolith or not",
        timestamp="2026-03-28T08:30:00-06:00",
        outcome="partial",
        stage_costs={"collect": 0.04, "review": 0.03, "synthesize": 0.02},
    )
    assert msgspec.structs.asdict(whole) == {
        "query_text": QUERY,
        "models_used": COUNCIL,
        "stage1_responses": ANSWERS,
        "rankings": {GPT: 2, CLAUDE: 1, GEMINI: 4, GROK: 3},
        "chairman": CLAUDE,
        "confidence": 0.82,
        "consensus_level": "strong",
        "protocol_used": "voting",
        "cost_usd": 0.09,
        "latency_ms": 12400,
        "reviewer_rankings_raw": {
            GPT: {CLAUDE: 1, GPT: 2, GROK: 3, GEMINI: 4},
            CLAUDE: {CLAUDE: 1, GPT: 2, GROK: 3, GEMINI: 4},
            GEMINI: {CLAUDE: 1, GPT: 2, GEMINI: 3, GROK: 4},
            GROK: {CLAUDE: 1, GPT: 2, GROK: 3, GEMINI: 4},
        },
        "synthesis_text": SYNTHESIS,
        "top_individual_response": ANSWERS[CLAUDE],
        "routing_decision": "deliberate",
        "routing_source": "heuristic_learning",
        "routing_confidence": 0.8,
        "vault_context_loaded": True,
        "query_summary": "Monolith or not",
        "timestamp": datetime(2026, 3, 28, 14, 30, tzinfo=UTC),
        "outcome": "partial",
        "stage_costs": StageCosts(collect=0.04, review=0.03, synthesize=0.02),
    }


def test_two_fields_are_enough_and_null_is_not_known() -> None:
    least = read_log_input({"query_text": "q", "models_used": ["a", "b"]})
    nothing = dict.fromkeys(LogInput.__struct_fields__)
    assert read_log_input({**nothing, "query_text": "q", "models_used": ["a", "b"]}) == least
    assert least == LogInput(
        query_text="q",
        models_used=("a", "b"),
        routing_decision="deliberate",
        routing_source="explicit_command",
    )


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("cost_usd", "0.09", 0.09),
        ("cost_usd", "$0.09", 0.09),
        ("cost_usd", 0, 0),
        ("cost_usd", 1_000_000, 1_000_000),
        ("latency_ms", 0, 0),
        ("latency_ms", 1_000_000_000, 1_000_000_000),
        ("cost_usd", 0.000004, 0.000004),
        ("latency_ms", " 1.2e4 ", 12000),
        ("confidence", 1, 1),
        ("confidence", "0.5", 0.5),
        ("consensus_level", "Strong", "strong"),
        ("protocol_used", " CONSENSUS ", "consensus"),
        ("outcome", "Rejected", "rejected"),
        ("chairman", "  some/other:free \n", "some/other:free"),
        ("chairman", "m" * 200, "m" * 200),
        ("timestamp", 1774708200, datetime(2026, 3, 28, 14, 30, tzinfo=UTC)),
        ("timestamp", "2026-03-28", datetime(2026, 3, 28, tzinfo=UTC)),
        ("timestamp", "2000-01-01", datetime(2000, 1, 1, tzinfo=UTC)),
        ("synthesis_text", "", ""),
        ("rankings", {f" {GPT} ": "1", GROK: 2.5, GEMINI: None}, {GPT: 1, GROK: 2.5}),
        ("reviewer_rankings_raw", {GPT: None, "outside/reviewer": [GROK]}, {"outside/reviewer": {GROK: 1}}),
        ("stage_costs", {"synthesize": "0.02", "other": "x"}, StageCosts(synthesize=0.02)),
        ("stage_costs", {"review": None}, None),
        ("stage_costs", {"collect": 0.1, "review": 0.004}, StageCosts(collect=0.1, review=0.004)),
        ("stage_costs", {}, None),
    ],
)
def test_other_ways_to_write_it(field: str, value: object, expected: object) -> None:
    assert getattr(read(**{field: value}), field) == expected


def test_minus_nothing_is_nothing() -> None:
    assert str(read(cost_usd=-0.0).cost_usd) == "0.0"


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("deliberate", ("deliberate", None, None)),
        ("Single-Model", ("single_model", None, None)),
        ("explicit_command", ("deliberate", "explicit_command", None)),
        (None, ("deliberate", "explicit_command", None)),
        ({}, ("deliberate", "explicit_command", None)),
        (
            {"decision": "single_model", "routing_source": "learned", "confidence": 0.91, "reasoning": "…"},
            ("single_model", "learned", 0.91),
        ),
        ({"decision": "deliberate", "routing_source": None}, ("deliberate", None, None)),
        ({"routing_source": "always_deliberate"}, ("deliberate", "always_deliberate", None)),
    ],
)
def test_what_the_router_had_decided(given_: object, expected: tuple[object, ...]) -> None:
    found = read(routing_decision=given_)
    assert (found.routing_decision, found.routing_source, found.routing_confidence) == expected


def test_source_and_confidence_beside_the_word() -> None:
    found = read(routing_decision="deliberate", routing_source="learned", routing_confidence=0.7)
    assert (found.routing_decision, found.routing_source, found.routing_confidence) == (
        "deliberate",
        "learned",
        0.7,
    )


def test_a_single_model_that_the_router_was_not_asked_about() -> None:
    found = read_log_input(single(routing_decision=None))
    assert (found.routing_decision, found.routing_source) == ("single_model", "explicit_command")
    assert not found.is_council


def test_fields_that_are_not_known_are_left_alone() -> None:
    assert read(note="x", id="d_20260328_001", user_rating="positive", stages=3) == read()


def test_models_that_failed_outside_the_council_do_not_count() -> None:
    answers = {**ANSWERS, "gone/model": None, "other/model": "Error: 503"}
    assert read(stage1_responses=answers).stage1_responses == ANSWERS


@pytest.mark.parametrize(
    "query", ["為什麼天空是藍色的", "مرحبا كيف الحال", "half \ud83d a pair", "a", "x" * 100_000]
)
def test_queries_of_any_kind(query: str) -> None:
    assert read(query_text=query).query_text == query


def test_nothing_of_the_texts_is_in_what_a_log_would_show() -> None:
    assert repr(read()) == f"LogInput(models_used={COUNCIL!r})"


# What is refused


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("query_text", "", "expected the question as text, got empty text"),
        ("query_text", " \n\u3000", "got empty text"),
        ("query_text", 5, "got 5"),
        ("query_text", ["x"], "got a list"),
        ("models_used", [], "expected a list of models, got an empty list"),
        ("models_used", GPT, "expected a list of models"),
        ("models_used", {GPT: 1}, "got an object"),
        ("stage1_responses", [ANSWERS[GPT]], "expected an object, got a list"),
        ("stage1_responses", ANSWERS[GPT], "expected an object, got other text"),
        ("rankings", [CLAUDE, GPT], "expected an object, got a list"),
        ("chairman", "", "expected a model id of 1 to 200 printable characters, got empty text"),
        ("chairman", "a\nb", "expected a model id"),
        ("chairman", "a\u202eb", "expected a model id"),
        ("chairman", "m" * 201, "expected a model id"),
        ("chairman", [CLAUDE], "got a list"),
        ("confidence", 1.2, "expected a number from 0 to 1, got 1.2"),
        ("confidence", -0.1, "got -0.1"),
        ("confidence", math.nan, "got a number that is not finite"),
        ("confidence", True, "got true"),
        ("confidence", "high", 'got "high"'),
        ("confidence", "82 %", "got other text"),
        ("confidence", 82, "got 82"),
        ("consensus_level", "unanimous", 'expected strong, moderate, weak or split, got "unanimous"'),
        ("consensus_level", "they all agree on it", "got other text"),
        ("consensus_level", 1, "got 1"),
        ("protocol_used", "debate", 'expected voting or consensus, got "debate"'),
        ("cost_usd", -0.001, "expected USD from 0 to 1000000, got -0.001"),
        ("cost_usd", 1e400, "got a number that is not finite"),
        ("cost_usd", 10**400, "got a number that is not finite"),
        ("cost_usd", 1_000_001, "got 1000001"),
        ("latency_ms", 1_000_000_001, "got 1000000001"),
        ("cost_usd", {"total": 1}, "got an object"),
        ("cost_usd", "about 9 cents", "got other text"),
        ("latency_ms", -1, "expected milliseconds from 0 to 1000000000, got -1"),
        ("latency_ms", False, "got false"),
        ("reviewer_rankings_raw", [[GPT]], "expected an object, got a list"),
        ("synthesis_text", ["a"], "expected text, got a list"),
        ("top_individual_response", 5, "expected text, got 5"),
        ("routing_decision", "ask everyone", "expected deliberate, single_model or explicit_command"),
        ("routing_decision", 1, "got 1"),
        ("routing_decision", ["deliberate"], "got a list"),
        ("vault_context_loaded", "yes", 'expected true or false, got "yes"'),
        ("query_summary", 5, "expected text, got 5"),
        ("timestamp", "yesterday", 'expected a time such as "2026-03-28T14:30:00Z", got "yesterday"'),
        ("timestamp", "1999-12-31T23:59:59Z", "expected a time"),
        ("timestamp", True, "got true"),
        ("outcome", "good", "expected accepted, rejected, partial or unknown"),
        ("stage_costs", 0.09, "expected an object, got 0.09"),
        ("stage_costs", {"collect": 0.1, "review": 0.005}, "together 0.105, more than cost_usd, 0.09"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: object, what: str) -> None:
    error = refusal(log_input(**{field: value}))
    assert error.where == field
    assert what in error.what


@pytest.mark.parametrize(
    ("field", "value", "where", "what"),
    [
        ("models_used", [GPT, ""], "models_used[1]", "expected a model id"),
        ("models_used", [GPT, None], "models_used[1]", "got null"),
        ("models_used", [GPT, CLAUDE, f" {GPT}"], "models_used[2]", "this model stands twice"),
        ("rankings", {"meta/llama": 1}, 'rankings["meta/llama"]', "this model is not in models_used"),
        ("rankings", {GPT: 0}, f'rankings["{GPT}"]', "expected a rank from 1 to 4, got 0"),
        ("rankings", {GPT: 5}, f'rankings["{GPT}"]', "got 5"),
        ("rankings", {GPT: "first"}, f'rankings["{GPT}"]', 'got "first"'),
        ("rankings", {GPT: 1, f"{GPT} ": 2}, f'rankings["{GPT} "]', "stands twice"),
        ("rankings", {"llama 3": 1}, 'rankings["llama 3"]', "this model is not in models_used"),
        ("rankings", {"llama 3 8B": 1}, "rankings[…]", "this model is not in models_used"),
        ("rankings", {"": 1}, "rankings[…]", "expected a model id"),
        ("rankings", {"a\nb": 1}, "rankings[…]", "expected a model id"),
        ("stage1_responses", {GPT: 5}, f'stage1_responses["{GPT}"]', "expected text, got 5"),
        ("stage1_responses", {"x/y": "It is so."}, 'stage1_responses["x/y"]', "not in models_used"),
        ("stage1_responses", {"It is quite so": GPT}, "stage1_responses[…]", "not in models_used"),
        (
            "reviewer_rankings_raw",
            {GPT: [CLAUDE, 7]},
            f'reviewer_rankings_raw["{GPT}"][1]',
            "expected a model id",
        ),
        (
            "reviewer_rankings_raw",
            {GPT: ["Response A", "Response B"]},
            f'reviewer_rankings_raw["{GPT}"]',
            "none of these models is in models_used",
        ),
        ("routing_decision", {"decision": "x"}, "routing_decision.decision", 'got "x"'),
        ("routing_decision", {"routing_source": "me"}, "routing_decision.routing_source", 'got "me"'),
        ("routing_decision", {"confidence": 2}, "routing_decision.confidence", "got 2"),
        ("stage_costs", {"review": -1}, "stage_costs.review", "got -1"),
        ("stage_costs", {"synthesize": "x"}, "stage_costs.synthesize", 'got "x"'),
    ],
)
def test_the_place_inside_a_field_is_named(field: str, value: object, where: str, what: str) -> None:
    error = refusal(log_input(**{field: value}))
    assert error.where == where
    assert what in error.what


@pytest.mark.parametrize(
    ("document", "kind"), [([], "an empty list"), ([1], "a list"), (5, "5"), ("x", '"x"'), (None, "null")]
)
def test_what_is_no_object(document: object, kind: str) -> None:
    assert f"expected a JSON object with query_text and models_used, got {kind}" in str(refusal(document))


def test_all_wrong_fields_are_named_at_once() -> None:
    error = refusal(log_input(without=["models_used"], confidence=7, cost_usd="free"))
    assert error.where == "models_used"
    assert error.what == (
        "required, but missing; confidence: expected a number from 0 to 1, got 7; "
        'cost_usd: expected USD from 0 to 1000000, got "free"'
    )


def test_a_missing_field_and_the_one_that_may_be_meant() -> None:
    error = refusal({"query_text": QUERY, "model_used": [GPT]})
    assert str(error) == (
        "models_used: required, but missing; model_used: there is no such field; models_used may be meant"
    )
    assert refusal(log_input(without=["rankings"], Ranking={GPT: 1})).where == "Ranking"
    both_missing = refusal(log_input(without=["routing_source"], routing_sources="learned"))
    assert both_missing.what == "there is no such field; routing_source may be meant"
    assert "query_text" in refusal({"models_used": [GPT]}).where


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("synthesis", "synthesis_text"),
        ("responses", "stage1_responses"),
        ("Cost", "cost_usd"),
        ("latency", "latency_ms"),
        ("protocol", "protocol_used"),
    ],
)
def test_a_field_without_its_unit_or_the_like(name: str, meant: str) -> None:
    error = refusal({"query_text": QUERY, "models_used": [GPT], name: "x"})
    assert (error.where, error.what) == (name, f"there is no such field; {meant} may be meant")


@pytest.mark.parametrize("name", ["query", "models", "session", "context"])
def test_what_may_be_a_field_of_the_callers_own_is_left_alone(name: str) -> None:
    assert read_log_input({"query_text": QUERY, "models_used": [GPT], name: "x"}).query_text == QUERY


def test_labels_in_place_of_models_get_advice() -> None:
    error = refusal(log_input(reviewer_rankings_raw={GPT: ["A", "B"]}))
    assert "Give the ids of the models" in error.remedy
    assert "Give each model once" in refusal(log_input(models_used=[GPT, GPT])).remedy


def test_deep_nesting_anywhere() -> None:
    deep: object = []
    for _ in range(100_000):
        deep = [deep]
    for field in log_input():
        with pytest.raises(InputError, match="got a list"):
            read_log_input(log_input(**{field: deep}))
    for _ in range(100_000):  # taken apart one by one: all at once is more than the interpreter can
        assert isinstance(deep, list)
        deep = deep[0]


# Whatever is given

_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from([*COUNCIL, *ANSWERS.values(), "1", "$2", "strong", "single_model", 0, 1, 2, 1e400, 2.5]),
)
_keys = st.one_of(
    st.sampled_from([*COUNCIL, "model", "rank", "response", "decision", "confidence"]), st.text()
)
_json = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(_keys, inner, max_size=5),
        st.fixed_dictionaries({"model": st.sampled_from(COUNCIL), "rank": inner}),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(log_input())), _json, min_size=1, max_size=4))
def test_an_error_without_the_texts_or_a_whole_record(changes: dict[str, object]) -> None:
    document = log_input(**changes)
    error, logged = None, None
    try:
        logged = draft_record(read_log_input(document), NOW)
    except InputError as caught:
        error = caught
    if logged is None:
        assert error.where.split("[")[0].split(".")[0] in document
        assert not any(text in str(error) for text in (QUERY, SYNTHESIS, *ANSWERS.values()))
        return
    record = build_record(logged, Memory())
    assert parse_id(record["id"]) is not None
    assert b"NaN" not in render({"deliberations": [record]})
    view = msgspec.convert(record, Deliberation)
    models = set(view.models_used)
    assert set(view.rankings) <= models
    assert set(view.self_preference) <= logged.tested <= set(view.rankings)
    assert len(view.rankings) != 1
    assert all(1 <= rank <= len(models) for rank in view.rankings.values())
    for share in (view.confidence, view.ranking_spread, view.deliberation_value_added):
        assert share is None or 0 <= share <= 1
    assert json.loads(render(record)) == record
