"""``council-vault history``: what the last syncs wrote, and why."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from council_vault.cli.moments import told
from council_vault.cli.options import json_option, print_json
from council_vault.history import KEPT
from council_vault.state import open_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.cli.main import Invocation
    from council_vault.history import PastSync


@click.command()
@click.option("--last", metavar="N", type=click.IntRange(1), default=10, help="So many; 10 unless given.")
@json_option
@click.pass_obj
def command(invocation: Invocation, *, last: int, as_json: bool) -> None:
    """Show what the last syncs wrote, and why.

    The newest comes first. A sync that had nothing to do is not kept, and one that fails again and again
    counts as one; the last 200 are.
    """
    with open_state(invocation.workspace().folder) as state:
        syncs = state.syncs(min(last, KEPT))
    if as_json:
        print_json(syncs)
        return
    if not syncs:
        click.echo("No sync has done anything yet.")
        return
    now = datetime.now(UTC)
    vaults = [sync.vault for sync in syncs]
    moves = [vault != before for vault, before in zip(vaults, [*vaults[1:], ""], strict=True)]
    entries = ("\n".join(_lines(sync, now, moved=moved)) for sync, moved in zip(syncs, moves, strict=True))
    click.echo("\n\n".join(entries))


def _lines(sync: PastSync, now: datetime, *, moved: bool) -> Iterator[str]:
    """Yield the lines on a sync; on its vault only where the one before had another."""
    yield f"{told(sync.at, now)}, {sync.reason}"
    if sync.did:
        yield f"    {sync.did}"
    for trouble in sync.troubles:
        yield f"    Not done: {trouble}"
    if sync.times > 1:
        yield f"    So it went {sync.times} times since {told(sync.first_at, now)}."
    yield f"    {_figures(sync)}"
    if moved and sync.vault:
        yield f"    The vault is {sync.vault}"


def _figures(sync: PastSync) -> str:
    """Return the numbers on a sync in one phrase; those that are zero say nothing."""
    counts = (
        (sync.flagged, "flagged"),
        (sync.rows_back, "put back"),
        (sync.pending, "pending"),
    )
    parts = [f"{count} {word}" for count, word in counts if count]
    return ", ".join((*parts, f"took {_duration(sync.seconds)}"))


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
