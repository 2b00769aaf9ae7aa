"""What past deliberations teach."""

from __future__ import annotations

import pytest

from council_vault.briefing.lessons import (
    common_patterns,
    essence,
    failed_lessons,
    historical_cases,
    repeated_errors,
    validated_lessons,
)
from support.past_sessions import case_of, past, predicted


def disproven(id_="s", matched=(), **fields):
    return case_of(
        past(id_, "leverage", **{"verdict": "Go all in", "accuracy": 0.0} | fields), "DISPROVEN", matched
    )


def wrong_call(metric="btc", direction="up", **fields):
    return predicted("incorrect", **{"metric": metric, "direction": direction} | fields)


class TestReferences:
    def test_say_what_the_case_was(self):
        case = case_of(past("cs_1", "d", verdict="Phase in", accuracy=1.0), "VALIDATED", ("leverage", "risk"))

        (one,) = historical_cases([case])

        assert (one.ref, one.validity, one.warning, one.gist, one.accuracy, one.why_relevant) == (
            "cs_1",
            "VALIDATED",
            False,
            "Phase in",
            1.0,
            "matched terms: leverage, risk",
        )

    def test_pairs_of_characters_are_read_together(self):
        matched = ("是否", "否应", "应该", "数据", "据库", "leverage")

        (one,) = historical_cases([case_of(past("cs_1", "d"), "UNKNOWN", matched)])

        assert one.why_relevant == "matched terms: 是否应该, 数据库, leverage"

    def test_the_gist_is_the_directive_where_no_verdict_is_kept(self):
        assert essence(past("s", "What was asked")) == "What was asked"
        assert essence(past("s", "What was asked", verdict=" \n ")) == "What was asked"

    def test_an_id_that_is_a_text_is_cut(self):
        (one,) = historical_cases([case_of(past("x" * 500, "d"))])

        assert len(one.ref) == 110


class TestValidated:
    @pytest.mark.parametrize("state", ["PARTIALLY_VALID", "UNKNOWN", "OUTDATED", "DISPROVEN"])
    def test_nothing_else_is_a_lesson(self, state):
        assert validated_lessons([case_of(past("s", "d", accuracy=1.0), state)]) == ()

    def test_keep_the_order_of_the_cases(self):
        cases = [case_of(past(id_, id_, accuracy=1.0), "VALIDATED") for id_ in ("b", "a")]

        assert [lesson.from_case for lesson in validated_lessons(cases)] == ["b", "a"]


class TestFailed:
    @pytest.mark.parametrize(
        ("predictions", "reason"),
        [
            ((wrong_call(invalidation="below 58k"),), "below 58k"),
            ((wrong_call(), wrong_call(invalidation="below 50k")), "below 50k"),
            (
                (predicted("correct", invalidation="not this"), wrong_call(statement="BTC  doubles")),
                "did not come true: BTC doubles",
            ),
            ((wrong_call(statement=" ", invalidation="\n"),), "no reason was recorded"),
            ((predicted("pending", invalidation="not this"),), "no reason was recorded"),
        ],
    )
    def test_say_why(self, predictions, reason):
        (lesson,) = failed_lessons([disproven(predictions=predictions)])

        assert (lesson.lesson, lesson.why_failed, lesson.from_case) == ("Go all in", reason, "s")

    def test_a_rating_is_a_reason_where_nothing_was_predicted(self):
        (lesson,) = failed_lessons([disproven()])

        assert lesson.why_failed == "it was rated negative"

    def test_other_cases_have_not_failed(self):
        assert failed_lessons([case_of(past("s", "d", accuracy=0.5), "PARTIALLY_VALID")]) == ()


