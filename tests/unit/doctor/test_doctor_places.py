"""What ``doctor`` says of places: room, rights, the vault's sign, and who holds the locks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from council_vault.doctor import Finding, examine, locks, places
from council_vault.files.locks import Lock
from council_vault.files.reading import real_path
from council_vault.settings import Settings, VaultSettings, WorkspaceSettings
from council_vault.workspace import Workspace
from support.daemons import until
from support.memory_files import document, dump, record
from support.places import as_nobody, make_vault, small_disk
from support.program import SOURCE

NOW = datetime.now(UTC)


def made(base: Path, vault: Path | None = None) -> Workspace:
    (base / "workspace").mkdir()
    (base / "workspace" / "council-memory.json").write_bytes(dump(document(record())))
    settings = Settings(
        workspace=WorkspaceSettings(path=str(base / "workspace")),
        vault=VaultSettings(path=str(vault or make_vault(base / "vault"))),
    )
    return Workspace(settings, base / "states", base, {"PATH": ""})


@pytest.fixture
def workspace(tmp_path):
    return made(tmp_path)


def vault_of(workspace):
    return Path(workspace.settings.vault.path)


def where(findings, place):
    return [(one.level, one.what) for one in findings if one.where == str(place)]


# Room


def test_room_is_said_once_for_each_disk(workspace, tmp_path):
    (said,) = where(examine(workspace, NOW), "disk space")
    assert said[0] == "note"
    assert said[1].endswith("iB free where memory, state and vault are")
    with small_disk(tmp_path / "disk", kibibytes=128 * 1024):
        vault = make_vault(tmp_path / "disk" / "vault")
        (first, second) = places.room(workspace, vault)
    assert first.what.endswith("free where memory and state are")
    assert second.what.startswith("12")
    assert second.what.endswith("MiB free where the vault is")
    assert second.level == "note"


def test_little_room_is_a_problem(workspace, tmp_path):
    with small_disk(tmp_path / "disk", kibibytes=1024):
        found = list(places.room(workspace, make_vault(tmp_path / "disk" / "vault")))
    assert found[1].level == "problem"
    assert found[1].what.startswith("only 1")
    assert "KiB free where the vault is. Make room" in found[1].what


def test_a_disk_on_which_no_more_files_fit_is_a_problem(workspace, tmp_path, monkeypatch):
    real = os.statvfs(tmp_path)
    values = list(real)
    values[7] = 12  # f_favail
    monkeypatch.setattr(places.os, "statvfs", lambda _: os.statvfs_result(values))
    (found,) = places.room(workspace, None)
    assert (found.level, found.what) == (
        "problem",
        "12 more files fit where memory and state are. Delete some that you can do without",
    )
    values[5] = 0  # f_files: a file system that does not count them
    (found,) = places.room(workspace, None)
    assert found.level == "note"


def test_room_can_be_told_before_the_first_sync(workspace):
    assert not workspace.states.exists()
    assert list(places.room(workspace, None))
    assert not workspace.states.exists()


# Rights


def test_folders_that_cannot_be_written_to_are_named():
    with as_nobody() as folder:
        workspace = made(folder)
        vault = vault_of(workspace)
        workspace.folder.mkdir(parents=True)
        assert list(places.rights(workspace, vault)) == []
        for place in (workspace.memory_path.parent, workspace.folder, vault):
            place.chmod(0o500)
        found = list(places.rights(workspace, vault))
        for place in (workspace.memory_path.parent, workspace.folder, vault):
            place.chmod(0o700)
    assert [one.where for one in found] == [
        str(workspace.memory_path.parent),
        str(workspace.folder),
        str(vault),
    ]
    assert {one.level for one in found} == {"problem"}
    for one, name in zip(found, ("memory", "state", "notes"), strict=True):
        assert one.what.startswith(f"the {name} cannot be written there: it belongs to user ")


# The vault's sign


def test_a_vault_of_the_council_needs_no_word(workspace):
    assert list(places.vault_sign(vault_of(workspace))) == []


def test_a_vault_without_the_marker_is_a_note(tmp_path):
    workspace = made(tmp_path, make_vault(tmp_path / "plain", obsidian=True))
    said = where(examine(workspace, NOW), tmp_path / "plain")
    assert (
        "note",
        "it holds no _System/MEMORY.md, and is used because vault.path names it. Is it the one you mean?",
    ) in said


def test_a_vault_that_cannot_be_looked_into_is_a_problem():
    with as_nobody() as folder:
        vault = make_vault(folder / "vault")
        (vault / "_System").chmod(0)
        found = list(places.vault_sign(vault))
        (vault / "_System").chmod(0o700)
    if found:  # root could look
        assert found == [Finding("problem", str(vault), "it cannot be looked into: Permission denied")]


# Locks


def lock_of(workspace, kind="sync"):
    return Lock(workspace.locks, real_path(workspace.memory_path), kind)


HOLDING = """
import sys, pathlib
from council_vault.files.locks import Lock
lock = Lock(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])
lock.take()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(workspace):
    """Another process, which holds a lock."""
    started = []

    def hold(kind="sync"):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDING, workspace.locks, real_path(workspace.memory_path), kind],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(SOURCE)},
        )  # fmt: skip
        started.append(process)
        assert process.stdout.readline() == b"held\n"
        return process

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def test_free_locks_say_nothing(workspace):
    assert list(locks.held_locks(workspace, NOW)) == []


