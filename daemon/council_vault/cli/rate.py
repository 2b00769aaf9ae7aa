"""``council-vault rate``: what the person thinks of a deliberation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.completing import record_ids
from council_vault.cli.options import json_option, print_json, say, visible
from council_vault.operations.rate import rate

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--id",
    "id_",
    metavar="ID",
    help="Rate this record; the most recent one, where none is named.",
    shell_complete=record_ids,
)
@json_option
@click.pass_obj
def command(invocation: Invocation, *, text: tuple[str, ...], id_: str | None, as_json: bool) -> None:
    """Rate a deliberation.

    TEXT is what the person says of it, in words or signs: "nailed it", "not helpful", "okay", 👍. Where it
    says nothing of the answer, the most recent deliberation stays unrated, with an unknown outcome.
    """
    rated = rate(invocation.workspace(), " ".join(text), id_, datetime.now(UTC))
    if as_json:
        print_json(rated.result)
    else:
        click.echo(visible(rated.sentence))
    say(rated.followed.sentences(verbose=invocation.verbose))
