"""``council-vault route``: whether a question is worth a council."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from council_vault.cli.given import said_or_piped
from council_vault.cli.options import json_option, print_json
from council_vault.learning.routing import FIRST_REBUILD
from council_vault.notes.cell_text import undecorated
from council_vault.notes.cells import money
from council_vault.notes.figures import percent, plural
from council_vault.operations.route import route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.cli.main import Invocation
    from council_vault.learning.router import LearningStatus, Route

_DECISIONS = {"deliberate": "deliberate", "single_model": "ask one model"}


def _finite(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("expected an amount in USD")
    return value


@click.command()
@click.argument("query")
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    callback=_finite,
    metavar="USD",
    help="What this deliberation may cost, in place of budget.per_deliberation_usd.",
)
@json_option
@click.pass_obj
def command(invocation: Invocation, query: str, budget: float | None, *, as_json: bool) -> None:
    """Say whether a question is worth a council.

    QUERY is the question; with - it is read from standard input. It is not kept, and nothing is written.
    """
    found = route(invocation.workspace(), said_or_piped(query), budget)
    if as_json:
        print_json(found)
        return
    for label, text in _lines(found):
        click.echo(f"{label:<10}{undecorated(text)}")


def _lines(found: Route) -> Iterator[tuple[str, str]]:
    """Yield what there is to say, with its label."""
    yield "Route", f"{_DECISIONS[found.decision]} ({_sure(found)})"
    yield "Why", found.reasoning
    if found.recommended_models:
        yield "Models", ", ".join(found.recommended_models)
    if found.excluded_models:
        yield "Left out", f"{', '.join(found.excluded_models)}: ranked low on such questions"
    if found.preferred_chairman:
        yield "Chairman", found.preferred_chairman
    if found.decision == "deliberate":
        yield "Protocol", found.recommended_protocol
    if found.estimated_cost is not None:
        yield "Cost", f"about {money(found.estimated_cost)}"
    for bias in found.bias_warnings:
        times = f"{bias.detected} of {bias.tested} reviews ({percent(bias.self_preference_rate)})"
        yield "Bias", f"{bias.model} put its own answer too high in {times}"
    yield "Learning", _learning(found.learning_status)


def _sure(found: Route) -> str:
    """Return how sure the router is; what is learned from a sample is never wholly so."""
    if found.routing_source in {"always_deliberate", "always_shortcut"}:
        return "as set"
    return f"{percent(min(found.confidence, 0.99))} sure{', uncertain' if found.uncertain else ''}"


def _learning(status: LearningStatus) -> str:
    if status.phase == "no_memory":
        return f"nothing yet; rules are first made at {FIRST_REBUILD} deliberations"
    count = f"{status.deliberations} {plural(status.deliberations, 'deliberation')}"
    if status.phase == "learning":
        return f"{count}; rules are next made at {status.next_rebuild}"
    rules = f"{status.rules} {plural(status.rules, 'rule')}, {status.firm_rules} firm"
    return f"{rules}, from {count}; next made at {status.next_rebuild}"
