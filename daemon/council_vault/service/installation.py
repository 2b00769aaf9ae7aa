"""This installation: what command starts its daemon, with the settings that hold now."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import CouncilVaultError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.config import Loaded

_PROGRAM = "council-vault"
_MODULE = "council_vault.cli.main"
# They say where settings, state and Obsidian's list of vaults are; a service manager may not know them.
_VARIABLES = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")


class Installation(msgspec.Struct, frozen=True):
    """How to start the daemon: the command, by whole paths, and what must be in its environment."""

    command: tuple[str, ...]
    variables: Mapping[str, str]


def installation(
    loaded: Loaded, config_path: Path, environment: Mapping[str, str], invoked: str
) -> Installation:
    """Return how to start the daemon as this command has been started.

    What the settings file says is left to it, so that a change there counts. What was given on the command
    line or in the environment, or follows from the current folder, becomes part of the command.

    Args:
        loaded: the settings in force.
        config_path: the settings file, be it there or not.
        environment: the program's.
        invoked: the program, as it was started: ``sys.argv[0]``.

    Raises:
        CouncilVaultError: nothing says which memory is meant, or a named settings file is missing.
    """
    settings, command = loaded.settings, [*_program(invoked)]
    file = str(config_path)
    if config_path.exists():
        command += ["--config", file]
    if loaded.origins.get("workspace.path") != file:
        if "workspace.path" not in loaded.origins and not settings.memory_path.exists():
            raise CouncilVaultError(
                "there is no memory file, and no setting says where it is going to be",
                where=settings.workspace_folder,
                remedy="`council-vault init` sees to that, or give --workspace",
            )
        command += ["--workspace", str(settings.workspace_folder)]
    if settings.vault.path and loaded.origins.get("vault.path") != file:
        command += ["--vault", settings.vault.path]
    variables = {name: environment[name] for name in _VARIABLES if environment.get(name)}
    return Installation((*command, "daemon"), variables)


def _program(invoked: str) -> tuple[str, ...]:
    """Return the command that starts the program, be it a script of its own or a module of Python's."""
    started = Path(os.path.abspath(invoked))  # noqa: PTH100 - `..` and links stay as the person wrote them
    beside = Path(sys.executable).parent / _PROGRAM
    for script in (started, beside):
        if script.name == _PROGRAM and os.access(script, os.X_OK) and script.is_file():
            return (str(script),)
    return (sys.executable, "-m", _MODULE)
