"""``council-vault schema``: what a memory file looks like, for other programs."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Print the JSON Schema of the memory file.

    It describes version 1.3 of council-memory.json: every field, its unit and its range. Programs that write
    the file can check what they write by it.
    """
    from council_vault.memory.json_schema import schema_text  # noqa: PLC0415 - help needs none

    click.echo(schema_text(), nl=False)
