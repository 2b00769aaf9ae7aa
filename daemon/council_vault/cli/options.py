"""Options that several commands share, and how they print."""

from __future__ import annotations

import json

import click
import msgspec

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")


def print_json(value: object) -> None:
    """Print structs, or plain objects, as JSON; in ASCII, so that it passes every pipe."""
    click.echo(json.dumps(msgspec.to_builtins(value, str_keys=True), indent=2))
