"""What is handed over of a decision."""

from __future__ import annotations

from datetime import date

import pytest

from council_vault.errors import InputError
from council_vault.memory.schema import Deliberation, QueryFeatures
from council_vault.notes.decision_input import Decision, completed, read_decision

ID = "d_20260328_001"
WHOLE = {
    "deliberation_id": ID,
    "title": "One gauge or two",
    "query": "Should we buy a second gauge?",
    "chairman": "anthropic/claude-sonnet-4",
    "rationale": "Two.\n\nBecause one fails.",
    "agreements": ["Gauges fail", "", "  "],
    "disagreements": "On the price",
    "outcome": "accepted",
    "cost_usd": "$0.09",
    "project": "Tidewatch",
    "category": "strategy_business",
    "participants": ["openai/gpt-4.1", " x-ai/grok-3 ", ""],
    "date": "2026-03-29T23:30:00-07:00",
    "more": {"is": "not looked at"},
}
RECORD = Deliberation(
    id=ID,
    timestamp="2026-03-27T23:59:00-08:00",
    query_summary="A second gauge",
    query_features=QueryFeatures(category="strategy_business"),
    models_used=("a/b", "c/d"),
    chairman="a/b",
    cost_usd=0.5,
    outcome="rejected",
)


def test_everything_that_can_be_given():
    assert read_decision(WHOLE) == Decision(
        deliberation_id=ID,
        title="One gauge or two",
        query=("Should we buy a second gauge?",),
        chairman="anthropic/claude-sonnet-4",
        rationale=("Two.\n\nBecause one fails.",),
        agreements=("Gauges fail",),
        disagreements=("On the price",),
        outcome=("accepted",),
        cost_usd=0.09,
        project="Tidewatch",
        category="strategy_business",
        participants=("openai/gpt-4.1", "x-ai/grok-3"),
        date=date(2026, 3, 29),
    )


def test_only_the_id_is_required():
    nothing = dict.fromkeys(WHOLE)
    assert read_decision(nothing | {"deliberation_id": ID}) == Decision(deliberation_id=ID)
    assert read_decision({"deliberation_id": ID, "participants": "a/b"}).participants == ("a/b",)


@pytest.mark.parametrize(
    ("changes", "where", "said"),
    [
        ({"deliberation_id": None}, "deliberation_id", "required, but missing"),
        ({"deliberation_id": "d_1"}, "deliberation_id", "expected the id of a deliberation, such as d_2026"),
        ({"deliberation_id": "d_20261399_001"}, "deliberation_id", "expected the id"),
        ({"deliberation_id": f"../{ID}"}, "deliberation_id", "expected the id"),
        ({"title": 1}, "title", "expected text, got 1"),
        ({"title": "  "}, "title", "expected a text that is not empty, got empty text"),
        ({"title": "x" * 10_001}, "title", "longer than 10,000 characters"),
        ({"project": ""}, "project", "expected a text that is not empty"),
        ({"query": {}}, "query", "expected text, got an empty object"),
        ({"rationale": ["a", 1]}, "rationale[1]", "expected text, got 1"),
        ({"rationale": "x" * 100_001}, "rationale", "longer than 100,000 characters"),
        ({"chairman": "x" * 201}, "chairman", "longer than 200 characters"),
        ({"participants": ["a", None]}, "participants[1]", "expected text, got null"),
        ({"cost_usd": -1}, "cost_usd", "expected USD from 0 to 1 000 000, got -1"),
        ({"date": "yesterday"}, "date", 'expected a day such as "2026-03-28", got "yesterday"'),
        ({"date": "1999-12-31"}, "date", "expected a day"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_its_field(changes, where, said):
    with pytest.raises(InputError) as error:
        read_decision(WHOLE | changes)
    assert error.value.where == where
    assert said in error.value.what


def test_everything_wrong_is_named_at_once():
    with pytest.raises(InputError, match=r"^deliberation_id: required.*; cost_usd: .*; date: "):
        read_decision({"cost_usd": "much", "date": "x"})
    with pytest.raises(InputError, match="expected an object"):
        read_decision([])


def test_a_text_that_is_refused_is_not_told():
    with pytest.raises(InputError) as error:
        read_decision({"deliberation_id": "Should we tell the whole story to the log?"})
    assert "story" not in str(error.value)


def test_what_is_not_given_is_taken_from_the_record():
    assert completed(Decision(deliberation_id=ID), RECORD) == Decision(
        deliberation_id=ID,
        title="A second gauge",
        chairman="a/b",
        outcome=("rejected",),
        cost_usd=0.5,
        category="strategy_business",
        participants=("a/b", "c/d"),
        date=date(2026, 3, 27),
    )


def test_what_is_given_stays():
    given = read_decision(WHOLE | {"cost_usd": 0})
    assert completed(given, RECORD) == given


@pytest.mark.parametrize("outcome", [None, "", "unknown"])
def test_an_outcome_that_is_not_known_is_none(outcome):
    record = Deliberation(id=ID, query_summary="x", outcome=outcome)
    assert completed(Decision(deliberation_id=ID), record).outcome == ()


def test_without_a_record_the_day_is_in_the_id():
    assert completed(Decision(deliberation_id=ID, title="x"), None).date == date(2026, 3, 28)
    record = Deliberation(id=ID, query_summary="x", timestamp="some day")
    assert completed(Decision(deliberation_id=ID), record).date == date(2026, 3, 28)


@pytest.mark.parametrize("record", [None, Deliberation(id=ID)])
def test_without_a_title_there_is_none(record):
    with pytest.raises(InputError, match=f"^title: required, but missing: the memory has no summary of {ID}"):
        completed(Decision(deliberation_id=ID), record)
