"""``council-vault import``: what other councils have deliberated, into the memory."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from council_vault.cli.options import json_option, print_json, say
from council_vault.cli.show import Entries, Screen, legible
from council_vault.cli.tables import Words
from council_vault.memory.schema import Deliberation
from council_vault.notes.cells import UNKNOWN, short_names, stars
from council_vault.operations.importing import import_councils

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from council_vault.cli.main import Invocation
    from council_vault.operations.importing import Import

FAILED = 1
_MANY_FILES = 20  # fewer are read before a progress bar could be looked at


@click.group(name="import")
def command() -> None:
    """Import what other councils have deliberated."""


@command.command(name="llm-council")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--dry-run", is_flag=True, help="Show what would be added; write nothing.")
@json_option
@click.pass_obj
def llm_council(invocation: Invocation, *, paths: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Import the conversations of an LLM council.

    Takes conversation files, single runs and files of events; of a folder, every *.json and *.jsonl in it and
    below, hidden ones apart. What is in the memory already is not added again. What cannot be used is named,
    with the reason. Questions and answers are never kept. With -v, lists what was added.
    """
    workspace = invocation.workspace()
    with ExitStack() as showing:
        result = import_councils(
            workspace,
            [Path(path) for path in paths],
            datetime.now(UTC),
            dry_run=dry_run,
            progress=_Progress(showing).tell,
        )
    if as_json:
        names = [name for name in result.__struct_fields__ if name != "followed"]
        print_json({name: getattr(result, name) for name in names})
    else:
        _show(result, verbose=invocation.verbose)
    say(result.followed.sentences(verbose=invocation.verbose))
    if result.failed:
        sys.exit(FAILED)


class _Progress:
    """A progress bar on stderr, while many files are read and somebody is looking."""

    def __init__(self, showing: ExitStack) -> None:
        self._showing = showing
        self._read = 0
        self._advance: Callable[[int], None] | None = None

    def tell(self, read: int, files: int) -> None:
        """Show how many of how many files have been read."""
        if files < _MANY_FILES or not sys.stderr.isatty():
            return
        if self._advance is None:
            bar = click.progressbar(length=files, label="Reading", file=sys.stderr)
            self._advance = self._showing.enter_context(bar).update
        self._advance(read - self._read)
        self._read = read


def _show(result: Import, *, verbose: bool) -> None:
    records = [msgspec.convert(one.record, Deliberation) for one in result.added]
    if records and (result.dry_run or verbose):
        Screen.of_output().show([_rows(records)])
    say(f"{refused.source}: {refused.reason}" for refused in result.unusable)
    for one in result.added:
        if one.reviews_left_out:
            reviews = _counted(one.reviews_left_out, "review")
            say([f"{one.source}: no ranking could be read from {reviews}"])
    click.echo(_sentence(result))


def _rows(records: Sequence[Deliberation]) -> Entries:
    names = short_names({record.chairman for record in records if record.chairman})
    return Entries(
        before=[
            (Words(_time(record)), Words(_counted(len(record.models_used), "model"))) for record in records
        ],
        quotations=[legible(record.query_summary) for record in records],
        behind=[
            (
                Words(f"Chairman: {legible(names.get(record.chairman or '', UNKNOWN))}"),
                Words(stars(record.confidence), "yellow"),
            )
            for record in records
        ],
    )


def _time(record: Deliberation) -> str:
    return str(record.timestamp)[:16].replace("T", " ")


def _sentence(result: Import) -> str:
    what = f"{_counted(len(result.added), 'deliberation')} from {_counted(result.files, 'file')}"
    there = (
        f"; {result.already} {'was' if result.already == 1 else 'were'} there already"
        if result.already
        else ""
    )
    return f"{'Would add' if result.dry_run else 'Added'} {what}{there}."


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
