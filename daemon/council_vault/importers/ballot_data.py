"""Ballots that are data: lists of labels, lists of objects with ranks, and JSON in the middle of prose."""

from __future__ import annotations

import json
import re
from operator import itemgetter
from typing import TYPE_CHECKING

from council_vault.memory.numbers import number_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAMES = ("response", "label", "model", "answer", "id", "name")
_RANKS = ("rank", "position", "place", "ranking")
_OPENING = re.compile(r"[\[{](?=\s*[\"\[{])")
_OPENINGS_TRIED = 200  # the ballot is at the end; before it may stand code without end
_DEEPEST = 3


def order_in(value: object) -> list[str]:
    """Return the labels of a ballot, best first; nothing where the value is no ballot.

    Understood are ``["B", "A"]``, ``[{"response": "B", "rank": 1}, …]``, ``{"A": 2, "B": 1}``, and any of
    them under a key that speaks of ranking.
    """
    return _order(value, _DEEPEST)


def order_in_prose(text: str, is_label: Callable[[str], bool]) -> list[str]:
    """Return the labels of the last JSON in a text that is a ballot; nothing where there is none."""
    found: list[str] = []
    for value in _json_values(text):
        order = order_in(value)
        if any(map(is_label, order)):
            found = order
    return found


def _order(value: object, depth: int) -> list[str]:
    if not depth:
        return []
    if isinstance(value, list):
        if value and all(isinstance(one, str) for one in value):
            return value
        return _by_rank([_entry(one) for one in value])
    if not isinstance(value, dict):
        return []
    for key, inner in value.items():
        if "rank" in key.casefold() and (found := _order(inner, depth - 1)):
            return found
    return _by_rank([(name, number_in(rank)) for name, rank in value.items()])


def _entry(value: object) -> tuple[str | None, float | None]:
    """Return the label and the rank that an object gives."""
    if not isinstance(value, dict):
        return None, None
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    return name, next((number_in(value[key]) for key in _RANKS if key in value), None)


def _by_rank(entries: list[tuple[str | None, float | None]]) -> list[str]:
    """Return the names by rank, if every entry has both."""
    ranked = [(rank, name) for name, rank in entries if name is not None and rank is not None]
    if len(ranked) < len(entries):
        return []
    return [name for _, name in sorted(ranked, key=itemgetter(0))]


def _json_values(text: str) -> Iterator[object]:
    decoder = json.JSONDecoder()
    end = 0
    for opening in list(_OPENING.finditer(text))[-_OPENINGS_TRIED:]:
        if opening.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):  # no JSON, or some that is nested without end
            continue
        yield value
