"""What each tool does: reads its arguments, and calls the operation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

import msgspec

from council_vault.briefing.brief import MOST_CASES
from council_vault.briefing.prompt import format_brief_for_council
from council_vault.briefing.quality import POOL
from council_vault.context import DEFAULT_BUDGET, vault_context
from council_vault.learning.experiments import read_experiment
from council_vault.learning.history import LAST
from council_vault.learning.input_values import Reading, flag, number, refused, text, word
from council_vault.learning.log_input import read_log_input
from council_vault.mcp_server.views import View, statistics_of
from council_vault.notes.decision_input import read_decision
from council_vault.operations import brief as briefing
from council_vault.operations.brief_note import save_brief
from council_vault.operations.decision import write_decision
from council_vault.operations.experiments import log_experiment
from council_vault.operations.log import log
from council_vault.operations.rate import rate
from council_vault.operations.rebuild import rebuild
from council_vault.operations.route import route
from council_vault.operations.syncing import sync_vault
from council_vault.syncing.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from council_vault.learning.input_values import Reader
    from council_vault.workspace import Workspace

    Given = dict[str, object]
    Value = TypeVar("Value")

PROMPT = "prompt"


class Answer(NamedTuple):
    """What a tool has done.

    ``result`` is what the program's command prints with ``--json``, ``messages`` what the person should be
    told beside it, ``failed`` whether something that should have been done was not.
    """

    result: dict[str, Any]
    messages: tuple[str, ...] = ()
    failed: bool = False


def call_log_deliberation(workspace: Workspace, given: Given, now: datetime) -> Answer:
    """Log a deliberation."""
    outcome = log(workspace, read_log_input(given), now)
    return Answer(outcome.record, tuple(outcome.sentences()))


def call_rate_deliberation(workspace: Workspace, given: Given, now: datetime) -> Answer:
    """Rate a deliberation by what the person has said."""
    reading = Reading()
    words = reading.required(given, "text", text)
    id_ = reading.field(given, "id", text)
    reading.finish()
    rated = rate(workspace, words or "", id_, now)
    not_understood = () if rated.rating else (rated.sentence,)
    return _answer(rated.result, (*not_understood, *rated.followed.sentences()))


def call_route_query(workspace: Workspace, given: Given, _now: datetime) -> Answer:
    """Say whether a question is worth a council."""
    reading = Reading()
    query = reading.required(given, "query", text)
    budget = reading.field(given, "budget_usd", number(0, math.inf, "USD from 0 on"))
    reading.finish()
    return _answer(route(workspace, query or "", budget))


def call_council_stats(workspace: Workspace, given: Given, now: datetime) -> Answer:
    """Show one view of the statistics."""
    views: tuple[View, ...] = get_args(View)
    reading = Reading()
    asked = reading.field(given, "view", word(views)) or views[0]
    last = reading.field(given, "last", _whole(1, math.inf))
    reading.finish()
    view = next(one for one in views if one == asked)
    return _answer(statistics_of(view, workspace, now, last or LAST))


def call_rebuild_router(workspace: Workspace, _given: Given, now: datetime) -> Answer:
    """Make the router's rules anew."""
    rebuilt = rebuild(workspace, now)
    return _answer(rebuilt.result, rebuilt.followed.sentences())


def call_sync_vault(workspace: Workspace, given: Given, now: datetime) -> Answer:
    """Bring the vault up to date."""
    reading = Reading()
    options = Options(
        dry_run=reading.field(given, "dry_run", flag) or False,
        full=reading.field(given, "full", flag) or False,
        adopt_vault=reading.field(given, "adopt_vault", flag) or False,
        adopt_log=reading.field(given, "adopt_log", flag) or False,
    )
    reading.finish()
    report = sync_vault(workspace, options, now)
    return _answer(report, failed=report.failed)


def call_council_brief(workspace: Workspace, given: Given, now: datetime) -> Answer:
    """Brief a council on a question from its own past."""
    reading = Reading()
    directive = reading.required(given, "directive", text)
    k = reading.field(given, "k", _whole(1, POOL))
    ledger = reading.field(given, "ledger", text)
    save = reading.field(given, "save", flag)
    reading.finish()
    messages: list[str] = []
    made = briefing.brief(
        workspace, directive or "", now, warn=messages.append, ledger=ledger, k=k or MOST_CASES
    )
    if save:
        messages += save_brief(workspace, made).sentences()
    answer = _answer(made, messages)
    return answer._replace(result={PROMPT: format_brief_for_council(made), **answer.result})


def call_vault_context(workspace: Workspace, given: Given, _now: datetime) -> Answer:
    """Show what the vault says that bears on a question."""
    reading = Reading()
    query = reading.required(given, "query", text)
    budget = reading.field(given, "budget_tokens", _whole(1, math.inf))
    reading.finish()
    found = vault_context(workspace, query or "", budget or DEFAULT_BUDGET)
    return _answer(found, found.sentences())


def call_write_decision(workspace: Workspace, given: Given, _now: datetime) -> Answer:
    """Write the record of a decision into the vault, once."""
    decided = write_decision(workspace, read_decision(given))
    return _answer(decided, decided.sentences())


def call_log_experiment(workspace: Workspace, given: Given, now: datetime) -> Answer:
    """Log an experiment of the optimization loop."""
    outcome = log_experiment(workspace, read_experiment(given), now)
    return Answer(outcome.record, tuple(outcome.sentences()))


def _answer(result: msgspec.Struct, messages: Iterable[str] = (), *, failed: bool = False) -> Answer:
    return Answer(msgspec.to_builtins(result, str_keys=True), tuple(messages), failed)


def _whole(low: float, high: float) -> Reader[int]:
    expected = f"a whole number from {low} {'on' if high == math.inf else f'to {high}'}"

    def read(value: object, where: str) -> int:
        given = number(low, high, expected)(value, where)
        if not given.is_integer():
            raise refused(expected, value, where)
        return int(given)

    return read
