"""The ground that a directive stands on: a newer session that stands on it too outdates the older one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from council_vault.learning.words import is_stop_word, named_terms, words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_SHORTEST = 3
_SAME_FROM = 0.6
_SAYING_FROM = 0.5

Ground = frozenset[str]


def ground(directive: str) -> Ground:
    """Return what tells the ground of a directive: its words of more than two characters.

    Scripts without spaces have pairs of characters in their place.
    """
    long = {word for word in words(directive) if len(word) >= _SHORTEST and not _is_one_letter(word)}
    return frozenset(long | {term for term, word in named_terms(directive) if term == word})


def is_same(first: Ground, second: Ground) -> bool:
    """Tell whether two directives stand on the same ground: their Jaccard index is 0.6 or more.

    Stop words count, but are not enough: "Which database should we use?" is not "Which framework should we
    use?". Of the words that say something, where there are any, the two share at least half.
    """
    if jaccard(first, second) < _SAME_FROM:
        return False
    saying, others = _saying(first), _saying(second)
    return not (saying or others) or jaccard(saying, others) >= _SAYING_FROM


def jaccard(first: frozenset[str], second: Collection[str]) -> float:
    """Return the share of all words that two texts have in common, 0..1; each has a word once."""
    shared = len(first.intersection(second))
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def telling_words(own: Ground, rarest_first: Callable[[Collection[str]], list[str]]) -> list[str]:
    """Return few words of a ground, of which every session on the same ground has one.

    Such a session has at least 60 % of the words, and of those that any session has so many that it cannot do
    without all of the rarest.

    Args:
        own: the ground.
        rarest_first: orders words by how many grounds have them; those that none has are left out.
    """
    known = rarest_first(own)
    without = len(known) - math.ceil(_SAME_FROM * len(own))
    return known[: without + 1] if without >= 0 else []


def _saying(words_: Ground) -> Ground:
    return frozenset(word for word in words_ if not is_stop_word(word))


def _is_one_letter(word: str) -> bool:
    """Tell whether a word is one character with its marks, as in scripts that are written without spaces."""
    return not any(map(str.isalnum, word[1:]))
