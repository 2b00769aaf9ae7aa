"""The program in a process of its own: pipes, signals, terminals, locales and rights."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from council_vault import __version__, files
from support.memory_files import record
from support.program import LOG, SOURCE
from support.terminal import Conversation


def converse(program, *arguments: str, **environment: str) -> Conversation:
    return Conversation(
        lambda side: program.start(*arguments, environment=environment, stdin=side, stdout=side, stderr=side)
    )


def test_the_whole_way_of_a_new_person(program):
    vault = program.make_vault()
    assert program.process("init", "--yes").code == 0
    program.write_memory(record(1), record(2))
    done = program.process("sync-vault")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Vault synced: updated model performance, routing intelligence, and 2 new")
    assert (vault / LOG).exists()
    again = program.process("sync-vault")
    assert again == (0, "Nothing to do: the vault is up to date.\n", "")


def test_the_installed_command_is_the_program():
    command = Path(sys.executable).with_name("council-vault")
    if not command.exists():
        pytest.skip("council-vault is not installed in this environment")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"council-vault, version {__version__}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full here")
@pytest.mark.parametrize("arguments", [("--help",), ("config", "show"), ("discover", "--json")])
def test_a_result_that_cannot_be_written_is_a_failure_and_no_more(program, arguments):
    program.make_vault()
    program.write_memory(record(1))
    buffered = {"PYTHONUNBUFFERED": ""}
    with Path("/dev/full").open("wb") as full:
        ran = program.process(*arguments, environment=buffered, stdout=full)
    assert ran == (1, "", "council-vault: No space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--version",), 0),
        (("restore", "--note", "log"), 1),
        (("nonsense",), 2),
        (("discover",), 3),
        (("status",), 4),
    ],
)
def test_the_shell_sees_the_exit_code(program, arguments, code):
    ran = program.process(*arguments)
    assert ran.code == code
    assert bool(ran.err) == (code != 0)
    assert "Traceback" not in ran.err


def test_guided_on_a_terminal(program):
    vault = program.base / "Notes of mine"
    program.make_vault().rename(vault)
    folder = program.base / "council"
    talk = converse(program, "init")
    talk.answer("Folder of the memory file", f"{folder}\n")
    talk.answer("Folder of the vault (empty: decide later)", f"{program.home}\n")
    talk.answer("Folder of the vault (empty: decide later)", f"{vault}\n")
    assert talk.end() == 0
    assert f"{program.workspace}]:" in talk.shown, "the current folder is offered"
    assert f"{program.home}: neither _System/MEMORY.md nor .obsidian is in it" in talk.shown
    assert (folder / "council-memory.json").exists()
    assert tomllib.loads(program.config.read_text()) == {
        "workspace": {"path": str(folder)},
        "vault": {"path": str(vault)},
    }


def test_guided_with_the_vault_that_is_found(program):
    vault = program.make_vault()
    talk = converse(program, "init")
    talk.answer("Folder of the memory file", "\n")
    talk.answer(f"The vault is {vault}. Use it? [Y/n]:", "\n")
    assert talk.end() == 0
    assert tomllib.loads(program.config.read_text()) == {
        "workspace": {"path": str(program.workspace)},
        "vault": {"path": str(vault)},
    }


def test_guided_to_another_vault_than_the_one_that_is_found(program):
    other = program.base / "other"
    program.make_vault().rename(other)
    program.make_vault()
    talk = converse(program, "init")
    talk.answer("Folder of the memory file", "\n")
    talk.answer("Use it? [Y/n]:", "n\n")
    talk.answer("Folder of the vault:", "\n")
    talk.answer("Folder of the vault:", f"{other}\n")
    assert talk.end() == 0
    assert tomllib.loads(program.config.read_text())["vault"] == {"path": str(other)}


def test_guided_with_no_vault_yet_and_with_the_one_from_the_command_line(program):
    talk = converse(program, "init")
    talk.answer("Folder of the memory file", "\n")
    talk.answer("decide later", "\n")
    assert talk.end() == 0
    assert "vault" not in tomllib.loads(program.config.read_text())
    vault = program.make_vault()
    talk = converse(program, "--vault", str(vault), "init")
    talk.answer("Folder of the memory file", "\n")
    talk.answer("Use it? [Y/n]:", "\n")
    assert talk.end() == 0
    assert tomllib.loads(program.config.read_text())["vault"] == {"path": str(vault)}


@pytest.fixture
def ctrl_c():
    """Let processes started from here hear Ctrl-C, even where this runs in the background itself."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("leave", ["interrupt", "close"])
