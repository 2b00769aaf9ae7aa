"""Options that several commands share, and how they print."""

from __future__ import annotations

import json

import click
import msgspec

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
ledger_option = click.option(
    "--ledger", metavar="DB", help="The ledger's database, in place of brief.ledger in the settings."
)


def print_json(value: object) -> None:
    """Print structs, or plain objects, as JSON; in ASCII, so that it passes every pipe."""
    click.echo(json.dumps(msgspec.to_builtins(value, str_keys=True), indent=2))
