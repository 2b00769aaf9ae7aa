"""``council-vault sync-vault``: one sync now."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.options import json_option, print_json, say, visible
from council_vault.operations.syncing import sync_vault
from council_vault.syncing.options import Options

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation
    from council_vault.syncing.report import Report

FAILED = 1


@click.command(name="sync-vault")
@click.option("--dry-run", is_flag=True, help="Show what would change, as a unified diff; write nothing.")
@click.option("--full", is_flag=True, help="Bring back rows that were deleted from the log.")
@click.option("--adopt-vault", is_flag=True, help="Use another vault than before, if one is found.")
@click.option("--adopt-log", is_flag=True, help="Take over a log note that belongs to another memory.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation, *, dry_run: bool, full: bool, adopt_vault: bool, adopt_log: bool, as_json: bool
) -> None:
    """Bring the vault up to date with the memory file.

    Ratings that were typed into the log go back into the memory file. Every record whose row stands in the
    log is flagged there. With -v, says of each note what became of it.
    """
    options = Options(dry_run=dry_run, full=full, adopt_vault=adopt_vault, adopt_log=adopt_log)
    report = sync_vault(invocation.workspace(), options, datetime.now(UTC))
    if as_json:
        print_json(report)
    else:
        _show(report, verbose=invocation.verbose)
    if report.failed:
        sys.exit(FAILED)


def _show(report: Report, *, verbose: bool) -> None:
    for note in report.notes:
        click.echo(visible(note.diff), nl=False)
        if verbose:
            click.echo(f"{note.name}: {note.outcome}")
    say(report.reasons)
    click.echo(visible(report.memory_diff), nl=False)
    say((*map(str, report.problems), *report.messages, *filter(None, [report.failure])))
    click.echo(report.sentence)
    if verbose:
        click.echo(f"The vault is {report.vault}")
