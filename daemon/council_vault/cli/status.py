"""``council-vault status``: is all well, and what is pending."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.moments import told
from council_vault.cli.options import json_option, print_json
from council_vault.service.status import Status, status
from council_vault.service.telling import NOT_UNDERSTOOD, not_understood

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.cli.main import Invocation


@click.command()
@json_option
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> None:
    """Show whether all is well, and what is pending.

    Times are those of the place where you are. With -v also the ids of the pending records, the settings
    file, and the folder of snapshots and state.
    """
    workspace = invocation.workspace()
    found = status(workspace)
    if as_json:
        print_json(found)
        return
    now = datetime.now(UTC)
    wrong = tuple(_wrong(found))
    click.secho(_verdict(found, wrong), bold=True, fg="red" if wrong else "green")
    click.echo(f"\nMemory    {found.memory}")
    if invocation.verbose:
        for record in found.pending:
            click.echo(f"          {record}")
    click.echo(f"Vault     {found.vault or 'not there'}")
    click.echo(f"Synced    {_synced(found, now)}")
    for number, line in enumerate(_daemon(found)):
        click.echo(f"          {line}" if number else f"Daemon    {line}")
    if invocation.verbose:
        click.echo(f"Settings  {invocation.config_path}\nState     {workspace.folder}")
    for what in wrong:
        click.echo(f"\n{what[:1].upper()}{what[1:].removesuffix('.')}.")


def _wrong(found: Status) -> Iterator[str]:
    """Yield what is wrong, each thing once, though the daemon may have met it too."""
    said = [found.vault_problem, not_understood(len(found.problems)), *found.messages]
    known = {what.removesuffix(".") for what in said}
    yield from filter(None, said)
    for trouble in found.daemon.troubles if found.daemon else ():
        if trouble.removesuffix(".") not in known and not trouble.endswith(NOT_UNDERSTOOD):
            yield trouble


def _verdict(found: Status, wrong: tuple[str, ...]) -> str:
    """Return in one line whether all is well, and how much there is."""
    count, pending = found.deliberations, len(found.pending)
    if not count:
        records = "no deliberations yet"
    else:
        records = f"{count} deliberation{'' if count == 1 else 's'}, "
        records += f"{pending} not in the vault yet" if pending else "all in the vault"
    if not wrong:
        return f"All is well: {records}."
    things = "One thing wants" if len(wrong) == 1 else f"{len(wrong)} things want"
    return f"{things} your attention, see below: {records}."


def _synced(found: Status, now: datetime) -> str:
    """Return when the notes were last written, and what came of the last attempt if that is known."""
    when = told(found.last_vault_sync or found.synced or "never", now)
    if found.vault_sync_note == "vault_unavailable":
        return f"{when}; at the last attempt the vault was not there"
    return f"{when}; {found.vault_sync_note}" if found.vault_sync_note else when


def _daemon(found: Status) -> Iterator[str]:
    """Yield the lines on the daemon: whether it runs, what it did last, and what it waits for."""
    activity = found.daemon
    if activity is None:
        by_hand = "; `council-vault sync-vault` brings the vault up to date" if found.pending else ""
        yield f"not running{by_hand}"
        return
    yield f"running since {activity.since} (process {activity.pid})" if activity.pid else "running"
    if activity.did:
        yield f"{activity.did_at}: {activity.did}"
    if activity.waiting:
        yield activity.waiting
