"""This installation: which command starts its daemon, and with which settings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from council_vault.config import load
from council_vault.errors import CouncilVaultError
from council_vault.service.installation import installation


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in, with a memory file in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "council-memory.json").write_text("{}")
    return tmp_path


def of(place, text=None, environment=None, invoked="council-vault", **flags):
    config = place / "config.toml"
    if text is not None:
        config.write_text(text)
    given = {key.replace("_", "."): value for key, value in flags.items()}
    environment = environment or {}
    return installation(load(config, environment, given), config, environment, invoked)


def options(made):
    words = list(made.command)
    assert words[-1] == "daemon"
    start = next((place for place, word in enumerate(words) if word.startswith("--")), len(words) - 1)
    return words[start:-1]


def test_what_the_settings_say_is_left_to_them(place):
    made = of(place, '[workspace]\npath = "w"\n[vault]\npath = "v"\n')
    assert options(made) == ["--config", str(place / "config.toml")]


def test_the_current_folder_becomes_part_of_it(place):
    assert options(of(place)) == ["--workspace", str(place)]
    assert options(of(place, "")) == ["--config", str(place / "config.toml"), "--workspace", str(place)]


def test_what_was_given_becomes_part_of_it(place):
    text = '[workspace]\npath = "w"\n[vault]\npath = "v"\n'
    made = of(place, text, workspace_path="other", vault_path="their vault")
    assert options(made)[2:] == ["--workspace", str(place / "other"), "--vault", str(place / "their vault")]
    made = of(place, text, {"COUNCIL_VAULT_WORKSPACE": "/w", "COUNCIL_VAULT_VAULT": "/v"})
    assert options(made)[2:] == ["--workspace", "/w", "--vault", "/v"]


def test_where_nothing_says_which_memory_is_meant_nothing_is_installed(place):
    (place / "council-memory.json").unlink()
    with pytest.raises(CouncilVaultError, match="there is no memory file, and no setting") as raised:
        of(place)
    assert raised.value.where == str(place)
    assert options(of(place, workspace_path="later")) == ["--workspace", str(place / "later")]


def test_variables_that_say_where_things_are_go_along(place):
    made = of(place, environment={"XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "", "HOME": "/h", "LANG": "C"})
    assert made.variables == {"XDG_STATE_HOME": "/s"}


def test_the_program_is_the_one_that_was_started(place):
    script = place / "bin" / "council-vault"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    link = place / "council-vault"
    link.symlink_to(script)
    assert of(place, invoked="bin/council-vault").command[0] == str(script)
    assert of(place, invoked=str(link)).command[0] == str(link), "links stay: they outlast what they lead to"


def test_without_a_script_python_starts_the_module(place, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(place / "python"))
    made = of(place, invoked="/x/council_vault/cli/main.py")
    assert made.command[:3] == (str(place / "python"), "-m", "council_vault.cli.main")
    beside = place / "council-vault"
    beside.write_text("#!/bin/sh\n")
    assert made.command == of(place, invoked="x").command, "it may not be run"
    beside.chmod(0o755)
    assert of(place, invoked="x").command[0] == str(beside)


def test_this_programs_own_script_is_found(place):
    program = Path(of(place, invoked="-c").command[0])
    assert program.is_absolute()
    assert program.exists()
