"""``council-vault status``: is all well, and what is pending."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from council_vault.cli.options import json_option, print_json
from council_vault.service.status import Status, status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.cli.main import Invocation
    from council_vault.service.presence import Activity


@click.command()
@json_option
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> None:
    """Show whether all is well, and what is pending.

    With -v also the ids of the pending records, the settings file, and the folder of snapshots and state.
    """
    workspace = invocation.workspace()
    found = status(workspace)
    if as_json:
        print_json(found)
        return
    count = found.deliberations
    records = f"{count} deliberation{'' if count == 1 else 's'}, {len(found.pending)} pending"
    click.echo(f"Memory    {found.memory}\n          {records}")
    if invocation.verbose:
        for record in found.pending:
            click.echo(f"          {record}")
    click.echo(f"Vault     {found.vault or found.vault_problem}")
    click.echo(f"Synced    {_synced(found)}")
    for number, line in enumerate(_daemon(found.daemon)):
        click.echo(f"          {line}" if number else f"Daemon    {line}")
    if invocation.verbose:
        click.echo(f"Settings  {invocation.config_path}\nState     {workspace.folder}")
    if found.problems:
        count = len(found.problems)
        what = "One field or record" if count == 1 else f"{count} fields or records"
        click.echo(f"\n{what} could not be understood; `council-vault doctor` names them.")
    for message in found.messages:
        click.echo(f"\n{message}")


def _synced(found: Status) -> str:
    """Return when the notes were last written, and what came of the last attempt if that is known."""
    when = str(found.last_vault_sync or found.synced or "never")
    if found.vault_sync_note == "vault_unavailable":
        return f"{when}; at the last attempt the vault was not there"
    return f"{when}; {found.vault_sync_note}" if found.vault_sync_note else when


def _daemon(activity: Activity | None) -> Iterator[str]:
    """Yield the lines on the daemon: whether it runs, what it did last, what it waits for, what is wrong."""
    if activity is None:
        yield "not running"
        return
    yield f"running since {activity.since} (process {activity.pid})" if activity.pid else "running"
    if activity.did:
        yield f"{activity.did_at}: {activity.did}"
    if activity.waiting:
        yield activity.waiting
    yield from activity.troubles
