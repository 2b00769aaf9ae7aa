"""What the history leaves open, and what to take care of."""

from __future__ import annotations

import pytest

from council_vault.briefing.guidance import blind_spots, executive_summary, focus_areas
from council_vault.briefing.lessons import RepeatedError, ValidatedLesson
from council_vault.briefing.trends import LUCKY, MATCHED, OVERCONFIDENT, UNDERCONFIDENT, ConfidenceTrends
from support.past_sessions import case_of, past

ERROR = RepeatedError("predicted btc up", 3, "BTC rallies")
LESSON = ValidatedLesson("Phase in.", "cs_4", 1.0)


def trend(note):
    return ConfidenceTrends(None, None, None, "steady", note)


class TestBlindSpots:
    def test_untested_cases(self):
        spots = blind_spots(
            [case_of(past("a", "d")), case_of(past("b", "d")), case_of(past("c", "d"), "VALIDATED")]
        )

        assert spots == ("2 recalled case(s) are UNTESTED: nothing shows yet whether they were right",)

    def test_outdated_cases_are_no_authority(self):
        spots = blind_spots([case_of(past("a", "d"), "OUTDATED"), case_of(past("b", "d"), "OUTDATED")])

        assert spots == ("2 recalled case(s) are OUTDATED (a, b): do not treat as current authority",)

    @pytest.mark.parametrize(
        ("evidence", "gaps"),
        [
            ('{"data_gaps": ["funding rates", "on-chain flows"]}', ["funding rates", "on-chain flows"]),
            ("Prices only. data_gaps: [funding rates, on-chain flows]", ["funding rates", "on-chain flows"]),
            ("{'data_gaps': ['funding rates', 'users, by day']}", ["funding rates", "users, by day"]),
            ("DATA_GAPS = [none of the users' figures, x]", ["none of the users' figures", "x"]),
            ('"data_gaps": ["[a] or \\"b\\"", "caf\\u00e9", "\\q"]', ['[a] or "b"', "café", "\\q"]),
            ('data_gaps: ["a"] and data_gaps: ["b", "a"]', ["a", "b"]),
            ("data_gaps: []", []),
            ("data_gaps: [ , ]", []),
            ("data_gaps: [never closed", []),
            ("data_gaps: none", []),
            ("", []),
        ],
    )
    def test_data_that_was_missing(self, evidence, gaps):
        case = case_of(past("a", "d", evidence_summary=evidence), "VALIDATED")

        assert blind_spots([case]) == tuple(f"Data was missing: {gap}" for gap in gaps)

    def test_five_gaps_at_most_each_once(self):
        cases = [
            case_of(past(str(n), "d", evidence_summary=f"data_gaps: [same, gap {n}]"), "VALIDATED")
            for n in range(9)
        ]

        assert blind_spots(cases) == tuple(
            f"Data was missing: {gap}" for gap in ("same", "gap 0", "gap 1", "gap 2", "gap 3")
        )


class TestFocus:
    def test_errors_then_overconfidence(self):
        areas = focus_areas([ERROR], trend(OVERCONFIDENT), [LESSON])

        assert areas == (
            "Do NOT repeat: predicted btc up (failed 3×): say what is different this time",
            "Counter known overconfidence: demand evidence for every figure, and state less than you feel",
        )

    @pytest.mark.parametrize(
        ("note", "start"),
        [
            (MATCHED, "Build on what was validated"),
            (LUCKY, "Build on what was validated"),
            (UNDERCONFIDENT, "Counter known underconfidence"),
            ("nothing is graded yet", "Build on what was validated"),
        ],
    )
    def test_underconfidence_else_what_was_validated(self, note, start):
        (area,) = focus_areas([], trend(note), [LESSON])

        assert area.startswith(start)

    def test_else_predictions_that_can_be_graded(self):
        (area,) = focus_areas([], trend(MATCHED), [])

        assert area.startswith("Make predictions that can be graded")


class TestSummary:
    def test_counts_in_a_fixed_order(self):
        coverage = {"DISPROVEN": 1, "OUTDATED": 2, "UNKNOWN": 3, "PARTIALLY_VALID": 4, "VALIDATED": 5}

        assert executive_summary(coverage, [], [], trend("")) == (
            "15 prior deliberation(s) on this: 5 validated, 4 partially valid, 3 untested, 2 outdated, "
            "1 disproven. Calibration: not known yet."
        )

    @pytest.mark.parametrize(
        ("note", "word"),
        [
            (OVERCONFIDENT, "OVERCONFIDENT"),
            (UNDERCONFIDENT, "UNDERCONFIDENT"),
            (MATCHED, "good"),
            (LUCKY, "good"),
            ("nothing is graded yet", "not known yet"),
        ],
    )
    def test_worst_error_first_lesson_and_calibration(self, note, word):
        assert executive_summary({"VALIDATED": 1}, [ERROR], [LESSON], trend(note)) == (
            "1 prior deliberation(s) on this: 1 validated. ⚠ Repeated error: predicted btc up. "
            f"Established lesson: Phase in. Calibration: {word}."
        )

    def test_a_lesson_has_one_full_stop_in_any_script(self):
        for lesson in ("先迁移副本。", "先迁移副本"):
            said = executive_summary(
                {"VALIDATED": 1}, [], [ValidatedLesson(lesson, "cs", 1.0)], trend(MATCHED)
            )

            assert said.endswith("Established lesson: 先迁移副本. Calibration: good.")
