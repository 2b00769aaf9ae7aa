"""``council-vault demo``: see it work, on a vault of its own."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime

import click

from council_vault.demo import demonstrate
from council_vault.settings import absolute


@click.command()
@click.argument("folder", metavar="[DIR]", required=False)
def command(folder: str | None) -> None:
    """See it work on a vault of its own.

    Copies a small vault and its council's memory to DIR, a folder that is empty or new, or to a temporary
    one; syncs them, and says where to look.
    """
    place = absolute(folder or tempfile.mkdtemp(prefix="council-vault-demo-"))
    shown = demonstrate(place, datetime.now(UTC))
    report = shown.report
    click.echo(f"{report.flagged} deliberations were pending in {shown.workspace}/council-memory.json.")
    click.echo(report.sentence)
    if report.ratings:
        ratings = "A rating" if report.ratings == 1 else f"{report.ratings} ratings"
        click.echo(f"{ratings} that the vault's owner had typed into the log went into the memory.")
    for message in report.messages:
        click.echo(message)
    click.echo("\nLook at the three notes:")
    for note in report.notes:
        click.echo(f"  {shown.vault / note.name}")
    click.echo(f"\nOr open {shown.vault} as a vault in Obsidian. Delete {place} when you have seen enough.")
