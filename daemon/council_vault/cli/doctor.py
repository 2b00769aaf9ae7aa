"""``council-vault doctor``: what is wrong, and how to mend it."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.options import json_option, print_json, visible
from council_vault.doctor import examine
from council_vault.operations.repairing import repair as mend

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation
    from council_vault.doctor import Finding


@click.command()
@click.option("--repair", is_flag=True, help="Mend what can be mended, after a snapshot.")
@click.option("--self-test", is_flag=True, help="Also sync a small memory into a vault made for that.")
@json_option
@click.pass_obj
def command(invocation: Invocation, *, repair: bool, self_test: bool, as_json: bool) -> None:
    """Say what is wrong, and how to mend it.

    Examines settings, memory file, locks, file systems, disk space, vault, notes, Google Drive and the
    service, and writes nothing unless --repair is given. The memory file is held against its JSON Schema, and
    its parts against each other: aggregates, rules, ids, times and ratings. --repair puts right what the rest
    of the file tells, and names each change.
    """
    workspace, now = invocation.workspace(), datetime.now(UTC)
    for mended in mend(workspace, now) if repair else ():
        click.echo(visible(mended), err=as_json)
    findings = examine(workspace, now, trying=self_test)
    if as_json:
        print_json(findings)
    else:
        _show(findings)
    if any(finding.level == "problem" for finding in findings):
        sys.exit(1)


def _show(findings: tuple[Finding, ...]) -> None:
    """Print how things are, one line each, then what wants mending, with room around it."""
    notes = [str(finding) for finding in findings if finding.level == "note"]
    problems = [str(finding) for finding in findings if finding.level == "problem"]
    count, repairable = len(problems), sum(finding.repairable for finding in findings)
    verdict = f"{count} problem{'' if count == 1 else 's'} found." if count else "All is well."
    if repairable:
        verdict += f" `council-vault doctor --repair` mends {repairable} of what is said above."
    click.echo(visible("\n\n".join(("\n".join(notes), *problems, verdict))))
