"""``history``: what the last syncs wrote, and why."""

from __future__ import annotations

import json

import pytest

from council_vault.history import PastSync
from council_vault.settings import Settings, WorkspaceSettings
from council_vault.state import Remembering, open_state
from council_vault.workspace import Workspace
from support.memory_files import record
from support.program import LOG


def first(out):
    """Return the entries of the output."""
    return out.split("\n\n")


@pytest.fixture
def state(program):
    settings = Settings(workspace=WorkspaceSettings(path=str(program.workspace)))
    folder = Workspace(settings, program.states, program.home, {}).folder
    with open_state(folder) as opened:
        yield opened


def test_before_the_first_sync(program):
    assert program("history") == (0, "No sync has done anything yet.\n", "")
    assert program("history", "--json").json == []


def test_a_sync_by_hand(program):
    vault = program.make_vault()
    program.write_memory(record(1), record(2))
    program("sync-vault")
    ran = program("history")
    head, did, figures, where = ran.out.splitlines()
    assert head.endswith(" (just now), by hand")
    assert did == (
        "    Vault synced: updated model performance, routing intelligence, "
        "and 2 new deliberation log entries."
    )
    assert figures.startswith("    2 flagged, took ")
    assert figures.endswith(" ms")
    assert where == f"    The vault is {vault}"
    (sync,) = program("history", "--json").json
    assert sync | {"at": "", "first_at": "", "seconds": 0} == {
        "at": "", "reason": "by hand", "seconds": 0, "vault": str(vault), "did": did.strip(),
        "notes": ["performance", "routing", "log"], "entries": 2, "rows_back": 0, "ratings": 0, "flagged": 2,
        "pending": 0, "troubles": [], "times": 1, "first_at": "",
    }  # fmt: skip
    assert sync["at"] == sync["first_at"] == program.parsed()["last_vault_sync"]
    assert 0 < sync["seconds"] < 60


def test_a_sync_with_nothing_to_do_is_not_there_and_writes_nothing(program):
    program.make_vault()
    program.write_memory(record())
    program("sync-vault")
    program("sync-vault")
    (database,) = program.states.rglob("state.sqlite")
    before = database.read_bytes()
    for _ in range(3):
        assert "Nothing to do" in program("sync-vault").out
    assert database.read_bytes() == before
    assert len(program("history", "--json").json) == 1


def test_a_dry_run_is_not_there(program):
    program.make_vault()
    program.write_memory(record())
    program("sync-vault", "--dry-run")
    program("doctor")
    assert program("history", "--json").json == []


def test_a_dry_run_that_fails_is_not_there_either(program):
    program.write_memory(record())
    before = program.memory.read_bytes()
    assert program("sync-vault", "--dry-run").code == 3
    assert program("history", "--json").json == []
    assert program.memory.read_bytes() == before


def test_a_rating_typed_into_the_note_and_a_row_that_came_back(program):
    program.make_vault()
    program.write_memory(record(1), record(2))
    program("sync-vault")
    log = program.vault / LOG
    log.write_text(log.read_text().replace("| — |", "| positive |", 1))
    program("sync-vault")
    newest = program("history", "--json").json[0]
    assert (newest["ratings"], newest["notes"]) == (1, ["routing", "log"])
    log.unlink()
    program("sync-vault")
    assert program("history", "--json").json[0]["notes"] == ["log"]


def test_a_vault_that_is_away_is_said_once_however_often_it_is_tried(program):
    program.write_memory(record())
    for _ in range(3):
        assert program("sync-vault").code == 3
    (entry,) = first(program("history").out)
    head, trouble, times, figures = entry.splitlines()
    assert trouble.startswith("    Not done: no vault was found")
    assert times.startswith("    So it went 3 times since ")
    assert figures.startswith("    took ")
    assert head.endswith(", by hand")
    program.make_vault()
    program("sync-vault")
    assert [one["times"] for one in program("history", "--json").json] == [1, 3]


def test_a_note_that_was_left_alone_is_named(program):
    program.make_vault()
    program.write_memory(record(1))
    program("sync-vault")
    log = program.vault / LOG
    log.write_text(log.read_text().replace("%% council-vault:end %%", ""))
    program.write_memory(record(1, vault_synced=True), record(2))
    program("sync-vault")
    newest = first(program("history").out)[0]
    assert f"    Not done: {LOG}: " in newest
    assert "1 pending" in newest


def test_a_broken_memory_is_told(program):
    program.make_vault()
    program.write_memory(record())
    program("sync-vault")
    program.write_bytes(b"{")
    assert program("sync-vault").code == 4
    assert "    Not done: " in first(program("history").out)[0]


def test_what_a_sync_followed_is_its_reason(program):
    program.make_vault()
    program.write_memory(*(record(number, category="code") for number in range(1, 31)))
    program("sync-vault")
    given = program.base / "given.json"
    given.write_text(
        json.dumps({"query_text": "Why?", "models_used": ["a/a"], "routing_decision": "single_model"})
    )
    program("config", "set", "sync.every", "1")
    for command in (["rate", "nailed it"], ["log", given], ["rebuild-router"], ["reset-router", "--yes"]):
        assert program(*command).code == 0
        assert program("history", "--json").json[0]["reason"] == f"after `{command[0]}`"


def keep(state, **fields):
    known = {"at": "2026-05-01T08:00:00Z", "reason": "r", "seconds": 1.5, "flagged": 1}
    state.remember(Remembering(facts=state.facts, sync=PastSync(**known | fields)))


def test_so_many_as_are_asked_for(program, state):
    for number in range(15):
        keep(state, reason=str(number))
    assert [one["reason"] for one in program("history", "--last", "2", "--json").json] == ["14", "13"]
    assert len(first(program("history").out)) == 10
    assert len(first(program("history", "--last", "9999").out)) == 15
    assert "took 1.5 s" in program("history", "--last", "1").out
    assert program("history", "--last", "0").code == 2


def test_the_vault_is_named_where_it_changed(program, state):
    for vault in ("/a", "/a", "/b"):
        keep(state, at="odd", vault=vault, rows_back=2)
    named = [entry.splitlines()[-1].strip() for entry in first(program("history").out.strip())]
    assert named == ["The vault is /b", "1 flagged, 2 put back, took 1.5 s", "The vault is /a"]
    assert program("history").out.startswith("odd, r\n")
