"""The record of a deliberation, from the pattern memory's own sample to the odd ends."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.errors import InputError
from council_vault.learning.log_input import read_log_input
from council_vault.learning.record import (
    draft_record,
    overruled,
    rankings_of,
    repeat_of,
    same_deliberation,
)
from council_vault.learning.value import value_added
from council_vault.learning.words import words
from council_vault.memory.canonical import render
from council_vault.memory.schema import Deliberation
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
    logged,
    record_of,
    single,
)

MINUTE = timedelta(minutes=1)
BALLOTS = {
    GPT: [CLAUDE, GPT, GROK, GEMINI],
    CLAUDE: [GPT, CLAUDE, GROK, GEMINI],
    GEMINI: [GEMINI, CLAUDE, GPT, GROK],
    GROK: [CLAUDE, GPT, GROK, GEMINI],
}


# The whole record


def test_the_sample_of_the_pattern_memory() -> None:
    """The record of operation 2, key by key; hash, bias, value and spread follow from texts of our own."""
    text = "Compare the tradeoffs of microservices and monoliths"
    preferring = {
        GPT: [GPT, CLAUDE, GROK, GEMINI],
        CLAUDE: [CLAUDE, GPT, GROK, GEMINI],
        GEMINI: [GEMINI, CLAUDE, GPT, GROK],
        GROK: [CLAUDE, GPT, GROK, GEMINI],
    }
    record = record_of(
        log_input(
            query_text=text,
            query_summary="Compare microservices vs monolith for early SaaS",
            reviewer_rankings_raw=preferring,
        )
    )
    assert list(record.items()) == [
        ("id", "d_20260328_001"),
        ("timestamp", "2026-03-28T14:30:00Z"),
        ("query_hash", "9b47e353"),
        ("query_summary", "Compare microservices vs monolith for early SaaS"),
        (
            "query_features",
            {
                "length": 52,
                "category": "architecture_decision",
                "keywords": ["compare", "tradeoffs"],
                "protocol_used": "voting",
            },
        ),
        ("models_used", list(COUNCIL)),
        ("rankings", {GPT: 2, CLAUDE: 1, GEMINI: 4, GROK: 3}),
        ("chairman", CLAUDE),
        ("confidence", 0.82),
        ("consensus_level", "strong"),
        ("cost_usd", 0.09),
        ("latency_ms", 12400),
        ("self_preference", {GEMINI: True}),
        # two of three points are not in the top answer, three models are credited
        ("deliberation_value_added", 0.6333),
        # means 2, 1.5, 3.25, 3.25: their deviation is √0.59375, the largest √1.25
        ("ranking_spread", 0.6892),
        ("routing_decision", "deliberate"),
        ("routing_source", "heuristic_learning"),
        ("routing_confidence", 0.8),
        ("vault_synced", False),
        ("user_rating", None),
        ("outcome", "accepted"),
    ]


def test_numbers_are_written_short() -> None:
    document = log_input(
        rankings={GPT: 2.0, CLAUDE: 1.0, GEMINI: 3.5, GROK: 3.5},
        cost_usd=1.0,
        latency_ms=12400.4,
        confidence=0.123456,
        stage_costs={"collect": 0.5, "synthesize": 0.25},
    )
    record = record_of(document)
    written = ("rankings", "confidence", "cost_usd", "latency_ms", "stage_costs")
    assert [json.dumps(record[name]) for name in written] == [
        f'{{"{GPT}": 2, "{CLAUDE}": 1, "{GEMINI}": 3.5, "{GROK}": 3.5}}',
        "0.1235",
        "1",
        "12400",
        '{"collect": 0.5, "synthesize": 0.25}',
    ]


def test_ours_are_there_only_with_something_to_say() -> None:
    bare = record_of({"query_text": QUERY, "models_used": list(COUNCIL)})
    assert not {"ranking_spread", "repeat_of", "stage_costs"} & set(bare)
    assert bare["rankings"] == {}
    assert bare["self_preference"] == {}
    unknown = ("chairman", "confidence", "consensus_level", "cost_usd", "latency_ms")
    assert [bare[name] for name in (*unknown, "deliberation_value_added", "routing_confidence")] == [None] * 7
    assert bare["query_features"]["protocol_used"] is None
    assert bare["outcome"] == "accepted"


def test_a_single_answer_has_nothing_that_takes_several() -> None:
    record = record_of(
        single(
            rankings={GPT: 1},
            consensus_level="strong",
            confidence=0.9,
            stage1_responses={GPT: ANSWERS[GPT]},
            synthesis_text=SYNTHESIS,
            top_individual_response=ANSWERS[GPT],
            reviewer_rankings_raw={GPT: [GPT]},
        )
    )
    assert record["models_used"] == [GPT]
    assert record["chairman"] == GPT
    assert record["rankings"] == record["self_preference"] == {}
    assert record["deliberation_value_added"] is None
    assert record["consensus_level"] is None
    assert "ranking_spread" not in record
    assert (record["confidence"], record["routing_decision"], record["routing_source"]) == (
        0.9,
        "single_model",
        "learned",
    )
    assert record_of(single(chairman=CLAUDE))["chairman"] == CLAUDE


def test_a_chairman_outside_the_council() -> None:
    assert record_of(log_input(chairman="other/model"))["chairman"] == "other/model"


def test_forty_models() -> None:
    models = [f"vendor/model-{number}" for number in range(40)]
    document = log_input(
        models_used=models,
        rankings=None,
        reviewer_rankings_raw=dict.fromkeys(models, models),
        stage1_responses=dict.fromkeys(models, "The same said by all of them."),
    )
    record = record_of(document)
    assert record["rankings"] == {model: place for place, model in enumerate(models, start=1)}
    assert record["self_preference"] == {}


# Ids and times


def at(time: str, id_: str, **fields: object) -> Deliberation:
    return Deliberation(id=id_, timestamp=time, **fields)


def test_the_id_follows_the_highest_of_the_utc_day() -> None:
    before = [
        at("2026-03-28T01:00:00Z", "d_20260328_007"),
        at("2026-03-28T02:00:00Z", "d_20260328_002"),
        at("2026-03-29T01:00:00Z", "d_20260329_009"),
        Deliberation(),
    ]
    assert record_of(log_input(), before)["id"] == "d_20260328_008"
    assert record_of(log_input(timestamp="2026-03-28T23:30:00-06:00"), before, NOW + 3 * 24 * 60 * MINUTE)[
        "id"
    ] == ("d_20260329_010")
    assert record_of(log_input(timestamp="2024-12-31T10:00:00Z"), before)["id"] == "d_20241231_001"


@pytest.mark.parametrize(
    ("given_", "written"),
    [
        (None, "2026-03-28T14:30:00Z"),
        ("2026-03-28T09:05:28.987-06:00", "2026-03-28T15:05:28Z"),
        ("2026-03-29T14:30:00Z", "2026-03-29T14:30:00Z"),  # a local time without its zone may be ahead
        ("2025-12-07 11:21", "2025-12-07T11:21:00Z"),
    ],
)
def test_the_time_is_the_one_given_in_utc(given_: str | None, written: str) -> None:
    assert record_of(log_input(timestamp=given_))["timestamp"] == written


@pytest.mark.parametrize("time", ["2026-03-29T14:30:01Z", "3000-01-01T00:00:00Z", 9999999999])
def test_a_time_that_is_still_to_come_is_refused(time: object) -> None:
    with pytest.raises(InputError) as caught:
        record_of(log_input(timestamp=time))
    assert caught.value.where == "timestamp"


# Ranks


def ranked(**changes: object) -> dict[str, float]:
    return dict(rankings_of(read_log_input(log_input(**changes))))


def test_ranks_are_kept_as_given() -> None:
    fractional = {GPT: 1.75, CLAUDE: 1.25, GEMINI: 3, GROK: 4}
    assert ranked(rankings=fractional, reviewer_rankings_raw=BALLOTS) == fractional
    tied = {GPT: 1, CLAUDE: 1, GEMINI: 2, GROK: 3}
    assert ranked(rankings=tied) == tied
    assert ranked(rankings={GPT: 2, CLAUDE: 1}) == {GPT: 2, CLAUDE: 1}


def test_ranks_from_the_ballots() -> None:
    # means: claude 1.5, gpt 2, gemini 3.25, grok 3.25
    expected = [(CLAUDE, 1), (GPT, 2), (GEMINI, 3), (GROK, 3)]
    assert list(ranked(rankings=None, reviewer_rankings_raw=BALLOTS).items()) == expected
    assert list(ranked(rankings={}, reviewer_rankings_raw=BALLOTS).items()) == expected


@pytest.mark.parametrize("answer", [None, "", "  ", "Error: 503 Service Unavailable", "<think>hm</think>"])
def test_an_answer_that_failed_is_not_ranked(answer: str | None) -> None:
    answers = {**ANSWERS, GPT: answer}
    closed = {CLAUDE: 1, GEMINI: 3, GROK: 2}
    assert ranked(stage1_responses=answers) == closed
    assert ranked(stage1_responses=answers, rankings=None) == closed
    fractional = {GPT: 1.5, CLAUDE: 1.2, GEMINI: 3.9, GROK: 3.4}
    assert ranked(stage1_responses=answers, rankings=fractional) == {CLAUDE: 1.2, GEMINI: 3.9, GROK: 3.4}


def test_an_answer_that_was_not_handed_over_keeps_its_rank() -> None:
    assert ranked(stage1_responses={CLAUDE: ANSWERS[CLAUDE]}) == log_input()["rankings"]


def test_one_rank_alone_is_no_order() -> None:
    assert ranked(rankings={GPT: 1}) == {}
    failed = {GPT: ANSWERS[GPT], CLAUDE: "", GEMINI: None, GROK: "Error: 500"}
    assert ranked(stage1_responses=failed) == {}
    assert ranked(stage1_responses=failed, rankings=None) == {}


# What follows from ranks and ballots


def figures(**changes: object) -> tuple[object, ...]:
    record = record_of(log_input(confidence=None, consensus_level=None, **changes))
    return tuple(record.get(name) for name in ("ranking_spread", "confidence", "consensus_level"))


def test_spread_confidence_and_consensus_from_the_ballots() -> None:
    # means 1.5, 2, 3.25, 3.25: deviation √0.59375 of √1.25; 0.35 + 0.6 × 0.6892
    # deviations: claude 0.5, gpt √0.5, gemini √1.6875, grok √0.1875; their mean is 0.7348
    assert figures(reviewer_rankings_raw=BALLOTS) == (0.6892, 0.7635, "moderate")


@pytest.mark.parametrize(
    ("rankings", "spread", "confidence"),
    [
        ({GPT: 2, CLAUDE: 1, GEMINI: 4, GROK: 3}, 0.5, 0.65),
        # deviation of 1, 1, 3, 3 is 1; of 1 to 4 it is √1.25
        ({GPT: 1, CLAUDE: 1, GEMINI: 3, GROK: 3}, 0.8944, 0.8867),
        ({GPT: 2.5, CLAUDE: 2.5, GEMINI: 2.5, GROK: 2.5}, 0, 0.35),
        ({GPT: 1, CLAUDE: 1, GEMINI: 1, GROK: 1}, 0, 0.35),
        ({}, None, None),
    ],
)
def test_spread_and_confidence_without_ballots(
    rankings: dict[str, float], spread: float | None, confidence: float | None
) -> None:
    assert figures(rankings=rankings, reviewer_rankings_raw={}) == (spread, confidence, None)


def test_one_reviewer_alone_agrees_with_nobody() -> None:
    assert figures(rankings=None, reviewer_rankings_raw={GPT: BALLOTS[GPT]}) == (0.5, 0.65, None)


def test_what_the_caller_says_stands() -> None:
    record = record_of(log_input(reviewer_rankings_raw=BALLOTS, confidence=0.4, consensus_level="split"))
    assert (record["confidence"], record["consensus_level"]) == (0.4, "split")


def test_self_preference_and_who_was_tested() -> None:
    document = log_input(
        rankings=None,
        reviewer_rankings_raw={
            **BALLOTS,
            CLAUDE: [GPT, GROK, GEMINI],
            "out/side": [GPT, CLAUDE, GROK, GEMINI],
        },
    )
    made = draft_record(read_log_input(document), NOW)
    # gemini puts itself first and is ranked last
    assert made.record["self_preference"] == {GEMINI: True}
    assert made.tested == {GPT, GEMINI, GROK}


# Value added


def value(**changes: object) -> float | None:
    return record_of(log_input(**changes))["deliberation_value_added"]


def expected_value(top: str, others: list[str]) -> float:
    found = value_added(SYNTHESIS, top, others)
    assert found is not None
    return round(found, 4)


def test_value_is_compared_with_the_answer_that_was_given_as_the_top() -> None:
    others = [ANSWERS[GPT], ANSWERS[GEMINI], ANSWERS[CLAUDE]]
    assert value(top_individual_response=ANSWERS[GROK]) == expected_value(ANSWERS[GROK], others)
    assert value(top_individual_response=SYNTHESIS) == 0


def test_without_it_with_the_answer_of_the_best_ranked() -> None:
    others = [ANSWERS[GPT], ANSWERS[GEMINI], ANSWERS[GROK]]
    expected = expected_value(ANSWERS[CLAUDE], others)
    assert 0 < expected < 1
    assert value(top_individual_response=None) == expected
    assert value(top_individual_response="\n") == expected
    tied = {GPT: 1, CLAUDE: 1, GEMINI: 3, GROK: 4}
    assert value(top_individual_response=None, rankings=tied) == expected_value(
        ANSWERS[GPT], [ANSWERS[CLAUDE], ANSWERS[GEMINI], ANSWERS[GROK]]
    )


def test_a_top_answer_in_other_words_is_still_the_best_ranked_models() -> None:
    retold = "In short, begin with a modular monolith."
    others = [ANSWERS[GPT], ANSWERS[GEMINI], ANSWERS[GROK]]
    assert value(top_individual_response=retold) == expected_value(retold, others)


@pytest.mark.parametrize(
    "changes",
    [
        {"synthesis_text": None},
        {"synthesis_text": "Error: Unable to generate final synthesis."},
        {"synthesis_text": "<think>never came to an end"},
        {"top_individual_response": None, "rankings": None, "reviewer_rankings_raw": None},
        {"top_individual_response": None, "stage1_responses": None},
        {"top_individual_response": "Error: 429"},
    ],
)
def test_without_synthesis_or_top_answer_there_is_no_value(changes: dict[str, object]) -> None:
    assert value(**changes) is None


# Costs


@pytest.mark.parametrize(
    ("cost", "stages", "expected"),
    [
        (None, {"collect": 0.1, "review": 0.2, "synthesize": 0.3}, 0.6),
        (None, {"collect": 0.1, "review": 0.2}, None),
        (None, None, None),
        (0.5, {"collect": 0.1, "review": 0.2}, 0.5),
        (0.09, {"collect": 0.05, "review": 0.05}, 0.09),  # rounded stages
    ],
)
def test_the_whole_cost(cost: float | None, stages: dict[str, float] | None, expected: float | None) -> None:
    assert record_of(log_input(cost_usd=cost, stage_costs=stages))["cost_usd"] == expected


# The same again


def same(document: dict[str, object], records: list[Deliberation], now: datetime = NOW) -> str | None:
    return same_deliberation(read_log_input(document), records, now)


def test_the_same_deliberation_is_known_for_ten_minutes() -> None:
    records = logged(log_input())
    for now in (NOW, NOW + 10 * MINUTE, NOW - 10 * MINUTE):
        assert same(log_input(), records, now) == "d_20260328_001"
    late = timedelta(seconds=1)
    assert same(log_input(), records, NOW + 10 * MINUTE + late) is None
    assert same(log_input(), records, NOW - 10 * MINUTE - late) is None


def test_it_is_the_same_whatever_else_is_said_of_it() -> None:
    records = logged(log_input())
    models = list(reversed(COUNCIL))
    assert same(log_input(models_used=models, cost_usd=None, chairman=GROK), records) == records[0].id
    without = log_input(rankings=None)  # the ballots say the same, and the last two differ
    assert record_of(without)["rankings"] == log_input()["rankings"]
    assert same(without, records) == records[0].id


@pytest.mark.parametrize(
    "changes",
    [
        {"query_text": f"{QUERY}?"},
        {"rankings": {GPT: 1, CLAUDE: 2, GEMINI: 4, GROK: 3}},
        {"models_used": [*COUNCIL, "another/model"]},
        {"timestamp": "2026-03-28T14:19:59Z"},
    ],
)
def test_it_is_another_one(changes: dict[str, object]) -> None:
    assert same(log_input(**changes), logged(log_input())) is None


def test_a_time_that_was_given_counts_and_not_the_clock() -> None:
    old = log_input(timestamp="2025-12-07T11:21:04Z")
    assert same(old, logged(old), NOW + 60 * MINUTE) == "d_20251207_001"


def test_records_without_hash_time_or_id_are_never_the_same() -> None:
    whole = logged(log_input())[0]
    for missing in ("query_hash", "timestamp", "id"):
        assert same(log_input(), [msgspec.structs.replace(whole, **{missing: None})]) is None


def test_a_repeat_names_the_latest_earlier_record() -> None:
    times = ["2026-03-28T10:00:00Z", "2026-03-28T12:00:00Z", "2026-03-28T11:00:00Z"]
    records = logged(*(log_input(timestamp=time) for time in times))
    assert record_of(log_input(), records)["repeat_of"] == "d_20260328_002"
    assert record_of(log_input(timestamp="2026-03-28T11:30:00Z"), records)["repeat_of"] == "d_20260328_003"
    assert "repeat_of" not in record_of(log_input(timestamp="2026-03-28T09:00:00Z"), records)
    assert "repeat_of" not in record_of(log_input(query_text="Something else"), records)
    nameless = [msgspec.structs.replace(record, id=None) for record in records]
    assert repeat_of(read_log_input(log_input()), nameless) is None


def test_a_record_without_a_time_is_as_old_as_its_id() -> None:
    hash_ = logged(log_input())[0].query_hash
    record = Deliberation(id="d_20260327_004", query_hash=hash_)
    assert record_of(log_input(), [record])["repeat_of"] == "d_20260327_004"


def test_a_short_answer_that_is_asked_again_of_the_council_is_overruled() -> None:
    short = logged(single())
    assert overruled(read_log_input(log_input()), short) == "d_20260328_001"
    assert record_of(log_input(), short)["repeat_of"] == "d_20260328_001"
    assert overruled(read_log_input(single()), short) is None
    assert overruled(read_log_input(log_input(query_text="Something else")), short) is None
    assert overruled(read_log_input(log_input()), logged(log_input())) is None
    assert overruled(read_log_input(log_input()), logged(single(), log_input())) is None


@pytest.mark.parametrize("rating", ["positive", "neutral", "negative"])
def test_what_the_person_has_said_of_the_short_answer_stands(rating: str) -> None:
    rated = [msgspec.structs.replace(one, user_rating=rating) for one in logged(single())]
    assert overruled(read_log_input(log_input()), rated) is None


# Nothing of the texts


def test_a_summary_of_the_callers_own() -> None:
    summary = "Monolith first, say three of four"
    assert record_of(log_input(query_summary=summary))["query_summary"] == summary


def test_a_summary_of_our_own_is_no_sentence_of_an_answer_either() -> None:
    query = "Gather peppers, olives, walnuts, lemons, figs and salt"
    assert record_of(log_input(query_text=query))["query_summary"] == "Other: Gather, peppers, walnuts"
    answers = {**ANSWERS, GROK: "Wash all. Gather peppers, walnuts."}
    record = record_of(log_input(query_text=query, stage1_responses=answers))
    assert record["query_summary"] == "Other"


@pytest.mark.parametrize(
    "summary",
    [QUERY, f"Asked: {QUERY.upper()}!", "Ship quickly. Or: ship quickly, costs rise with every network hop"],
)
def test_a_summary_that_gives_the_texts_away_is_not_taken(summary: str) -> None:
    record = record_of(log_input(query_summary=summary))
    assert record["query_summary"].startswith("Architecture decision")


def texts_in(value: object) -> list[str]:
    """All texts in a JSON value, keys of objects among them."""
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in texts_in(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts_in(one)]
    return [value] if isinstance(value, str) else []


_SAID = """
    compare should audit alpha бета гамма δέλτα 為什麼 مرحبا tradeoffs monolith code best which is good
    the a cost of what pricing growth x1
