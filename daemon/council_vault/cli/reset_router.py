"""``council-vault reset-router``: the router forgets its rules."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.options import say
from council_vault.operations.rebuild import reset

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command(name="reset-router")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(invocation: Invocation, *, yes: bool) -> None:
    """Empty the routing model.

    The records stay, and rules are made from them again at the next multiple of ten deliberations, or with
    `council-vault rebuild-router`.
    """
    workspace = invocation.workspace()
    if not yes:
        if sys.stdin is None or not sys.stdin.isatty():
            raise click.UsageError("There is no terminal to ask on. Give --yes.")
        click.confirm("Forget all rules of the router?", abort=True)
    followed = reset(workspace, datetime.now(UTC))
    if followed is None:
        click.echo("The router has no rules.")
        return
    click.echo("The router has forgotten its rules. The records are all there.")
    say(followed.sentences(verbose=invocation.verbose))
