"""``ledger``: deliberations with their predictions, and what came of these."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from support.ledgers import DIRECTIVE, SESSIONS, prediction, session, write_ledger


@pytest.fixture
def given(program):
    """Hand a session over in a file."""

    def write(document):
        path = program.base / "session.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
        return path

    return write


@pytest.fixture
def ledger(program):
    return program.workspace / "council-ledger.db"


def days_ago(days):
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def test_a_deliberation_is_added_with_its_predictions(program, given, ledger):
    ran = program("ledger", "add", given(SESSIONS[0]))
    assert ran == (0, "cs_moon\n  p_moon  Forecaster: BTC rallies hard\n", "")
    assert ledger.exists()
    again = program("ledger", "add", given(SESSIONS[0]))
    assert again == (0, ran.out, "It had been added already; nothing was changed.\n")
    assert program("ledger", "list", "--json").json[0]["predictions"] == 1


def test_ids_are_made_where_none_are_given(program, given):
    bare = {
        "directive": DIRECTIVE,
        "predictions": [{"agent": "A", "statement": "It rains"}],
        "ts": days_ago(1),
    }
    ran = program("ledger", "add", given(bare), "--json")
    (made,) = ran.json["predictions"]
    assert ran.json == {
        "id": ran.json["id"],
        "already": False,
        "predictions": [{"id": made["id"], "agent": "A", "statement": "It rains"}],
    }
    assert ran.json["id"].startswith("cs_")
    assert program("ledger", "add", given(bare), "--json").json == ran.json | {"already": True}


def test_through_a_pipe(program, monkeypatch):
    for arguments in ((), ("-",)):
        stdin = SimpleNamespace(buffer=io.BytesIO(json.dumps(SESSIONS[0]).encode()), isatty=lambda: False)
        monkeypatch.setattr("sys.stdin", stdin)
        assert program("ledger", "add", *arguments).out.startswith("cs_moon\n")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "session.json"),
        ("[]", "session.json"),
        ({}, "directive"),
        ({"directive": 7}, "directive"),
        ({"directive": "x", "confidence": 1.5}, "confidence"),
        ({"directive": "x", "predictions": [{"agent": "A"}]}, "predictions[0].statement"),
        ({"directive": "x", "predictions": [prediction("p", "A", "s", horizon_days=8)]}, "7, 30, 90 or 180"),
        ({"directive": "x", "predictions": [prediction("p", "A", "s", status="correct")]}, "ledger resolve"),
        ({"directive": "x", "predictions": [prediction("p", "A", "s", status=[])]}, "predictions[0].status"),
    ],
)
def test_what_cannot_be_understood_is_named(program, given, ledger, document, words):
    ran = program("ledger", "add", given(document))
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert not ledger.exists()


def test_nothing_given(program, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    ran = program("ledger", "add")
    assert ran.code == 2
    assert "Nothing was given" in ran.err


def test_what_came_of_a_prediction(program, ledger):
    write_ledger(ledger)
    ran = program("ledger", "resolve", "p_options", "partial")
    assert ran == (0, "p_options: partial\n  Executor: skill 50%\n", "")
    again = program("ledger", "resolve", "p_options", "partial")
    assert again == (0, "p_options: partial\n", "That was known already; nothing was changed.\n")
    other = program("ledger", "resolve", "p_options", "correct")
    assert (other.code, other.out) == (2, "")
    assert "p_options is partial already" in other.err


def test_the_reputations_that_follow(program, given):
    program("ledger", "add", given(SESSIONS[0]))
    ran = program("ledger", "resolve", "p_moon", "incorrect", "--json")
    assert (ran.json["id"], ran.json["outcome"], ran.json["already"]) == ("p_moon", "incorrect", False)
    forecaster, analyst = ran.json["reputations"]
    assert (forecaster["agent"], forecaster["losses"], forecaster["beta"]) == ("Forecaster", 1, 2)
    assert (analyst["agent"], analyst["losses"], analyst["beta"]) == ("Analyst", 0.5, 1.5)
    assert forecaster["calibration"] == pytest.approx(1 - 0.81)
    ran = program("brief", DIRECTIVE, "--json")
    assert ran.json["coverage"] == {"DISPROVEN": 1}


def test_predictions_that_cannot_be_resolved(program, ledger):
    ran = program("ledger", "resolve", "p_x", "correct")
    assert (ran.code, ran.out) == (1, "")
    assert "there is no such ledger" in ran.err
    assert not ledger.exists()
    write_ledger(ledger)
    ran = program("ledger", "resolve", "p_x", "correct")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no prediction p_x" in ran.err
    assert "`council-vault ledger due --all` lists those" in ran.err
    assert program("ledger", "resolve", "p_options", "maybe").code == 2
    assert program("ledger", "resolve").code == 2


def test_the_list(program, ledger):
    write_ledger(ledger)
    ran = program("ledger", "list")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "Ledger:"
    ids = [line.split()[0] for line in lines[1:] if line.startswith("  cs_")]
    assert ids == ["cs_options", "cs_phase", "cs_keep", "cs_double", "cs_moon"]
    assert '"Leverage on options instead of BTC?"' in ran.out
    assert "1 of 1 prediction graded | 100% right" in ran.out
    assert "1 prediction\n" in ran.out
    assert max(map(len, lines)) <= 80
    newest = program("ledger", "list", "--last", "1", "--json").json
    assert [one["id"] for one in newest] == ["cs_options"]
    assert newest[0]["time"] == "2026-09-01T10:00:00Z"
    assert (newest[0]["predictions"], newest[0]["graded"], newest[0]["accuracy"]) == (1, 0, None)
    assert program("ledger", "list", "--last", "0").code == 2


def test_what_is_due(program, ledger):
    write_ledger(
        ledger,
        session(
            "cs_old",
            days_ago(40),
            "Rain?",
            "Yes",
            0.5,
            prediction("p_old", "Seer", "It rains", horizon_days=30),
        ),
        session(
            "cs_new",
            days_ago(1),
            "Snow?",
            "No",
            0.5,
            prediction("p_new", "Seer", "No snow", horizon_days=180),
        ),
    )
    ran = program("ledger", "due", "--json")
    (old,) = [one for one in ran.json if one["session"] == "cs_old"]
    assert (old["id"], old["agent"], old["horizon_days"]) == ("p_old", "Seer", 30)
    assert "p_new" not in ran.out
    assert "p_moon" not in ran.out
    out = program("ledger", "due").out
    assert out.startswith("Due:\n")
    assert "  p_old" in out
    assert 'due 10d ago | "It rains"' in out
    everything = program("ledger", "due", "--all").out
    assert "due in 5mo" in everything
    assert '"No snow"' in everything
    program("ledger", "resolve", "p_old", "correct")
    assert "p_old" not in program("ledger", "due").out


def test_an_empty_ledger(program, ledger):
    write_ledger(ledger)
    with closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("DELETE FROM predictions")
        connection.execute("DELETE FROM council_sessions")
    assert program("ledger", "list").out == "Ledger:\n  No deliberations yet.\n"
    assert program("ledger", "due").out == "Due:\n  No prediction is due.\n"
    assert program("ledger", "list", "--json").json == program("ledger", "due", "--json").json == []


@pytest.mark.parametrize("command", [("list",), ("due",)])
def test_without_a_ledger(program, ledger, command):
    ran = program("ledger", *command)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"council-vault: {ledger}: there is no such ledger. `council-vault ledger add` makes one\n"
    )


def test_another_ledger(program, given, ledger):
    elsewhere = program.base / "elsewhere.db"
    for options in (("--ledger", elsewhere), ()):
        assert program("ledger", "add", given(SESSIONS[0]), *options).code == 0
        assert program("ledger", "list", *options, "--json").json[0]["id"] == "cs_moon"
        assert program("ledger", "due", "--all", *options, "--json").json[0]["id"] == "p_moon"
        assert program("ledger", "resolve", "p_moon", "correct", *options).code == 0
        assert not ledger.exists()
        program("config", "set", "brief.ledger", str(program.base / "set.db"))
    assert (program.base / "set.db").exists()


def test_another_councils_ledger_is_only_read(program, given, tmp_path):
    foreign = tmp_path / "foreign.db"
    with closing(sqlite3.connect(foreign)) as connection, connection:
        connection.execute("CREATE TABLE council_sessions (id, ts, directive)")
        connection.execute("INSERT INTO council_sessions VALUES ('x\x1b[2J', 1780000000, 'Rain? \x1b[31m')")
    before = foreign.read_bytes()
    ran = program("ledger", "list", "--ledger", foreign)
    assert ran.code == 0
    assert '"Rain?' in ran.out
    assert "\x1b" not in ran.out
    assert program("ledger", "due", "--ledger", foreign).code == 0
    assert program("ledger", "add", given(SESSIONS[0]), "--ledger", foreign).code == 1
    assert foreign.read_bytes() == before


def test_the_words_of_a_ledger_fit_every_terminal(program, ledger, monkeypatch):
    write_ledger(ledger, session("cs_long", days_ago(1), "word " * 50, "v", 0.5))
    for columns in ("40", "80", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        for command in (("list",), ("due", "--all")):
            out = program("ledger", *command).out
            assert max(map(len, out.splitlines())) <= int(columns)
