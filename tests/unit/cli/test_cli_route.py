"""``route``: whether a question is worth a council."""

from __future__ import annotations

import hashlib
import io
import json
from types import SimpleNamespace

import pytest

from council_vault.learning.router import Route
from support.memories import build_memory
from support.memory_files import document, dump, record

QUESTION = "Compare SQLite and Postgres for an edge cache"


def remember(program, document):
    program.write_bytes(dump(document))


def test_without_a_memory_file(program):
    assert program("route", QUESTION) == (
        0,
        """\
Route     deliberate (90% sure)
Why       Rule of thumb: it compares, or weighs pros and cons.
Protocol  voting
Learning  nothing yet; rules are first made at 20 deliberations
""",
        "",
    )
    found = program("route", QUESTION, "--json").json
    assert list(found) == list(Route.__struct_encode_fields__)
    assert found["routing_source"] == "heuristic_no_memory"
    assert not program.memory.exists()


def test_while_it_learns(program):
    program.write_memory(record(1))
    assert program("route", "Debug this function for me").out == (
        """\
Route     ask one model (65% sure, uncertain)
Why       Rule of thumb: it is about code, and there is nothing to decide.
Models    anthropic/claude-sonnet-4
Cost      about $0.02
Learning  1 deliberation; rules are next made at 20
"""
    )


def test_with_rules(program):
    memory = build_memory(60, 6, 3)
    memory["model_performance"]["openai/gpt-4.1"] |= {
        "self_preference_count": 9, "self_preference_tested": 40, "self_preference_rate": 0.225
    }  # fmt: skip
    remember(program, memory)
    out = program("route", QUESTION).out.splitlines()
    assert out[0] == "Route     deliberate (50% sure, uncertain)"
    assert out[1].startswith("Why       Whether architecture_decision is worth deliberating is open (value")
    labels = [line[:10].strip() for line in out]
    assert labels == [
        "Route", "Why", "Models", "Left out", "Chairman", "Protocol", "Cost", "Bias", "Learning",
    ]  # fmt: skip
    assert "Left out  google/gemini-2.5-pro-preview: ranked low on such questions" in out
    assert "Bias      openai/gpt-4.1 put its own answer too high in 9 of 40 reviews (22%)" in out
    assert out[-1] == "Learning  3 rules, 1 firm, from 60 deliberations; next made at 70"
    assert program("route", "Debug this function for me").out.count("66% sure") == 2
    found = program("route", QUESTION, "--json").json
    assert found["learning_status"] == {
        "phase": "active",
        "deliberations": 60,
        "rules": 3,
        "firm_rules": 1,
        "next_rebuild": 70,
        "category_samples": 12,
    }
    assert found["bias_warnings"] == [
        {"model": "openai/gpt-4.1", "self_preference_rate": 0.225, "detected": 9, "tested": 40}
    ]


def test_the_settings_count(program):
    program.write_memory(record(1))
    program("config", "set", "council.models", "x/one,y/two,z/three")
    found = program("route", QUESTION, "--json").json
    assert found["recommended_models"] == ["x/one", "y/two", "z/three"]
    program("config", "set", "router.mode", "always_shortcut")
    found = program("route", QUESTION, "--json").json
    assert (found["decision"], found["routing_source"]) == ("single_model", "always_shortcut")
    assert program("route", QUESTION).out.startswith("Route     ask one model (as set)\n")
    program("config", "set", "router.mode", "always_deliberate")
    assert program("route", "Why?", "--json").json["decision"] == "deliberate"


def test_what_was_learned_is_never_wholly_sure(program):
    rule = {"condition": "category == 'code_implementation'", "action": "deliberate", "strength": 1.0}
    records = [record(number) for number in range(1, 21)]
    remember(program, document(*records, routing_model={"rules": [rule | {"sample_count": 1}]}))
    out = program("route", "Debug this function for me").out
    assert out.startswith("Route     deliberate (99% sure)\n")
    assert "(1 deliberation, 99% sure)" in out


