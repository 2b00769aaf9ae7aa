"""What contradicts itself in the records."""

from __future__ import annotations

import pytest

from council_vault.learning.discrepancy import Discrepancy
from support.memory_files import record
from support.sound_memories import discrepancies, sound, told

FIRST = "deliberations[0]"
GPT, CLAUDE = "openai/gpt-4o", "anthropic/claude-sonnet-4"


def of_records(*records, **fields):
    """Return what is said of the records alone."""
    found = discrepancies(sound(*records, **fields))
    return [one for one in found if one.path[0] == "deliberations"]


def right(*records):
    """Return what should stand at each place that can be mended."""
    return {one.path[2:]: one.right for one in of_records(*records)}


def test_sound_records_are_sound():
    assert of_records(record(1), record(2, user_rating="positive"), record(3, outcome=None)) == []


@pytest.mark.parametrize(
    ("field", "word", "meant"),
    [
        ("user_rating", "👍", "positive"),
        ("user_rating", "Negative", "negative"),
        ("user_rating", "great", "positive"),
        ("routing_decision", "Single-model", "single_model"),
        ("routing_source", "heuristic learning", "heuristic_learning"),
        ("consensus_level", "STRONG", "strong"),
        ("outcome", "Partial", "partial"),
    ],
)
def test_a_word_written_in_another_way_is_put_right(field, word, meant):
    (found,) = of_records(record(1, **{field: word}))
    assert found == Discrepancy(
        path=("deliberations", 0, field), what=f"{meant} is written as “{word}”", right=meant
    )


@pytest.mark.parametrize("field", ["routing_decision", "outcome", "user_rating"])
def test_a_word_that_means_nothing_is_left_to_the_schema(field):
    assert of_records(record(1, **{field: "zzz"})) == []


@pytest.mark.parametrize(
    ("features", "path", "category"),
    [
        (..., ("query_features",), {"category": "other"}),
        (None, ("query_features",), {"category": "other"}),
        ({"length": 3}, ("query_features", "category"), "other"),
        ({"category": None}, ("query_features", "category"), "other"),
        ({"category": "Factual Lookup"}, ("query_features", "category"), "factual_lookup"),
    ],
)
def test_a_category_that_is_missing_or_written_otherwise_is_put_right(features, path, category):
    found = discrepancies({**sound(), "deliberations": [record(1, query_features=features)]})
    assert [(one.path[2:], one.right) for one in found if one.path[0] == "deliberations"] == [
        (path, category)
    ]


def test_the_category_of_an_agents_own_summary_is_found_where_it_put_it():
    summary = record(1, query_features=..., category="strategy_business")
    (found,) = (
        one
        for one in discrepancies({**sound(), "deliberations": [summary]})
        if one.path[0] != "model_performance"
    )
    assert found.path == ("deliberations", 0, "query_features")
    assert found.right == {"category": "strategy_business"}


def test_a_category_of_ones_own_is_a_note():
    (found,) = of_records(record(1, query_features={"category": "gardening"}))
    assert (found.level, found.path[2:]) == ("note", ("query_features", "category"))
    assert "gardening" in found.what


@pytest.mark.parametrize(
    ("rating", "outcome", "follows"),
    [
        ("positive", "rejected", "accepted"),
        ("positive", None, "accepted"),
        ("positive", "unknown", "accepted"),
        ("negative", "accepted", "rejected"),
        ("negative", "unknown", "rejected"),
    ],
)
def test_the_outcome_follows_the_rating(rating, outcome, follows):
    (found,) = of_records(record(1, user_rating=rating, outcome=outcome))
    assert found.path == ("deliberations", 0, "outcome")
    assert found.right == follows
    assert found.what == f"rated {rating}, and {outcome or 'without an outcome'}: {follows} follows"


@pytest.mark.parametrize(
    ("rating", "outcome"),
    [
        ("positive", "accepted"),
        ("positive", "partial"),
        ("negative", "partial"),
        ("negative", "rejected"),
        ("neutral", "rejected"),
        ("neutral", None),
        (None, "rejected"),
        (None, "unknown"),
    ],
)
def test_other_outcomes_contradict_nothing(rating, outcome):
    assert of_records(record(1, user_rating=rating, outcome=outcome)) == []


def test_a_model_that_stands_twice_in_the_council():
    found = right(record(1, models_used=[GPT, CLAUDE, GPT]))
    assert found == {("models_used",): [GPT, CLAUDE]}


def test_a_council_that_is_missing_is_told_by_its_rankings():
    (found,) = (
        one
        for one in discrepancies({**sound(record(1)), "deliberations": [record(1, models_used=...)]})
        if one.path[0] == "deliberations"
    )
    assert (found.path[2:], found.right) == (("models_used",), [GPT, CLAUDE])


def test_neither_council_nor_rankings_tells_nothing():
    memory = {**sound(), "deliberations": [record(1, models_used=..., rankings=..., self_preference={})]}
    found = [one for one in discrepancies(memory) if one.path[0] == "deliberations"]
    assert [(one.path[2:], one.right) for one in found] == [(("rankings",), {})]


def test_models_that_were_ranked_without_taking_part():
    ranks = {GPT: 2, CLAUDE: 1, "x-ai/grok-3": 3}
    found = told({**sound(record(1)), "deliberations": [record(1, rankings=ranks)]})
    assert found[f"{FIRST}.rankings"] == "x-ai/grok-3 took no part by models_used. Correct one of the two"