@pytest.mark.parametrize(("kind", "work"), [("sync", "a sync"), ("file", "a change of the memory file")])
def test_work_that_goes_on_is_a_note(workspace, holder, kind, work):
    process = holder(kind)
    (found,) = locks.held_locks(workspace, NOW)
    assert (found.level, found.where) == ("note", "locks")
    assert found.what.startswith(f"{work} is going on: process {process.pid} (")


def test_a_lock_of_somebody_who_was_killed_is_free(workspace, holder):
    process = holder()
    process.kill()
    process.wait()
    assert list(locks.held_locks(workspace, NOW)) == []


def test_who_has_been_at_it_for_long_is_a_problem(workspace, holder):
    process = holder()
    (found,) = locks.held_locks(workspace, datetime.now(UTC) + timedelta(minutes=6))
    assert found.level == "problem"
    assert f"`kill {process.pid}` ends it" in found.what


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who is stopped")
def test_who_is_stopped_is_a_problem(workspace, holder):
    process = holder()
    process.send_signal(signal.SIGSTOP)
    found = until(lambda: [one for one in locks.held_locks(workspace, NOW) if one.level == "problem"])
    assert f"is stopped. `kill -CONT {process.pid}` lets it go on" in found[0].what


@pytest.mark.parametrize("signature", [b"", b"{}", b'{"pid": "x", "command": 1, "since": 1}'])
def test_who_has_not_signed_is_held_against_nobody(workspace, holder, signature):
    holder()
    (file,) = workspace.locks.glob("*.sync.holder")
    file.write_bytes(signature)
    (found,) = locks.held_locks(workspace, NOW + timedelta(days=1))
    assert found == Finding("note", "locks", "a sync is going on, by a process that has not said which it is")


def test_a_time_that_makes_no_sense_is_not_long_ago(workspace, holder):
    process = holder()
    (file,) = workspace.locks.glob("*.sync.holder")
    file.write_bytes(b'{"pid": %d, "command": "c", "since": "lately"}' % process.pid)
    (found,) = locks.held_locks(workspace, NOW)
    assert found.level == "note"


def test_a_sync_that_does_not_end_is_no_reason_to_say_nothing_else(workspace, holder, monkeypatch):
    monkeypatch.setattr("council_vault.doctor._PATIENCE", 0.1)
    process = holder()
    found = examine(workspace, NOW)
    assert any(one.where == "locks" and str(process.pid) in one.what for one in found)
    assert any(
        one.level == "problem" and "another council-vault is working on it" in one.what for one in found
    )
    assert where(found, "disk space")


def test_a_folder_for_locks_that_cannot_be_made_is_named_and_all_the_rest_too(workspace):
    workspace.states.mkdir()
    workspace.locks.write_text("a file")
    found = examine(workspace, NOW)
    (said,) = where(found, workspace.locks)
    assert said[0] == "problem"
    assert "the folder for locks cannot be made" in said[1]
    assert where(found, "disk space")
