"""``council-vault completion``: the script by which a shell completes what is typed."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

_VARIABLE = "_COUNCIL_VAULT_COMPLETE"
_SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command()
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that completes commands in a shell.

    It completes commands, options, keys of settings, ids of the newest records, and names of notes.
    """
    root = context.find_root()
    click.echo(_SHELLS[shell](root.command, {}, root.info_name or "", _VARIABLE).source())
