"""Ballots: how they are read, and ranks, spread and consensus against figures worked out by hand."""

from __future__ import annotations

import math
from itertools import permutations, product
from statistics import fmean, pstdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.errors import InputError
from council_vault.learning.ballots import (
    among,
    ballot_spread,
    confidence,
    consensus_level,
    mean_positions,
    ranks,
    read_ballot,
)

ABC = ("a", "b", "c")
ABCD = ("a", "b", "c", "d")


def ballots_of(*lists: str) -> dict[str, dict[str, float]]:
    """Ballots of reviewers A, B, C … from words such as ``bac``; each letter is a model."""
    return {chr(ord("A") + place): dict(read_ballot(list(word), "x")) for place, word in enumerate(lists)}


def own_left_out(*lists: str) -> dict[str, dict[str, float]]:
    """The same, of reviewers a, b, c … that leave out their own answers."""
    return {reviewer.lower(): ballot for reviewer, ballot in ballots_of(*lists).items()}


# Reading


@pytest.mark.parametrize(
    ("raw", "ballot"),
    [
        (["b", "a", "c"], {"b": 1, "a": 2, "c": 3}),
        ([" b ", "a\n"], {"b": 1, "a": 2}),
        (["b", "a", "b", "c"], {"b": 1, "a": 2, "c": 3}),
        ([{"model": "b", "rank": 2}, {"model": "a", "rank": 1}], {"a": 1, "b": 2}),
        ([{"response": "b", "rank": "2"}, {"response": "a", "rank": 1.0}], {"a": 1, "b": 2}),
        ([{"response": "Response B", "model": "b", "rank": 1}, {"model": "a", "rank": 7}], {"b": 1, "a": 2}),
        ([{"model": m, "rank": r} for m, r in (("a", 1), ("b", 2), ("c", 2))], {"a": 1, "b": 2.5, "c": 2.5}),
        ([{"model": m, "rank": r} for m, r in (("a", 3), ("b", 2), ("a", 1))], {"b": 1, "a": 2}),
        ([{"model": "a", "rank": 1}, {"model": "b", "rank": None}], {"a": 1}),
        ([{"model": "a", "rank": 0}, {"model": "b", "rank": -1.5}], {"b": 1, "a": 2}),
        ([], {}),
    ],
)
def test_both_shapes_of_a_ballot(raw: list[object], ballot: dict[str, float]) -> None:
    assert read_ballot(raw, "x") == ballot


@pytest.mark.parametrize(
    ("raw", "where", "what"),
    [
        ("a > b > c", "x", "expected a list of models"),
        ({"a": 1}, "x", "got an object"),
        (["a", 2], "x[1]", "expected a model id"),
        (["a", ""], "x[1]", "got empty text"),
        (["a", {"model": "b", "rank": 2}], "x[1]", "got an object"),
        ([{"model": "a", "rank": 1}, "b"], "x[1]", "expected an object"),
        ([{"model": "a"}], "x[0].rank", "missing"),
        ([{"rank": 1}], "x[0].response", "expected a model id"),
        ([{"model": 5, "rank": 1}], "x[0].model", "expected a model id"),
        ([{"model": "a", "rank": "first"}], "x[0].rank", 'expected a rank, got "first"'),
        ([{"model": "a", "rank": math.nan}], "x[0].rank", "expected a rank"),
        ([{"model": "a", "rank": True}], "x[0].rank", "expected a rank"),
    ],
)
def test_what_is_no_ballot_is_named(raw: object, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read_ballot(raw, "x")
    assert caught.value.where == where
    assert what in caught.value.what


def test_places_close_up_over_models_that_do_not_count() -> None:
    ballots = {**ballots_of("xbyac", "cab"), "C": {"b": 1.0}, "D": {}, "E": {"x": 1.0, "y": 2.0}}
    assert among(ballots, ABC) == {
        "A": {"b": 1, "a": 2, "c": 3},
        "B": {"c": 1, "a": 2, "b": 3},
    }


# Means and ranks


def test_mean_positions_are_over_the_ballots_that_name_a_model() -> None:
    # a: 1 2 3, b: 2 1 2, c: 3 3 1, d: 4 4
    assert mean_positions(ballots_of("abcd", "bacd", "cba"), ABCD) == {
        "a": 2.0,
        "b": pytest.approx(5 / 3),
        "c": pytest.approx(7 / 3),
        "d": 4.0,
    }


def test_a_model_that_nobody_names_has_no_position() -> None:
    assert list(mean_positions(ballots_of("ab", "ba"), ABC)) == ["a", "b"]
    assert mean_positions({}, ABC) == {}
    assert mean_positions(ballots_of("a", "b"), ABC) == {}


@pytest.mark.parametrize("size", range(3, 9))
def test_leaving_out_their_own_answers_does_not_move_the_others(size: int) -> None:
    models = "abcdefgh"[:size]
    without = own_left_out(*(models.replace(model, "") for model in models))
    expected = {model: pytest.approx(place) for place, model in enumerate(models, start=1)}
    assert mean_positions(without, models) == expected
    mixed = {**without, "z": dict(read_ballot(list(models), "x"))}
    assert ranks(mean_positions(mixed, models)) == {model: i for i, model in enumerate(models, start=1)}


def test_a_worse_answer_does_not_win_by_the_shorter_lists() -> None:
    # All agree on a, b, c; only b and c leave out their own. Unstretched, c would be at 2.5 and b at 2.
    ballots = {"a": {"a": 1.0, "b": 2.0, "c": 3.0}, "b": {"a": 1.0, "c": 2.0}, "c": {"a": 1.0, "b": 2.0}}
    # a is first on all. b: 2 of three, and last of two, which is 3. c: 3 of three, and last of two.
    assert mean_positions(ballots, ABC) == {"a": 1.0, "b": 2.5, "c": 3.0}


def test_a_council_of_two_that_leave_out_their_own_has_said_nothing() -> None:
    ballots = {"a": {"b": 1.0}, "b": {"a": 1.0}}
    assert mean_positions(ballots, "ab") == {}
    assert ballot_spread(ballots, "ab") is None


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ({}, {}),
        ({"a": 2.0, "b": 1.0}, {"b": 1, "a": 2}),
        ({"a": 1.5, "b": 1.5, "c": 3.0}, {"a": 1, "b": 1, "c": 3}),
        ({"a": 1.0, "b": 2.5, "c": 2.5, "d": 4.0}, {"a": 1, "b": 2, "c": 2, "d": 4}),
        ({"a": 0.1 + 0.2, "b": 0.3, "c": 0.1}, {"c": 1, "a": 2, "b": 2}),
    ],
)
def test_ranks_follow_the_means_and_ties_share_the_best(
    positions: dict[str, float], expected: dict[str, int]
) -> None:
    result = ranks(positions)
    assert result == expected
    assert list(result) == list(expected)