class TestPatterns:
    def test_are_terms_of_two_cases_or_more_the_most_frequent_first(self):
        cases = [
            case_of(past("a", "Raise the leverage", verdict="Hedges hedge")),
            case_of(past("b", "Leverages and hedging", verdict="once")),
            case_of(past("c", "leverage twice twice"), "VALIDATED"),
        ]

        assert [(one.pattern, one.occurrences) for one in common_patterns(cases)] == [
            ("leverage", 3),
            ("hedges", 2),
            ("2 prior cases ended UNKNOWN", 2),
        ]

    def test_a_word_is_shown_as_the_first_case_has_it(self):
        cases = [
            case_of(past(id_, text))
            for id_, text in (("a", "leverage"), ("b", "Leverages quasar"), ("c", "quasars"))
        ]

        assert [one.pattern for one in common_patterns(cases)][:2] == ["leverage", "quasar"]

    def test_endings_stand_last_in_their_order(self):
        states = ["DISPROVEN", "DISPROVEN", "VALIDATED", "VALIDATED", "VALIDATED", "OUTDATED"]
        cases = [case_of(past(f"s{n}", f"x{n}x"), state) for n, state in enumerate(states)]

        assert [(one.pattern, one.occurrences) for one in common_patterns(cases)] == [
            ("3 prior cases ended VALIDATED", 3),
            ("2 prior cases ended DISPROVEN", 2),
        ]

    def test_are_ten_at_most_endings_included(self):
        text = " ".join(f"word{n:02}" for n in range(30))
        cases = [case_of(past(id_, text)) for id_ in ("a", "b")]

        patterns = [one.pattern for one in common_patterns(cases)]

        assert patterns == [*(f"word{n:02}" for n in range(9)), "2 prior cases ended UNKNOWN"]

    def test_a_word_without_end_is_cut(self):
        cases = [case_of(past(id_, "z" * 500)) for id_ in ("a", "b")]

        assert len(common_patterns(cases)[0].pattern) == 110

    def test_one_case_has_none(self):
        assert common_patterns([case_of(past("a", "leverage leverage"))]) == ()


class TestErrors:
    def test_are_the_same_wrong_call_made_twice(self):
        cases = [
            disproven("a", predictions=(wrong_call("BTC ", "Up", statement=" "),)),
            disproven(
                "b", predictions=(wrong_call("btc", "up", statement="BTC rallies"), wrong_call("eth", "up"))
            ),
        ]

        (error,) = repeated_errors(cases)

        assert (error.error, error.occurrences, error.example) == ("predicted btc up", 2, "BTC rallies")

    def test_the_most_frequent_first_then_by_name(self):
        calls = [
            wrong_call("eth", "up"),
            wrong_call("eth", "up"),
            wrong_call("ada", "up"),
            wrong_call("ada", "up"),
        ]
        calls += [wrong_call("btc", "down")] * 3

        errors = repeated_errors([disproven(predictions=tuple(calls))])

        assert [error.error for error in errors] == [
            "predicted btc down",
            "predicted ada up",
            "predicted eth up",
        ]

    @pytest.mark.parametrize(("metric", "direction"), [("", "up"), ("btc", ""), (" ", "up"), ("", "")])
    def test_a_call_needs_metric_and_direction(self, metric, direction):
        assert repeated_errors([disproven(predictions=(wrong_call(metric, direction),) * 2)]) == ()

    def test_right_calls_and_other_cases_do_not_count(self):
        right = disproven(predictions=(predicted("correct", metric="btc", direction="up"), wrong_call()))
        partly = case_of(past("b", "d", accuracy=0.5, predictions=(wrong_call(),) * 2), "PARTIALLY_VALID")

        assert repeated_errors([right, partly]) == ()

    def test_else_the_topic_itself_of_two_disproven_cases(self):
        cases = [
            disproven("a", ("leverage", "risk", "btc", "hedge"), verdict="Go all in"),
            disproven("b", ("hedge", "risk")),
        ]

        (error,) = repeated_errors(cases)

        assert error.error == "disproven each time on risk, hedge"
        assert (error.occurrences, error.example) == (2, "Go all in")

    def test_a_case_on_another_topic_is_no_repetition(self):
        one, other = disproven("a", ("leverage",)), disproven("b", ("winter",))

        assert repeated_errors([one, other]) == ()
        (error,) = repeated_errors([other, one, disproven("c", ("leverage",), verdict="Sell")])
        assert (error.error, error.occurrences) == ("disproven each time on leverage", 2)

    def test_a_repeated_call_makes_the_topic_superfluous(self):
        cases = [disproven(id_, ("risk",), predictions=(wrong_call(),)) for id_ in ("a", "b")]

        assert [error.error for error in repeated_errors(cases)] == ["predicted btc up"]

    def test_one_disproven_case_is_no_repetition(self):
        assert repeated_errors([disproven("a", ("risk",))]) == ()
