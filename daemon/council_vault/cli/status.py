"""``council-vault status``: is all well, and what is pending."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from council_vault.cli.options import json_option, print_json
from council_vault.service.status import status

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command()
@json_option
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> None:
    """Show whether all is well: the memory, the vault, and what is pending."""
    found = status(invocation.workspace())
    if as_json:
        print_json(found)
        return
    count = found.deliberations
    records = f"{count} deliberation{'' if count == 1 else 's'}, {len(found.pending)} pending"
    click.echo(f"Memory  {found.memory}\n        {records}")
    click.echo(f"Vault   {found.vault or found.vault_problem}")
    click.echo(f"Synced  {found.last_vault_sync or found.vault_sync_note or 'never'}")
    if found.problems:
        advice = "`council-vault doctor` names them"
        click.echo(f"\n{len(found.problems)} fields or records could not be understood; {advice}.")
    for message in found.messages:
        click.echo(f"\n{message}")