def test_members_without_a_rank_and_a_chairman_from_outside_are_allowed():
    failed = record(1, models_used=[GPT, CLAUDE, "x-ai/grok-3"], chairman="google/gemini-2.5-pro")
    assert [
        one
        for one in discrepancies({**sound(record(1)), "deliberations": [failed]})
        if one.path[0] == "deliberations"
    ] == []


def test_ranks_beyond_the_number_of_answers():
    (found,) = of_records(record(1, rankings={GPT: 7, CLAUDE: 1}))
    assert found.what == f"of 2 answers {GPT} cannot rank 7"


def test_self_preference_of_a_model_without_a_rank_is_a_note():
    (found,) = of_records(record(1, self_preference={"x-ai/grok-3": True}))
    assert (found.level, found.path[2:]) == ("note", ("self_preference",))


@pytest.mark.parametrize(
    ("time", "level", "part"),
    [
        ("2026-06-03T00:00:00Z", "problem", "still to come"),
        ("2031-01-01", "problem", "still to come"),
        ("1999-12-31T10:00:00Z", "note", "before there were councils"),
    ],
)
def test_times_that_cannot_be(time, level, part):
    (found, day) = of_records(record(1, timestamp=time))
    assert (found.level, found.path[2:]) == (level, ("timestamp",))
    assert part in found.what
    assert time in found.what
    assert day.path[2:] == ("id",)


def test_a_clock_that_is_ahead_by_hours_is_none_of_our_business():
    assert of_records(record(1, day="20260602", timestamp="2026-06-02T10:00:00Z")) == []


def test_a_record_that_stands_behind_a_later_one_is_a_note_said_once():
    found = of_records(record(3), record(1), record(2), record(4))
    assert [(one.path, one.level) for one in found] == [(("deliberations", 1, "timestamp"), "note")]


def test_a_time_still_to_come_does_not_make_the_others_late():
    found = of_records(record(1, timestamp="2031-01-01", id="d_20310101_001"), record(2), record(3))
    assert [one.path for one in found] == [("deliberations", 0, "timestamp")]


def test_an_id_of_another_day_than_its_time_is_a_note():
    (found,) = of_records(record(1, timestamp="2026-03-27T23:59:00Z"))
    assert (found.level, found.path[2:]) == ("note", ("id",))
    assert "2026-03-27 in UTC" in found.what
    assert of_records(record(1, timestamp="2026-03-29T01:00:00+02:00")) == []


def test_a_repeat_of_a_record_that_is_not_there_is_a_note():
    (found,) = of_records(record(1), record(2, repeat_of="d_20260101_001"))
    assert (found.level, found.what) == ("note", "there is no record d_20260101_001")
    assert of_records(record(1), record(2, repeat_of="d_20260328_001")) == []


def test_a_repeat_of_a_record_that_may_have_been_removed_is_nothing():
    archived = {"count": 3, "sizes": {"2": {"count": 3}}, "categories": {"other": {"count": 3}}}
    repeat = record(2, repeat_of="d_20260101_001")
    assert of_records(record(1), repeat, archived=archived) == []
    rules = {"last_rebuilt": None, "sample_size": 40, "routing_accuracy": None, "rules": []}
    assert of_records(record(1), repeat, routing_model=rules) == []


def test_what_is_no_record_moves_no_place():
    memory = sound(record(1), record(2))
    memory["deliberations"] = [5, record(1), "x", record(2, outcome="rejected", user_rating="positive")]
    assert list(told(memory)) == ["deliberations[3].outcome"]


def test_when_the_memory_was_begun_and_last_changed_follows_from_its_records():
    found = discrepancies(sound(record(1), record(5), created=..., last_updated="once"))
    assert [(one.path, one.right) for one in found] == [
        (("created",), "2026-03-28T14:01:00Z"),
        (("last_updated",), "2026-06-01T12:00:00Z"),
    ]
    assert [one.what for one in found] == ["missing", "it says no time"]
    empty = discrepancies(sound(created="?", last_updated=...))
    assert [one.right for one in empty] == ["2026-06-01T12:00:00Z"] * 2
    assert [one.what for one in empty] == ["it says no time", "missing"]


def test_a_last_change_before_the_newest_record_is_a_note():
    (found,) = discrepancies(sound(record(1), record(2), last_updated="2026-03-28T14:01:59Z"))
    assert (found.level, found.right) == ("note", "2026-03-28T14:02:00Z")
    assert (
        discrepancies(
            sound(record(2, timestamp="2026-03-28T14:02:00.9Z"), last_updated="2026-03-28T14:02:00Z")
        )
        == []
    )


def test_lists_that_are_missing_are_empty():
    memory = {
        name: one for name, one in sound().items() if name not in {"deliberations", "model_performance"}
    }
    assert [(one.path, one.right) for one in discrepancies(memory)] == [
        (("deliberations",), []),
        (("model_performance",), {}),
    ]


@pytest.mark.parametrize("odd", [5, "x", [], {"a": 1}])
def test_what_is_something_else_altogether_is_left_to_reading(odd):
    memory = {
        **sound(),
        "deliberations": odd,
        "model_performance": 7,
        "routing_model": "none",
        "archived": odd,
    }
    assert [one for one in discrepancies(memory) if one.path != ("deliberations",)] == []
