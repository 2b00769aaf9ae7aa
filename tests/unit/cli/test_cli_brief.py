"""``brief``: what the council's own history says of a question."""

from __future__ import annotations

import io
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from types import SimpleNamespace

import pytest

from council_vault.briefing.brief import Brief
from council_vault.briefing.guidance import NO_HISTORY
from support.ledgers import DIRECTIVE, write_ledger
from support.memory_files import record
from support.program import FOLDER, SOURCE
from support.syncing import contents_below

OWN = {"query_summary": "BTC leverage: what risk?", "user_rating": "positive"}


@pytest.fixture
def ledger(program):
    path = program.workspace / "council-ledger.db"
    write_ledger(path)
    return path


def refs(ran):
    return [case["ref"] for case in ran.json["relevant_historical_cases"]]


@pytest.mark.usefixtures("ledger")
def test_the_brief_as_a_council_reads_it(program):
    ran = program("brief", DIRECTIVE)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        """\
# Historical brief: Should we take BTC leverage risk now?

## Executive Summary

5 prior deliberation(s) on this: 1 validated, 1 untested, 3 disproven. ⚠ Repeated error: predicted btc up. \
Established lesson: Phase in, keep a hedge. Calibration: OVERCONFIDENT.

## Validated Lessons

- Phase in, keep a hedge (cs_phase, 100% right)
"""
    )
    assert ran.out.endswith("surface new uncertainty.\n")
    assert program("brief", DIRECTIVE, "--format", "md") == ran


@pytest.mark.usefixtures("ledger")
def test_the_brief_as_json(program):
    ran = program("brief", DIRECTIVE, "--json")
    assert list(ran.json) == list(Brief.__struct_encode_fields__)
    assert ran.json["coverage"] == {"VALIDATED": 1, "UNKNOWN": 1, "DISPROVEN": 3}
    assert refs(ran) == ["cs_phase", "cs_options", "cs_double", "cs_keep", "cs_moon"]
    assert ran.out.isascii()
    other = program("brief", DIRECTIVE, "--format", "json")
    assert other.json | {"generated_at": 0} == ran.json | {"generated_at": 0}


@pytest.mark.usefixtures("ledger")
def test_how_many_cases(program):
    assert refs(program("brief", DIRECTIVE, "--k", "2", "--json")) == ["cs_phase", "cs_options"]
    for wrong in ("0", "65", "many"):
        ran = program("brief", DIRECTIVE, "--k", wrong)
        assert (ran.code, ran.out) == (2, "")
        assert "--k" in ran.err


def test_memory_and_ledger_count_together(program, ledger):
    program.write_memory(record(1, **OWN))
    assert "d_20260328_001" in refs(program("brief", DIRECTIVE, "--json"))
    ledger.unlink()
    ran = program("brief", DIRECTIVE, "--json")
    assert refs(ran) == ["d_20260328_001"]
    assert ran.err == ""


def test_without_any_history(program):
    ran = program("brief", DIRECTIVE)
    assert ran.code == 0
    assert NO_HISTORY in ran.out
    assert ran.err == (
        f"There is no history yet: neither {program.memory} nor "
        f"{program.workspace / 'council-ledger.db'} is there.\n"
    )
    assert program("brief", DIRECTIVE, "--json").json["n_cases"] == 0
    assert list(program.workspace.iterdir()) == []


def test_another_ledger(program, ledger):
    elsewhere = program.base / "elsewhere.db"
    ledger.rename(elsewhere)
    assert program("brief", DIRECTIVE, "--json").json["n_cases"] == 0
    assert program("brief", DIRECTIVE, "--ledger", elsewhere, "--json").json["n_cases"] == 5
    assert program("brief", DIRECTIVE, "--ledger", "../elsewhere.db", "--json").json["n_cases"] == 5
    assert program("config", "set", "brief.ledger", "../elsewhere.db").code == 0
    assert program("brief", DIRECTIVE, "--json").json["n_cases"] == 5


def test_a_ledger_that_was_named_must_be_one(program):
    program.write_memory(record(1, **OWN))
    letter = program.base / "letter.db"
    letter.write_text("Dear council, " * 100)
    for named, reason in ((letter, "no SQLite database"), (program.base / "x.db", "no such ledger")):
        ran = program("brief", DIRECTIVE, "--ledger", named)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(f"council-vault: {named}: ")
        assert reason in ran.err
        program("config", "set", "brief.ledger", str(named))
        assert program("brief", DIRECTIVE) == ran
        program("config", "set", "brief.ledger", "")


def test_a_ledger_that_nobody_named_is_a_help_and_no_more(program, ledger):
    program.write_memory(record(1, **OWN))
    ledger.write_text("Dear council, " * 100)
    ran = program("brief", DIRECTIVE, "--json")
    assert ran.code == 0
    assert refs(ran) == ["d_20260328_001"]
    assert ran.err.startswith(f"The ledger is left out: {ledger}: this is no SQLite database.")


def test_a_ledger_that_is_damaged_inside_is_left_out_as_well(program, ledger):
    program.write_memory(record(1, **OWN))
    content = ledger.read_bytes()
    ledger.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    ran = program("brief", DIRECTIVE, "--json")
    assert ran.code == 0
    assert refs(ran) == ["d_20260328_001"]
    assert ran.err.count("The ledger is left out: ") == 1
    assert program("brief", DIRECTIVE, "--ledger", ledger).code == 1


