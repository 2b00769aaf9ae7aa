"""Where each model stands, and which is best at what, as ``stats models`` shows it."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.standings import CATEGORY_RANKED_FROM, Standing, category_samples, standings
from council_vault.memory.times import stamp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from council_vault.memory.schema import Memory


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One model, its figures named as in the memory file; ``None`` is unknown.

    Rank 1 is best; rates and shares are in 0..1.

    Attributes:
        model: its id.
        ranked: whether there is enough to rank it by.
        deliberations_participated: the councils it was in.
        avg_rank: its mean rank.
        rank_count: over how many deliberations that mean is.
        rank_error: the standard error of that mean.
        chairman_selections: how often it was chairman.
        win_rate: chairman selections over deliberations.
        self_preference_rate: how often it put itself too high; ``None`` where it was never tested.
        self_preference_count: in how many deliberations it did.
        peers_outranked: share of the other answers that its own were ranked above, over the records in the
            file; fair across councils of different sizes.
        category_ranks: its mean rank by category.
        category_counts: over how many deliberations each of these means is.
    """

    model: str
    ranked: bool
    deliberations_participated: int
    avg_rank: float | None
    rank_count: int
    rank_error: float | None
    chairman_selections: int
    win_rate: float | None
    self_preference_rate: float | None
    self_preference_count: int
    peers_outranked: float | None
    category_ranks: Mapping[str, float]
    category_counts: Mapping[str, int | None]


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """The best model of a category.

    Attributes:
        category: the category.
        model: its id.
        avg_rank: its mean rank in that category.
        rank_count: over how many deliberations that mean is.
    """

    category: str
    model: str
    avg_rank: float
    rank_count: int


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """The feed of ``stats models --json``.

    Attributes:
        schema: which feed this is, and its version; it changes when a key goes or means something else.
        as_of: when it was made, in UTC.
        models: every model: those that are ranked first, best rank first, then those with too few
            deliberations, most first.
        best_by_category: the categories that have a best model, those with the most deliberations first.
    """

    schema: str = "council-vault/models/1"
    as_of: str
    models: tuple[Place, ...]
    best_by_category: tuple[Best, ...]


def leaderboard(memory: Memory, now: datetime) -> Leaderboard:
    """Return every model's place and the best model of each category.

    A model is ranked from 5 deliberations on, a category names a best of these from 3 on.
    """
    every = standings(memory)
    ranked = [standing for standing in every if standing.rankable]
    others = sorted(
        (standing for standing in every if not standing.rankable), key=lambda one: -one.deliberations
    )
    return Leaderboard(
        as_of=stamp(now),
        models=tuple(map(_place, (*ranked, *others))),
        best_by_category=_best(memory, ranked),
    )


def _place(standing: Standing) -> Place:
    return Place(
        model=standing.model,
        ranked=standing.rankable,
        deliberations_participated=standing.deliberations,
        avg_rank=standing.rank,
        rank_count=standing.ranked,
        rank_error=standing.error,
        chairman_selections=standing.chaired,
        win_rate=standing.win_rate,
        self_preference_rate=standing.self_preference,
        self_preference_count=standing.self_preference_count,
        peers_outranked=standing.outranked,
        category_ranks={category: place.rank for category, place in standing.categories.items()},
        category_counts={category: place.count for category, place in standing.categories.items()},
    )


def _best(memory: Memory, ranked: Sequence[Standing]) -> tuple[Best, ...]:
    contenders: dict[str, list[tuple[float, int, str]]] = {}
    for standing in ranked:
        for category, place in standing.categories.items():
            if (place.count or 0) >= CATEGORY_RANKED_FROM:
                contenders.setdefault(category, []).append((place.rank, -(place.count or 0), standing.model))
    samples = category_samples(memory, ranked)
    winners = {category: min(places) for category, places in contenders.items()}
    return tuple(
        Best(category=category, model=model, avg_rank=rank, rank_count=-count)
        for category, (rank, count, model) in sorted(
            winners.items(), key=lambda winner: (-samples[winner[0]], winner[0])
        )
    )
