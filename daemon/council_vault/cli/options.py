"""Options that several commands share, and how they print."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
import msgspec

from council_vault.cli.completing import paths

if TYPE_CHECKING:
    from collections.abc import Iterable

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
ledger_option = click.option(
    "--ledger",
    metavar="DB",
    help="The ledger's database, in place of brief.ledger in the settings.",
    shell_complete=paths,
)


def say(sentences: Iterable[str]) -> None:
    """Say what the person should know beside the result: on stderr, so that results can be piped."""
    for sentence in sentences:
        click.echo(sentence, err=True)


def print_json(value: object) -> None:
    """Print structs, or plain objects, as JSON; in ASCII, so that it passes every pipe."""
    click.echo(json.dumps(msgspec.to_builtins(value, str_keys=True), indent=2))
