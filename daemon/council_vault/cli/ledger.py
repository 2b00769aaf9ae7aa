"""``council-vault ledger``: deliberations with their predictions, and what came of these."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

import click

from council_vault.briefing.ledger.listing import due, listed
from council_vault.briefing.ledger.store import Outcome
from council_vault.cli.given import given_argument, read_given
from council_vault.cli.moments import ago
from council_vault.cli.options import json_option, ledger_option, print_json
from council_vault.cli.phrases import line, title
from council_vault.cli.show import Entries, Screen, legible
from council_vault.cli.tables import Words
from council_vault.notes.cells import UNKNOWN
from council_vault.notes.figures import percent, plural
from council_vault.operations import ledger as operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from council_vault.briefing.cases import Reputation
    from council_vault.briefing.ledger.listing import DuePrediction, ListedSession
    from council_vault.cli.main import Invocation
    from council_vault.cli.show import Block

_EXPECTED = 'one JSON object with at least "directive"'
_LISTED = 20
_EVER = datetime.max.replace(tzinfo=UTC)


@click.group(name="ledger")
def command() -> None:
    """Keep deliberations and what came of them.

    The ledger is what `brief` learns from, beside the memory file. It is an SQLite database, by default
    council-ledger.db beside the memory file.
    """


@command.command()
@given_argument
@ledger_option
@json_option
@click.pass_obj
def add(invocation: Invocation, *, source: str | None, ledger: str | None, as_json: bool) -> None:
    """Add a deliberation with its predictions.

    Takes one JSON object from FILE, or from a pipe. It has directive and what else is known of id, ts,
    verdict, participants, confidence, evidence_summary, dissent_summary, model and predictions; each of these
    has agent and statement, and what else is known of id, metric, direction, invalidation, confidence,
    participants and horizon_days (7, 30, 90 or 180). Prints the deliberation's id, and below it those of its
    predictions.
    """
    path = _path(invocation, ledger)
    added = operation.add(path, read_given(source, _EXPECTED), datetime.now(UTC))
    if as_json:
        print_json(added)
    else:
        click.echo(legible(added.id))
        _show(
            line(f"  {legible(one.id)}  {legible(one.agent)}: {legible(one.statement)}")
            for one in added.predictions
        )
    if added.already:
        click.echo("It had been added already; nothing was changed.", err=True)


@command.command()
@click.argument("prediction", metavar="ID")
@click.argument("outcome", type=click.Choice(get_args(Outcome)))
@ledger_option
@json_option
@click.pass_obj
def resolve(
    invocation: Invocation, *, prediction: str, outcome: Outcome, ledger: str | None, as_json: bool
) -> None:
    """Say what came of a prediction.

    ID is the prediction's, as `ledger due` lists it. The reputation of the agent that made it follows, and at
    half weight that of the others who took part.
    """
    resolved = operation.resolve(_path(invocation, ledger), prediction, outcome, datetime.now(UTC))
    if as_json:
        print_json(resolved)
    else:
        click.echo(f"{legible(resolved.id)}: {outcome}")
        _show(map(_reputation, resolved.reputations))
    if resolved.already:
        click.echo("That was known already; nothing was changed.", err=True)


@command.command(name="list")
@click.option(
    "--last",
    "count",
    type=click.IntRange(min=1),
    default=_LISTED,
    show_default=True,
    metavar="N",
    help="How many.",
)
@ledger_option
@json_option
@click.pass_obj
def list_(invocation: Invocation, *, count: int, ledger: str | None, as_json: bool) -> None:
    """List the most recent deliberations of the ledger."""
    found = listed(_path(invocation, ledger), count)
    if as_json:
        print_json(found)
    else:
        _show(_sessions(found, datetime.now(UTC)))


@command.command(name="due")
@click.option("--all", "every", is_flag=True, help="List those too whose time has not come.")
@ledger_option
@json_option
@click.pass_obj
def due_command(invocation: Invocation, *, every: bool, ledger: str | None, as_json: bool) -> None:
    """List the predictions whose time has come.

    Those of which it is not known yet what came of them, the longest due first.
    """
    now = datetime.now(UTC)
    found = due(_path(invocation, ledger), _EVER if every else now)
    if as_json:
        print_json(found)
    else:
        _show(_predictions(found, now))


def _path(invocation: Invocation, ledger: str | None) -> Path:
    return operation.ledger_path(invocation.workspace(), ledger)


def _show(report: Iterable[Block]) -> None:
    for text in Screen.of_output().lines(report):
        click.echo(text)


def _reputation(one: Reputation) -> tuple[Words, ...]:
    calibration = "" if one.calibration is None else f", calibration {percent(one.calibration)}"
    return line(f"  {legible(one.agent)}: ", f"skill {percent(one.skill)}", calibration)


def _sessions(found: Sequence[ListedSession], now: datetime) -> Iterator[Block]:
    yield title("Ledger:")
    if not found:
        yield line("  No deliberations yet.")
        return
    yield Entries(
        before=[(Words(f"  {legible(one.id)}"), Words(ago(one.time, now))) for one in found],
        quotations=[legible(one.directive) or UNKNOWN for one in found],
        behind=[_graded(one) for one in found],
    )


def _graded(one: ListedSession) -> tuple[Words, ...]:
    predictions = f"{one.predictions} {plural(one.predictions, 'prediction')}"
    if one.accuracy is None:
        return (Words(predictions),)
    return Words(f"{one.graded} of {predictions} graded"), Words(f"{percent(one.accuracy)} right")


def _predictions(found: Sequence[DuePrediction], now: datetime) -> Iterator[Block]:
    yield title("Due:")
    if not found:
        yield line("  No prediction is due.")
        return
    yield Entries(
        before=[(Words(f"  {legible(one.id)}"), Words(f"due {ago(one.since, now)}")) for one in found],
        quotations=[legible(one.statement) or UNKNOWN for one in found],
        behind=[(Words(legible(one.agent) or UNKNOWN),) for one in found],
    )
