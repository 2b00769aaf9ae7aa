"""The words that texts are compared by, and how to show them."""

from __future__ import annotations

from council_vault.learning.words import content_words, terms, words

_SHORTEST = 3


def vocabulary(text: str) -> dict[str, str]:
    """Return the terms of a text, each once, in order, with the word that it stands for there."""
    shown: dict[str, str] = {}
    for word in content_words(text):
        for term in terms(word):
            shown.setdefault(term, word.casefold())
    return {term: shown.get(term, term) for term in terms(text)}


def ground(directive: str) -> frozenset[str]:
    """Return what tells the ground that a directive stands on: its words of more than two characters.

    Scripts without spaces have pairs of characters in their place.
    """
    long = [word for word in words(directive) if len(word) >= _SHORTEST]
    return frozenset(long or terms(directive))
