"""``council-vault decision``: the record of a decision goes into the vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from council_vault.cli.given import given_argument, read_given
from council_vault.cli.options import json_option, print_json, say
from council_vault.notes.decision_input import read_decision
from council_vault.operations.decision import write_decision

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation

_EXPECTED = 'one JSON object with at least "deliberation_id"'


@click.command(name="decision")
@given_argument
@json_option
@click.pass_obj
def command(invocation: Invocation, *, source: str | None, as_json: bool) -> None:
    """Write the record of a decision into the vault, once.

    Takes one JSON object from FILE, or from a pipe. It has deliberation_id and what else is known of title,
    query, chairman, rationale, agreements, disagreements, outcome, cost_usd, project, category, participants
    and date. The note goes into the project's folder 11-Knowledge, or to the council's notes where there is
    no such project. Prints the note's path in the vault.
    """
    given = read_decision(read_given(source, _EXPECTED))
    decided = write_decision(invocation.workspace(), given)
    if as_json:
        print_json(decided)
    else:
        click.echo(decided.name)
    say(decided.sentences())
