"""Which models a council should be made of, from how their answers have ranked."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.groups import by_category
from council_vault.learning.prices import LARGE
from council_vault.learning.standings import CATEGORY_RANKED_FROM, RANKED_FROM, standings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from council_vault.learning.standings import Standing
    from council_vault.memory.schema import Deliberation, Memory

EXCLUDED_FROM = 3.5
CHAIRMAN_UP_TO = 1.3
FEWEST = 3
SELF_PREFERENCE_ABOVE = 0.2

_MIDDLE = 2.5
_USUAL_COUNCIL = 4  # in which a rank is its own place on the scale
_DETECTIONS = 2  # fewer are chance


class BiasWarning(msgspec.Struct, frozen=True):
    """A reviewer that favours its own answers: how often, 0..1, and in how many of how many reviews."""

    model: str
    self_preference_rate: float
    detected: int
    tested: int


class Roster(msgspec.Struct, frozen=True, kw_only=True):
    """The models for a question: the recommended ones best first, those left out worst first."""

    models: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    chairman: str | None = None


class _Candidate(msgspec.Struct, frozen=True):
    """A model with its place, 1 best to 4 worst; ``tried`` is whether this is its place in the category."""

    model: str
    place: float
    tried: bool = False


def roster(memory: Memory, category: str, configured: Sequence[str]) -> Roster:
    """Choose the models for a question of a category.

    Out of those that are configured, else the six best of those that have taken part. Models at place 3.5 or
    worse in the category are left out, as long as three stay. A model that has been ranked fewer than three
    times there has the place of all its ranks; one that has hardly been ranked at all stands in the middle.
    """
    known = {standing.model: standing for standing in standings(memory)}
    pool = [model for model in dict.fromkeys(configured or (*known, *_answering(memory))) if model.strip()]
    here, everywhere = _sizes(memory, category)
    candidates = sorted(
        (_candidate(model, known.get(model), category, here, everywhere) for model in pool),
        key=lambda candidate: candidate.place,
    )
    poor = [one for one in reversed(candidates) if one.tried and one.place >= EXCLUDED_FROM]
    excluded = tuple(one.model for one in poor[: max(0, len(candidates) - FEWEST)])
    chosen = [one for one in candidates if one.model not in excluded][: None if configured else LARGE]
    return Roster(
        models=tuple(one.model for one in chosen),
        excluded=excluded,
        chairman=next((one.model for one in chosen if one.tried and one.place <= CHAIRMAN_UP_TO), None),
    )


def bias_warnings(memory: Memory, models: Iterable[str]) -> tuple[BiasWarning, ...]:
    """Return which of these models put their own answers above where the others rank them.

    In more than a fifth of at least five reviews, and more than once.
    """
    known = {standing.model: standing for standing in standings(memory)}
    found = (_bias(memory, known[model]) for model in models if model in known)
    return tuple(warning for warning in found if warning is not None)


def _bias(memory: Memory, standing: Standing) -> BiasWarning | None:
    stored = memory.model_performance.get(standing.model)
    tested = stored.self_preference_tested if stored else None
    if tested is None:  # agents count each deliberation as a test
        tested = standing.ranked or standing.deliberations
    rate, detected = standing.self_preference, standing.self_preference_count
    if rate is None or rate <= SELF_PREFERENCE_ABOVE or tested < RANKED_FROM or detected < _DETECTIONS:
        return None
    return BiasWarning(standing.model, rate, detected, tested)


def _answering(memory: Memory) -> list[str]:
    """Return the models that have answered alone, in the order in which they first did."""
    groups = by_category(memory).values()
    return [model for group in groups for record in group.answers for model in record.models_used]


def _candidate(
    model: str,
    standing: Standing | None,
    category: str,
    here: Mapping[str, float],
    everywhere: Mapping[str, float],
) -> _Candidate:
    if standing is not None:
        own = standing.categories.get(category)
        if own is not None and (own.count is None or own.count >= CATEGORY_RANKED_FROM):
            return _Candidate(model, place(own.rank, here.get(model, _USUAL_COUNCIL)), tried=True)
        if standing.rank is not None and standing.ranked >= RANKED_FROM:
            return _Candidate(model, place(standing.rank, everywhere.get(model, _USUAL_COUNCIL)))
    return _Candidate(model, _MIDDLE)


def place(rank: float, answers: float) -> float:
    """Return a mean rank among so many answers on a scale from 1, the best, to 4, the worst.

    1 + 3 × (rank − 1) / (answers − 1), so that councils of different sizes can be compared.
    """
    if answers <= 1:
        return _MIDDLE
    return min(4.0, max(1.0, round(1 + 3 * (rank - 1) / (answers - 1), 9)))


def _sizes(memory: Memory, category: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return among how many answers each model was ranked, on average: in a category, and in all of them."""
    groups = by_category(memory)
    here = groups[category].councils if category in groups else ()
    return _ranked(here), _ranked(record for group in groups.values() for record in group.councils)


def _ranked(councils: Iterable[Deliberation]) -> dict[str, float]:
    sums: defaultdict[str, list[int]] = defaultdict(list)
    for record in councils:
        for model in record.rankings:
            sums[model].append(len(record.rankings))
    return {model: sum(sizes) / len(sizes) for model, sizes in sums.items()}
