"""Self-preference: a reviewer's own place against its rank."""

from __future__ import annotations

import pytest

from council_vault.learning.ballots import read_ballot
from council_vault.learning.bias import self_preference

RANKS = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}


def found_for(reviewer: str, order: str, rankings: dict[str, float]) -> tuple[bool, bool]:
    found = self_preference({reviewer: read_ballot(list(order), "x")}, rankings)
    assert found.detected <= found.tested <= {reviewer}
    return reviewer in found.tested, reviewer in found.detected


@pytest.mark.parametrize(
    ("reviewer", "order", "tested", "detected"),
    [
        ("d", "dabc", True, True),  # first, ranked fourth
        ("d", "adbc", True, True),  # second, ranked fourth: two better
        ("d", "abdc", True, False),  # one better
        ("d", "abcd", True, False),
        ("a", "bcda", True, False),  # too modest
        ("c", "cabd", True, True),
        ("b", "bacd", True, False),
        ("d", "abc", False, False),  # left itself out
        ("z", "zabc", False, False),  # no member
        ("d", "d", False, False),  # a list of one puts nothing in order
        ("d", "xdabc", True, True),  # places close up
        ("d", "xyzda", True, True),
    ],
)
def test_two_places_better_than_the_rank(reviewer: str, order: str, tested: bool, detected: bool) -> None:
    assert found_for(reviewer, order, RANKS) == (tested, detected)


@pytest.mark.parametrize(("rank", "detected"), [(2.9, False), (3.0, True), (3.4, True)])
def test_fractional_ranks(rank: float, detected: bool) -> None:
    assert found_for("c", "cab", {"a": 1.2, "b": 1.4, "c": rank}) == (True, detected)


def test_who_ties_all_answers_prefers_none() -> None:
    ballot = read_ballot([{"model": model, "rank": 1} for model in "abcd"], "x")
    assert self_preference({"d": ballot}, RANKS).detected == frozenset()


def test_without_ranks_or_ballots_nobody_is_tested() -> None:
    assert self_preference({}, RANKS) == (frozenset(), frozenset())
    assert self_preference({"a": read_ballot(["a", "b"], "x")}, {}) == (frozenset(), frozenset())
