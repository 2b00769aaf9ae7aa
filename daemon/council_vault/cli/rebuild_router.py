"""``council-vault rebuild-router``: the router's rules, from all records, now."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.options import json_option, print_json, say, visible
from council_vault.learning.rules import category_in
from council_vault.notes.figures import plural
from council_vault.operations.rebuild import rebuild

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.cli.main import Invocation
    from council_vault.memory.schema import RoutingRule
    from council_vault.operations.rebuild import Rebuilt


@click.command(name="rebuild-router")
@json_option
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> None:
    """Rebuild the routing model.

    It is rebuilt by itself at 20, 30, 40 deliberations and so on. Prints the rules, what has changed, and the
    categories that are undecided; the notes follow.
    """
    rebuilt = rebuild(invocation.workspace(), datetime.now(UTC))
    if as_json:
        print_json(rebuilt.result)
    else:
        for line in _lines(rebuilt):
            click.echo(visible(line))
    say(rebuilt.followed.sentences(verbose=invocation.verbose))


def _lines(rebuilt: Rebuilt) -> Iterator[str]:
    model = rebuilt.routing_model
    count = len(model.rules)
    yield f"Rebuilt from {model.sample_size} deliberations: {count or 'no'} {plural(count, 'rule')}."
    for rule in model.rules:
        yield f"  {_name(rule)}: {_decision(rule)}, {_figures(rule)}"
    for category, known in rebuilt.undecided.items():
        yield f"  {category}: undecided, value {_number(known.score)}, n {known.samples}"
    for change in rebuilt.changes:
        if change.before is None and change.after is not None:
            yield f"New: {change.category}: {_decision(change.after)}."
        elif change.after is None and change.before is not None:
            yield f"Gone: {change.category}: {_decision(change.before)}."
        elif change.before is not None and change.after is not None:
            yield (
                f"Changed: {change.category}: {_decision(change.after)}; it was {_decision(change.before)}."
            )
    decisions = rebuilt.decisions
    if decisions.count:
        yield f"The router was right {decisions.hits} of {decisions.count} times."
    if rebuilt.compacted:
        yield "Old records were reduced to what rules and statistics need."


def _name(rule: RoutingRule) -> str:
    return category_in(rule.condition) or str(rule.condition)


def _decision(rule: RoutingRule) -> str:
    if rule.action == "single_model" and rule.preferred_model:
        return f"single model, {rule.preferred_model}"
    return str(rule.action).replace("_", " ")


def _figures(rule: RoutingRule) -> str:
    return (
        f"value {_number(rule.value_score)}, n {rule.sample_count}, strength {_number(rule.strength)}, "
        f"confidence {_number(rule.confidence)}"
    )


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.2f}"
