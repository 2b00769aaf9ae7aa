"""Completion, in the shells themselves: what is completed, and that nothing is ever said instead."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from council_vault.cli.main import _COMMANDS
from council_vault.memory.glimpse import last_ids
from council_vault.settings import known_settings
from support.memory_files import document, dump, record
from support.program import SOURCE

KEYS = [setting.key for setting in known_settings()]
# What a shell does at TAB, with the words so far; the last one is the one that is being typed.
SHELLS = {
    "bash": """
source /dev/stdin <<< "$SCRIPT"
compopt() { echo "<$2>"; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_council_vault_completion council-vault
printf '%s\\n' "${COMPREPLY[@]}"
""",
    "zsh": """
compdef() { }
compadd() { local -a shown; shown=("${(@P)${@[-1]}}"); print -l -- $shown }
_describe() { local -a shown; shown=("${(@P)3}"); print -l -- "${(@)shown%%:*}" }
_path_files() { [[ $1 == -/ ]] && print '<dirnames>' || print '<default>' }
eval "$SCRIPT"
words=("$@") CURRENT=$#
_council_vault_completion
""",
    "fish": """
function __fish_complete_directories; echo '<dirnames>'; end
function __fish_complete_path; echo '<default>'; end
echo $SCRIPT | source
complete -C "$argv" | string replace --regex '\\t.*' ''
""",
}


@pytest.fixture(params=SHELLS)
def shell(request, program, tmp_path):
    """Complete words in a shell that has the program on its path; return what it offers."""
    name = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    folder = tmp_path / "bin"
    folder.mkdir()
    started = folder / "council-vault"
    started.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m council_vault.cli.main "$@"\n')
    started.chmod(0o755)
    told = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(SOURCE)}
    script = program("completion", name)
    assert (script.code, script.err) == (0, "")
    environment = told | {"SCRIPT": script.out}

    def complete(*words):
        typed = ["council-vault", *map(str, words)]
        before = {"bash": ["bash", "--norc", "-c"], "zsh": ["zsh", "-f", "-c"], "fish": ["fish", "-N", "-c"]}[
            name
        ]
        after = [" ".join(typed)] if name == "fish" else ["shell", *typed]
        done = subprocess.run(
            [*before, SHELLS[name], *after],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stderr == ""
        return [line for line in done.stdout.splitlines() if line]

    return complete


def test_commands_and_options(shell):
    assert sorted(shell("")) == sorted(_COMMANDS)
    assert sorted(shell("rebu")) == ["rebuild-router"]
    assert set(shell("--wo")) == {"--workspace"}
    assert set(shell("sync-vault", "--adopt")) == {"--adopt-vault", "--adopt-log"}
    assert sorted(shell("service", "")) == ["install", "logs", "status", "uninstall"]
    assert sorted(shell("completion", "")) == ["bash", "fish", "zsh"]


def test_settings(shell):
    assert sorted(shell("config", "get", "")) == sorted(KEYS)
    assert sorted(shell("config", "set", "sync.")) == sorted(key for key in KEYS if key.startswith("sync."))


def test_records_and_notes(shell, program):
    program.write_memory(*(record(number) for number in range(1, 31)))
    ids = [f"d_20260328_{number:03}" for number in range(30, 10, -1)]
    assert sorted(shell("rate", "--id", "")) == sorted(ids)
    assert shell("rate", "--id", "d_20260328_03") == ["d_20260328_030"]
    assert sorted(shell("restore", "--note", "")) == ["log", "performance", "routing"]
    other = program.base / "other"
    other.mkdir()
    (other / "council-memory.json").write_bytes(dump(document(record(7))))
    assert shell("--workspace", other, "rate", "--id", "") == ["d_20260328_007"]
    assert shell("rate", "--workspace", other, "--id", "") == ["d_20260328_007"]


def test_files_and_folders(shell):
    assert shell("log", "") == ["<default>"]
    assert shell("--config", "") == ["<default>"]
    assert shell("--vault", "") == ["<dirnames>"]
    assert shell("status", "--workspace", "") == ["<dirnames>"]


@pytest.mark.parametrize("memory", [None, b"", b"{", b"[]", b"\xff\xfe"])
def test_where_something_is_wrong_nothing_is_offered_and_nothing_said(shell, program, memory):
    if memory is not None:
        program.write_bytes(memory)
    assert shell("rate", "--id", "") == []


def test_wrong_settings_are_no_matter(shell, program):
    program.write_memory(record(1))
    program.config.parent.mkdir(parents=True)
    program.config.write_text("[nonsense\n")
    assert shell("rate", "--id", "") == []
    assert "status" in shell("")
    assert shell("--config", "/nowhere", "rate", "--id", "") == []
    assert shell("--workspace", "/nowhere", "rate", "--id", "") == []


HEAVY = {"rich", "jinja2", "frontmatter", "yaml", "watchdog", "regex", "googleapiclient", "mcp"}


@pytest.mark.parametrize("words", ["council-vault ", "council-vault rate --id ", "council-vault config get "])
def test_completing_loads_nothing_heavy(program, words):
    program.write_memory(record(1))
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "council_vault.cli.main"],
        env={**os.environ, **asked, "PYTHONPATH": str(SOURCE), "_COUNCIL_VAULT_COMPLETE": "bash_complete"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip()
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "click" in loaded
    assert not HEAVY & loaded
    if words == "council-vault ":
        assert not [name for name in loaded if name.startswith("council_vault.operations")]


def test_the_last_ids_of_a_file():
    data = dump(document(record(1), record(2), record(2), record(3), record(4, id="odd")))
    assert last_ids(data, 9) == ("d_20260328_003", "d_20260328_002", "d_20260328_001")
    assert last_ids(data, 1) == ("d_20260328_003",)
