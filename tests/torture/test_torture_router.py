"""The router on a stream of questions: it must come to act, rightly, and to save.

    python -m pytest tests/torture/test_torture_router.py -s [--full]

prints after how many records each category is routed, how often rightly, and what is saved.
"""

from __future__ import annotations

from statistics import mean, median
from typing import TYPE_CHECKING

import pytest

from council_vault.learning.router import Policy
from support.router_world import KINDS, MODELS, Journey, Kind, is_wrong, travel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.torture

QUESTIONS = 300
LOOKING_AGAIN = Policy(models=MODELS)
NEVER_AGAIN = Policy(models=MODELS, explore=0)
ALWAYS = Policy(models=MODELS, mode="always_deliberate")


def journeys(policy: Policy, seeds: int, questions: int = QUESTIONS) -> list[Journey]:
    return [travel(seed, questions, policy) for seed in range(seeds)]


@pytest.fixture(scope="module")
def learned(full: bool) -> list[Journey]:
    return journeys(LOOKING_AGAIN, 100 if full else 8)


@pytest.fixture(scope="module")
def unchecked(full: bool) -> list[Journey]:
    return journeys(NEVER_AGAIN, 100 if full else 8)


def saved(found: Sequence[Journey]) -> float:
    return mean(journey.saved for journey in found)


def wrong(found: Sequence[Journey]) -> float:
    return mean(journey.wrong for journey in found)


def table(found: Sequence[Journey]) -> Iterator[str]:
    yield f"{'category':<23}{'truth':<13}{'a stream':>9}{'routed after':>14}{'one model':>11}{'right':>7}"
    for kind in KINDS:
        taken = [route for journey in found for _, route in journey.of(kind.category)]
        after = [journey.routed_after(kind.category) for journey in found]
        known = [number for number in after if number is not None]
        single = mean(route.decision == "single_model" for route in taken)
        right = mean(not is_wrong(kind, route) for route in taken)
        times = f"{median(known):.0f}" if known else "never"
        some = f" ({len(known)}/{len(after)})" if len(known) < len(after) else f" (≤{max(known)})"
        yield (
            f"{kind.category:<23}{kind.truth:<13}{len(taken) / len(found):>9.0f}{times + some:>14}"
            f"{single:>11.0%}{right:>7.1%}"
        )


def test_it_comes_to_act_and_saves(learned: list[Journey], unchecked: list[Journey], full: bool) -> None:
    cost = 1 - saved(learned) / saved(unchecked)
    print(f"\n{len(learned)} streams of {QUESTIONS} questions")
    print("\n".join(table(learned)))
    print(f"saved {saved(learned):.1%} of always deliberating, {saved(unchecked):.1%} without a second look")
    print(f"learned wrongly {wrong(learned):.1f} routes a stream, {wrong(unchecked):.1f} without")
    assert 0.25 <= saved(learned) <= 0.33
    assert 0 < cost <= 0.2
    assert wrong(learned) < wrong(unchecked)
    if not full:  # a few streams show the direction, many the size
        return
    assert wrong(learned) <= 0.75 * wrong(unchecked)
    long = {policy: journeys(policy, 8, 1000) for policy in (LOOKING_AGAIN, NEVER_AGAIN)}
    print(f"streams of 1000: saved {saved(long[LOOKING_AGAIN]):.1%}, {saved(long[NEVER_AGAIN]):.1%} without;")
    print(f"learned wrongly {wrong(long[LOOKING_AGAIN]):.1f}, {wrong(long[NEVER_AGAIN]):.1f} without")
    assert wrong(long[LOOKING_AGAIN]) <= 0.5 * wrong(long[NEVER_AGAIN])


@pytest.mark.parametrize("kind", KINDS, ids=[kind.category for kind in KINDS])
def test_each_kind_of_question_is_routed_rightly(learned: list[Journey], kind: Kind) -> None:
    taken = [route for journey in learned for _, route in journey.of(kind.category)]
    by_rule = [route for route in taken if route.routing_source == "learned"]
    after = [journey.routed_after(kind.category) for journey in learned]
    single = mean(route.decision == "single_model" for route in by_rule)
    if kind.truth == "deliberate":
        assert single <= 0.01
    elif kind.truth == "single_model":
        assert single >= 0.7
        assert all(number is not None and number < 200 for number in after)
    else:
        assert single <= 0.3


def test_a_fixed_mode_learns_but_does_not_save() -> None:
    journey = travel(1, 60, ALWAYS)
    assert journey.saved == pytest.approx(0)
    assert {route.learning_status.phase for _, route in journey.steps[20:]} == {"active"}
