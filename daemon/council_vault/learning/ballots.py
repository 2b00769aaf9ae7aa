"""What the reviewers' ballots say: ranks, how far the answers are apart, and how far the reviewers agree.

A ballot is one reviewer's list of the answers, best first. Reviewers may tie answers, leave some out (many
leave out their own), and name some that do not exist.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby

from council_vault.errors import InputError
from council_vault.learning.input_values import model_id, number, refused

Ballot = Mapping[str, float]
"""One reviewer's list: the place of each model, 1 the best. Tied models share the mean of their places."""

STRONG_BELOW = 0.5
MODERATE_TO = 1.0
WEAK_TO = 1.5

_SHAPES = 'a list of models, best first, or of {"model", "rank"}'
_ORDERED = 2  # a shorter list puts nothing in order
_COMPARED = 2  # fewer ballots can neither agree nor disagree
_rank = number(-math.inf, math.inf, "a rank")


def read_ballot(raw: object, where: str) -> Ballot:
    """Read one reviewer's list as it was given.

    Args:
        raw: models, best first; or objects with ``model`` (or ``response``) and ``rank``, in any order, of
            which those without a rank do not count. A model that is named again keeps its first place.
        where: the field it stands in, for the error.

    Raises:
        InputError: it is neither; ``where`` is the field or entry.
    """
    if not isinstance(raw, list):
        raise refused(_SHAPES, raw, where)
    ranks: dict[str, float] = {}
    by_rank = bool(raw) and isinstance(raw[0], dict)
    for index, entry in enumerate(raw):
        place = f"{where}[{index}]"
        if by_rank:
            model, rank = _ranked(entry, place)
        else:
            model, rank = model_id(entry, place), index
        if rank is not None:
            ranks.setdefault(model, rank)
    return _places(ranks, ranks)


def _ranked(entry: object, where: str) -> tuple[str, float | None]:
    if not isinstance(entry, dict):
        raise refused('an object with "model" and "rank"', entry, where)
    name = "model" if entry.get("model") is not None else "response"
    model = model_id(entry.get(name), f"{where}.{name}")
    if "rank" not in entry:
        raise InputError("missing", where=f"{where}.rank", remedy=f"Give {_SHAPES}")
    return model, None if entry["rank"] is None else _rank(entry["rank"], f"{where}.rank")


def among(ballots: Mapping[str, Ballot], members: Collection[str]) -> dict[str, Ballot]:
    """Return the ballots as they order the members: other models are left out and the places closed up.

    A ballot that names fewer than two of them puts nothing in order and is left out itself.
    """
    closed = {reviewer: _places(ballot, members) for reviewer, ballot in ballots.items()}
    return {reviewer: ballot for reviewer, ballot in closed.items() if len(ballot) >= _ORDERED}


def mean_positions(ballots: Mapping[str, Ballot], members: Collection[str]) -> dict[str, float]:
    """Return the mean place of each member over the ballots that name it; no place where none does.

    A reviewer that leaves out only its own answer has one place less to give, which would move up all the
    others: its list is stretched to the full length, ``1 + (place - 1) × (n - 1) / (n - 2)``. Reviewers that
    agree on an order then give exactly the means 1, 2, …, n, whether or not they leave out their own answers.
    """
    means = _means(_full_length(among(ballots, members)))
    return {model: means[model] for model in members if model in means}


def ranks(positions: Mapping[str, float]) -> dict[str, int]:
    """Return the rank of each model by its mean place, best first; ties share the best rank (1, 2, 2, 4)."""
    order = sorted(positions, key=lambda model: _exact(positions[model]))
    result: dict[str, int] = {}
    for _, tied in groupby(order, key=lambda model: _exact(positions[model])):
        result |= dict.fromkeys(tied, len(result) + 1)
    return result


