"""Past deliberations held in memory: those of the memory file, or of a database that has no index."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from council_vault.briefing.cases import Reputation, Session
from council_vault.briefing.ground import ground, is_same, telling_terms
from council_vault.briefing.quality import age_order, candidate_of, newest_first
from council_vault.briefing.reputation import PARTICIPANT, PREDICTOR, with_outcome
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from council_vault.briefing.cases import Candidate, Recall
    from council_vault.memory.schema import Deliberation, Memory

_GRADES = {"positive": 1.0, "neutral": 0.5, "negative": 0.0}


class HeldSessions:
    """A `Recall` over sessions that are all at hand.

    Args:
        sessions: the sessions; of those with one id the first counts.
        reputations: what is known of agents.
    """

    def __init__(self, sessions: Iterable[Session], reputations: Mapping[str, Reputation]) -> None:
        self._sessions = {session.id: session for session in reversed(list(sessions))}
        self._reputations = reputations
        self._newest_first = newest_first([candidate_of(session) for session in self._sessions.values()])
        self._order = [age_order(candidate) for candidate in self._newest_first]
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, candidate in enumerate(self._newest_first):
            for term in candidate.terms:
                self._places[term].append(place)

    def candidates(self, terms: Sequence[str], limit: int) -> Sequence[Candidate]:
        """See `Recall.candidates`."""
        return self._first(self._rarest_first(terms), limit, before=len(self._newest_first))

    def newer(self, than: Candidate, limit: int) -> Sequence[Candidate]:
        """See `Recall.newer`."""
        own = ground(than.directive)
        telling = telling_terms(own, self._rarest_first)
        return [
            one
            for one in self._first(telling, limit, before=bisect_left(self._order, age_order(than)))
            if is_same(own, ground(one.directive))
        ]

    def sessions(self, ids: Sequence[str]) -> Mapping[str, Session]:
        """See `Recall.sessions`."""
        return {id_: self._sessions[id_] for id_ in ids if id_ in self._sessions}

    def reputations(self, agents: Collection[str]) -> Mapping[str, Reputation]:
        """See `Recall.reputations`."""
        return {agent: self._reputations[agent] for agent in agents if agent in self._reputations}

    def _rarest_first(self, terms: Sequence[str]) -> list[str]:
        known = [term for term in terms if term in self._places]
        return sorted(known, key=lambda term: (len(self._places[term]), term))

    def _first(self, terms: Sequence[str], limit: int, *, before: int) -> list[Candidate]:
        """Return the first so many sessions that hold one of the terms, the newest of each term first."""
        places = dict.fromkeys(place for term in terms for place in self._places[term] if place < before)
        return [self._newest_first[place] for place in islice(places, limit)]


class Several:
    """A `Recall` over several ones: a session of any of them can supersede one of another.

    Args:
        recalls: where past deliberations are kept.
    """

    def __init__(self, recalls: Sequence[Recall]) -> None:
        self._recalls = recalls

    def candidates(self, terms: Sequence[str], limit: int) -> Sequence[Candidate]:
        """See `Recall.candidates`; the limit holds for each of them."""
        return [one for recall in self._recalls for one in recall.candidates(terms, limit)]

    def newer(self, than: Candidate, limit: int) -> Sequence[Candidate]:
        """See `Recall.newer`; the limit holds for each of them."""
        return [one for recall in self._recalls for one in recall.newer(than, limit)]

    def sessions(self, ids: Sequence[str]) -> Mapping[str, Session]:
        """See `Recall.sessions`."""
        return {id_: session for recall in self._recalls for id_, session in recall.sessions(ids).items()}

    def reputations(self, agents: Collection[str]) -> Mapping[str, Reputation]:
        """See `Recall.reputations`; where several know an agent, the first one is believed."""
        known = [recall.reputations(agents) for recall in reversed(self._recalls)]
        return {agent: one for reputations in known for agent, one in reputations.items()}


def recall_from(memory: Memory) -> HeldSessions:
    """Return the deliberations of a memory file, graded by their ratings.

    The gist of one is its summary; those that compaction has taken the summary from are not recalled. A
    model's reputation is that of the syntheses it wrote, and at half weight of those it took part in.
    """
    records = [record for record in memory.deliberations if record.id and record.query_summary]
    return HeldSessions(map(_session, records), _reputations(memory.deliberations))


def _session(record: Deliberation) -> Session:
    return Session(
        id=record.id or "",
        time=moment(record.timestamp),
        directive=record.query_summary or "",
        participants=record.models_used or tuple(record.rankings),
        confidence=_share(record.confidence),
        rating=_GRADES.get(record.user_rating or ""),
    )


def _reputations(records: Iterable[Deliberation]) -> dict[str, Reputation]:
    rated = [record for record in records if record.user_rating in _GRADES]
    timed = [(when, record) for record in rated if (when := moment(record.timestamp)) is not None]
    known: dict[str, Reputation] = {}
    for when, record in sorted(timed, key=lambda pair: pair[0]):
        grade = _GRADES[record.user_rating or ""]
        for model, confidence, weight in _contributions(record):
            before = known.get(model) or Reputation(agent=model)
            known[model] = with_outcome(before, grade, confidence, when, weight)
    return known


def _contributions(record: Deliberation) -> Iterator[tuple[str, float | None, float]]:
    models = record.models_used or tuple(record.rankings)
    author = record.chairman or (models[0] if len(models) == 1 else None)
    if author is not None:
        yield author, _share(record.confidence), PREDICTOR
    for model in dict.fromkeys(models):
        if model != author:
            yield model, None, PARTICIPANT


def _share(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) and 0 <= number <= 1 else None
