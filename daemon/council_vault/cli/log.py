"""``council-vault log``: a deliberation goes into the memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.given import given_argument, read_given
from council_vault.cli.options import json_option, print_json, say
from council_vault.learning.log_input import read_log_input
from council_vault.operations.log import log

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation

_EXPECTED = 'one JSON object with at least "query_text" and "models_used"'


@click.command()
@given_argument
@json_option
@click.pass_obj
def command(invocation: Invocation, *, source: str | None, as_json: bool) -> None:
    """Log a deliberation.

    Takes one JSON object from FILE, or from a pipe. It has query_text, models_used and what else is known of
    stage1_responses, rankings, chairman, confidence, consensus_level, protocol_used, cost_usd, latency_ms,
    reviewer_rankings_raw, synthesis_text, top_individual_response, routing_decision and timestamp. Prints the
    new record's id; with --json, the record. Query and answers are never kept.
    """
    workspace = invocation.workspace()
    outcome = log(workspace, read_log_input(read_given(source, _EXPECTED)), datetime.now(UTC))
    if as_json:
        print_json(outcome.record)
    else:
        click.echo(outcome.id)
    say(outcome.sentences(verbose=invocation.verbose))
