"""Which past deliberations bear on a directive, and how far each is to be trusted (pure)."""

from __future__ import annotations

import heapq
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from council_vault.briefing.cases import Candidate, Case, is_warned
from council_vault.briefing.ground import ground, jaccard
from council_vault.briefing.vocabulary import vocabulary
from council_vault.learning.words import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from council_vault.briefing.cases import Recall, Session, Validity

POOL = 64
"""Candidates that are looked at for one brief."""

MOST_TERMS = 256
"""Terms of a directive that are looked for: its rarest ones."""

DISPROVEN_BELOW = 0.4
VALIDATED_FROM = 0.6
AGES_AFTER = timedelta(days=270)
OUTDATED_AFTER = timedelta(days=540)

_UNGRADED = 0.5
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_TRUST: dict[Validity, float] = {
    "VALIDATED": 1.0,
    "PARTIALLY_VALID": 0.6,
    "UNKNOWN": 0.5,
    "OUTDATED": 0.25,
    "DISPROVEN": 0.1,
}


def validity(accuracy: float | None, age: timedelta | None, *, superseded: bool) -> Validity:
    """Return how far a session is to be trusted.

    What was disproven stays so; what has been superseded, or was graded long ago, is outdated; what nobody
    has graded is unknown.

    Args:
        accuracy: how far it came true, 0..1; ``None`` where nothing is graded.
        age: how long ago it was; ``None`` where that is not known.
        superseded: whether a newer session that was not disproven stands on the same ground.
    """
    if accuracy is not None and accuracy < DISPROVEN_BELOW:
        return "DISPROVEN"
    if superseded or (accuracy is not None and age is not None and age > OUTDATED_AFTER):
        return "OUTDATED"
    if accuracy is None:
        return "UNKNOWN"
    if accuracy < VALIDATED_FROM or (age is not None and age > AGES_AFTER):
        return "PARTIALLY_VALID"
    return "VALIDATED"


def calibration(confidence: float | None, accuracy: float | None) -> float:
    """Return how close stated confidence came to what happened, 0..1; 0.5 where one of them is not known."""
    return _UNGRADED if confidence is None or accuracy is None else 1 - abs(confidence - accuracy)


def weight(similarity: float, accuracy: float | None, calibrated: float, state: Validity) -> float:
    """Return how much a case counts: similar, true, well calibrated and trusted ones count most."""
    truth = _UNGRADED if accuracy is None else 0.1 + 0.9 * accuracy
    return similarity * truth * (0.5 + 0.5 * calibrated) * _TRUST[state]


def recalled(directive: str, source: Recall, k: int, now: datetime) -> tuple[Case, ...]:
    """Return the cases that bear most on a directive, those without a warning first.

    A bounded pool is ranked; superseding sessions are looked for only where a candidate would be returned,
    which then goes back into the queue with its new rank. Failures are not lost behind them: where the
    directive is closer to them than to the last of those, up to a quarter of the cases are disproven ones.

    Args:
        directive: what is to be deliberated.
        source: where past deliberations are kept.
        k: how many cases to return at most.
        now: the time.
    """
    words = vocabulary(directive)
    wanted = frozenset(words)
    pool = source.candidates(tuple(words), POOL) if words and k > 0 else ()
    queue = [
        _Place.of(candidate, similarity, now, superseded=False)
        for candidate in pool
        if (similarity := jaccard(wanted, candidate.terms))
    ]
    failures = sorted(place for place in queue if place.validity == "DISPROVEN")
    heapq.heapify(queue)
    places: list[_Place] = []
    while queue and len(places) < k:
        place = heapq.heappop(queue)
        if _may_be_superseded(place) and _is_superseded(place.candidate, source):
            heapq.heappush(queue, _Place.of(place.candidate, place.similarity, now, superseded=True))
        else:
            places.append(place)
    places = _with_failures(places, failures, k // 4)
    sessions = source.sessions([place.candidate.id for place in places])
    return tuple(
        place.case(sessions[place.candidate.id], words) for place in places if place.candidate.id in sessions
    )


class _Place(msgspec.Struct, frozen=True):
    """A candidate's place in the queue: the smaller its order, the sooner it is returned."""

    order: tuple[bool, float, float, str]
    candidate: Candidate
    similarity: float
    validity: Validity
    superseded: bool

    @classmethod
    def of(cls, candidate: Candidate, similarity: float, now: datetime, *, superseded: bool) -> _Place:
        age = None if candidate.time is None else now - candidate.time
        state = validity(candidate.accuracy, age, superseded=superseded)
        calibrated = calibration(candidate.confidence, candidate.accuracy)
        order = (
            is_warned(state),
            -weight(similarity, candidate.accuracy, calibrated, state),
            age_order(candidate.time),
            candidate.id,
        )
        return cls(order, candidate, similarity, state, superseded)

    def __lt__(self, other: _Place) -> bool:
        return self.order < other.order

    def case(self, session: Session, words: dict[str, str]) -> Case:
        """Return the case, with the words of the directive that it shares."""
        matched = (word for term, word in words.items() if term in self.candidate.terms)
        return Case(
            session=session,
            validity=self.validity,
            accuracy=self.candidate.accuracy,
            calibration=calibration(self.candidate.confidence, self.candidate.accuracy),
            similarity=self.similarity,
            terms=self.candidate.terms,
            matched=tuple(dict.fromkeys(matched)),
        )


def _with_failures(places: Sequence[_Place], failures: Sequence[_Place], most: int) -> list[_Place]:
    """Return the places with the first failures in them, each for the last place that is less similar."""
    kept = list(places)
    standing = {place.candidate.id for place in kept if place.validity == "DISPROVEN"}
    for failure in failures[:most]:
        if failure.candidate.id in standing:
            continue
        others = (place for place in reversed(kept) if place.validity != "DISPROVEN")
        if last := next((place for place in others if place.similarity < failure.similarity), None):
            kept[kept.index(last)] = failure
    return sorted(kept)


def _may_be_superseded(place: _Place) -> bool:
    return not place.superseded and place.validity not in {"DISPROVEN", "OUTDATED"}


def _is_superseded(candidate: Candidate, source: Recall) -> bool:
    """Tell whether a newer session on the same ground takes its place: one that was not disproven."""
    newer = source.newer(candidate, POOL)
    return any(one.accuracy is None or one.accuracy >= DISPROVEN_BELOW for one in newer)


def age_order(time: datetime | None) -> float:
    """Return what sorts from the newest to the oldest; what has no time is the oldest."""
    return -(time or _LONG_AGO).timestamp()


def newest_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates, the newest first; those of one time in the order of their ids."""
    return sorted(candidates, key=lambda one: (age_order(one.time), one.id))


def candidate_of(session: Session) -> Candidate:
    """Return what it takes to rank a session."""
    return Candidate(
        id=session.id,
        time=session.time,
        terms=frozenset(terms(f"{session.directive}\n{session.verdict}")),
        ground_words=" ".join(sorted(ground(session.directive))),
        confidence=session.confidence,
        accuracy=session.accuracy,
    )
