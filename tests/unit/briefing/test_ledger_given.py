"""Sessions as they are handed over for the ledger."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from council_vault.briefing.ledger.given import read_session
from council_vault.errors import InputError
from support.past_sessions import NOW

WHOLE = {
    "id": " cs_1 ",
    "ts": 1781000000.5,
    "directive": " Raise the leverage? ",
    "verdict": "Phase in",
    "confidence": "0.8",
    "participants": ["Analyst", "Skeptic", "Analyst"],
    "evidence_summary": {"data_gaps": ["à"]},
    "dissent_summary": "None",
    "model": "openai/gpt-4.1",
    "predictions": [
        {
            "id": "p_1",
            "agent": "Forecaster",
            "statement": "BTC rallies",
            "metric": "btc",
            "direction": "up",
            "invalidation": "below 58k",
            "confidence": 0.7,
            "horizon_days": 30,
            "participants": ["Skeptic"],
        },
        {"agent": "Analyst", "statement": "It holds"},
    ],
}


def refusal(document):
    with pytest.raises(InputError) as caught:
        read_session(document, NOW)
    return caught.value


def test_a_whole_session():
    session = read_session(WHOLE, NOW)

    assert (session.id, session.directive, session.verdict) == ("cs_1", "Raise the leverage?", "Phase in")
    assert session.time == datetime(2026, 6, 9, 10, 13, 20, 500_000, tzinfo=UTC)
    assert session.confidence == 0.8
    assert session.participants == ("Analyst", "Skeptic")
    assert session.evidence_summary == '{"data_gaps": ["à"]}'
    assert (session.dissent_summary, session.model) == ("None", "openai/gpt-4.1")
    first, second = session.predictions
    assert first.horizons == (30,)
    assert first.prediction.invalidation == "below 58k"
    assert (first.prediction.confidence, first.prediction.status) == (0.7, "pending")
    assert second.horizons == (7, 30, 90, 180)
    assert second.prediction.id.startswith("p_")
    assert session.as_session().predictions == (first.prediction, second.prediction)


def test_only_the_directive_is_required():
    session = read_session({"directive": "Raise?", "predictions": None}, NOW)

    assert (session.time, session.verdict, session.confidence, session.predictions) == (NOW, "", None, ())
    assert session.id.startswith("cs_")


def test_ids_that_are_made_follow_from_what_was_said():
    one = {"directive": "Raise?", "verdict": "No", "ts": "2026-06-01", "predictions": [
        {"agent": "A", "statement": "up"}, {"agent": "A", "statement": "up"}
    ]}  # fmt: skip
    first, again = read_session(one, NOW), read_session(one, NOW)

    assert first == again
    assert first.predictions[0].prediction.id != first.predictions[1].prediction.id
    for other in ({"directive": "Lower?"}, {"verdict": "Yes"}, {"ts": "2026-06-02"}):
        assert read_session(one | other, NOW).id != first.id


def test_without_a_time_the_day_counts():
    one = {"directive": "Raise?"}

    assert read_session(one, NOW).id == read_session(one, NOW.replace(hour=23)).id
    assert read_session(one, NOW).id != read_session(one, NOW.replace(day=15)).id


def test_the_time_has_two_names():
    assert read_session({"directive": "d", "timestamp": "2026-06-01T00:00:00Z"}, NOW).time.day == 1


@pytest.mark.parametrize("status", [None, "pending"])
def test_what_is_pending_may_be_said(status):
    document = {"directive": "d", "predictions": [{"agent": "A", "statement": "s", "status": status}]}

    (given,) = read_session(document, NOW).predictions
    assert given.prediction.status == "pending"


@pytest.mark.parametrize("status", ["correct", "Pending", "", 1, []])
def test_an_outcome_is_refused_and_not_dropped(status):
    document = {"directive": "d", "predictions": [{"agent": "A", "statement": "s", "status": status}]}

    with pytest.raises(InputError, match="ledger resolve") as caught:
        read_session(document, NOW)
    assert caught.value.where == "predictions[0].status"


@pytest.mark.parametrize("horizon", [7, 30, 90, 180, 30.0])
def test_horizons(horizon):
    document = {"directive": "d", "predictions": [{"agent": "A", "statement": "s", "horizon_days": horizon}]}

    (given,) = read_session(document, NOW).predictions
    assert given.horizons == (int(horizon),)


@pytest.mark.parametrize(
    ("document", "where", "what"),
    [
        ([], "", "an object"),
        ({}, "directive", "required"),
        ({"directive": " "}, "directive", "expected text"),
        ({"directive": 7}, "directive", "expected text"),
        ({"directive": "a\0b"}, "directive", "Unicode text"),
        ({"directive": "\ud800"}, "directive", "Unicode text"),
        ({"directive": "x" * 100_001}, "directive", "100000"),
        ({"directive": "d", "verdict": ["no"]}, "verdict", "expected text"),
        ({"directive": "d", "confidence": "high"}, "confidence", "a number from 0 to 1"),
        ({"directive": "d", "confidence": 70}, "confidence", "a number from 0 to 1"),
        ({"directive": "d", "ts": "soon"}, "ts", "a time"),
        ({"directive": "d", "ts": "2200-01-01"}, "ts", "before 2200"),
        ({"directive": "d", "id": "x" * 201}, "id", "a name of 1 to 200"),
        ({"directive": "d", "id": "a\nb"}, "id", "a name of 1 to 200"),
        ({"directive": "d", "participants": "A, B"}, "participants", "a list"),
        ({"directive": "d", "participants": ["A", ""]}, "participants[1]", "a name"),
        ({"directive": "d", "predictions": {}}, "predictions", "a list"),
        ({"directive": "d", "predictions": ["up"]}, "predictions[0]", "an object"),
        ({"directive": "d", "predictions": [{"agent": "A"}]}, "predictions[0].statement", "required"),
        ({"directive": "d", "predictions": [{"statement": "s"}]}, "predictions[0].agent", "required"),
        (
            {"directive": "d", "predictions": [{"agent": "A", "statement": "s", "horizon_days": 14}]},
            "predictions[0].horizon_days",
            "7, 30, 90 or 180",
        ),
        (
            {"directive": "d", "predictions": [{"agent": "A", "statement": "s", "horizon_days": True}]},
            "predictions[0].horizon_days",
            "7, 30, 90 or 180",
        ),
        (
            {"directive": "d", "predictions": [{"id": "p", "agent": "A", "statement": "s"}] * 2},
            "predictions",
            "two predictions have one id",
        ),
    ],
)
def test_what_cannot_be_understood_is_named(document, where, what):
    error = refusal(document)

    assert error.where == where
    assert what in error.what


def test_all_that_is_wrong_is_named_at_once():
    error = refusal({"verdict": 1, "confidence": "high"})

    assert error.where == "directive"
    assert "verdict: expected text" in error.what
    assert "confidence: expected a number" in error.what


def test_the_words_of_a_text_are_not_repeated_in_the_error():
    assert "secret plan" not in str(refusal({"directive": "d", "participants": "the secret plan of ours"}))
