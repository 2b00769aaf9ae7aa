"""Which deliberations prompts are best tried on: ``stats optimization --benchmarks``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.groups import by_category
from council_vault.learning.history import Recent, newest_first, seen
from council_vault.learning.stats import RATINGS
from council_vault.learning.summary import categories
from council_vault.memory.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from council_vault.memory.schema import Deliberation, Memory

FEWEST = 3
MOST = 5
_CATEGORIES = 3
_WANTED = ("positive", "negative")


class Benchmarks(msgspec.Struct, frozen=True, kw_only=True):
    """The feed of ``stats optimization --benchmarks --json``.

    Attributes:
        schema: which feed this is, and its version; it changes when a key goes or means something else.
        as_of: when it was made, in UTC.
        benchmarks: at most 5 rated deliberations of the three largest categories, newest first; their fields
            are those of the history.
        lacking: what is missing to 3 of them, one positive and one negative among them; empty if nothing is.
    """

    schema: str = "council-vault/benchmarks/1"
    as_of: str
    benchmarks: tuple[Recent, ...]
    lacking: tuple[str, ...]


def benchmarks(memory: Memory, now: datetime) -> Benchmarks:
    """Choose rated deliberations of the three largest categories, a positive and a negative one first.

    The same memory gives the same choice: always the newest that fits, those that say what was asked before
    those that do not, and each category as often as the others. Single-model answers are not taken: their
    ratings say nothing about the council's prompts.
    """
    largest = [one.category for one in categories(memory)[:_CATEGORIES]]
    chosen = _chosen(_candidates(memory, largest), largest)
    return Benchmarks(
        as_of=stamp(now),
        benchmarks=tuple(map(seen, newest_first(chosen))),
        lacking=tuple(_lacking(chosen)),
    )


def _candidates(memory: Memory, largest: Sequence[str]) -> list[Deliberation]:
    groups = by_category(memory)
    councils = [record for category in largest if category in groups for record in groups[category].councils]
    rated = [record for record in councils if record.id is not None and record.user_rating in RATINGS]
    return sorted(newest_first(rated), key=lambda record: not record.query_summary)


def _chosen(candidates: list[Deliberation], largest: Sequence[str]) -> list[Deliberation]:
    chosen: list[Deliberation] = []
    for rating in _WANTED:
        fitting = [record for record in candidates if record.user_rating == rating]
        taken = {record.category for record in chosen}
        chosen += sorted(fitting, key=lambda record: record.category in taken)[:1]
    left = [record for record in candidates if record not in chosen]
    while left and len(chosen) < MOST:
        often = Counter(record.category for record in chosen)
        following = min(left, key=lambda record: (often[record.category], largest.index(record.category)))
        left.remove(following)
        chosen.append(following)
    return chosen


def _lacking(chosen: Sequence[Deliberation]) -> Iterator[str]:
    if len(chosen) < FEWEST:
        yield f"{FEWEST} rated deliberations in the three largest categories: there are {len(chosen)}"
    ratings = {record.user_rating for record in chosen}
    yield from (f"one that is rated {rating}" for rating in _WANTED if rating not in ratings)