def test_a_question_can_be_left_with_nothing_done(program, leave):
    talk = converse(program, "init")
    talk.answer("]: ", "\x04" if leave == "close" else "")
    if leave == "interrupt":
        talk.interrupt()
    assert talk.end() == 130
    assert talk.shown.endswith("Stopped.\n")
    assert not program.memory.exists()
    assert not program.config.exists()


SAYS_WHEN_IT_WAITS = """
from council_vault.cli.main import main
from council_vault.files.locks import Lock

def take(lock, *arguments, before=Lock.take):
    print("waiting", flush=True)
    before(lock, *arguments)

Lock.take = take
main()
"""


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_sync_that_waits(program):
    program.make_vault()
    program.write_memory(record())
    command = [sys.executable, "-c", SAYS_WHEN_IT_WAITS, "sync-vault"]
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    with (
        files.sync_lock(program.states / "locks", program.memory),
        subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as waiting,
    ):
        assert waiting.stdout.readline() == "waiting\n"
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=30)
    assert waiting.returncode == 130
    assert (out, err.strip()) == ("", "Stopped.")
    assert program("sync-vault").code == 0


@pytest.mark.parametrize(
    "arguments", [("status",), ("config", "show"), ("--help",), ("sync-vault", "--dry-run")]
)
def test_a_reader_that_goes_away_is_no_drama(program, arguments):
    program.make_vault()
    program.write_memory(record())
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = program.process(*arguments, stdout=writing)
    finally:
        os.close(writing)
    assert ran.code == 1
    assert ran.err == ""


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONUTF8": "1"},
    ],
)
def test_names_that_the_locale_does_not_know(program, environment):
    folder = program.base / "Räume ★ 会議"
    program.workspace.rename(folder)
    program.memory = folder / "council-memory.json"
    program.vault = program.base / "Tagebücher 📓"
    program.make_vault()
    program.write_memory(record(query_summary="Größe, 会議 und 👍"))
    named = ("--workspace", folder, "--vault", program.vault)
    assert program.process(*named, "sync-vault", environment=environment, cwd="/").code == 0
    assert "Größe, 会議 und 👍" in program.log()
    shown = program.process(*named, "status", "--json", environment=environment, cwd="/").json
    assert shown["memory"] == str(program.memory)
    assert shown["vault"] == str(program.vault)


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_a_plain_terminal_gets_plain_text(program, environment):
    plain = converse(program, "discover", **environment)
    assert plain.end() == 3
    assert "\x1b" not in plain.shown
    colourful = converse(program, "discover", TERM="xterm", NO_COLOR="")
    assert colourful.end() == 3
    assert "\x1b[1m1. Around the workspace" in colourful.shown


def test_closed_streams_are_no_drama(program):
    program.make_vault()
    program.write_memory(record())
    script = '"$0" -m council_vault.cli.main "$@" <&- >&- 2>&-'
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    for arguments, code in ((("sync-vault",), 0), (("init",), 2)):
        command = ["sh", "-c", script, sys.executable, *arguments]
        assert subprocess.run(command, env=environment, timeout=60, check=False).returncode == code
    assert LOG.rpartition("/")[2] in [path.name for path in program.vault.rglob("*.md")]
