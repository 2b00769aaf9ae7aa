"""``log-experiment``: an experiment of the optimization loop."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from support.memory_files import record

GIVEN = {
    "variable_modified": "chairman_prompt",
    "modification_type": "sharpen",
    "description": "Ask for one recommendation",
    "baseline_pass_rate": 0.6,
    "modified_pass_rate": 0.8,
    "criteria_delta": {"C1": 0.1},
    "decision": "keep",
    "cost_usd": 0.12,
    "benchmark_ids": ["d_20260328_001"],
}


@pytest.fixture
def piped(program, monkeypatch):
    def run(given, *options):
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return program("log-experiment", *options)

    return run


def test_it_is_appended_with_ids_of_its_own(program, piped):
    program.write_memory(record(1), optimization_log=[{"experiment_id": "mine", "note": "kept"}])
    ran = piped(GIVEN)
    assert ran.code == 0
    assert ran.err == ""
    first, second = program.parsed()["optimization_log"]
    assert first == {"experiment_id": "mine", "note": "kept"}
    assert ran.out == second["experiment_id"] + "\n"
    assert re.fullmatch(r"opt_\d{8}_001", second["experiment_id"])
    assert re.fullmatch(r"run_\d{8}_\d{6}", second["run_id"])
    assert second["criteria_delta"] == {"C1_synthesis_superiority": 0.1}
    assert program.parsed()["last_updated"] == second["timestamp"]


def test_as_json(program, piped):
    program.write_memory(record(1))
    assert [piped(GIVEN, "--json").json] == program.parsed()["optimization_log"]


def test_a_file_from_before_experiments_is_migrated(program, piped):
    program.write_memory(record(1), version="1.1", optimization_log=..., last_vault_sync=...)
    piped(GIVEN)
    assert program.parsed()["version"] == "1.3"
    assert len(program.parsed()["optimization_log"]) == 1


def test_without_a_memory_one_is_created(program, piped):
    ran = piped(GIVEN | {"benchmark_ids": []})
    assert ran.code == 0
    assert len(program.parsed()["optimization_log"]) == 1


def test_benchmarks_that_are_not_there_are_named(program, piped):
    program.write_memory(record(1))
    ran = piped(GIVEN | {"benchmark_ids": ["d_20260328_001", "d_20260328_009"]})
    assert ran.code == 0
    assert ran.err == "d_20260328_009 is among the benchmarks, but not in the memory.\n"


def test_twice_is_once(program, piped):
    program.write_memory(record(1), optimization_log=None)
    given = GIVEN | {"experiment_id": "opt_20260328_001"}
    assert piped(given).out == "opt_20260328_001\n"
    before = program.memory.read_bytes()
    again = piped(given)
    assert again == (0, "opt_20260328_001\n", "It had been logged already; nothing was added.\n")
    assert program.memory.read_bytes() == before


def test_another_one_under_the_same_id_is_refused(program, piped):
    program.write_memory(record(1))
    piped(GIVEN | {"experiment_id": "opt_20260328_001"})
    before = program.memory.read_bytes()
    ran = piped(GIVEN | {"experiment_id": "opt_20260328_001", "decision": "revert"})
    assert ran.code == 2
    assert "experiment_id: opt_20260328_001 is logged already, with another decision" in ran.err
    assert program.memory.read_bytes() == before


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (GIVEN | {"decision": "maybe"}, "decision: expected keep, revert or skip"),
        (GIVEN | {"criteria_delta": {"C7": 1}}, 'criteria_delta["C7"]'),
        ({}, "decision: required"),
        (b"{,}", "line 1, column 2"),
    ],
)
def test_bad_input_changes_nothing(given, said, program, piped):
    program.write_memory(record(1))
    before = program.memory.read_bytes()
    ran = piped(given)
    assert ran.code == 2
    assert said in ran.err
    assert program.memory.read_bytes() == before


def test_a_log_that_is_no_list_is_left_alone(program, piped):
    program.write_memory(record(1), optimization_log={"a": 1})
    before = program.memory.read_bytes()
    ran = piped(GIVEN)
    assert ran.code == 4
    assert "optimization_log: expected a list of experiments" in ran.err
    assert program.memory.read_bytes() == before