def test_forty_models() -> None:
    models = [f"m{number:02}" for number in range(40)]
    ballots = {reviewer: dict(read_ballot(models, "x")) for reviewer in models}
    assert ranks(mean_positions(ballots, models)) == {m: i for i, m in enumerate(models, start=1)}
    assert ballot_spread(ballots, models) == pytest.approx(1)


# Spread


def test_spread_of_full_ballots_by_hand() -> None:
    # means a 4/3, b 5/3, c 3: variance ((2/3)² + (1/3)² + 1²) / 3 = 14/27; of 1, 2, 3: 2/3
    assert ballot_spread(ballots_of("abc", "abc", "bac"), ABC) == pytest.approx(math.sqrt(14 / 27 / (2 / 3)))


def test_spread_ends_at_agreement_and_at_a_perfect_draw() -> None:
    assert ballot_spread(ballots_of("abcd", "abcd", "abcd"), ABCD) == pytest.approx(1)
    assert ballot_spread(ballots_of("abc", "bca", "cab"), ABC) == pytest.approx(0)
    assert ballot_spread(ballots_of("abcd", "dcba"), ABCD) == pytest.approx(0)


def test_spread_of_ballots_that_name_different_answers() -> None:
    # means a 1, d 1.5, b 3, c 3: variance 0.796875; kept to the order a d c b they are 1, 1.5, 4, 2.5: 1.3125
    spread = ballot_spread(ballots_of("adbc", "dc"), ABCD)
    assert spread == pytest.approx(math.sqrt(0.796875 / 1.3125))
    every = product(permutations("abcd"), permutations("cd"))
    means = (mean_positions(ballots_of(*map("".join, ballots)), ABCD).values() for ballots in every)
    assert max(map(pstdev, means)) == pytest.approx(math.sqrt(1.3125))


@pytest.mark.parametrize("ballots", [{}, ballots_of("abc"), ballots_of("abc", "a"), ballots_of("", "")])
def test_fewer_than_two_ballots_have_no_spread(ballots: dict[str, dict[str, float]]) -> None:
    assert ballot_spread(ballots, ABC) is None


def _stretched_means(ballots: list[tuple[str, ...]], models: str) -> list[float]:
    """An independent account of the mean places of ballots that leave out their own answers."""
    size = len(models)
    own = [
        [1 + ballot.index(model) * (size - 1) / (size - 2) for ballot in ballots if model in ballot]
        for model in models
    ]
    return [fmean(places) for places in own]


@pytest.mark.parametrize("models", ["abc", "abcd"])
def test_no_ballots_without_their_own_answers_spread_more_than_the_largest(models: str) -> None:
    every = list(product(*(permutations(models.replace(own, "")) for own in models)))
    spreads = [pstdev(_stretched_means(list(ballots), models)) for ballots in every]
    largest = max(spreads)
    for ballots, spread in zip(every[::7], spreads[::7], strict=True):
        found = ballot_spread(own_left_out(*map("".join, ballots)), models)
        assert found == pytest.approx(spread / largest, abs=1e-9)


