"""Options that several commands share, and how they print."""

from __future__ import annotations

import click
import msgspec

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")


def print_json(value: object) -> None:
    """Print a struct, or a sequence of them, as indented JSON."""
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())
