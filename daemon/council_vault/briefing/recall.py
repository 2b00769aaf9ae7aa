"""Past deliberations held in memory: those of the memory file, or of a database that has no index."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from council_vault.briefing.cases import Reputation, Session
from council_vault.briefing.ground import is_same, telling_words
from council_vault.briefing.quality import MOST_TERMS, age_order, candidate_of, newest_first
from council_vault.briefing.reputation import PARTICIPANT, PREDICTOR, with_outcome
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from council_vault.briefing.cases import Candidate, Recall
    from council_vault.memory.schema import Deliberation, Memory

Known = TypeVar("Known")

_NEARLY = timedelta(hours=1)
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
        self._order = [age_order(candidate.time) for candidate in self._newest_first]
        self._holding = _places(candidate.terms for candidate in self._newest_first)
        self._grounds = [candidate.ground for candidate in self._newest_first]
        self._having = _places(self._grounds)

    def candidates(self, terms: Sequence[str], limit: int) -> Sequence[Candidate]:
        """See `Recall.candidates`."""
        rarest = _rarest_first(self._holding, terms)[:MOST_TERMS]
        places = dict.fromkeys(place for term in rarest for place in self._holding[term][:limit])
        return [self._newest_first[place] for place in islice(places, limit)]

    def newer(self, than: Candidate, limit: int) -> Sequence[Candidate]:
        """See `Recall.newer`."""
        own, before = than.ground, bisect_left(self._order, age_order(than.time))
        telling = telling_words(own, lambda words: _rarest_first(self._having, words))
        places = sorted({place for word in telling for place in self._having[word] if place < before})
        same = (self._newest_first[place] for place in places if is_same(own, self._grounds[place]))
        return list(islice(same, limit))

    def sessions(self, ids: Sequence[str]) -> Mapping[str, Session]:
        """See `Recall.sessions`."""
        return {id_: self._sessions[id_] for id_ in ids if id_ in self._sessions}

    def reputations(self, agents: Collection[str]) -> Mapping[str, Reputation]:
        """See `Recall.reputations`."""
        return {agent: self._reputations[agent] for agent in agents if agent in self._reputations}


def _places(texts: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """Return which of some texts hold a word, for each word."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(texts):
        for word in words:
            places[word].append(place)
    return dict(places)


def _rarest_first(places: Mapping[str, Sequence[int]], words: Iterable[str]) -> list[str]:
    return sorted((word for word in words if word in places), key=lambda word: (len(places[word]), word))


class Several:
    """A `Recall` over several ones: a session of any of them can supersede one of another.

    Where several know a session or an agent, the first one is believed. So it is with a deliberation that
    two of them keep under different names: on the same ground, at nearly the same time.

    Args:
        recalls: where past deliberations are kept.
    """

    def __init__(self, recalls: Sequence[Recall]) -> None:
        self._recalls = recalls
        self._found_by: dict[str, Recall] = {}

    def candidates(self, terms: Sequence[str], limit: int) -> Sequence[Candidate]:
        """See `Recall.candidates`; the limit holds for each of them."""
        found: list[Candidate] = []
        for recall in self._recalls:
            new = [one for one in recall.candidates(terms, limit) if not _is_kept_in(found, one)]
            self._found_by.update((one.id, recall) for one in new)
            found += new
        return found

    def newer(self, than: Candidate, limit: int) -> Sequence[Candidate]:
        """See `Recall.newer`; the limit holds for each of them."""
        return [
            one
            for recall in self._recalls
            for one in recall.newer(than, limit)
            if recall is self._found_by.get(than.id) or not _is_kept_in([than], one)
        ]

    def sessions(self, ids: Sequence[str]) -> Mapping[str, Session]:
        """See `Recall.sessions`."""
        return self._of_first([recall.sessions(ids) for recall in self._recalls])

    def reputations(self, agents: Collection[str]) -> Mapping[str, Reputation]:
        """See `Recall.reputations`."""
        return self._of_first([recall.reputations(agents) for recall in self._recalls])

    @staticmethod
    def _of_first(known: Sequence[Mapping[str, Known]]) -> Mapping[str, Known]:
        return {name: one for some in reversed(known) for name, one in some.items()}


def _is_kept_in(others: Iterable[Candidate], one: Candidate) -> bool:
    """Tell whether one of the others is the same deliberation, which another place has kept as well."""
    return any(other.id == one.id or _is_twin(other, one) for other in others)


def _is_twin(first: Candidate, second: Candidate) -> bool:
    if first.time is None or second.time is None or abs(first.time - second.time) > _NEARLY:
        return False
    return is_same(first.ground, second.ground)


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
