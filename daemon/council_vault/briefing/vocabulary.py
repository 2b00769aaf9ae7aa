"""The words that texts are compared by, and how to show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.learning.words import named_terms

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAIR = 2


def read_together(words: Iterable[str]) -> list[str]:
    """Return words, in their order, with pairs of characters that overlap as the text that they stand for.

    Only scripts without spaces, and Korean, have words of two characters: ``数据``, ``据库`` is ``数据库``.
    """
    together: list[str] = []
    before = ""
    for word in words:
        if len(word) == _PAIR == len(before) and before[-1] == word[0]:
            together[-1] += word[1]
        else:
            together.append(word)
        before = word
    return together


def vocabulary(text: str) -> dict[str, str]:
    """Return the terms of a text, each once, in order, with the word that it stands for there."""
    shown: dict[str, str] = {}
    for term, word in named_terms(text):
        shown.setdefault(term, word)
    return shown
