"""``status``: is all well, and what is pending."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

from council_vault.service.presence import Activity, Presence
from council_vault.service.telling import not_understood
from council_vault.settings import Settings, WorkspaceSettings
from council_vault.workspace import Workspace
from support.memory_files import record
from support.program import LOG


def test_before_the_first_sync(program):
    vault = program.make_vault()
    program.write_memory(record(1), record(2))
    assert program("status") == (
        0,
        f"""\
All is well: 2 deliberations, 2 not in the vault yet.

Memory    {program.memory}
Vault     {vault}
Synced    never
Daemon    not running; `council-vault sync-vault` brings the vault up to date
""",
        "",
    )


def test_after_a_sync(program):
    program.make_vault()
    program.write_memory(record())
    program("sync-vault")
    lines = program("status").out.splitlines()
    assert lines[0] == "All is well: 1 deliberation, all in the vault."
    when = datetime.fromisoformat(program.parsed()["last_vault_sync"]).astimezone()
    assert lines[4] == f"Synced    {when:%Y-%m-%d %H:%M} (just now)"
    assert lines[5:] == ["Daemon    not running"]


def test_times_are_local(program, monkeypatch):
    program.write_memory(last_vault_sync="2026-03-28T10:00:00Z")
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert "Synced    2026-03-28 15:30 (" in program("status").out
    finally:
        monkeypatch.undo()
        time.tzset()


def test_it_says_more_if_asked(program):
    program.write_memory(record(1), record(2, vault_synced=True), record(3))
    out = program("-v", "status").out
    assert "          d_20260328_001\n          d_20260328_003\n" in out
    assert "d_20260328_002" not in out
    assert f"Settings  {program.config}\n" in out
    (kept,) = (path for path in program.states.iterdir() if path.name.startswith("workspace-"))
    assert f"State     {kept}\n" in out


def test_without_a_vault_it_says_why_and_that_it_was_tried(program):
    program.write_memory(record())
    out = program("status").out
    assert out.startswith(
        "One thing wants your attention, see below: 1 deliberation, 1 not in the vault yet.\n"
    )
    assert "Vault     not there\n" in out
    assert "\n\nNo vault was found: " in out
    assert program("sync-vault").code == 3
    assert "Synced    never; at the last attempt the vault was not there\n" in program("status").out


def test_the_last_sync_is_known_even_while_the_vault_is_away(program):
    vault = program.make_vault()
    program.write_memory(record())
    program("sync-vault")
    when = datetime.fromisoformat(program.parsed()["last_vault_sync"]).astimezone()
    vault.rename(vault.with_name("away"))
    program("sync-vault")
    out = program("status").out
    assert f"Synced    {when:%Y-%m-%d %H:%M} (just now); at the last attempt the vault was not there\n" in out
    assert "the vault used before is not there" in out.lower()


def test_what_somebody_else_noted_is_shown_as_it_is(program):
    program.write_memory(last_vault_sync="last Friday", vault_sync_note="two rows missing")
    assert "Synced    last Friday; two rows missing\n" in program("status").out


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ([record(1, confidence="high")], "A field or record of the memory file could not be understood"),
        (
            [record(1, confidence="high"), record(2, cost_usd="much")],
            "2 fields or records of the memory file could not",
        ),
    ],
)
def test_what_cannot_be_understood_is_counted(program, odd, words):
    program.write_memory(*odd)
    assert f"\n{words}" in program("status").out


def test_records_that_vanished_are_named(program):
    program.make_vault()
    program.write_memory(record(1), record(2))
    program("sync-vault")
    program.write_memory(record(1))
    out = program("status").out
    assert "d_20260328_002" in out
    assert "council-vault restore" in out


def test_as_json(program):
    vault = program.make_vault()
    program.write_memory(record(1, confidence="high"), last_vault_sync=float("nan"))
    program.write_bytes(program.memory.read_bytes())
    shown = program("status", "--json").json
    assert set(shown) == {
        "memory", "version", "deliberations", "pending", "vault", "vault_problem", "synced",
        "last_vault_sync", "vault_sync_note", "messages", "problems", "daemon",
    }  # fmt: skip
    assert shown["memory"] == str(program.memory)
    assert shown["pending"] == ["d_20260328_001"]
    assert shown["vault"] == str(vault)
    assert {"where": "deliberations[0].confidence", "what": 'expected a number, got "high"'} in shown[
        "problems"
    ]


def test_json_passes_every_pipe(program):
    program.write_memory(vault_sync_note="größer ★ 👍")
    ran = program("status", "--json")
    assert ran.out.isascii()
    assert ran.json["vault_sync_note"] == "größer ★ 👍"


def test_a_memory_that_is_missing_or_broken_has_a_code_of_its_own(program):
    ran = program("status")
    assert ran.code == 4
    assert ran.out == ""
    assert f"{program.memory}: there is no memory file. Name its folder with --workspace" in ran.err
    program.write_bytes(b"{}]")
    assert program("status").code == 4


def test_looking_changes_nothing(program):
    program.make_vault()
    program.write_memory(record())
    program("sync-vault")
    files = [path for path in program.base.rglob("*") if program.states not in path.parents]
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in files}
    for command in (("status",), ("discover",), ("doctor",), ("config", "show"), ("sync-vault", "--dry-run")):
        program(*command)
    assert {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in files} == before


def test_what_the_daemon_is_doing(program):
    program.make_vault()
    program.write_memory(record())
    workspace = Workspace(
        Settings(workspace=WorkspaceSettings(path=str(program.workspace))), program.states, program.home, {}
    )
    presence = Presence(workspace.folder, workspace.locks)
    assert program("status").out.splitlines()[5:] == ["Daemon    running"]
    activity = Activity(
        pid=12,
        since="2026-05-01 10:00",
        summary="all is well",
        did="Vault synced.",
        did_at="2026-05-01 10:30",
        waiting="1 pending until then",
        troubles=("one", "two"),
    )
    presence.tell(activity)
    lines = program("status").out.splitlines()
    assert lines[0] == "2 things want your attention, see below: 1 deliberation, 1 not in the vault yet."
    assert lines[5:] == [
        "Daemon    running since 2026-05-01 10:00 (process 12)",
        "          2026-05-01 10:30: Vault synced.",
        "          1 pending until then",
        "",
        "One.",
        "",
        "Two.",
    ]
    assert program("status", "--json").json["daemon"]["troubles"] == ["one", "two"]
    assert "daemon: running since 2026-05-01 10:00: all is well\n" in program("doctor").out
    presence.end()
    assert "daemon: none is running" in program("doctor").out


def test_what_the_daemon_has_met_too_is_said_once(program):
    program.write_memory(record(1, confidence="high"), record(2, cost_usd="much"))
    workspace = Workspace(
        Settings(workspace=WorkspaceSettings(path=str(program.workspace))), program.states, program.home, {}
    )
    problem = program("status", "--json").json["vault_problem"]
    presence = Presence(workspace.folder, workspace.locks)
    presence.tell(Activity(pid=12, troubles=(problem, not_understood(1), "the disk is full")))
    out = program("status").out
    presence.end()
    assert out.startswith("3 things want your attention")
    assert out.count("could not be understood") == 1
    assert "\n2 fields or records of the memory file could not be understood; `council-vault doctor`" in out
    assert out.lower().count("no vault was found") == 1
    assert out.endswith("\n\nThe disk is full.\n")


def test_a_note_that_is_left_alone_is_said_until_it_is_mended(program):
    program.make_vault()
    program.write_memory(record(1))
    program("sync-vault")
    log = program.vault / LOG
    whole = log.read_text()
    log.write_text(whole.replace("%% council-vault:end %%", ""))
    program.write_memory(record(1), record(2))
    reason = program("sync-vault").err.strip()
    assert LOG in reason
    assert program("status", "--json").json["messages"] == [reason]
    assert reason in program("status").out
    assert program("doctor").out.count("council-deliberation-log") == 1
    log.write_text(whole)
    assert program("sync-vault").code == 0
    assert program("status", "--json").json["messages"] == []
