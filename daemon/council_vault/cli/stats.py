"""``council-vault stats``: how the council does, what it costs, and what it has learned."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli import reports
from council_vault.cli.options import json_option, print_json
from council_vault.cli.show import Screen
from council_vault.learning.history import LAST
from council_vault.operations import statistics

if TYPE_CHECKING:
    from collections.abc import Iterable

    import msgspec

    from council_vault.cli.main import Invocation
    from council_vault.cli.show import Block


@click.group(name="stats", invoke_without_command=True)
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Show how the council does and what it costs.

    Alone it shows the summary.
    """
    if context.invoked_subcommand is None:
        context.invoke(summary_command, as_json=as_json)
    elif as_json:
        context.default_map = {name: {"as_json": True} for name in command.commands}


@command.command(name="summary")
@json_option
@click.pass_obj
def summary_command(invocation: Invocation, *, as_json: bool) -> None:
    """Show totals, categories, ratings, the router and the vault.

    With --json also the models and the most recent deliberations: everything that other programs need.
    """
    found = statistics.council_summary(invocation.workspace(), datetime.now(UTC))
    _give(found, reports.summary_report(found), as_json=as_json)


@command.command()
@json_option
@click.pass_obj
def models(invocation: Invocation, *, as_json: bool) -> None:
    """Show where each model stands.

    Rank 1 is best; behind it stand its standard error and n, the deliberations it is the mean of.
    """
    found = statistics.council_models(invocation.workspace(), datetime.now(UTC))
    _give(found, reports.models_report(found), as_json=as_json)


@command.command(name="history")
@click.option(
    "--last",
    "count",
    type=click.IntRange(min=1),
    default=LAST,
    show_default=True,
    metavar="N",
    help="How many.",
)
@json_option
@click.pass_obj
def history_command(invocation: Invocation, count: int, *, as_json: bool) -> None:
    """Show the most recent deliberations.

    Confidence is shown as stars: five from 0.9 on, then from 0.7, 0.5 and 0.3.
    """
    now = datetime.now(UTC)
    found = statistics.council_history(invocation.workspace(), now, count)
    _give(found, reports.history_report(found, now), as_json=as_json)


@command.command()
@json_option
@click.pass_obj
def cost(invocation: Invocation, *, as_json: bool) -> None:
    """Show what was spent and what is left of the budget.

    Today and this month are those of UTC. Where no stage's cost is known, the usual split is shown, with ~.
    """
    found = statistics.council_cost(invocation.workspace(), datetime.now(UTC))
    _give(found, reports.cost_report(found), as_json=as_json)


@command.command(name="optimization")
@click.option(
    "--benchmarks", "for_trials", is_flag=True, help="List deliberations to try prompts on instead."
)
@json_option
@click.pass_obj
def optimization_command(invocation: Invocation, *, for_trials: bool, as_json: bool) -> None:
    """Show how optimizing the council's prompts has gone.

    With --benchmarks, 3 to 5 rated deliberations of the three largest categories that a changed prompt can be
    tried on, a positive and a negative one among them.
    """
    workspace, now = invocation.workspace(), datetime.now(UTC)
    if for_trials:
        chosen = statistics.council_benchmarks(workspace, now)
        _give(chosen, reports.benchmarks_report(chosen), as_json=as_json)
    else:
        found = statistics.council_optimization(workspace, now)
        _give(found, reports.optimization_report(found), as_json=as_json)


def _give(found: msgspec.Struct, report: Iterable[Block], *, as_json: bool) -> None:
    """Print what was found, for other programs or for people."""
    if as_json:
        print_json(found)
    else:
        Screen.of_output().show(report)
