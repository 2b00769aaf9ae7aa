"""Confidence beside what happened, and who is to be relied on."""

from __future__ import annotations

import pytest

from council_vault.briefing.cases import Reputation
from council_vault.briefing.trends import agent_trends, agents_of, confidence_trends
from support.past_sessions import case_of, past, predicted


def cases(*figures):
    """Return cases from the oldest to the newest, from pairs of confidence and accuracy."""
    return [
        case_of(past(f"s{n}", "d", days=100 - n, confidence=confidence, accuracy=accuracy))
        for n, (confidence, accuracy) in enumerate(figures)
    ]


class TestConfidence:
    def test_is_compared_over_graded_cases(self):
        trend = confidence_trends(cases((0.9, 0.0), (0.8, 1.0), (0.1, None)))

        assert (trend.stated_avg, trend.realized_accuracy, trend.calibration_gap) == (0.85, 0.5, 0.35)
        assert trend.note == "the House has been OVERCONFIDENT here"

    @pytest.mark.parametrize(
        ("stated", "realized", "note"),
        [
            (0.9, 0.75, "stated confidence has matched what happened"),
            (0.901, 0.75, "the House has been OVERCONFIDENT here"),
            (0.6, 0.75, "stated confidence has matched what happened"),
            (0.599, 0.75, "the House has been UNDERCONFIDENT here"),
        ],
    )
    def test_a_gap_of_15_hundredths_is_still_none(self, stated, realized, note):
        assert confidence_trends(cases(*[(stated, realized)] * 5)).note == note

    def test_one_overconfident_case_is_a_warning_but_four_lucky_ones_prove_nothing(self):
        assert "OVERCONFIDENT" in confidence_trends(cases((0.7, 0.0))).note
        lucky = confidence_trends(cases(*[(0.7, 1.0)] * 4, (0.7, None)))
        assert lucky.note == "more has come true than was stated, in too few cases to rely on that"
        assert lucky.calibration_gap == -0.3

    def test_figures_have_three_places(self):
        trend = confidence_trends(cases((1 / 3, 1.0), (1 / 3, 1.0), (1 / 3, 0.0)))

        assert (trend.stated_avg, trend.realized_accuracy, trend.calibration_gap) == (0.333, 0.667, -0.333)

    def test_nothing_graded(self):
        trend = confidence_trends(cases((0.9, None)))

        assert trend.stated_avg is trend.realized_accuracy is trend.calibration_gap is None
        assert trend.note.startswith("nothing is graded yet")

    def test_no_confidence_stated(self):
        trend = confidence_trends(cases((None, 1.0)))

        assert (trend.stated_avg, trend.realized_accuracy, trend.calibration_gap) == (None, 1.0, None)
        assert trend.note == "no confidence was stated where the outcome is known"


class TestDirection:
    @pytest.mark.parametrize(
        ("stated", "expected"),
        [
            ([0.5, 0.6], "rising"),
            ([0.6, 0.5], "falling"),
            ([0.7, 0.75], "steady"),
            ([0.7, 0.751], "rising"),
            ([0.75, 0.7], "steady"),
            ([0.751, 0.7], "falling"),
            ([0.5, 0.9, 0.5], "steady"),  # the one in the middle belongs to neither half
            ([0.2, 0.4, 0.5, 0.6], "rising"),
            ([0.9, None, 0.5], "falling"),
            ([0.9], "steady"),
            ([None], "steady"),
            ([], "steady"),
        ],
    )
    def test_is_that_of_the_newer_half_against_the_older(self, stated, expected):
        assert confidence_trends(cases(*((one, None) for one in stated))).direction == expected

    def test_time_counts_and_not_the_order_of_the_cases(self):
        given = cases((0.2, 1.0), (0.5, 1.0), (0.9, 1.0))

        assert confidence_trends(given[::-1]).direction == confidence_trends(given).direction == "rising"

    def test_a_case_without_a_time_is_the_oldest(self):
        timeless = case_of(past("a", "d", days=None, confidence=0.9))

        assert confidence_trends([*cases((0.2, None)), timeless]).direction == "falling"


def trend_of(**fields):
    case = case_of(past("s", "d", participants=("Skeptic",)))
    (trend,) = agent_trends([case], {"Skeptic": Reputation(agent="Skeptic", **fields)})
    return trend


class TestAgents:
    @pytest.mark.parametrize(
        ("skill", "calibration", "expected"),
        [
            (0.6, 0.6, "reliable"),
            (0.599, 0.9, "mixed"),
            (0.9, 0.599, "mixed"),
            (0.9, None, "mixed"),
            (0.45, 0.4, "mixed"),
            (0.449, 0.9, "unreliable"),
            (0.449, None, "unreliable"),
            (0.9, 0.399, "unreliable"),
            (0.6, 0.4, "mixed"),
        ],
    )
    def test_reliability(self, skill, calibration, expected):
        trend = trend_of(alpha=skill, beta=1 - skill, calibration=calibration)

        assert trend.reliability == expected

    def test_figures(self):
        trend = trend_of(alpha=2.0, beta=1.0, calibration=0.98765, accuracy_rate=1 / 3)

        assert (trend.agent, trend.skill, trend.calibration, trend.accuracy_rate) == (
            "Skeptic",
            0.67,
            0.988,
            0.333,
        )

    @pytest.mark.parametrize(("alpha", "beta"), [(0.0, 0.0), (-1.0, 3.0), (3.0, -1.0)])
    def test_impossible_parameters_say_nothing(self, alpha, beta):
        assert trend_of(alpha=alpha, beta=beta).skill == 0.5

    def test_the_most_skilled_first_and_twelve_at_most(self):
        names = [f"a{n:02}" for n in range(15)]
        known = {name: Reputation(agent=name, alpha=1.0 + (n % 5)) for n, name in enumerate(names)}

        trends = agent_trends([case_of(past("s", "d", participants=tuple(names)))], known)

        assert [one.agent for one in trends[:4]] == ["a04", "a09", "a14", "a03"]
        assert len(trends) == 12

    def test_who_has_no_reputation_is_not_named(self):
        assert agent_trends([case_of(past("s", "d", participants=("Analyst",)))], {}) == ()

    def test_a_name_that_is_a_text_is_cut(self):
        name = "x" * 300
        (trend,) = agent_trends(
            [case_of(past("s", "d", participants=(name,)))], {name: Reputation(agent=name)}
        )

        assert len(trend.agent) == 110

    def test_who_took_part(self):
        one = past(
            "s", "d", participants=("B", "A"), predictions=(predicted(agent="C", participants=("A", "D")),)
        )
        nobody = past("t", "d", predictions=(predicted(agent=""),))

        assert agents_of([case_of(one), case_of(nobody)]) == ("B", "A", "C", "D")
