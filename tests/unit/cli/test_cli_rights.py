"""What a person may not read or write is named, whatever it is."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from support.memory_files import record
from support.places import NOBODY, as_nobody
from support.program import LOG, Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shared(monkeypatch, capsys, tmp_path):
    """The program, run by somebody without rights who owns a vault and a memory of two records."""
    everything = tmp_path / "everything"
    everything.mkdir()
    with monkeypatch.context() as patch:  # what is imported on the way may be out of their reach
        first = Program(everything, patch, capsys)
        first.make_vault()
        first.write_memory(record(1, confidence="odd"), record(1))
        for command in (("sync-vault",), ("doctor", "--repair"), ("config", "set", "vault.name", "x")):
            first(*command)
    with as_nobody() as folder:
        program = Program(folder, monkeypatch, capsys)
        program.make_vault()
        program.write_memory(record(1), record(2))
        yield program


@contextmanager
def somebody_elses(path: Path, mode: int):
    """Let a file or folder be somebody else's for a while, with these rights for everybody."""
    root = os.geteuid() != 0 and os.getuid() == 0
    if root:
        os.seteuid(0)
        os.chown(path, 0, 0)
    before = path.stat().st_mode
    path.chmod(mode)
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
            os.chown(path, NOBODY, NOBODY)
        path.chmod(before)
        if root:
            os.seteuid(NOBODY)


COMMANDS = (("sync-vault",), ("status",), ("doctor",), ("doctor", "--repair"), ("restore",))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_memory_that_may_not_be_read(shared, command):
    with somebody_elses(shared.memory, 0):
        ran = shared(*command)
    assert ran.code in {1, 4}
    assert f"{shared.memory}: " in ran.err
    assert "permission denied" in ran.err
    assert not shared.vault.joinpath(LOG).exists()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_workspace_that_may_not_be_entered(shared, command):
    with somebody_elses(shared.workspace, 0):
        ran = shared(*command)
    assert ran.code in {1, 4}
    assert str(shared.workspace) in ran.err


def test_a_vault_that_may_not_be_read_is_none(shared):
    assert shared("sync-vault").code == 0
    with somebody_elses(shared.vault, 0):
        for command in (("sync-vault",), ("discover",)):
            ran = shared(*command)
            assert ran.code == 3
            assert str(shared.vault) in ran.err
        assert str(shared.vault) in shared("status").out
        assert shared("doctor").code == 1
    assert shared("sync-vault").code == 0


def test_a_vault_that_may_only_be_read_leaves_the_records_pending(shared):
    before = shared.memory.read_bytes()
    with somebody_elses(shared.vault, 0o555):
        ran = shared("sync-vault")
    assert ran.code == 1
    assert "permission denied" in ran.err
    assert shared.memory.read_bytes() == before
    assert shared("sync-vault").code == 0


def test_a_memory_that_may_only_be_read_is_written_into_the_notes_and_said(shared):
    with somebody_elses(shared.memory, 0o444), somebody_elses(shared.workspace, 0o555):
        ran = shared("sync-vault")
    assert ran.code == 1
    assert f"{shared.memory}: the file is write-protected" in ran.err
    assert "d_20260328_002" in shared.log()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_folder_of_state_that_may_not_be_written(shared, command):
    shared.states.mkdir(parents=True)
    with somebody_elses(shared.states, 0o555):
        ran = shared(*command)
    if ran.code:
        assert str(shared.states) in ran.err
        assert "permission denied" in ran.err.lower()
    assert ran.code in {0, 1}


@pytest.mark.parametrize("command", [("status",), ("config", "show"), ("config", "set", "vault.name", "x")])
def test_settings_that_may_not_be_read(shared, command):
    shared.config.parent.mkdir(parents=True)
    shared.config.write_text("# mine\n")
    with somebody_elses(shared.config, 0):
        ran = shared(*command)
    assert ran.code in {1, 2}
    assert str(shared.config) in ran.err
    assert "permission denied" in ran.err
    assert shared.config.read_text() == "# mine\n"


def test_settings_in_a_folder_that_may_not_be_written(shared):
    with somebody_elses(shared.base, 0o555):
        for command in (
            ("config", "set", "vault.name", "x"),
            ("init", "--yes"),
            ("demo", shared.base / "demo"),
        ):
            ran = shared(*command)
            assert ran.code == 1
            assert "permission denied" in ran.err
            assert str(shared.base) in ran.err
