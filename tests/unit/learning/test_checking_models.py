"""Whether the models' aggregates are what the records say."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning.archiving import archived as what_stays
from council_vault.memory.decoding import decode
from support.memories import build_memory, model_performance
from support.memory_files import REAL_DATA, dump, record
from support.sound_memories import discrepancies, sound, told

GPT, CLAUDE = "openai/gpt-4o", "anthropic/claude-sonnet-4"
RECORDS = [record(1), record(2), record(3, rankings={GPT: 1, CLAUDE: 2}, chairman=GPT, self_preference={})]


def changed(**fields):
    """Return what is said when the first model's aggregates have other values; `...` leaves one out."""
    performance = model_performance(RECORDS)
    performance[GPT] |= fields
    performance[GPT] = {name: one for name, one in performance[GPT].items() if one is not ...}
    found = discrepancies(sound(*RECORDS, model_performance=performance))
    return {one.path[2]: one.right for one in found if one.path[:2] == ("model_performance", GPT)}


def test_aggregates_of_the_records_are_right():
    assert changed() == {}


def test_aggregates_of_whole_memories_are_right():
    for size in (1, 30, 300):
        assert [one for one in discrepancies(build_memory(size, 7, size)) if one.level == "problem"] == []


def test_a_real_memory_is_right():
    file = REAL_DATA / "council-memory.json"
    if not file.exists():
        pytest.skip(f"{REAL_DATA} is not here")
    assert discrepancies(msgspec.json.decode(file.read_bytes())) == []


def test_rounded_numbers_are_right():
    assert changed(avg_rank=1.7, win_rate=0.33, category_ranks={"architecture_decision": 1.7}) == {}
    assert changed(self_preference_rate=0.67) == {}


@pytest.mark.parametrize(
    ("field", "value", "right"),
    [
        ("deliberations_participated", 4, 3),
        ("deliberations_participated", ..., 3),
        ("chairman_selections", 0, 1),
        ("self_preference_count", 3, 2),
        ("avg_rank", 1.9, 5 / 3),
        ("avg_rank", None, 5 / 3),
        ("avg_rank", ..., 5 / 3),
        ("rank_square_sum", 8, 9),
        ("win_rate", 0.4, 1 / 3),
        ("self_preference_rate", 0.5, 2 / 3),
        ("self_preference_tested", 1, 3),
        ("self_preference_tested", 4, 3),
        ("category_ranks", {}, {"architecture_decision": 5 / 3}),
        ("category_ranks", {"other": 5 / 3}, {"architecture_decision": 5 / 3}),
        ("category_ranks", {"architecture_decision": 2.5}, {"architecture_decision": 5 / 3}),
        ("category_counts", {"architecture_decision": 2}, {"architecture_decision": 3}),
        ("best_categories", ["architecture_decision"], []),
        ("worst_categories", ["other"], []),
    ],
)
def test_what_the_records_do_not_say_is_put_right(field, value, right):
    assert changed(**{field: value}) == {field: pytest.approx(right)}


@pytest.mark.parametrize(
    "field",
    [
        "rank_square_sum",
        "category_counts",
        "self_preference_tested",
        "win_rate",
        "self_preference_rate",
        "best_categories",
        "worst_categories",
    ],
)
def test_what_agents_do_not_keep_is_not_missed(field):
    assert changed(**{field: ...}) == {}
    assert changed(**{field: None}) == {}


def test_a_rate_of_all_deliberations_is_right_where_tests_are_not_counted():
    tested = {"self_preference_tested": 2}
    assert changed(**tested, self_preference_rate=1.0) == {}
    assert changed(**tested, self_preference_rate=0.67) == {"self_preference_rate": 1.0}
    assert changed(self_preference_tested=..., self_preference_rate=0.67) == {}


def test_a_category_whose_rounded_rank_is_on_the_line_may_be_named_or_not():
    ranks = {"rankings": {GPT: 1, CLAUDE: 2}, "self_preference": {}}
    other = {"rankings": {GPT: 2, CLAUDE: 1}, "self_preference": {}}
    records = [
        *(record(number, **ranks) for number in range(11)),
        *(record(20 + number, **other) for number in range(12)),
    ]
    performance = model_performance(records)
    assert performance[GPT]["best_categories"] == []
    performance[GPT] |= {
        "category_ranks": {"architecture_decision": 1.5},
        "best_categories": ["architecture_decision"],
    }
    assert discrepancies(sound(*records, model_performance=performance)) == []


def test_a_model_that_is_missing_is_made_from_the_records():
    performance = model_performance(RECORDS)
    expected = performance.pop(CLAUDE)
    (found,) = discrepancies(sound(*RECORDS, model_performance=performance))
    assert found.path == ("model_performance", CLAUDE)
    assert found.right == expected
    assert found.what == "missing, and the records count 3 of its councils"
    (empty,) = discrepancies(sound(*RECORDS, model_performance={**performance, CLAUDE: None}))
    assert empty == found