@pytest.mark.parametrize(("models", "reviewers"), [("ab", 2), ("ab", 3), ("abc", 2), ("abc", 3), ("abcd", 2)])
def test_no_full_ballots_spread_more_than_the_largest(models: str, reviewers: int) -> None:
    every = list(product(permutations(models), repeat=reviewers))
    spreads = [
        pstdev([fmean(ballot.index(one) for ballot in ballots) for one in models]) for ballots in every
    ]
    largest = max(spreads)
    assert largest == pytest.approx(math.sqrt((len(models) ** 2 - 1) / 12))
    for ballots, spread in zip(every, spreads, strict=True):
        found = ballot_spread(ballots_of(*map("".join, ballots)), models)
        assert found == pytest.approx(spread / largest, abs=1e-9)


@st.composite
def odd_ballots(draw: st.DrawFn) -> dict[str, dict[str, float]]:
    """Any ballots over up to six models: ties, some left out, some that do not exist."""
    names = "abcdef"[: draw(st.integers(2, 6))]
    entries = st.dictionaries(st.sampled_from(names + "xy"), st.integers(1, 5).map(float), max_size=8)
    return draw(st.dictionaries(st.sampled_from(names + "z"), entries, max_size=7))


@settings(max_examples=150, deadline=None)
@given(odd_ballots())
def test_whatever_the_ballots_say(ballots: dict[str, dict[str, float]]) -> None:
    models = "abcdef"
    positions = mean_positions(ballots, models)
    assert all(1 - 1e-9 <= place <= len(positions) + 1e-9 for place in positions.values())
    result = ranks(positions)
    for one, other in product(result, repeat=2):
        assert (result[one] < result[other]) == (positions[one] < positions[other] - 1e-8)
    assert all(rank == 1 + sum(other < rank for other in result.values()) for rank in result.values())
    spread = ballot_spread(ballots, models)
    assert spread is None or 0 <= spread <= 1
    assert (spread is None) == (len(among(ballots, models)) < 2)


@settings(max_examples=60, deadline=None)
@given(odd_ballots(), st.permutations(list("abcdefz")))
def test_the_order_of_the_reviewers_makes_no_difference(
    ballots: dict[str, dict[str, float]], order: list[str]
) -> None:
    other = {reviewer: ballots[reviewer] for reviewer in order if reviewer in ballots}
    first, second = (ranks(mean_positions(one, "abcdef")) for one in (ballots, other))
    assert list(first.items()) == list(second.items())


# Consensus and confidence


@pytest.mark.parametrize(
    ("ballots", "level"),
    [
        (ballots_of("abc", "abc", "abc"), "strong"),
        (ballots_of("abcd", "abcd", "abcd", "abdc"), "strong"),  # (0 + 0 + 0.433 + 0.433) / 4
        (ballots_of("ab", "ba"), "moderate"),  # 0.5 is no longer strong
        (ballots_of("abcd", "badc"), "moderate"),
        (ballots_of("abcd", "dcba"), "moderate"),  # (1.5 + 0.5 + 0.5 + 1.5) / 4 = 1.0 still is
        (ballots_of("abcde", "edcba"), "weak"),  # (2 + 1 + 0 + 1 + 2) / 5 = 1.2
        (ballots_of("abcdef", "fedcba"), "weak"),  # (2.5 + 1.5 + 0.5) / 3 = 1.5 still is
        (ballots_of("abcdefg", "gfedcba"), "split"),  # (3 + 2 + 1 + 0 + 1 + 2 + 3) / 7
        (ballots_of("abc"), None),
        (ballots_of("ab", "cd"), None),
        ({}, None),
    ],
)
def test_consensus_by_the_deviation_of_the_places(
    ballots: dict[str, dict[str, float]], level: str | None
) -> None:
    assert consensus_level(ballots) == level


def test_an_answer_that_one_reviewer_alone_has_placed_agrees_with_nobody() -> None:
    # a and b: 0.5 each; c was placed once and would bring the mean below 0.5.
    assert consensus_level(ballots_of("abc", "ba")) == "moderate"


@pytest.mark.parametrize("size", range(3, 12))
def test_reviewers_that_agree_without_their_own_answers_are_in_strong_consensus(size: int) -> None:
    models = "abcdefghijkl"[:size]
    assert consensus_level(own_left_out(*(models.replace(own, "") for own in models))) == "strong"


@pytest.mark.parametrize(("spread", "expected"), [(0, 0.35), (0.5, 0.65), (1, 0.95)])
def test_confidence_from_the_spread(spread: float, expected: float) -> None:
    assert confidence(spread) == pytest.approx(expected)
