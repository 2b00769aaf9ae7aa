"""``council-vault restore``: vanished records, or an earlier version of a note, back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.completing import note_kinds
from council_vault.errors import MemoryUnreadable
from council_vault.operations import restoring

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command()
@click.option("--dismiss", is_flag=True, help="Let the vanished records go instead.")
@click.option(
    "--note",
    metavar="NAME",
    help="Put back performance, routing, log or the note of a record's id instead; NAME:2 is two changes back"
    " (up to 5).",
    shell_complete=note_kinds,
)
@click.pass_obj
def command(invocation: Invocation, *, dismiss: bool, note: str | None) -> None:
    """Bring vanished records or an earlier note back.

    Records that have vanished from the memory file come back from snapshots of it, and where the file itself
    is missing or broken, its last good version; with --note, a note comes back as it was before one of the
    last five times it was changed.
    """
    workspace = invocation.workspace()
    if note is not None:
        if dismiss:
            raise click.UsageError("--dismiss and --note do not go together.")
        name, _, back = note.rpartition(":") if note.rpartition(":")[2].isdigit() else (note, "", "1")
        kind = restoring.kind_named(name)
        if kind is None:
            raise click.BadParameter(
                "It is performance, routing, log, a record's id, or the path of one of these notes.",
                param_hint="--note",
            )
        version = restoring.restore_note(workspace, kind, int(back), datetime.now(UTC))
        click.echo(
            f"{version.name} is as it was before {version.at}. The next sync brings its tables up to date."
        )
        return
    try:
        ids = restoring.dismiss_vanished(workspace) if dismiss else restoring.restore_vanished(workspace)
    except MemoryUnreadable:
        kept_at = None if dismiss else restoring.restore_file(workspace)
        if kept_at is None:
            raise
        click.echo(f"{workspace.memory_path} is as it was at {kept_at.astimezone():%Y-%m-%d %H:%M}.")
        return
    if not ids:
        click.echo("No records have vanished.")
    else:
        click.echo(f"{'Let go' if dismiss else 'Restored'}: {', '.join(ids)}")
