from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.errors import InputError
from council_vault.learning.experiments import build_experiment, contradictions, read_experiment

NOW = datetime(2026, 3, 28, 14, 30, 5, tzinfo=UTC)
WHOLE = {
    "experiment_id": "opt_20260328_001",
    "run_id": "run_20260328_143000",
    "variable_modified": "chairman_prompt",
    "modification_type": "sharpen",
    "description": "Ask for one recommendation",
    "baseline_pass_rate": 0.68,
    "modified_pass_rate": 0.84,
    "criteria_delta": {"C1_synthesis_superiority": 0.2, "C5_budget_compliance": -0.1},
    "decision": "keep",
    "cost_usd": 0.09,
    "benchmark_count": 2,
    "benchmark_ids": ["d_20260320_001", "d_20260321_004"],
}


def without(*names, **fields):
    return {name: value for name, value in (WHOLE | fields).items() if name not in names}


def test_a_whole_one_is_kept_as_it_is_given_with_the_time():
    record = build_experiment(read_experiment(WHOLE), (), NOW)
    assert record == WHOLE | {"timestamp": "2026-03-28T14:30:05Z"}
    assert list(record)[:4] == ["experiment_id", "run_id", "timestamp", "variable_modified"]


def test_what_is_missing_is_given_or_not_known():
    least = {
        "variable_modified": "x",
        "modification_type": "remove",
        "decision": "skip",
    }
    record = build_experiment(read_experiment(least), (), NOW)
    assert record == least | {
        "experiment_id": "opt_20260328_001",
        "run_id": "run_20260328_143005",
        "timestamp": "2026-03-28T14:30:05Z",
        "description": None,
        "baseline_pass_rate": None,
        "modified_pass_rate": None,
        "criteria_delta": {},
        "cost_usd": None,
        "benchmark_count": None,
        "benchmark_ids": [],
    }


def test_the_number_is_the_next_of_its_day():
    ids = ["opt_20260328_007", "opt_20260327_050", "opt_20260328_002", "opt_20260328_9", 5, None]
    given_ = read_experiment(without("experiment_id"))
    assert build_experiment(given_, ids, NOW)["experiment_id"] == "opt_20260328_008"


def test_ids_are_of_the_time_that_is_given():
    given_ = read_experiment(without("experiment_id", "run_id", timestamp="2026-01-02T03:04:05+01:00"))
    record = build_experiment(given_, (), NOW)
    assert record["experiment_id"] == "opt_20260102_001"
    assert record["run_id"] == "run_20260102_020405"
    assert record["timestamp"] == "2026-01-02T02:04:05Z"


def test_criteria_may_be_named_in_short_and_are_kept_in_full_in_order():
    record = build_experiment(read_experiment(without(criteria_delta={"c4": 1, "C1": "0.25"})), (), NOW)
    assert record["criteria_delta"] == {"C1_synthesis_superiority": 0.25, "C4_confidence_calibration": 1}
    assert list(record["criteria_delta"]) == ["C1_synthesis_superiority", "C4_confidence_calibration"]


def test_the_benchmarks_are_counted():
    assert build_experiment(read_experiment(without("benchmark_count")), (), NOW)["benchmark_count"] == 2
    assert read_experiment(without("benchmark_ids")).benchmark_count == 2


@pytest.mark.parametrize(
    ("fields", "where", "what"),
    [
        ({"variable_modified": None}, "variable_modified", "required"),
        ({"variable_modified": " "}, "variable_modified", "name"),
        ({"variable_modified": "x" * 201}, "variable_modified", "200"),
        ({"variable_modified": 3}, "variable_modified", "text"),
        ({"modification_type": "polish"}, "modification_type", "expand_scope"),
        ({"modification_type": None}, "modification_type", "required"),
        ({"decision": "maybe"}, "decision", "keep, revert or skip"),
        ({"decision": None}, "decision", "required"),
        ({"baseline_pass_rate": 1.01}, "baseline_pass_rate", "0 to 1"),
        ({"baseline_pass_rate": float("nan")}, "baseline_pass_rate", "0 to 1"),
        ({"baseline_pass_rate": None}, "baseline_pass_rate", "required"),
        ({"modified_pass_rate": True}, "modified_pass_rate", "0 to 1"),
        ({"modified_pass_rate": None}, "modified_pass_rate", "required"),
        ({"criteria_delta": []}, "criteria_delta", "an object"),
        ({"criteria_delta": {"C6": 0}}, 'criteria_delta["C6"]', "C5_budget_compliance"),
        ({"criteria_delta": {"C1": 1.5}}, 'criteria_delta["C1"]', "-1 to 1"),
        (
            {"criteria_delta": {"C1": 0, "C1_synthesis_superiority": 0}},
            'criteria_delta["C1_synthesis_superiority"]',
            "twice",
        ),
        ({"cost_usd": -1}, "cost_usd", "USD"),
        ({"benchmark_count": 1.5}, "benchmark_count", "whole"),
        ({"benchmark_count": 3}, "benchmark_count", "benchmark_ids has 2"),
        ({"benchmark_ids": "d_20260320_001"}, "benchmark_ids", "a list"),
        ({"benchmark_ids": ["d_20260320_001", "x"]}, "benchmark_ids[1]", "id such as"),
        ({"benchmark_ids": ["d_20260320_001"] * 2}, "benchmark_ids[1]", "twice"),
        ({"experiment_id": "opt_20260230_001"}, "experiment_id", "opt_20260328_001"),
        ({"experiment_id": "d_20260328_001"}, "experiment_id", "opt_20260328_001"),
        ({"experiment_id": 1}, "experiment_id", "opt_20260328_001"),
        ({"run_id": "run_20260328_250000"}, "run_id", "run_20260328_143000"),
        ({"run_id": "today"}, "run_id", "run_20260328_143000"),
        ({"timestamp": "yesterday"}, "timestamp", "a time"),
        ({"description": ["x"]}, "description", "text"),
    ],
)
def test_what_is_wrong_is_named(fields, where, what):
    with pytest.raises(InputError, match=what) as raised:
        read_experiment(without(**fields))
    assert raised.value.where == where


def test_all_that_is_wrong_is_named_at_once():
    with pytest.raises(InputError, match="cost_usd") as raised:
        read_experiment(without(decision="x", cost_usd=-1))
    assert "decision" in str(raised.value)
    assert "cost_usd" in str(raised.value)


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(InputError, match="an object"):
        read_experiment(value)


def test_a_second_time_contradicts_nothing_unless_it_says_something_else():
    kept = json.loads(json.dumps(build_experiment(read_experiment(WHOLE), (), NOW)))
    assert contradictions(read_experiment(WHOLE), kept) == []
    assert contradictions(read_experiment(without("run_id", "cost_usd", "criteria_delta")), kept) == []
    again = read_experiment(without(cost_usd=0.1, decision="revert"))
    assert contradictions(again, kept) == ["decision", "cost_usd"]


@given(st.dictionaries(st.sampled_from(sorted(WHOLE)), st.none() | st.text() | st.floats() | st.booleans()))
def test_any_object_is_read_or_refused_with_its_field(fields):
    try:
        given_ = read_experiment(WHOLE | fields)
    except InputError as error:
        where = error.where.partition("[")[0]
    else:
        where = "decision"
        json.dumps(build_experiment(given_, (), NOW), allow_nan=False)
    assert where in WHOLE
