"""``council-vault brief``: what the council's own history says of a question."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.briefing.brief import MOST_CASES
from council_vault.briefing.prompt import format_brief_for_council
from council_vault.briefing.quality import POOL
from council_vault.cli.given import said_or_piped
from council_vault.cli.options import json_option, ledger_option, print_json, say
from council_vault.operations.brief import brief

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command(name="brief")
@click.argument("directive")
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "json"]),
    default="md",
    show_default=True,
    help="md as a council reads it, or json.",
)
@click.option(
    "--k",
    type=click.IntRange(1, POOL),
    default=MOST_CASES,
    show_default=True,
    metavar="N",
    help="How many past deliberations to rest it on at most.",
)
@ledger_option
@click.option("--save", is_flag=True, help="Also write it into the vault, as a note.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    directive: str,
    form: str,
    k: int,
    ledger: str | None,
    save: bool,
    as_json: bool,
) -> None:
    """Brief a council on a question from its own past.

    DIRECTIVE is the question; with - it is read from standard input. The brief is made from past
    deliberations on the same matter, those of the memory file by their ratings and those of the ledger by
    what became of their predictions: what held, what failed and why, what goes wrong each time, who is to be
    relied on. --json is the same as --format json.
    """
    workspace = invocation.workspace()
    made = brief(workspace, said_or_piped(directive), datetime.now(UTC), warn=_warn, ledger=ledger, k=k)
    if as_json or form == "json":
        print_json(made)
    else:
        click.echo(format_brief_for_council(made))
    if save:
        from council_vault.operations.brief_note import save_brief  # noqa: PLC0415 - takes as long as the rest

        say(save_brief(workspace, made).sentences())


def _warn(sentence: str) -> None:
    say([sentence])
