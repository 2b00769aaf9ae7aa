"""What past deliberations teach: what held, what failed and why, what recurs, what goes wrong each time."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from council_vault.briefing.cases import VALIDITIES, Prediction
from council_vault.briefing.gist import gist
from council_vault.briefing.vocabulary import read_together, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from council_vault.briefing.cases import Case, Session

_RECURS_FROM = 2
_MOST_PATTERNS = 10
_MOST_TOPIC_WORDS = 3
_NO_REASON = "no reason was recorded"


class HistoricalCase(msgspec.Struct, frozen=True):
    """A reference to a past deliberation; never the deliberation itself."""

    ref: str
    validity: str
    warning: bool
    gist: str
    accuracy: float | None
    why_relevant: str


class ValidatedLesson(msgspec.Struct, frozen=True):
    """Something that came true."""

    lesson: str
    from_case: str
    accuracy: float


class FailedLesson(msgspec.Struct, frozen=True):
    """Something that did not, and what showed it."""

    lesson: str
    why_failed: str
    from_case: str


class Pattern(msgspec.Struct, frozen=True):
    """A word, or an ending, that several cases share."""

    pattern: str
    occurrences: int


class RepeatedError(msgspec.Struct, frozen=True):
    """The same mistake, made more than once."""

    error: str
    occurrences: int
    example: str


def essence(session: Session) -> str:
    """Return the gist of a session: of its verdict, or where none is kept, of what it was about."""
    return gist(session.verdict) or gist(session.directive)


def name_of(session: Session) -> str:
    """Return the id of a session; other councils may have a text in its place, which is shortened."""
    return gist(session.id)


def historical_cases(cases: Sequence[Case]) -> tuple[HistoricalCase, ...]:
    """Return references to the cases, in their order."""
    return tuple(
        HistoricalCase(
            ref=name_of(case.session),
            validity=case.validity,
            warning=case.warning,
            gist=essence(case.session),
            accuracy=case.accuracy,
            why_relevant=gist(f"matched terms: {', '.join(read_together(case.matched))}"),
        )
        for case in cases
    )


def validated_lessons(cases: Sequence[Case]) -> tuple[ValidatedLesson, ...]:
    """Return what validated cases concluded; nothing that was disproven, outdated or never graded."""
    return tuple(
        ValidatedLesson(essence(case.session), name_of(case.session), case.accuracy)
        for case in cases
        if case.validity == "VALIDATED" and case.accuracy is not None
    )


def failed_lessons(cases: Sequence[Case]) -> tuple[FailedLesson, ...]:
    """Return what disproven cases concluded, and why it failed."""
    return tuple(
        FailedLesson(essence(case.session), _why_failed(case.session), name_of(case.session))
        for case in _disproven(cases)
    )


def common_patterns(cases: Sequence[Case]) -> tuple[Pattern, ...]:
    """Return the terms that stand in two cases or more, and how these ended; the most frequent ten."""
    states = Counter(case.validity for case in cases)
    endings = [
        Pattern(f"{states[state]} prior cases ended {state}", states[state])
        for state in VALIDITIES
        if states[state] >= _RECURS_FROM
    ]
    holding = Counter(chain.from_iterable(case.terms for case in cases))
    shared = [term for term, count in holding.items() if count >= _RECURS_FROM]
    most_shared = sorted(shared, key=lambda term: (-holding[term], term))[: _MOST_PATTERNS - len(endings)]
    shown = _shown(most_shared, cases)
    return (*(Pattern(shown[term], holding[term]) for term in most_shared), *endings)


def _shown(terms: Sequence[str], cases: Sequence[Case]) -> dict[str, str]:
    """Return the word that each term stands for in the first case that has it."""
    shown: dict[str, str] = {}
    for case in cases:
        if any(term not in shown and term in case.terms for term in terms):
            words = vocabulary(f"{case.session.directive}\n{case.session.verdict}")
            shown = words | shown
    return {term: gist(shown.get(term, term)) for term in terms}


def repeated_errors(cases: Sequence[Case]) -> tuple[RepeatedError, ...]:
    """Return the wrong calls that disproven cases have made at least twice, the most frequent first.

    A call is a metric and a direction. Where no call was repeated, but two cases on this topic were
    disproven, the topic itself is the error.
    """
    calls: defaultdict[tuple[str, str], list[Prediction]] = defaultdict(list)
    for case in _disproven(cases):
        for prediction in _wrong(case.session):
            call = prediction.metric.strip().casefold(), prediction.direction.strip().casefold()
            if all(call):
                calls[call].append(prediction)
    errors = [
        RepeatedError(
            error=gist(f"predicted {metric} {direction}"),
            occurrences=len(made),
            example=next((text for one in made if (text := gist(one.statement))), ""),
        )
        for (metric, direction), made in calls.items()
        if len(made) >= _RECURS_FROM
    ]
    errors.sort(key=lambda error: (-error.occurrences, error.error))
    return tuple(errors) or tuple(_topic_error(list(_disproven(cases))))


def _topic_error(cases: Sequence[Case]) -> Iterator[RepeatedError]:
    """Yield the topic that two cases or more share, if they share any word of the directive."""
    matched = Counter(word for case in cases for word in case.matched)
    shared = sorted(
        (word for word in matched if matched[word] >= _RECURS_FROM), key=lambda word: -matched[word]
    )
    on_topic = [case for case in cases if not set(shared).isdisjoint(case.matched)]
    if shared:
        yield RepeatedError(
            error=gist(f"disproven each time on {', '.join(shared[:_MOST_TOPIC_WORDS])}"),
            occurrences=len(on_topic),
            example=essence(on_topic[0].session),
        )


def _disproven(cases: Sequence[Case]) -> Iterator[Case]:
    return (case for case in cases if case.validity == "DISPROVEN")


def _wrong(session: Session) -> Iterator[Prediction]:
    return (prediction for prediction in session.predictions if prediction.status == "incorrect")


def _why_failed(session: Session) -> str:
    """Return what showed that it was wrong: the invalidation of a wrong prediction, else the prediction."""
    wrong = list(_wrong(session))
    for prediction in wrong:
        if reason := gist(prediction.invalidation):
            return reason
    for prediction in wrong:
        if prediction.statement.strip():
            return gist(f"did not come true: {prediction.statement}")
    return "it was rated negative" if not session.predictions and session.rating is not None else _NO_REASON