def ballot_spread(ballots: Mapping[str, Ballot], members: Collection[str]) -> float | None:
    """Return how far the ballots put the answers apart: 0 not at all, 1 as far as such ballots can.

    It is the standard deviation of the mean places, divided by the one that ballots over the same answers
    give when all keep to one order. Where each names all answers, or all but its reviewer's own, any order
    gives √((n² - 1) / 12), and no ballots give more: agreement is 1. Where they name different ones, the
    order is by c / d, with c the distance of a mean place from the middle and d the number of ballots that
    name the answer. That makes ``c · means`` as large as it can be, and so at least ``c · c``: never above 1.

    ``None`` with fewer than two ballots: a single one says nothing about agreement.
    """
    closed = among(ballots, members)
    if len(closed) < _COMPARED:
        return None
    means = _means(_full_length(closed))
    middle = math.fsum(means.values()) / len(means)
    named = {model: sum(model in ballot for ballot in closed.values()) for model in means}
    order = sorted(means, key=lambda model: (means[model] - middle) / named[model])
    agreed = {model: float(place) for place, model in enumerate(order)}
    largest = _means(_full_length({reviewer: _places(agreed, one) for reviewer, one in closed.items()}))
    return _exact(_deviation(means.values()) / _deviation(largest.values()))


def consensus_level(ballots: Mapping[str, Ballot]) -> str | None:
    """Return how far the reviewers agree: ``strong``, ``moderate``, ``weak`` or ``split``.

    By the mean over the answers of the standard deviation of their places: strong below 0.5, moderate to 1.0,
    weak to 1.5, split above. ``None`` where no two reviewers have placed the same answer.
    """
    places = _by_model(ballots)
    apart = [_deviation(given) for given in places.values() if len(given) >= _COMPARED]
    if not apart:
        return None
    mean = _exact(math.fsum(apart) / len(apart))
    if mean < STRONG_BELOW:
        return "strong"
    if mean <= MODERATE_TO:
        return "moderate"
    return "weak" if mean <= WEAK_TO else "split"


def confidence(spread: float) -> float:
    """Return the confidence in a result whose ranking spread is known: 0.35 + 0.6 × spread, 0.35..0.95."""
    return 0.35 + 0.6 * spread


def _places(ranked: Mapping[str, float], models: Collection[str]) -> dict[str, float]:
    """Return the places 1, 2, … of the models that are ranked; tied ones share the mean of their places."""
    order = sorted((model for model in ranked if model in models), key=lambda model: ranked[model])
    result: dict[str, float] = {}
    for _, group in groupby(order, key=lambda model: ranked[model]):
        tied = list(group)
        result |= dict.fromkeys(tied, len(result) + (len(tied) + 1) / 2)
    return result


def _full_length(ballots: Mapping[str, Ballot]) -> dict[str, Ballot]:
    """Stretch the ballots that leave out nothing but their reviewer's own answer to all places."""
    every = set().union(*ballots.values())
    result: dict[str, Ballot] = {}
    for reviewer, ballot in ballots.items():
        missing = every.difference(ballot)
        step = (len(every) - 1) / (len(ballot) - 1) if missing == {reviewer} else 1
        result[reviewer] = {model: 1 + (place - 1) * step for model, place in ballot.items()}
    return result


def _by_model(ballots: Mapping[str, Ballot]) -> Mapping[str, list[float]]:
    places = defaultdict(list)
    for ballot in ballots.values():
        for model, place in ballot.items():
            places[model].append(place)
    return places


def _means(ballots: Mapping[str, Ballot]) -> dict[str, float]:
    return {model: math.fsum(given) / len(given) for model, given in _by_model(ballots).items()}


def _deviation(numbers: Iterable[float]) -> float:
    """Return the population standard deviation."""
    known = list(numbers)
    mean = math.fsum(known) / len(known)
    return math.sqrt(math.fsum((number - mean) ** 2 for number in known) / len(known))


def _exact(number: float) -> float:
    """Drop what arithmetic has added, so that equal means are equal."""
    return round(number, 9)
