"""``council-vault init``: the memory file and the settings file."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from council_vault import config, operations
from council_vault.errors import VaultUnavailable
from council_vault.settings import state_folder
from council_vault.vault.discovery import discover, require

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command()
@click.option("--yes", is_flag=True, help="Ask nothing; take the options given and the defaults.")
@click.pass_obj
def command(invocation: Invocation, *, yes: bool) -> None:
    """Create the memory file and the settings file; on a terminal, guided."""
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask on. Give --yes to take the options and defaults.")
    workspace = invocation.workspace()
    folder = str(workspace.settings.workspace_folder.absolute())
    if not yes:
        folder = click.prompt("Folder of the memory file", default=folder)
        invocation.flags["workspace.path"] = folder
        workspace = invocation.workspace()
    made = operations.create_memory(workspace, datetime.now(UTC))
    path = workspace.memory_path
    click.echo(f"{path} {'was created' if made else 'is there already, and can be read'}.")

    changes = {"workspace.path": str(path.parent.absolute())}
    try:
        vault = str(require(discover(workspace.vault_request(None))))
        click.echo(f"The vault is {vault}.")
    except VaultUnavailable as error:
        click.echo(f"{error}.", err=True)
        vault = (
            ""
            if yes
            else click.prompt("Folder of the vault (empty: decide later)", default="", show_default=False)
        )
    if vault and (invocation.flags["vault.path"] or not yes):
        changes["vault.path"] = str(Path(vault).expanduser().absolute())
    settings = config.config_path(invocation.config_file, os.environ)
    operations.change_settings(settings, state_folder(), changes)
    click.echo(f"{settings} was written. `council-vault sync-vault` brings the notes up to date.")
