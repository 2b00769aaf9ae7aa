"""``council-vault demo``: see it work, on a vault of its own."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import click

from council_vault.demo import demonstrate


@click.command()
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
def command(folder: Path | None) -> None:
    """Sync a fixture vault and its council, in DIR or a new temporary folder, and say where to look."""
    place = folder or Path(tempfile.mkdtemp(prefix="council-vault-demo-"))
    try:
        shown = demonstrate(place.absolute(), datetime.now(UTC))
    except FileExistsError as error:
        raise click.BadParameter(f"{error}. Name an empty folder or a new one.", param_hint="DIR") from error
    report = shown.report
    click.echo(f"{report.flagged} deliberations were pending in {shown.workspace}/council-memory.json.")
    click.echo(report.sentence)
    if report.ratings:
        ratings = "A rating" if report.ratings == 1 else f"{report.ratings} ratings"
        click.echo(f"{ratings} that the vault's owner had typed into the log went into the memory.")
    for message in report.messages:
        click.echo(f"- {message}")
    click.echo("\nLook at the three notes:")
    for note in report.notes:
        click.echo(f"  {shown.vault / note.name}")
    click.echo(f"\nOr open {shown.vault} as a vault in Obsidian. Delete {place} when you have seen enough.")