def test_a_model_that_no_record_knows_has_nothing_to_its_name():
    performance = model_performance(RECORDS) | {"ghost": {"deliberations_participated": 2, "avg_rank": 1.5}}
    found = told(sound(*RECORDS, model_performance=performance))
    assert found == {
        'model_performance["ghost"].deliberations_participated': "2 stands there, and the records say 0",
        'model_performance["ghost"].avg_rank': "1.5 stands there, and the records say none",
    }


def test_a_model_that_cannot_be_read_is_left_to_reading():
    performance = model_performance(RECORDS) | {GPT: "many"}
    assert discrepancies(sound(*RECORDS, model_performance=performance)) == []


def test_of_many_categories_only_those_that_differ_are_said():
    features = {"category": "other"}
    records = [*RECORDS, record(4, query_features=features), record(5, query_features=features)]
    performance = model_performance(records)
    performance[GPT]["category_counts"]["other"] = 3
    found = told(sound(*records, model_performance=performance))
    assert found == {
        f'model_performance["{GPT}"].category_counts': "other 3 stands there, and the records say other 2"
    }


# Where records were removed without being counted


def removed(vanished=False, **fields):
    """Return what is said of the first model where earlier records are gone: its counts go beyond these."""
    performance = model_performance(RECORDS)
    performance[GPT] |= {
        "deliberations_participated": 10,
        "chairman_selections": 4,
        "win_rate": 0.4,
        "self_preference_count": 2,
        "self_preference_tested": 8,
        "self_preference_rate": 0.25,
        "avg_rank": 2.2,
        "rank_square_sum": 50,
        "category_ranks": {"architecture_decision": 2.5, "other": 1.2},
        "category_counts": {"architecture_decision": 6, "other": 4},
        "best_categories": ["other"],
    }
    performance[GPT] |= fields
    size = 0 if vanished else 12
    rules = {"last_rebuilt": None, "sample_size": size, "routing_accuracy": None, "rules": []}
    found = discrepancies(
        sound(*RECORDS, model_performance=performance, routing_model=rules), vanished=vanished
    )
    return {one.path[2]: one.right for one in found if one.path[:2] == ("model_performance", GPT)}


@pytest.mark.parametrize("vanished", [False, True])
def test_of_removed_records_only_what_is_impossible_is_wrong(vanished):
    assert removed(vanished) == {}
    assert removed(vanished, avg_rank=3.9) == {}


@pytest.mark.parametrize(
    ("fields", "right"),
    [
        ({"deliberations_participated": 2}, {"deliberations_participated": 10}),
        (
            {"deliberations_participated": 2, "category_counts": {}},
            {"deliberations_participated": 4, "win_rate": 1.0},
        ),
        (
            {"deliberations_participated": 2, "category_counts": {}, "chairman_selections": 1},
            {"deliberations_participated": 3, "win_rate": 1 / 3},
        ),
        ({"chairman_selections": 0, "win_rate": 0.1}, {"chairman_selections": 1}),
        ({"self_preference_count": 1}, {"self_preference_count": 2}),
        ({"win_rate": 0.5}, {"win_rate": 0.4}),
        ({"self_preference_rate": 0.3}, {"self_preference_rate": 0.25}),
        ({"avg_rank": None}, {"avg_rank": 5 / 3}),
        ({"best_categories": ["other", "architecture_decision"]}, {"best_categories": ["other"]}),
        ({"worst_categories": ["other"]}, {"worst_categories": []}),
    ],
)
def test_counts_are_at_least_what_the_records_show_and_the_rest_follows(fields, right):
    assert removed(**fields) == {name: pytest.approx(value) for name, value in right.items()}


def test_a_model_that_is_missing_where_records_were_removed_is_made_from_those_that_are_left():
    rules = {"last_rebuilt": None, "sample_size": 12, "routing_accuracy": None, "rules": []}
    expected = model_performance(RECORDS)
    found = discrepancies(sound(*RECORDS, model_performance={GPT: expected[GPT]}, routing_model=rules))
    assert [one.right for one in found if one.path[0] == "model_performance"] == [expected[CLAUDE]]


@settings(deadline=None, max_examples=15)
@given(size=st.integers(20, 60), gone=st.integers(1, 20), seed=st.integers(0, 1000))
def test_records_that_were_counted_when_they_were_removed_are_not_missed(size, gone, seed):
    whole = build_memory(size, 5, seed)
    memory = decode(dump(whole)).memory
    stays = msgspec.to_builtins(what_stays(memory, memory.deliberations[:gone]))
    shorter = {**whole, "deliberations": whole["deliberations"][gone:], "archived": stays}
    found = discrepancies(shorter)
    assert [one for one in found if one.path[0] in {"model_performance", "archived"}] == []
