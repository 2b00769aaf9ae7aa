"""``council-vault context``: what the vault says that bears on a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from council_vault.cli.given import said_or_piped
from council_vault.cli.options import json_option, print_json, say
from council_vault.context import DEFAULT_BUDGET, vault_context

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command(name="context")
@click.argument("query")
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=DEFAULT_BUDGET,
    show_default=True,
    metavar="TOKENS",
    help="At most so much; four characters count as a token.",
)
@json_option
@click.pass_obj
def command(invocation: Invocation, *, query: str, budget: int, as_json: bool) -> None:
    """Show what the vault says that bears on a question.

    QUERY is the question; with - it is read from standard input. Shown are _System/MEMORY.md without what is
    in cold storage, secret or struck out, the index notes of the projects that the question names, and the
    newest five rows of the deliberation log. Nothing is written.
    """
    found = vault_context(invocation.workspace(), said_or_piped(query), budget)
    if as_json:
        print_json(found)
    else:
        click.echo(found.text, nl=False)
    say(found.sentences())
