"""Saying what followed a change: on stderr, so that results can be piped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from council_vault.operations.following import Followed


def show_followed(followed: Followed, *, verbose: bool) -> None:
    """Say what the person should know about the sync that followed, and what went wrong."""
    for warning in followed.warnings:
        click.echo(warning, err=True)
    report = followed.synced
    if report is not None:
        for line in (*report.reasons, *report.messages, *filter(None, [report.failure])):
            click.echo(line, err=True)
        if report.changed or verbose:
            click.echo(report.sentence, err=True)
    elif followed.left_to_another and verbose:
        click.echo("Another council-vault is syncing, and will sync again.", err=True)
