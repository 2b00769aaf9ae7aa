"""What outcomes do to a reputation, worked out by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

from council_vault.briefing.cases import Reputation
from council_vault.briefing.reputation import PARTICIPANT, with_outcome
from support.past_sessions import NOW, days_ago

NEW = Reputation(agent="Skeptic")


def test_nothing_is_known_of_the_new():
    assert (NEW.alpha, NEW.beta, NEW.skill, NEW.calibration, NEW.accuracy_rate) == (1, 1, 0.5, None, None)


@pytest.mark.parametrize(
    ("grade", "alpha", "beta", "counts", "rate", "calibration"),
    [
        (1.0, 2.0, 1.0, (1, 0, 0), 1.0, 1 - 0.04),
        (0.5, 1.5, 1.5, (0, 0, 1), 0.5, 1 - 0.09),
        (0.0, 1.0, 2.0, (0, 1, 0), 0.0, 1 - 0.64),
    ],
)
def test_a_first_outcome(grade, alpha, beta, counts, rate, calibration):
    after = with_outcome(NEW, grade, 0.8, NOW)

    assert (after.alpha, after.beta) == (alpha, beta)
    assert (after.wins, after.losses, after.draws) == counts
    assert after.accuracy_rate == rate
    assert after.calibration == pytest.approx(calibration)
    assert after.brier_n == 1
    assert after.last_outcome_at == NOW


def test_those_who_only_took_part_learn_half_and_nothing_of_confidence():
    after = with_outcome(NEW, 0.0, None, NOW, PARTICIPANT)

    assert (after.alpha, after.beta, after.losses, after.accuracy_rate) == (1.0, 1.5, 0.5, 0.0)
    assert (after.brier_n, after.calibration) == (0, None)


def test_after_90_days_half_is_forgotten_of_both_parameters():
    before = Reputation(agent="Skeptic", alpha=5.0, beta=3.0, wins=4, losses=2, last_outcome_at=days_ago(90))

    after = with_outcome(before, 1.0, None, NOW)

    assert (after.alpha, after.beta) == (1 + 4 / 2 + 1, 1 + 2 / 2)
    assert (after.wins, after.losses) == (5, 2)
    assert after.accuracy_rate == 5 / 7


def test_after_45_days_a_root_of_it():
    before = Reputation(agent="Skeptic", alpha=3.0, last_outcome_at=days_ago(45))

    assert with_outcome(before, 0.0, None, NOW).alpha == pytest.approx(1 + 2 * 0.5**0.5)


def test_what_became_known_earlier_forgets_nothing_and_moves_no_time():
    before = Reputation(agent="Skeptic", alpha=3.0, last_outcome_at=NOW)

    after = with_outcome(before, 1.0, None, NOW - timedelta(days=400))

    assert after.alpha == 4.0
    assert after.last_outcome_at == NOW


def test_calibration_is_one_minus_the_mean_of_squares():
    after = with_outcome(with_outcome(NEW, 1.0, 0.9, NOW), 0.0, 0.6, NOW)

    assert after.brier_sum == pytest.approx(0.01 + 0.36)
    assert after.brier_n == 2
    assert after.calibration == pytest.approx(1 - 0.37 / 2)


def test_calibration_stays_where_nothing_was_stated():
    after = with_outcome(with_outcome(NEW, 1.0, 0.9, NOW), 0.0, None, NOW)

    assert after.calibration == pytest.approx(0.99)
