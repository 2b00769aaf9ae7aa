"""``council-vault demo``: see it work, on a vault of its own."""

from __future__ import annotations

import tempfile

import click

from council_vault.cli.completing import paths
from council_vault.demo import demonstrate
from council_vault.settings import absolute


@click.command()
@click.argument("folder", metavar="[DIR]", required=False, shell_complete=paths)
def command(folder: str | None) -> None:
    """See it work on a vault of its own.

    Copies a small vault and its council's memory to DIR, a folder that is empty or new, or to a temporary
    one. There the daemon runs for a few seconds, while deliberations are added and one is rated.
    """
    place = absolute(folder or tempfile.mkdtemp(prefix="council-vault-demo-"))
    shown = demonstrate(place, click.echo)
    click.echo("\nLook at the three notes:")
    for note in shown.notes:
        click.echo(f"  {note}")
    click.echo(f"\nOr open {shown.vault} as a vault in Obsidian. Delete {place} when you have seen enough.")
