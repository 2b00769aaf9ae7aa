"""Whether the models' aggregates are what the records say.

Agents round, and keep fewer fields than we do: a rounded number is right, and a field that is not there is
only missed where nothing else tells it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.learning.discrepancy import Discrepancy
from council_vault.learning.performance import BEST_UP_TO, WORST_FROM, recomputed
from council_vault.learning.tallies import Tally, tallies
from council_vault.memory.schema import Archived, ModelPerformance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from council_vault.memory.schema import Memory

    Aggregates = Mapping[str, Any]

_PERFORMANCE = "model_performance"
_COUNTS = ("deliberations_participated", "chairman_selections", "self_preference_count")
_NEEDED = ("avg_rank", "category_ranks")
_RANKS, _RATES = 0.05, 0.005  # by how much rounding changes them
_ROUNDED = {"avg_rank": _RANKS, "win_rate": _RATES, "self_preference_rate": _RATES}
_BOUNDS = {"best_categories": BEST_UP_TO, "worst_categories": WORST_FROM}
_HAIR = 1e-9
_NO_DELIBERATION: Aggregates = msgspec.to_builtins(ModelPerformance(self_preference_tested=0))


def check_models(memory: Memory, stored: Mapping[str, Any], *, complete: bool) -> Iterator[Discrepancy]:
    """Check each model's aggregates.

    Args:
        memory: what was understood.
        stored: what stands at ``model_performance`` in the file.
        complete: whether every record is in the file or counted in ``archived``. Where some were removed
            otherwise, only what the present ones show at least is known.
    """
    right = _recomputed(memory) if complete else None
    shown = right if right is not None else _recomputed(_present(memory)) or {}
    for model in dict.fromkeys((*stored, *shown)):
        expected = shown.get(model, _NO_DELIBERATION)
        aggregates = memory.model_performance.get(model)
        if aggregates is not None:
            found = msgspec.to_builtins(aggregates)
            if right is None:
                expected = _at_least(found, expected)
            yield from _differences(model, found, expected)
        elif stored.get(model) is None:
            what = f"missing, and the records count {expected['deliberations_participated']} of its councils"
            yield Discrepancy(path=(_PERFORMANCE, model), what=what, right=expected)


def _present(memory: Memory) -> Memory:
    """Return the memory as if there never had been more than the records in the file."""
    return msgspec.structs.replace(memory, archived=Archived())


def _recomputed(memory: Memory) -> dict[str, dict[str, Any]] | None:
    """Return every model's aggregates; what is stored of tests counts only where it is possible."""
    known = tallies(memory)
    plausible = {
        model: one if _possible(one, known.get(model, Tally())) else ModelPerformance()
        for model, one in memory.model_performance.items()
    }
    return recomputed(msgspec.structs.replace(memory, model_performance=plausible))


def _possible(stored: ModelPerformance, tally: Tally) -> bool:
    tests = stored.self_preference_tested
    return tests is None or tally.biased <= tests <= tally.councils


def _at_least(found: Aggregates, shown: Aggregates) -> Aggregates:
    """Return aggregates that the records at hand do not contradict, and that follow from each other."""
    known = {**found, **{field: max(found[field], shown[field]) for field in _COUNTS}}
    ranked = sum(known["category_counts"].values())
    councils = max(known["deliberations_participated"], known["chairman_selections"], ranked)
    known["deliberations_participated"], tests = councils, known["self_preference_tested"]
    for field in _NEEDED:
        known[field] = known[field] or shown[field]
    ranks = known["category_ranks"]
    return {
        **known,
        "win_rate": _ratio(known["chairman_selections"], councils),
        "self_preference_rate": _ratio(known["self_preference_count"], councils if tests is None else tests),
        "best_categories": sorted(name for name, rank in ranks.items() if rank <= BEST_UP_TO),
        "worst_categories": sorted(name for name, rank in ranks.items() if rank >= WORST_FROM),
    }


def _differences(model: str, found: Aggregates, expected: Aggregates) -> Iterator[Discrepancy]:
    for field, right in expected.items():
        value = found[field]
        if value in (None, {}, []) and (field not in _NEEDED or not right):
            continue
        if not _agrees(field, value, right, found):
            what = f"{_in_words(value, right)} stands there, and the records say {_in_words(right, value)}"
            yield Discrepancy(path=(_PERFORMANCE, model, field), what=what, right=right)


def _agrees(field: str, value: Any, right: Any, found: Aggregates) -> bool:  # noqa: ANN401 (any JSON value)
    """Tell whether a value is what it should be, or that rounded."""
    if field in _ROUNDED:
        return _alike(value, right, _ROUNDED[field]) or (
            field == "self_preference_rate" and _of_all(value, found)
        )
    if field == "category_ranks":
        same = value.keys() == right.keys()
        return same and all(_alike(value[name], right[name], _RANKS) for name in right)
    if field == "rank_square_sum":
        return _alike(value, right, 1e-6 * max(1.0, abs(value)))
    if field in _BOUNDS:  # a rank that is rounded to the bound may be within it or not
        ranks = found["category_ranks"]
        return all(_alike(ranks.get(name), _BOUNDS[field], _RANKS) for name in set(value) ^ set(right))
    return bool(value == right)


def _of_all(rate: float, found: Aggregates) -> bool:
    """Tell whether a rate is one of all deliberations, as agents keep it that do not count tests."""
    of_all = _ratio(found["self_preference_count"], found["deliberations_participated"])
    return found["self_preference_tested"] is None and _alike(rate, of_all, _RATES)


def _alike(value: float | None, right: float | None, rounded: float) -> bool:
    if value is None or right is None:
        return value is right
    return abs(value - right) <= rounded + _HAIR


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if 0 <= part <= whole and whole else None


def _in_words(value: Any, other: Any) -> str:  # noqa: ANN401 (any JSON value)
    """Return a value for a person; of an object, only what differs from another one."""
    if isinstance(value, dict):
        differing = {name: one for name, one in value.items() if one != other.get(name)}
        return ", ".join(f"{name} {_in_words(one, None)}" for name, one in differing.items()) or "none"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "none" if value is None else str(value)
