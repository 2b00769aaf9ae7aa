"""``status``: is all well, and what is pending."""

from __future__ import annotations

import pytest

from council_vault.service.presence import Activity, Presence
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
Memory    {program.memory}
          2 deliberations, 2 pending
Vault     {vault}
Synced    never
Daemon    not running
""",
        "",
    )


def test_after_a_sync(program):
    program.make_vault()
    program.write_memory(record())
    program("sync-vault")
    lines = program("status").out.splitlines()
    assert lines[1].strip() == "1 deliberation, 0 pending"
    assert lines[3] == f"Synced    {program.parsed()['last_vault_sync']}"


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
    assert "Vault     no vault was found" in program("status").out
    assert program("sync-vault").code == 3
    assert "Synced    never; at the last attempt the vault was not there\n" in program("status").out


def test_the_last_sync_is_known_even_while_the_vault_is_away(program):
    vault = program.make_vault()
    program.write_memory(record())
    program("sync-vault")
    when = program.parsed()["last_vault_sync"]
    vault.rename(vault.with_name("away"))
    program("sync-vault")
    out = program("status").out
    assert f"Synced    {when}; at the last attempt the vault was not there\n" in out
    assert "the vault used before is not there" in out


def test_what_somebody_else_noted_is_shown_as_it_is(program):
    program.write_memory(last_vault_sync="2026-03-28T10:00:00Z", vault_sync_note="two rows missing")
    assert "Synced    2026-03-28T10:00:00Z; two rows missing\n" in program("status").out


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ([record(1, confidence="high")], "One field or record could not be understood"),
        ([record(1, confidence="high"), record(2, cost_usd="much")], "2 fields or records could not"),
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
    assert program("status").out.splitlines()[4:] == ["Daemon    running"]
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
    assert program("status").out.splitlines()[4:] == [
        "Daemon    running since 2026-05-01 10:00 (process 12)",
        "          2026-05-01 10:30: Vault synced.",
        "          1 pending until then",
        "          one",
        "          two",
    ]
    assert program("status", "--json").json["daemon"]["troubles"] == ["one", "two"]
    assert "daemon: running since 2026-05-01 10:00: all is well\n" in program("doctor").out
    presence.end()
    assert "daemon: none is running" in program("doctor").out


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
