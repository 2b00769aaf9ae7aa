"""What comes before the command, what comes after it, and how errors become text and exit codes."""

from __future__ import annotations

import io
import sys

import click
import pytest

from council_vault import __version__, errors
from council_vault.cli import main as entry
from support.memory_files import record
from support.program import Ran


@pytest.fixture
def failing(program, monkeypatch):
    """The program with a `status` that fails in a way of one's own."""

    def run(error: BaseException) -> Ran:
        def fail() -> None:
            raise error

        command = click.Command("status", callback=fail)
        monkeypatch.setattr(entry.group, "get_command", lambda _context, _name: command)
        return program("status")

    return run


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.CouncilVaultError, 1),
        (errors.MemoryReadOnly, 1),
        (errors.NoteRefused, 1),
        (errors.FileChanged, 1),
        (errors.WriteFailed, 1),
        (errors.Busy, 1),
        (errors.SettingsError, 2),
        (errors.VaultUnavailable, 3),
        (errors.VaultAmbiguous, 3),
        (errors.MemoryUnreadable, 4),
    ],
)
def test_an_error_becomes_its_text_and_its_code(failing, error, code):
    ran = failing(error("it is wrong", where="/there", remedy="Mend it"))
    assert ran == Ran(code, "", "council-vault: /there: it is wrong. Mend it\n")


def test_an_error_of_the_system_becomes_text_too(failing):
    ran = failing(PermissionError(13, "Permission denied", "/there"))
    assert ran == Ran(1, "", "council-vault: /there: Permission denied\n")
    assert failing(OSError("odd")) == Ran(1, "", "council-vault: odd\n")


def test_ctrl_c_is_no_error_of_the_program(failing):
    ran = failing(KeyboardInterrupt())
    assert ran.code == 130
    assert ran.out == ""
    assert ran.err.strip() == "Stopped."


def test_a_mistake_in_the_program_is_not_hidden(failing):
    with pytest.raises(ZeroDivisionError):
        failing(ZeroDivisionError())


def test_the_version(program):
    ran = program("--version")
    assert ran == Ran(0, f"council-vault, version {__version__}\n", "")


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ("status", "-h"), ("config", "set", "--help")])
def test_help_goes_to_the_results(program, arguments):
    ran = program(*arguments)
    assert ran.code == 0
    assert ran.out.startswith("Usage: council-vault")
    assert ran.err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Commands:"),
        (("stat",), "No such command 'stat'"),
        (("--vualt", "x", "status"), "No such option"),
        (("status", "--vualt", "x"), "No such option"),
        (("--workspace",), "requires an argument"),
        (("status", "more"), "unexpected extra argument"),
        (("config",), "Commands:"),
        (("config", "get"), "Missing argument"),
        (("restore", "--note"), "requires an argument"),
    ],
)
def test_a_wrong_command_line_is_explained(program, arguments, words):
    ran = program(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert words in ran.err


def test_the_list_of_commands_shows_each_first_sentence_whole(program):
    for arguments in (("--help",), ("config", "--help")):
        listed = program(*arguments).out.partition("Commands:\n")[2].splitlines()
        assert len(listed) > 2
        assert all(line.endswith(".") and not line.endswith("..") for line in listed)


def test_options_before_the_command_hold_for_it(program):
    elsewhere = program.base / "elsewhere"
    program.make_vault()
    program.write_memory(record())
    program.memory.rename(program.memory.with_name("moved"))
    elsewhere.mkdir()
    (program.workspace / "moved").rename(elsewhere / "council-memory.json")
    settings = program.base / "own.toml"
    settings.write_text('[notes]\ncharts = "none"\n')

    ran = program(
        "--config", settings, "--workspace", elsewhere, "--vault", program.vault, "-v", "sync-vault"
    )
    assert ran.code == 0
    assert "council-deliberation-log.md: written" in ran.out
    assert f"The vault is {program.vault}" in ran.out


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", "Räume ★ \\udcff/".encode()), ("latin-1", "Räume \\u2605 \\udcff/".encode("latin-1"))],
)
def test_what_the_stream_cannot_show_is_shown_by_its_number(program, monkeypatch, encoding, shown):
    program.write_memory()
    odd = program.base / "Räume ★ \udcff"
    program.workspace.rename(odd)
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    program("--workspace", odd, "status")
    assert shown + b"council-memory.json" in raw.getvalue()


def test_results_that_nobody_takes_are_no_error(program, monkeypatch):
    program.write_memory()
    monkeypatch.setattr(sys, "stdout", None)
    assert program("status").code == 0


def test_a_folder_that_is_gone_under_ones_feet_is_named(program, monkeypatch):
    gone = program.base / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = program("status")
    assert ran == Ran(2, "", "council-vault: the current folder is gone. Change to another one\n")


def test_a_settings_file_that_is_named_must_be_there(program, monkeypatch):
    program.write_memory()
    named = program.base / "typo.toml"
    ran = program("--config", named, "status")
    assert ran == Ran(
        2, "", f"council-vault: {named}: there is no such settings file. `council-vault init` makes it\n"
    )
    monkeypatch.setenv("COUNCIL_VAULT_CONFIG", str(named))
    assert program("config", "get", "vault.name").code == 2
    assert program("config", "set", "vault.name", "Mine").code == 0
    assert program("config", "get", "vault.name").out == "Mine\n"


def test_colours_are_for_terminals_that_want_them(program, monkeypatch):
    seen = []
    command = click.Command("status", callback=click.pass_context(lambda context: seen.append(context.color)))
    monkeypatch.setattr(entry.group, "get_command", lambda _context, _name: command)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    program("status")
    monkeypatch.setenv("TERM", "dumb")
    program("status")
    monkeypatch.delenv("TERM")
    monkeypatch.setenv("NO_COLOR", "1")
    program("status")
    assert seen == [None, False, False]


@pytest.mark.parametrize("option", ["--workspace", "--vault"])
def test_the_options_of_all_commands_may_stand_after_the_command(program, option):
    program.make_vault()
    program.write_memory(record(1))
    assert program("status", option, "/nowhere") == program(option, "/nowhere", "status")


def test_more_is_said_wherever_that_is_asked_for(program):
    program.make_vault()
    program.write_memory(record(1))
    assert program("status", "-v") == program("-v", "status") != program("status")


def test_another_settings_file_may_stand_after_the_command(program, tmp_path):
    missing = str(tmp_path / "no.toml")
    ran = program("--config", missing, "config", "show")
    assert missing in ran.err
    assert program("config", "--config", missing, "show") == ran
    assert program("config", "show", "--config", missing) == ran