"""
_words = st.sampled_from(words(_SAID))
_sentence = st.lists(_words, min_size=3, max_size=14).map(" ".join)
_text = st.lists(_sentence, min_size=1, max_size=4).map(". ".join)


@settings(max_examples=150, deadline=None)
@given(_sentence, st.lists(_text, min_size=4, max_size=4), _text, st.data())
def test_no_value_holds_the_query_or_a_sentence(
    query: str, answers: list[str], synthesis: str, data: st.DataObject
) -> None:
    sentences = [sentence for text in (*answers, synthesis) for sentence in text.split(". ")]
    near = st.sampled_from([query, f"On {query}", *sentences, *(f"- {one}!" for one in sentences)])
    document = log_input(
        query_text=query,
        stage1_responses=dict(zip(COUNCIL, answers, strict=True)),
        synthesis_text=synthesis,
        top_individual_response=answers[1],
        query_summary=data.draw(st.none() | near | st.just("In other terms")),
    )
    kept = [f" {' '.join(words(text))} " for text in texts_in(record_of(document))]
    for text in (query, *sentences):
        assert not any(f" {' '.join(words(text))} " in value for value in kept)


@pytest.mark.parametrize(
    "query", ["為什麼天空是藍色的", "مرحبا كيف الحال اليوم", "half \ud83d a pair", "a", "x y " * 25_000]
)
def test_queries_of_any_kind_can_be_written(query: str) -> None:
    record = record_of(log_input(query_text=query))
    assert json.loads(render(record)) == record
    assert record["query_features"]["length"] == len(query)
    assert len(record["query_summary"]) < 80


def test_time_zone_of_now_makes_no_difference() -> None:
    elsewhere = datetime.fromisoformat("2026-03-28T23:30:00+09:00")
    assert elsewhere == NOW.astimezone(UTC)
    assert record_of(log_input(), now=elsewhere) == record_of(log_input())
