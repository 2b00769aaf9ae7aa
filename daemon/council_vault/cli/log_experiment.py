"""``council-vault log-experiment``: an experiment of the optimization loop goes into the memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.given import given_argument, read_given
from council_vault.cli.options import json_option, print_json, say
from council_vault.learning.experiments import read_experiment
from council_vault.operations.experiments import log_experiment

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation

_EXPECTED = (
    'one JSON object with at least "variable_modified", "modification_type", "baseline_pass_rate", '
    '"modified_pass_rate" and "decision"'
)


@click.command(name="log-experiment")
@given_argument
@json_option
@click.pass_obj
def command(invocation: Invocation, *, source: str | None, as_json: bool) -> None:
    """Log an experiment of the optimization loop.

    Takes one JSON object from FILE, or from a pipe. It has variable_modified, modification_type,
    baseline_pass_rate, modified_pass_rate, decision and what else is known of experiment_id, run_id,
    description, criteria_delta, cost_usd, benchmark_count, benchmark_ids and timestamp. Prints the
    experiment's id; with --json, the record.
    """
    workspace = invocation.workspace()
    given = read_experiment(read_given(source, _EXPECTED))
    outcome = log_experiment(workspace, given, datetime.now(UTC))
    if as_json:
        print_json(outcome.record)
    else:
        click.echo(outcome.id)
    say(outcome.sentences())
