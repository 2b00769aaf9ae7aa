"""The ground that a directive stands on: a newer session that stands on it too outdates the older one."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from council_vault.learning.words import terms, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_SHORTEST = 3
_SAME_FROM = 0.6

Ground = frozenset[str]


def ground(directive: str) -> Ground:
    """Return what tells the ground of a directive: its words of more than two characters.

    Scripts without spaces have pairs of characters in their place.
    """
    long = [word for word in words(directive) if len(word) >= _SHORTEST]
    return frozenset(long or terms(directive))


def is_same(first: Ground, second: Ground) -> bool:
    """Tell whether two directives stand on the same ground: their Jaccard index is 0.6 or more."""
    return jaccard(first, second) >= _SAME_FROM


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of all words that two texts have in common, 0..1."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def telling_terms(ground: Iterable[str], rarest_first: Callable[[Sequence[str]], list[str]]) -> list[str]:
    """Return few terms of which every session on the same ground holds one.

    Such a session has at least 60 % of the ground's words. Some of these may be stop words, which are not
    looked for; of the others it holds enough that it cannot do without all of the rarest.

    Args:
        ground: the words.
        rarest_first: orders terms by how many sessions hold them, those that none holds left out.
    """
    stems = {word: terms(word) for word in ground}
    stop_words = sum(not found for found in stems.values())
    shared = max(1, math.ceil(_SAME_FROM * len(stems)) - stop_words)
    spoken_for = Counter(term for found in stems.values() for term in found)
    ordered = rarest_first(sorted(spoken_for))
    fewest = 0
    for count in sorted((spoken_for[term] for term in ordered), reverse=True):
        if shared <= 0:
            break
        shared, fewest = shared - count, fewest + 1
    return ordered[: len(ordered) - fewest + 1] if shared <= 0 else []
