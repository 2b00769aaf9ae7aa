"""``council-vault init``: the memory file and the settings file."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.errors import VaultUnavailable
from council_vault.operations.setting_up import change_settings, create_memory
from council_vault.settings import state_folder
from council_vault.vault.discovery import discover, require
from council_vault.vault.drive_folder import DriveFolder

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation
    from council_vault.vault.discovery import Place


@click.command()
@click.option("--yes", is_flag=True, help="Ask nothing; take the options given and the defaults.")
@click.pass_obj
def command(invocation: Invocation, *, yes: bool) -> None:
    """Create the memory file and the settings file.

    Asks where they belong, unless --yes is given. What is there already stays as it is.
    """
    if not yes and (sys.stdin is None or not sys.stdin.isatty()):
        raise click.UsageError("There is no terminal to ask on. Give --yes to take the options and defaults.")
    _say_if_elsewhere(invocation)
    if not yes:
        folder = str(invocation.workspace(beginning=True).settings.workspace_folder)
        invocation.flags["workspace.path"] = click.prompt("Folder of the memory file", default=folder)
    workspace = invocation.workspace(beginning=True)
    changes = {"workspace.path": str(workspace.settings.workspace_folder)}
    vault = _given_or_found(invocation) if yes else _chosen(invocation)
    if vault is not None and (invocation.flags["vault.path"] or not yes):
        changes |= (
            {"drive.folder_id": vault.id} if isinstance(vault, DriveFolder) else {"vault.path": str(vault)}
        )

    made = create_memory(workspace, datetime.now(UTC))
    click.echo(f"{workspace.memory_path} {'was created' if made else 'is there already, and can be read'}.")
    change_settings(invocation.config_path, state_folder(), changes)
    for key, value in changes.items():
        click.echo(f"{invocation.config_path}: {key} = {value}")
    if vault is None:
        click.echo("Name the vault when you know it: `council-vault config set vault.path DIR`.")
    else:
        click.echo("`council-vault sync-vault` brings the notes up to date.")


def _say_if_elsewhere(invocation: Invocation) -> None:
    """Say that the settings have the memory in another folder than the current one, where they do."""
    if invocation.flags["workspace.path"]:
        return
    loaded = invocation.loaded(beginning=True)
    folder = loaded.settings.workspace_folder
    try:
        is_here = folder.samefile(os.curdir)
    except OSError:
        is_here = False
    if "workspace.path" in loaded.origins and not is_here:
        click.echo(
            f"The memory is to be in {folder}, and not in the current folder: so says workspace.path in "
            f"{loaded.origins['workspace.path']}. `council-vault --workspace . init` changes that. "
            "For a second council, name a settings file of its own too, with --config FILE.",
            err=True,
        )


def _given_or_found(invocation: Invocation) -> Place | None:
    """Return the vault that the command line names or that is found, and say which; ``None`` for none.

    Raises:
        VaultUnavailable: what the command line names is no vault.
    """
    try:
        found = _find(invocation)
    except VaultUnavailable as error:
        if invocation.flags["vault.path"]:
            raise
        click.echo(error, err=True)
        return None
    click.echo(f"The vault is {found}.")
    return found


def _chosen(invocation: Invocation) -> Place | None:
    """Return the vault that the person chooses; ``None`` for none yet."""
    try:
        found = _find(invocation)
    except VaultUnavailable as error:
        click.echo(error)
        return _named(invocation, "Folder of the vault (empty: decide later)", default="")
    if click.confirm(f"The vault is {found}. Use it?", default=True):
        return found
    return _named(invocation, "Folder of the vault", default=None)


def _named(invocation: Invocation, question: str, default: str | None) -> Place | None:
    """Ask for the vault until one is named, or nothing where that is allowed."""
    while folder := click.prompt(question, default=default, show_default=False):
        invocation.flags["vault.path"] = folder
        try:
            return _find(invocation)
        except VaultUnavailable as error:
            click.echo(error)
    return None


def _find(invocation: Invocation) -> Place:
    return require(discover(invocation.workspace(beginning=True).vault_request(None)))