def test_a_memory_that_cannot_be_read_has_a_code_of_its_own(program):
    program.write_bytes(b"{}]")
    ran = program("brief", DIRECTIVE)
    assert (ran.code, ran.out) == (4, "")


@pytest.mark.parametrize(
    "given", [DIRECTIVE.encode() + b"\n", b"\xef\xbb\xbf" + DIRECTIVE.encode() + b"\r\n"]
)
def test_a_directive_from_standard_input(program, ledger, monkeypatch, given):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(given)))
    ran = program("brief", "-", "--json")
    assert (ran.json["directive"], ran.json["n_cases"]) == (DIRECTIVE, 5)


@pytest.mark.parametrize(
    "directive",
    ["", "x", "the of and", "leverage " * 1250, '"BTC* NEAR(risk) - OR', "天空", "\udcff", "--help me"],
)
def test_any_directive_gets_an_honest_brief(program, ledger, directive):
    ran = program("brief", "--json", "--", directive)
    assert ran.code == 0
    assert ran.json["n_cases"] <= 5
    assert program("brief", "--", directive).code == 0


def test_the_history_cannot_take_over_the_terminal(program):
    foreign = program.base / "foreign.db"
    with closing(sqlite3.connect(foreign)) as connection, connection:
        connection.execute("CREATE TABLE council_sessions (id, ts, directive, verdict, participants)")
        connection.execute("CREATE TABLE predictions (id, session_id, agent, statement, status)")
        connection.execute("CREATE TABLE agent_reputation (agent, alpha, beta)")
        evil = "E\x1b[2J\r\u202el"
        row = (evil, 1780000000, DIRECTIVE, evil, json.dumps([evil]))
        connection.execute("INSERT INTO council_sessions VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("INSERT INTO predictions VALUES ('p', ?, ?, ?, 'incorrect')", (evil, evil, evil))
        connection.execute("INSERT INTO agent_reputation VALUES (?, 1, 3)", (evil,))
    ran = program("brief", DIRECTIVE, "--ledger", foreign)
    assert "1 disproven" in ran.out
    assert "unreliable (skill 25%" in ran.out
    assert not any(sign in ran.out + ran.err for sign in "\x1b\r\u202e")


def test_a_directive_is_needed(program):
    assert program("brief").code == 2
    assert program("brief", DIRECTIVE, "--format", "yaml").code == 2


def test_nothing_is_written(program, ledger):
    program.write_memory(record(1, **OWN))
    before = contents_below(program.base)
    program("brief", DIRECTIVE)
    program("ledger", "list")
    program("ledger", "due")
    assert contents_below(program.base) == before


_RUN = """
import sys
from council_vault.cli.main import main
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("command", [("brief", DIRECTIVE), ("ledger", "list"), ("ledger", "due", "--all")])
def test_it_imports_nothing_heavy(program, ledger, command):
    program.write_memory(record(1, **OWN))
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *command], env={"PYTHONPATH": str(SOURCE), "HOME": str(program.home)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "leverage" in done.stdout or "Spreads" in done.stdout
    modules = set(done.stderr.splitlines()[-1].split())
    assert "council_vault.cli.ledger" in modules or "council_vault.cli.brief" in modules
    heavy = {
        "rich",
        "jinja2",
        "frontmatter",
        "yaml",
        "watchdog",
        "regex",
        "googleapiclient",
        "mcp",
        "tomlkit",
    }
    assert not modules & heavy
    assert not [name for name in modules if name.startswith(("council_vault.sync", "council_vault.vault.dr"))]


# The note


@pytest.fixture
def saved(program, ledger):
    program.make_vault()
    program.write_memory(record(1, **OWN))
    ran = program("brief", DIRECTIVE, "--save")
    (note,) = (program.vault / FOLDER).glob("council-brief-*.md")
    return SimpleNamespace(ran=ran, note=note)


def test_the_brief_is_saved_as_a_note_and_printed(program, saved):
    assert saved.ran.code == 0
    assert saved.ran.out.startswith("# Historical brief: ")
    name = f"{FOLDER}/{saved.note.name}"
    assert saved.note.name.startswith("council-brief-should-we-take-btc-leverage-risk-now-20")
    assert saved.ran.err == f"Saved as {name}.\n"
    text = saved.note.read_text("utf-8")
    assert "council_memory: m-20260301T000000Z\n" in text
    assert "| d_20260328_001 |" in text
    assert "council-deliberation-log" not in text, "there is no such note yet"


def test_json_and_save_go_together(program, saved):
    ran = program("brief", DIRECTIVE, "--save", "--json")
    assert ran.json["n_cases"] == 6
    assert ran.err == f"It is already in {FOLDER}/{saved.note.name}.\n"


def test_without_a_vault_the_brief_is_printed_all_the_same(program, ledger):
    ran = program("brief", DIRECTIVE, "--save")
    assert ran.code == 3
    assert ran.out == program("brief", DIRECTIVE).out
    assert ran.err.startswith("council-vault: no vault was found")


def test_a_broken_template_is_named_and_the_built_in_one_used(program, saved):
    before = saved.note.read_bytes()
    saved.note.unlink()
    templates = program.base / "templates"
    templates.mkdir()
    (templates / "council-brief.md.j2").write_text("{{ nonsense }}")
    program("config", "set", "notes.templates", str(templates))
    ran = program("brief", DIRECTIVE, "--save")
    assert ran.code == 0
    assert "council-brief.md.j2:1: 'nonsense' is undefined" in ran.err
    assert saved.note.read_bytes() == before
