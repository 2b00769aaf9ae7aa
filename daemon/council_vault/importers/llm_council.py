"""Files of other LLM councils, read as deliberations to log."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from council_vault.errors import InputError
from council_vault.importers.conversations import conversation_in, runs_in_conversation
from council_vault.importers.council_run import Unusable, usable
from council_vault.importers.documents import values_in
from council_vault.importers.events import is_event, runs_in_events
from council_vault.importers.runs import read_run
from council_vault.importers.stages import holder_of_stages
from council_vault.learning.log_input import read_log_input

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from council_vault.importers.council_run import CouncilRun
    from council_vault.importers.documents import Value
    from council_vault.learning.log_input import LogInput

_NO_COUNCIL = "it is no conversation, run or event of a council"
_A_MEMORY = "it is a memory file, which is not imported"


class Found(NamedTuple):
    """A deliberation, where in its file it stands, and how many of its reviews hold no ranking."""

    where: str
    given: LogInput
    reviews_left_out: int


class Refused(NamedTuple):
    """A part of a file that cannot be used, and why; ``where`` is empty for the whole file."""

    where: str
    reason: str


def read_file(path: Path, now: datetime) -> Iterator[Found | Refused]:
    """Yield what a file of a council holds, and what of it cannot be used.

    Args:
        path: the file.
        now: the time; what lies far ahead of it is refused.
    """
    try:
        values = values_in(path)
    except Unusable as error:
        yield Refused("", str(error))
        return
    if not values:
        yield Refused("", "it is an empty list")
    events = [value.value for value in values if is_event(value.value)]
    if events:
        yield from _results("", list(runs_in_events(events)), now)
    for value in values:
        if not events or value.problem:
            yield from _in_value(value, now)


def _in_value(value: Value, now: datetime) -> Iterator[Found | Refused]:
    """Yield what a JSON value holds that is no event."""
    document = value.value
    if value.problem or not isinstance(document, dict):
        yield Refused(value.where, value.problem or _NO_COUNCIL)
    elif conversation := conversation_in(document):
        yield from _results(value.where, list(runs_in_conversation(conversation)), now)
    elif holder := holder_of_stages(document):
        yield from _results(value.where, [read_run(holder)], now)
    else:
        yield Refused(value.where, _A_MEMORY if "deliberations" in document else _NO_COUNCIL)


def _results(where: str, runs: list[CouncilRun], now: datetime) -> Iterator[Found | Refused]:
    if not any(run.answers for run in runs) and len(runs) != 1:
        yield Refused(
            where, f"no council answered any of its {len(runs)} questions" if runs else "nothing was asked"
        )
        return
    for number, run in enumerate(runs, 1):
        place = f"deliberation {number}" if len(runs) > 1 else ""
        yield _result(", ".join(filter(None, (where, place))), run, now)


def _result(where: str, run: CouncilRun, now: datetime) -> Found | Refused:
    try:
        document, left_out = usable(run, now)
        return Found(where, read_log_input(document), left_out)
    except Unusable as error:
        return Refused(where, str(error))
    except InputError as error:
        return Refused(where, f"{error.where}: {error.what}")
