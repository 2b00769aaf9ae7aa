"""What follows a change of the memory: a snapshot, and a sync that is not waited for."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from datetime import timedelta

import pytest

from council_vault import files
from council_vault.config import load
from council_vault.errors import WriteFailed
from council_vault.facts import Facts
from council_vault.learning.log_input import read_log_input
from council_vault.memory.file import MemoryFile
from council_vault.operations.following import knows_vault
from council_vault.operations.log import log
from council_vault.operations.rate import rate
from council_vault.operations.rebuild import rebuild, reset
from council_vault.state import Remembering, State, open_state
from council_vault.syncing import requests
from council_vault.workspace import Workspace
from support.deliberations import deliberation
from support.memories import build_memory
from support.memory_files import document, dump, record
from support.program import program  # noqa: F401 - a fixture
from support.syncing import records


def logged(road, number=1):
    road.now += timedelta(minutes=11)
    return log(road.workspace(), read_log_input(deliberation(number)), road.now)


@contextmanager
def syncing(workspace):
    """Let another thread hold the lock that a sync holds."""
    taken, done = threading.Event(), threading.Event()

    def hold():
        with files.sync_lock(workspace.locks, workspace.memory_path):
            taken.set()
            done.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert taken.wait(10)
    try:
        yield
    finally:
        done.set()
        holder.join()


# Who is syncing is asked to do so again


def test_a_change_waits_for_no_sync_and_leaves_a_request(road):
    road.settings["sync"] = {"every": 1}
    workspace = road.workspace()
    with syncing(workspace):
        outcome = logged(road)
        rated = rate(workspace, "great", None, road.now)
    for followed in (outcome.followed, rated.followed):
        assert followed.left_to_another
        assert followed.synced is None
        assert followed.warnings == ()
    assert requests.is_requested(workspace.folder)
    road.sync(dry_run=True)
    assert requests.is_requested(workspace.folder)
    assert road.sync().entries == 4
    assert not requests.is_requested(workspace.folder)


def test_a_request_that_comes_during_a_sync_is_met_before_it_returns(road, monkeypatch):
    workspace = road.workspace()
    remember = State.remember
    asked = []

    def ask(state, remembering):
        if not asked:
            asked.append(None)
            road.change_memory(lambda memory: memory["deliberations"].extend(records(2, first=4)))
            requests.request(workspace.folder)
        remember(state, remembering)

    monkeypatch.setattr(State, "remember", ask)
    report = road.sync()
    assert road.pending() == set()
    assert (report.entries, report.flagged, report.pending) == (5, 5, 0)
    assert {note.outcome for note in report.notes} == {"written"}
    assert report.sentence.endswith("and 5 new deliberation log entries.")


def test_a_request_that_cannot_be_made_is_a_warning(road):
    road.settings["sync"] = {"every": 1}
    workspace = road.workspace()
    workspace.folder.parent.mkdir(parents=True)
    workspace.folder.write_text("in the way")
    with syncing(workspace):
        outcome = logged(road)
    assert "The vault was not synced" in outcome.followed.warnings[-1]
    assert "state cannot be used" in outcome.followed.warnings[-1]
    assert len(road.parsed()["deliberations"]) == 4


def test_a_request_that_cannot_be_taken_is_said(tmp_path):
    (tmp_path / "sync-again" / "x").mkdir(parents=True)
    with pytest.raises(WriteFailed, match="state cannot be used"):
        requests.take(tmp_path)


def test_it_is_said_with_verbose(program):  # noqa: F811 - the fixture
    program.write_memory(record(1))
    program.make_vault()
    settings = load(program.config, {}, {"workspace.path": str(program.workspace)}).settings
    with syncing(Workspace.of(settings, {})):
        assert (
            program("rate", "great", "-v").err == "Another council-vault is syncing, and will sync again.\n"
        )
        assert program("rate", "bad").err == ""
    assert program("--vault", program.vault, "rate", "okay", "-v").err.startswith("Vault synced")


# Whether there is a vault


def test_nothing_speaks_of_a_vault(road):
    road.settings["vault"] = {"path": None}
    assert not knows_vault(road.workspace(), road.workspace().memory_file().read().memory)


@pytest.mark.parametrize("sign", ["setting", "sync", "flag", "pin"])
def test_a_vault_is_known(sign, road):
    if sign != "setting":
        road.settings["vault"] = {"path": None}
    if sign == "sync":
        road.write_memory(record(1), last_vault_sync="2026-03-28T00:00:00Z")
    if sign == "flag":
        road.write_memory(record(1), record(2, vault_synced=True))
    if sign == "pin":
        with open_state(road.workspace().folder) as state:
            state.remember(Remembering(facts=Facts(pin=str(road.vault))))
    assert knows_vault(road.workspace(), road.workspace().memory_file().read().memory)


@pytest.mark.parametrize("known", [True, False])
def test_what_is_not_in_a_known_vault_is_not_reduced(known, road):
    whole = build_memory(519, models=4, seed=3)
    road.memory.write_bytes(dump(whole))
    road.settings["vault"] = {"path": str(road.base / "away") if known else None}
    road.now += timedelta(days=365)  # later than all of them
    outcome = logged(road)
    assert outcome.rebuilt
    kept = road.parsed()
    assert ("archived" in kept) is not known
    assert len(kept["deliberations"]) + kept.get("archived", {"count": 0})["count"] == 520
    assert "query_summary" in kept["deliberations"][-1]
    assert ("query_summary" in kept["deliberations"][0]) is known


# Rules and the vault


def test_the_vault_follows_a_rebuild_and_a_reset(road):
    road.memory.write_bytes(dump(build_memory(24, models=4, seed=3)))
    road.settle()
    assert rebuild(road.workspace(), road.now).followed.synced.changed
    assert reset(road.workspace(), road.now).synced.changed
    assert reset(road.workspace(), road.now) is None


def test_records_that_cannot_be_followed_as_rules_are_named_by_their_condition(road):
    odd = {"rules": [{"condition": "length > 5", "action": "single_model"}, {"action": "deliberate"}]}
    road.memory.write_bytes(dump(build_memory(24, models=4, seed=3) | {"routing_model": odd}))
    changes = rebuild(road.workspace(), road.now).changes
    assert {"length > 5", "None"} <= {change.category for change in changes if change.after is None}


# Creating the memory


def test_two_that_create_the_memory_at_once(road, monkeypatch):
    road.memory.unlink()
    create = MemoryFile.create

    def late(file, now):
        road.memory.write_bytes(dump(document(*records(2))))
        create(file, now)

    monkeypatch.setattr(MemoryFile, "create", late)
    outcome = logged(road)
    assert len(road.parsed()["deliberations"]) == 3
    assert outcome.followed.warnings == ()
