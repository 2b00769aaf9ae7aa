"""``council-vault discover``: how the vault is found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from council_vault.cli.options import json_option
from council_vault.state import open_state
from council_vault.vault.discovery import discover, require

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command()
@json_option
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> None:
    """Show how the vault is found: each step, and why it did or did not match."""
    workspace = invocation.workspace()
    with open_state(workspace.folder) as state:
        pin = state.facts.pin
    found = discover(workspace.vault_request(pin))
    if as_json:
        steps = [
            {
                "number": step.number,
                "title": step.title,
                "findings": step.findings,
                "candidates": [str(candidate) for candidate in step.candidates],
            }
            for step in found.steps
        ]
        vault = str(found.root) if found.root else None
        click.echo(json.dumps({"vault": vault, "pinned": pin, "steps": steps}, ensure_ascii=False, indent=2))
    else:
        for step in found.steps:
            click.secho(f"{step.number}. {step.title}", bold=True)
            for finding in step.findings:
                click.echo(f"   {finding}")
        if found.root:
            click.echo(f"\nThe vault is {found.root}")
    require(found)
