"""``council-vault drive``: signing in to Google Drive and out."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from council_vault.cli.completing import paths
from council_vault.cli.options import json_option, print_json
from council_vault.notes.figures import size
from council_vault.operations.drive import DriveStatus, drive_status, log_in, log_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.cli.main import Invocation
    from council_vault.workspace import Workspace

_PERMISSIONS = "https://myaccount.google.com/permissions"


@click.group()
def command() -> None:
    """Sign in to Google Drive, where the vault is only there.

    A vault that is a folder on this computer is always taken first.
    """


@command.command()
@click.option("--no-browser", is_flag=True, help="Open none: show the address of the page to open.")
@click.option(
    "--credentials",
    metavar="FILE",
    help="File with the secrets of an OAuth client.",
    shell_complete=paths,
)
@click.pass_obj
def login(invocation: Invocation, *, no_browser: bool, credentials: str | None) -> None:
    """Sign in with your Google account.

    The page of Google's opens in your browser. On a computer without one, open it on another device, and
    paste the address at which the browser ends.
    """
    workspace = invocation.workspace()
    path = Path(credentials).expanduser() if credentials else None
    done = log_in(workspace, path, click.echo, _typed(), browser=not no_browser)
    where = "your keyring" if done.kept_in == "keyring" else done.path
    click.echo(f"Signed in{done.account and f' as {done.account}'}. This is kept in {where}.")
    if workspace.settings.drive.enabled is False:
        click.echo("Drive is turned off: `council-vault config set drive.enabled true` turns it on.")
    else:
        click.echo("`council-vault discover` shows whether the vault is found.")


@command.command()
@click.pass_obj
def logout(invocation: Invocation) -> None:
    """Sign out: Google forgets the sign-in, and it is deleted here."""
    done = log_out(invocation.workspace())
    if done is None:
        click.echo("Nobody was signed in.")
        return
    click.echo(f"Signed out{done.account and f' {done.account}'}.")
    if not done.revoked:
        click.echo(f"Google could not be told. You can remove the permission at {_PERMISSIONS}.", err=True)


@command.command()
@json_option
@click.pass_obj
def status(invocation: Invocation, *, as_json: bool) -> None:
    """Show who is signed in, what they may do, and which folder is the vault."""
    workspace = invocation.workspace()
    found = drive_status(workspace)
    if as_json:
        trouble = None if found.trouble is None else str(found.trouble)
        print_json(msgspec.to_builtins(msgspec.structs.asdict(found) | {"trouble": trouble}))
    else:
        for line in _lines(found, workspace):
            click.echo(line)
    if found.trouble is not None:
        raise found.trouble


def _lines(found: DriveStatus, workspace: Workspace) -> Iterator[str]:
    match found.identity:
        case "person":
            yield f"Signed in:  {_who(found)}"
            yield f"Allowed:    {', '.join(found.scopes)}"
            if found.signed_in_at and found.expiry:
                yield f"Since:      {found.signed_in_at.astimezone():%Y-%m-%d %H:%M}"
                yield f"Renewed at: {found.expiry.astimezone():%Y-%m-%d %H:%M}, by itself"
            yield f"Kept in:    {found.kept_in}"
        case "service account":
            yield f"Signed in:  {found.account}, a service account"
            yield f"Key:        {found.kept_in}"
        case "nobody":
            yield f"Signed in:  nobody; {workspace.settings.drive.endpoint} asks for no sign-in"
        case _:
            yield "Signed in:  no"
    if found.usage is not None:
        room = f" of {size(found.limit)}" if found.limit is not None else ""
        yield f"Storage:    {size(found.usage)}{room} in use"
    if found.vault:
        yield f"Vault:      folder {found.vault}"
    elif found.folder_id:
        yield f"Vault:      folder {found.folder_id}, as drive.folder_id says; not used yet"
    else:
        name = workspace.settings.vault.name
        yield f"Vault:      none on Drive yet; {name!r} is looked for where no folder on this computer is one"


def _who(found: DriveStatus) -> str:
    if found.name and found.account:
        return f"{found.name} ({found.account})"
    return found.name or found.account or "yes"


def _typed() -> int | None:
    """Return the file descriptor of what the person types, if there is one."""
    try:
        return None if sys.stdin is None else sys.stdin.fileno()
    except (io.UnsupportedOperation, ValueError):
        return None
