"""What the note on model performance says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from council_vault.learning import stats
from council_vault.learning.standings import (
    CATEGORY_RANKED_FROM,
    RANKED_FROM,
    Standing,
    category_samples,
    joint_error,
    standings,
)
from council_vault.notes import categories
from council_vault.notes.cells import UNKNOWN, plain
from council_vault.notes.charts import bar_chart
from council_vault.notes.figures import decimal, percent, plural
from council_vault.notes.model_names import model_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from council_vault.memory.schema import Memory

_FEWEST_RANKED = 2
_MOST_ROWS = 12
_MOST_CATEGORIES = 20
_BIASED_ABOVE = 0.15
_BIAS_DETECTIONS = 2

_LEADERBOARD = ("Model", "Rank", "n", "Chaired", "Self-pref")
_PLAIN = ("Model", "Rank", "n", "Self-pref")
_STRENGTHS = ("Category", "n", "Best", "Weakest")


def variables(memory: Memory, *, charts: bool) -> dict[str, object]:
    """Return the variables of the note's template; what each is stands at the template's top."""
    every = standings(memory)
    names = model_names([standing.model for standing in every])
    ranked = [standing for standing in every if standing.rankable]
    early = len(ranked) < _FEWEST_RANKED
    leaders = [] if early else ranked[:_MOST_ROWS]
    others = sorted((standing for standing in every if standing not in leaders), key=_fold_order)
    listed = others[:_MOST_ROWS] if early else []
    folded = others[len(listed) :]
    strengths, left_out = _strengths(memory, [] if early else ranked, names)
    return {
        "finding": _finding(memory, every, ranked, names),
        "facts": _facts(memory, every, ranked, names),
        "leaderboard": _leaderboard(leaders, names),
        "chart": _chart(leaders, names) if charts else "",
        "strengths": strengths,
        "strengths_left_out": left_out,
        "early": _plain(listed, names),
        "others": _plain(folded, names),
        "others_title": _others_title(folded),
        "ranked_from": RANKED_FROM,
        "category_ranked_from": CATEGORY_RANKED_FROM,
    }


def _finding(
    memory: Memory, every: Sequence[Standing], ranked: Sequence[Standing], names: Mapping[str, str]
) -> str:
    if not every:
        return "No models yet" if memory.total else "No deliberations yet"
    if len(ranked) < _FEWEST_RANKED:
        return "Too early to rank"
    first, second = ranked[:2]
    if _too_close(first, second):
        return f"Too close to call between {names[first.model]} and {names[second.model]}"
    return f"{names[first.model]} leads with an average rank of {decimal(first.rank, 1)}"


def _too_close(first: Standing, second: Standing) -> bool:
    """Whether the difference could be chance: smaller than its own error, or none at all."""
    difference = (second.rank or 0.0) - (first.rank or 0.0)
    return difference == 0 or difference < joint_error(first, second)


def _facts(
    memory: Memory, every: Sequence[Standing], ranked: Sequence[Standing], names: Mapping[str, str]
) -> list[str]:
    if not every:
        return [f"Models appear here with the first deliberation, and are ranked from {RANKED_FROM} on"]
    facts = [_scope(stats.totals(memory), len(every))]
    if len(ranked) < _FEWEST_RANKED:
        so_far = f"so far only {names[ranked[0].model]}" if ranked else "so far none"
        facts.append(f"A model is ranked from {RANKED_FROM} deliberations on; {so_far}")
        return facts
    first, second = ranked[:2]
    if _too_close(first, second):
        facts.append(f"{_place(first, names)}, {_place(second, names)}: the difference may be chance")
    else:
        facts.append(f"{names[second.model]} follows at {decimal(second.rank, 1)}")
    return facts


def _scope(totals: stats.Totals, models: int) -> str:
    scope = (
        f"**{totals.count}** {plural(totals.count, 'deliberation')}, **{models}** {plural(models, 'model')}"
    )
    if totals.first_day is None or totals.last_day is None:
        return scope
    if totals.first_day == totals.last_day:
        return f"{scope}, {totals.last_day}"
    return f"{scope}, {totals.first_day} to {totals.last_day}"


def _place(standing: Standing, names: Mapping[str, str]) -> str:
    return f"{names[standing.model]} {_rank(standing)}"


def _rank(standing: Standing) -> str:
    """The average rank and its error; a small error gets the digits to be seen at all."""
    rank = decimal(standing.rank, 1)
    if standing.rank is None or standing.error is None:
        return rank
    digits = 2 if decimal(standing.error, 1) == "0.0" and standing.error > 0 else 1
    return f"{rank} ±{decimal(standing.error, digits)}"


def _leaderboard(leaders: Sequence[Standing], names: Mapping[str, str]) -> list[Sequence[str]]:
    rows = [
        (
            names[standing.model],
            _rank(standing),
            str(standing.deliberations),
            _chaired(standing),
            _self_preference(standing),
        )
        for standing in leaders
    ]
    return [_LEADERBOARD, *rows] if rows else []


def _plain(models: Sequence[Standing], names: Mapping[str, str]) -> list[Sequence[str]]:
    rows = [
        (
            names[standing.model],
            _rank(standing),
            str(standing.deliberations),
            _self_preference(standing),
        )
        for standing in models
    ]
    return [_PLAIN, *rows] if rows else []


def _chaired(standing: Standing) -> str:
    if standing.win_rate is None:
        return str(standing.chaired)
    return f"{standing.chaired} ({percent(standing.win_rate)})"


def _self_preference(standing: Standing) -> str:
    rate = standing.self_preference
    suspicious = (
        rate is not None
        and rate > _BIASED_ABOVE
        and standing.deliberations >= RANKED_FROM
        and standing.self_preference_count >= _BIAS_DETECTIONS
    )
    return f"⚠️ {percent(rate)}" if suspicious else percent(rate)


def _chart(leaders: Sequence[Standing], names: Mapping[str, str]) -> str:
    bars = [
        (plain(names[standing.model]), standing.outranked * 100)
        for standing in leaders
        if standing.outranked is not None
    ]
    return bar_chart(bars, axis="% of the other answers ranked below", top=105, digits=0)


def _strengths(
    memory: Memory, ranked: Sequence[Standing], names: Mapping[str, str]
) -> tuple[list[Sequence[str]], int]:
    """The best and the weakest model of each category, and how many categories there was no room for."""
    contenders: dict[str, list[tuple[float, int, str]]] = {}
    for standing in ranked:
        for category, place in standing.categories.items():
            count = place.count or 0
            if count >= CATEGORY_RANKED_FROM:
                contenders.setdefault(category, []).append((place.rank, -count, standing.model))
    if not contenders:
        return [], 0
    samples = category_samples(memory, ranked)
    largest = sorted(samples, key=lambda category: (-samples[category], categories.title(category)))
    shown = sorted(largest[:_MOST_CATEGORIES], key=lambda category: category == categories.OTHER)
    rows: list[Sequence[str]] = [_STRENGTHS]
    for category in shown:
        places = sorted(contenders.get(category, ()))
        best = _named(places[0], names) if places else UNKNOWN
        weakest = _named(places[-1], names) if len(places) > 1 else UNKNOWN
        rows.append((categories.title(category), str(samples[category]), best, weakest))
    return rows, len(samples) - len(shown)


def _named(place: tuple[float, int, str], names: Mapping[str, str]) -> str:
    rank, _, model = place
    return f"{names[model]} ({decimal(rank, 1)})"


def _fold_order(standing: Standing) -> tuple[bool, float, float, str]:
    """Ranked models go on in their order; below them those with the most deliberations first."""
    rank = math.inf if standing.rank is None else standing.rank
    if standing.rankable:
        return False, rank, -standing.deliberations, standing.model
    return True, -standing.deliberations, rank, standing.model


def _others_title(others: Sequence[Standing]) -> str:
    few = sum(standing.deliberations < RANKED_FROM for standing in others)
    title = f"{len(others)} more {plural(len(others), 'model')}"
    if few * 2 <= len(others):
        return title
    which = "with" if len(others) == 1 else "most with"
    return f"{title}, {which} fewer than {RANKED_FROM} deliberations"
