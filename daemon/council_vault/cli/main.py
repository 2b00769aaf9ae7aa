"""The command line's entry: what comes before the command, and the one place where errors become text."""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import sys
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

import click

from council_vault import __version__
from council_vault.cli.completing import paths
from council_vault.errors import (
    AlreadyRunning,
    CouncilVaultError,
    InputError,
    MemoryUnreadable,
    SettingsError,
    VaultUnavailable,
    in_words,
)

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from council_vault.config import Loaded
    from council_vault.workspace import Workspace

PROGRAM = "council-vault"
EXIT_CODES: dict[type[CouncilVaultError], int] = {
    SettingsError: 2,
    InputError: 2,
    AlreadyRunning: 2,
    VaultUnavailable: 3,
    MemoryUnreadable: 4,
}
FAILED = 1
STOPPED = 130  # as a shell reports a program that was stopped with Ctrl-C

# Each command's module is imported when that command runs: `status` must not wait for what `demo` needs.
_COMMANDS = {
    "init": "init",
    "log": "log",
    "rate": "rate",
    "stats": "stats",
    "rebuild-router": "rebuild_router",
    "reset-router": "reset_router",
    "log-experiment": "log_experiment",
    "import": "import_",
    "sync-vault": "sync_vault",
    "daemon": "daemon",
    "service": "service",
    "status": "status",
    "history": "history",
    "doctor": "doctor",
    "discover": "discover",
    "drive": "drive",
    "restore": "restore",
    "route": "route",
    "brief": "brief",
    "ledger": "ledger",
    "decision": "decision",
    "context": "context",
    "schema": "schema",
    "mcp": "mcp",
    "config": "config",
    "completion": "completion",
    "demo": "demo",
}


class _Commands(click.Group):
    """A group that knows its commands by name and imports them one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        if cmd_name not in _COMMANDS:
            return None
        return _loaded(_COMMANDS[cmd_name])

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:  # noqa: ANN401 - likewise
        """Know what was given before the command also where a command is only completed, and not run."""
        context = super().make_context(*args, **kwargs)
        if context.resilient_parsing:
            context.obj = Invocation(**context.params)
        return context

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Complete names of commands without importing them all to see what each is for."""
        from click import shell_completion  # noqa: PLC0415 - only where a shell asks

        names = [shell_completion.CompletionItem(name) for name in _COMMANDS if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


@cache
def _loaded(module: str) -> click.Command:
    """Return a command that also takes the options of all commands, which many people type after it."""
    command: click.Command = importlib.import_module(f"council_vault.cli.{module}").command
    for option in group.params:
        if isinstance(option, click.Option) and option.expose_value:
            late = copy(option)
            late.hidden, late.expose_value, late.callback = True, False, _take
            for taker in (command, *(command.commands.values() if isinstance(command, click.Group) else ())):
                taker.params.append(late)
    return command


def _take(context: click.Context, option: click.Parameter, value: object) -> None:
    """Take an option given after the command as if it had been given before."""
    invocation: Invocation = context.obj
    match option.name, value:
        case "config_file", str():
            invocation.config_file = value
        case "workspace", str():
            invocation.flags["workspace.path"] = value
        case "vault", str():
            invocation.flags["vault.path"] = value
        case "verbose", True:
            invocation.verbose = True


@click.command(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option("--config", "config_file", metavar="FILE", help="Settings file.", shell_complete=paths)
@click.option("--workspace", metavar="DIR", help="Folder of council-memory.json.", shell_complete=paths)
@click.option(
    "--vault",
    metavar="DIR",
    help="The Obsidian vault; remembered unless vault.path is set.",
    shell_complete=paths,
)
@click.option("-v", "--verbose", is_flag=True, help="Say more.")
@click.version_option(__version__, prog_name=PROGRAM)
@click.pass_context
def group(
    context: click.Context,
    config_file: str | None,
    workspace: str | None,
    vault: str | None,
    *,
    verbose: bool,
) -> None:
    """Keep an LLM council's memory true in an Obsidian vault."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        context.color = False
    context.obj = Invocation(config_file, workspace, vault, verbose=verbose)


class Invocation:
    """What was given for all commands, before or after the command."""

    def __init__(
        self, config_file: str | None, workspace: str | None, vault: str | None, *, verbose: bool
    ) -> None:
        self.config_file = config_file
        self.flags = {"workspace.path": workspace, "vault.path": vault}
        self.verbose = verbose

    @property
    def config_path(self) -> Path:
        """The settings file, be it there or not.

        Raises:
            SettingsError: it can be no path.
        """
        from council_vault import config  # noqa: PLC0415 - help needs no settings

        return config.config_path(self.config_file, os.environ)

    def loaded(self, *, beginning: bool = False) -> Loaded:
        """Return the settings in force.

        Args:
            beginning: whether a settings file that was named may be missing, since it is about to be made.

        Raises:
            SettingsError: the settings are wrong.
        """
        from council_vault import config  # noqa: PLC0415 - likewise

        named = bool(self.config_file or os.environ.get(config.CONFIG_VARIABLE))
        return config.load(self.config_path, os.environ, self.flags, required=named and not beginning)

    def workspace(self, *, beginning: bool = False) -> Workspace:
        """Return the workspace that the settings name; the argument and what is raised are as above."""
        from council_vault.workspace import Workspace  # noqa: PLC0415 - likewise

        return Workspace.of(self.loaded(beginning=beginning).settings, os.environ)


def main() -> NoReturn:
    """Run the program: turn its errors into text and exit codes."""
    atexit.register(gc.freeze)  # looking for garbage once more at the end takes a tenth of a short run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what cannot be shown is shown by its number
    try:
        sys.exit(group.main(prog_name=PROGRAM, standalone_mode=False) or 0)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(STOPPED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except CouncilVaultError as error:
        _say_what_failed(error)
        sys.exit(next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), FAILED))
    except OSError as error:
        _say_what_failed(error)
        _give_up_output()
        sys.exit(FAILED)


def _say_what_failed(error: CouncilVaultError | OSError) -> None:
    from council_vault.cli.options import say  # noqa: PLC0415 - help needs none of what it loads

    say([f"{PROGRAM}: {in_words(error)}"])


def _give_up_output() -> None:
    """Let go of what cannot be written, which Python would try once more at the end, and complain."""
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


if __name__ == "__main__":
    main()