def test_the_second_look_is_a_setting(program):
    rule = {"condition": "category == 'code_implementation'", "action": "single_model", "strength": 0.9}
    records = [record(number) for number in range(1, 21)]
    remember(program, document(*records, routing_model={"rules": [rule]}))
    assert program("route", "Debug this function for me", "--json").json["decision"] == "single_model"
    program("config", "set", "router.explore", "1")
    assert program("route", "Debug this function for me", "--json").json["decision"] == "deliberate"


def test_budgets(program):
    program.write_memory(record(1))
    program("config", "set", "budget.per_deliberation_usd", "0.02")
    found = program("route", QUESTION, "--json").json
    assert (found["decision"], found["confidence"]) == ("single_model", 0.95)
    found = program("route", "--budget", "0.5", QUESTION, "--json").json
    assert found["decision"] == "deliberate"
    program("config", "set", "budget.per_deliberation_usd", "")
    assert program("route", QUESTION, "--budget", "0", "--json").json["decision"] == "single_model"


@pytest.mark.parametrize("amount", ["-1", "much", "nan", "inf"])
def test_a_budget_that_is_no_amount(program, amount):
    ran = program("route", QUESTION, "--budget", amount)
    assert ran.code == 2
    assert ran.out == ""
    assert "--budget" in ran.err


def test_a_question_is_needed(program):
    assert program("route").code == 2


@pytest.mark.parametrize(
    ("given", "length"),
    [
        (b"Why?\n", 4),
        (b"\xef\xbb\xbfWhy?", 4),
        (b"W\xffy?\r\n", 4),
        ("Compare\nthem 天空".encode(), 15),
        (b"", 0),
    ],
)
def test_a_question_from_standard_input(program, monkeypatch, given, length):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(given)))
    found = program("route", "-", "--json").json
    assert found["query_features"]["length"] == length


def test_a_question_far_longer_than_an_argument_can_be(program):
    with program.start("route", "-", "--json", stdin=-1) as started:
        out, err = started.communicate(b"Compare them. " * 50_000, timeout=60)
    assert (started.returncode, err) == (0, b"")
    assert json.loads(out)["query_features"]["length"] == 700_000


def test_a_memory_that_cannot_be_read_has_a_code_of_its_own(program):
    program.write_bytes(b"{}]")
    ran = program("route", QUESTION)
    assert (ran.code, ran.out) == (4, "")
    program.memory.unlink()
    program.memory.mkdir()
    assert program("route", QUESTION).code == 4
    program.memory.rmdir()
    program.workspace.rmdir()
    program.workspace.write_text("")
    assert program("route", QUESTION, "--workspace", program.workspace).code == 4


def test_a_workspace_that_is_not_there_has_no_memory(program):
    ran = program("route", QUESTION, "--workspace", program.base / "nowhere", "--json")
    assert ran.json["routing_source"] == "heuristic_no_memory"


def test_bad_records_and_rules_keep_nobody_from_an_answer(program):
    program.write_memory(
        record(1, confidence="high", cost_usd="much", models_used="all", rankings=[1]),
        "no record",
        routing_model={"rules": [7, {"condition": 3, "action": []}], "sample_size": "x"},
        model_performance={"a": 7, "b": {"avg_rank": "first"}},
        version="9.9",
    )
    ran = program("route", QUESTION, "--json")
    assert ran.code == 0
    assert ran.json["decision"] == "deliberate"


def test_model_names_cannot_take_over_the_terminal(program):
    program.write_memory(record(1, models_used=["a\x1b[2J\nModels    b", "c"], rankings={}))
    out = program("route", QUESTION).out
    assert "\x1b" not in out
    assert out.count("\nModels    ") == 1
    assert program("route", QUESTION, "--json").out.isascii()


def test_nothing_is_written_and_the_question_is_nowhere(program):
    remember(program, build_memory(30, 4, 1))
    question = "Should zyzzyva quixote? Compare zyzzyva, and write"
    before = {path: path.stat().st_mtime_ns for path in program.base.rglob("*")}
    plain, as_json = program("route", question), program("-v", "route", question, "--json")
    assert {path: path.stat().st_mtime_ns for path in program.base.rglob("*")} == before
    for said in (*plain[1:], *as_json[1:]):
        assert "zyzzyva" not in said
        assert "quixote" not in said
        assert hashlib.sha256(question.encode()).hexdigest()[:8] not in said
