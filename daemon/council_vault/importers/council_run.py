"""One deliberation as another council's file tells it, and the log input that is made of it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from council_vault.importers.reviews import Review, ballots_in
from council_vault.learning.ballots import ranks
from council_vault.memory.times import moment, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

_CLOCKS_APART = timedelta(days=1)  # local times without their zone are read as UTC
_NO_TITLES = frozenset(
    {"", "new conversation", "new chat", "new council", "untitled", "untitled conversation"}
)
_WORD = re.compile(r"\w+")


class Unusable(Exception):
    """A deliberation, or a whole file, that cannot be imported; the reason is a phrase for the person."""


class Answer(NamedTuple):
    """What a model answered; ``None`` where it failed."""

    model: str
    text: str | None


class CouncilRun(NamedTuple):
    """One deliberation. Answers stand in the order of their labels; ``averages`` are mean ranks by model."""

    query: str
    title: str
    timestamp: object
    answers: Sequence[Answer]
    reviews: Sequence[Review] = ()
    labels: Mapping[str, str] = {}
    averages: Mapping[str, float] = {}
    chairman: str | None = None
    synthesis: str | None = None
    seconds: float | None = None


class Usable(NamedTuple):
    """A log input, and how many reviews it leaves out because nothing in them could be read as a ranking."""

    log_input: dict[str, Any]
    reviews_left_out: int


def usable(run: CouncilRun, now: datetime) -> Usable:
    """Make the log input of a deliberation.

    It was no decision of the router, nobody says what became of it, and its cost is not known. Models that
    failed did not take part; their reviews count all the same.

    Raises:
        Unusable: it has no question, no time, one that is still to come, or no answer.
    """
    when = moment(run.timestamp)
    if not run.query.strip():
        raise Unusable("there is no question")
    if not run.answers:
        raise Unusable("the question got no answer")
    responses: dict[str, str] = {}
    for answer in run.answers:
        if answer.text is not None:
            responses.setdefault(answer.model, answer.text)
    if not responses:
        raise Unusable("every model failed")
    if when is None:
        raise Unusable("it does not say when it was")
    if when > now + _CLOCKS_APART:
        raise Unusable("it is dated in the future")
    ballots: dict[str, list[str]] = {}
    left_out = 0
    if len(responses) > 1:
        places = [(answer.model, answer.text is not None) for answer in run.answers]
        ballots, left_out = ballots_in(run.reviews, places, run.labels)
    given: dict[str, Any] = {
        "timestamp": stamp(when),
        "query_text": run.query,
        "query_summary": _summary(run),
        "models_used": list(responses),
        "stage1_responses": responses,
        "reviewer_rankings_raw": ballots,
        "rankings": None if ballots else ranks({m: run.averages[m] for m in responses if m in run.averages}),
        "chairman": run.chairman,
        "synthesis_text": run.synthesis,
        "protocol_used": "voting" if ballots else None,
        "latency_ms": None if run.seconds is None else round(run.seconds * 1000),
        "routing_decision": "explicit_command",
        "outcome": "unknown",
    }
    return Usable({name: value for name, value in given.items() if value is not None}, left_out)


def _summary(run: CouncilRun) -> str | None:
    """Return the title, unless it is nobody's, or the beginning of the question."""
    title = run.title.strip()
    words, question = (_WORD.findall(text.casefold()) for text in (title, run.query))
    if title.casefold() in _NO_TITLES or question[: len(words)] == words:
        return None
    return title
