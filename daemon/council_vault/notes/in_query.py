"""Which names stand in a question, as whole words."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from council_vault.learning.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping

_Named = TypeVar("_Named")


def named_in(query: str, named: Mapping[str, _Named]) -> list[_Named]:
    """Return what is named in a question, in the order in which it is.

    Case, punctuation, hyphens and an English genitive make no difference. A name that is a part of a longer
    one, in the same place, does not count.

    Args:
        query: the question.
        named: what may be named, by its name.
    """
    asked = _words(query)
    found: dict[int, tuple[int, str]] = {}
    for name in sorted(named):
        sought = _words(name)
        for start in range(len(asked) - len(sought) + 1 if sought else 0):
            if asked[start : start + len(sought)] == sought:
                found[start] = max(found.get(start, (0, "")), (start + len(sought), name))
    spans: list[str] = []
    reached = 0
    for _, (end, name) in sorted(found.items()):
        if end > reached:
            spans.append(name)
            reached = end
    return [named[name] for name in dict.fromkeys(spans)]


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in words(text)]
