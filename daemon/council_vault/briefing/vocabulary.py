"""The words that texts are compared by, and how to show them."""

from __future__ import annotations

from council_vault.learning.words import named_terms


def vocabulary(text: str) -> dict[str, str]:
    """Return the terms of a text, each once, in order, with the word that it stands for there."""
    shown: dict[str, str] = {}
    for term, word in named_terms(text):
        shown.setdefault(term, word)
    return shown
