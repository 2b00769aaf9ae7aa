"""``council-vault discover``: how the vault is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from council_vault.cli.options import json_option, print_json
from council_vault.state import open_state
from council_vault.vault.discovery import discover, require

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command()
@json_option
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> None:
    """Show how the vault is found.

    Each step of the search, and why it did or did not match.
    """
    workspace = invocation.workspace()
    with open_state(workspace.folder) as state:
        pin = state.facts.pin
    found = discover(workspace.vault_request(pin))
    if as_json:
        steps = [
            {
                "title": step.title,
                "findings": step.findings,
                "candidates": [str(candidate) for candidate in step.candidates],
            }
            for step in found.steps
        ]
        vault = found.pin if found.vault else None
        print_json({"vault": vault, "pinned": pin, "steps": steps})
    else:
        for number, step in enumerate(found.steps, start=1):
            click.secho(f"{number}. {step.title}", bold=True)
            for finding in step.findings:
                click.echo(f"   {finding}")
        if found.vault:
            click.echo(f"\nThe vault is {found.vault}")
    require(found)
