"""Briefing a council from everything there is: the memory and the ledger; nothing is ever written."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, TypeVar

from council_vault.briefing.brief import MOST_CASES, Brief, build_brief
from council_vault.briefing.ledger.files import open_to_read
from council_vault.briefing.ledger.recall import LedgerRecall
from council_vault.briefing.prompt import brief_or_none
from council_vault.briefing.recall import Several, recall_from
from council_vault.errors import LedgerUnreadable
from council_vault.operations.ledger import ledger_path
from council_vault.operations.reading import is_missing, memory_if_any
from council_vault.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from council_vault.briefing.cases import Candidate, Recall, Reputation, Session

    Warn = Callable[[str], None]

_Found = TypeVar("_Found")
_log = logging.getLogger(__name__)


def council_brief(
    directive: str, *, workspace: str | None = None, ledger: str | None = None, k: int = MOST_CASES
) -> Brief | None:
    """Brief a council of your own: call this once, and give what it returns to every role.

    The settings in force are those of the program. A council is never kept from its work for want of a
    brief: whatever goes wrong is logged as a warning.

    Args:
        directive: what is to be deliberated.
        workspace: folder of the memory file; ``None`` takes it from the settings, or the current folder.
        ledger: the ledger's database; ``None`` takes it from the settings, or ``council-ledger.db`` beside
            the memory file.
        k: how many past deliberations to rest the brief on at most.

    Returns:
        The brief; ``None`` where the council has to do without one.
    """
    with ExitStack() as stack:

        def open_recall() -> Recall:
            return stack.enter_context(past_deliberations(_workspace(workspace), ledger, _log.warning))

        return brief_or_none(directive, open_recall, k)


def brief(
    workspace: Workspace,
    directive: str,
    now: datetime,
    *,
    warn: Warn,
    ledger: str | None = None,
    k: int = MOST_CASES,
) -> Brief:
    """Build the brief on a directive.

    Args:
        workspace: whose memory and settings count.
        directive: what is to be deliberated.
        now: the time.
        warn: is told, in sentences, what the brief could not be made from.
        ledger: the ledger's database; ``None`` takes it from the settings.
        k: how many past deliberations to rest it on at most.

    Raises:
        MemoryUnreadable: the memory file is broken.
        LedgerUnreadable: a ledger that was named cannot be used.
    """
    with past_deliberations(workspace, ledger, warn) as past:
        return build_brief(directive, past, k, now)


@contextmanager
def past_deliberations(workspace: Workspace, ledger: str | None, warn: Warn) -> Iterator[Recall]:
    """Open the ledger and the memory file, whichever there is; the arguments and what is raised are as above.

    A ledger that nobody has named is a help and no more: where it cannot be used, `warn` hears of it, and the
    memory alone counts.
    """
    memory = memory_if_any(workspace)
    path = ledger_path(workspace, ledger)
    with ExitStack() as stack:
        recalls: list[Recall] = []
        if ledger or workspace.settings.brief.ledger:
            recalls.append(stack.enter_context(_opened(path)))
        elif not is_missing(path):
            try:
                recalls.append(_Forgiving(stack.enter_context(_opened(path)), warn))
            except LedgerUnreadable as error:
                warn(_left_out(error))
        if memory is not None:
            recalls.append(recall_from(memory))
        elif not recalls:
            warn(f"There is no history yet: neither {workspace.memory_path} nor {path} is there.")
        yield Several(recalls)


@contextmanager
def _opened(path: Path) -> Iterator[LedgerRecall]:
    with closing(open_to_read(path)) as connection:
        yield LedgerRecall(connection, path)


class _Forgiving:
    """A `Recall` over a ledger that may fail: then it knows nothing more.

    Args:
        recall: the ledger.
        warn: is told when it fails.
    """

    def __init__(self, recall: Recall, warn: Warn) -> None:
        self._recall: Recall = recall
        self._warn = warn

    def candidates(self, terms: Sequence[str], limit: int) -> Sequence[Candidate]:
        """See `Recall.candidates`."""
        return self._asked(lambda recall: recall.candidates(terms, limit))

    def newer(self, than: Candidate, limit: int) -> Sequence[Candidate]:
        """See `Recall.newer`."""
        return self._asked(lambda recall: recall.newer(than, limit))

    def sessions(self, ids: Sequence[str]) -> Mapping[str, Session]:
        """See `Recall.sessions`."""
        return self._asked(lambda recall: recall.sessions(ids))

    def reputations(self, agents: Collection[str]) -> Mapping[str, Reputation]:
        """See `Recall.reputations`."""
        return self._asked(lambda recall: recall.reputations(agents))

    def _asked(self, ask: Callable[[Recall], _Found]) -> _Found:
        try:
            return ask(self._recall)
        except LedgerUnreadable as error:
            self._warn(_left_out(error))
            self._recall = Several(())
            return ask(self._recall)


def _left_out(error: LedgerUnreadable) -> str:
    return f"The ledger is left out: {error}."


def _workspace(folder: str | None) -> Workspace:
    from council_vault import config  # noqa: PLC0415 - the command has loaded the settings already

    flags = {"workspace.path": folder}
    settings = config.load(config.config_path(None, os.environ), os.environ, flags).settings
    return Workspace.of(settings, os.environ)
