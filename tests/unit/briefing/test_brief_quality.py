"""How far past deliberations are trusted, and which of them are recalled."""

from __future__ import annotations

from datetime import timedelta

import pytest

from council_vault.briefing.quality import calibration, recalled, validity, weight
from council_vault.briefing.recall import HeldSessions
from support.past_sessions import NOW, days_ago, past, predicted


@pytest.mark.parametrize(
    ("accuracy", "days", "superseded", "expected"),
    [
        (0.0, 1, False, "DISPROVEN"),
        (0.399, 1, False, "DISPROVEN"),
        (0.399, 900, True, "DISPROVEN"),
        (0.4, 1, False, "PARTIALLY_VALID"),
        (0.599, 1, False, "PARTIALLY_VALID"),
        (0.6, 1, False, "VALIDATED"),
        (1.0, 270, False, "VALIDATED"),
        (1.0, 270.001, False, "PARTIALLY_VALID"),
        (1.0, 540, False, "PARTIALLY_VALID"),
        (1.0, 540.001, False, "OUTDATED"),
        (0.5, 540.001, False, "OUTDATED"),
        (None, 900, False, "UNKNOWN"),
        (None, 1, True, "OUTDATED"),
        (1.0, 1, True, "OUTDATED"),
        (0.4, 1, True, "OUTDATED"),
        (1.0, None, False, "VALIDATED"),
        (0.5, None, False, "PARTIALLY_VALID"),
        (None, None, False, "UNKNOWN"),
        (1.0, -5, False, "VALIDATED"),
    ],
)
def test_validity_in_its_priority(accuracy, days, superseded, expected):
    age = None if days is None else timedelta(days=days)

    assert validity(accuracy, age, superseded=superseded) == expected


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        (["correct", "incorrect"], 0.5),
        (["correct", "correct", "incorrect", "incorrect", "incorrect"], 0.4),
        (["correct", "correct", "correct", "incorrect", "incorrect"], 0.6),
        (["partial", "pending"], 0.5),
        (["pending"], None),
        (["correct", "nonsense"], 1.0),
        ([], None),
    ],
)
def test_accuracy_is_the_mean_of_what_is_graded_and_partial_is_one_half(grades, expected):
    assert past("s", "d", predictions=tuple(predicted(grade) for grade in grades)).accuracy == expected


def test_a_rating_counts_only_where_nothing_is_graded():
    assert past("s", "d", accuracy=0.0, predictions=(predicted("correct"),)).accuracy == 1.0
    assert past("s", "d", accuracy=0.0, predictions=(predicted("pending"),)).accuracy == 0.0


@pytest.mark.parametrize(
    ("confidence", "accuracy", "expected"),
    [(0.9, 1.0, 0.9), (0.25, 1.0, 0.25), (0.75, 0.5, 0.75), (None, 1.0, 0.5), (0.9, None, 0.5)],
)
def test_calibration_of_a_case(confidence, accuracy, expected):
    assert calibration(confidence, accuracy) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("similarity", "accuracy", "calibrated", "state", "expected"),
    [
        (1.0, 1.0, 1.0, "VALIDATED", 1.0),
        (0.5, 1.0, 1.0, "VALIDATED", 0.5),
        (1.0, 0.0, 1.0, "DISPROVEN", 0.1 * 0.1),
        (1.0, 0.5, 0.5, "PARTIALLY_VALID", 0.55 * 0.75 * 0.6),
        (1.0, None, 0.5, "UNKNOWN", 0.5 * 0.75 * 0.5),
        (1.0, 1.0, 0.0, "OUTDATED", 0.5 * 0.25),
    ],
)
def test_weight(similarity, accuracy, calibrated, state, expected):
    assert weight(similarity, accuracy, calibrated, state) == pytest.approx(expected)


def cases_on(directive, *sessions, k=8):
    return recalled(directive, HeldSessions(sessions, {}), k, NOW)


def refs(cases):
    return [case.session.id for case in cases]


class TestWhatIsRecalled:
    def test_cases_without_a_warning_come_first_then_those_that_count_most(self):
        disproven = past("disproven", "raise leverage", accuracy=0.0, confidence=0.0)
        unknown = past("unknown", "leverage among many other subjects entirely")
        validated = past("validated", "leverage among several other subjects", accuracy=1.0, confidence=1.0)
        partial = past("partial", "raise leverage soon", accuracy=0.5, confidence=0.5)

        cases = cases_on("raise leverage", disproven, unknown, validated, partial)

        assert refs(cases) == ["validated", "unknown", "partial", "disproven"]
        assert [case.warning for case in cases] == [False, False, True, True]

    def test_a_case_says_what_it_shares_and_how_much(self):
        (case,) = cases_on("Raise the leverage on BTC", past("one", "btc", verdict="Leverages rise. Sell"))

        assert case.similarity == 2 / 5
        assert case.matched == ("leverage", "btc")

    def test_inflected_forms_are_the_same_and_shown_as_asked(self):
        (case,) = cases_on("Caching and caches", past("one", "cached"))

        assert case.matched == ("caching",)

    def test_what_shares_nothing_is_not_recalled(self):
        assert cases_on("raise leverage", past("one", "hire a designer")) == ()

    def test_not_even_where_its_place_returns_it(self):
        class Careless(HeldSessions):
            def candidates(self, terms, limit):
                return super().candidates(["designer", *terms], limit)

        assert recalled("raise leverage", Careless([past("one", "hire a designer")], {}), 8, NOW) == ()

    def test_of_equals_the_newer_then_the_lower_id_comes_first(self):
        sessions = [past("b", "leverage up", days=3), past("a", "leverage down", days=3)]
        sessions.append(past("c", "leverage out", days=2))

        assert refs(cases_on("leverage", *sessions)) == ["c", "a", "b"]

    def test_at_most_so_many(self):
        sessions = [past(f"s{n}", f"leverage x{n}x y{n}y z{n}z") for n in range(20)]

        assert len(cases_on("leverage", *sessions, k=3)) == 3

    def test_failures_closer_to_the_directive_keep_a_quarter_of_the_places(self):
        trusted = [past(f"t{n}", f"leverage x{n}x y{n}y z{n}z", accuracy=1.0) for n in range(9)]
        failed = [past(f"f{n}", f"raise leverage soon w{n}w", accuracy=0.0) for n in range(3)]

        assert refs(cases_on("raise leverage soon", *trusted, *failed)) == [
            *(f"t{n}" for n in range(6)),
            "f0",
            "f1",
        ]
        assert refs(cases_on("raise leverage soon", *trusted, *failed, k=3)) == ["t0", "t1", "t2"]

    def test_failures_that_are_no_closer_do_not(self):
        trusted = [past(f"t{n}", f"leverage x{n}x y{n}y z{n}z", accuracy=1.0) for n in range(9)]
        failed = [past(f"f{n}", f"leverage v{n}v w{n}w u{n}u", accuracy=0.0) for n in range(3)]

        assert refs(cases_on("raise leverage soon", *trusted, *failed)) == [f"t{n}" for n in range(8)]

    def test_failures_that_have_a_place_anyway_stand_once(self):
        trusted = [past(f"t{n}", f"leverage x{n}x y{n}y z{n}z", accuracy=1.0) for n in range(7)]
        failed = [past(f"f{n}", f"raise leverage soon w{n}w", accuracy=0.0) for n in range(3)]

        assert refs(cases_on("raise leverage soon", *trusted, *failed)) == [
            *(f"t{n}" for n in range(6)),
            "f0",
            "f1",
        ]

    def test_a_pool_of_rare_and_new_ones_is_looked_at(self):
        common = [past(f"c{n:03}", f"leverage x{n}x y{n}y z{n}z", days=n + 1) for n in range(100)]
        rare = past("rare", "quasar", days=500)

        cases = cases_on("leverage quasar", *common, rare, k=100)

        assert len(cases) == 64
        assert sorted(refs(cases)) == sorted(["rare", *(f"c{n:03}" for n in range(63))])


class TestSuperseding:
    OLD = past("old", "Should we raise the leverage", days=30, accuracy=1.0)

    def state(self, *newer):
        cases = cases_on("raise the leverage", self.OLD, *newer)
        return {case.session.id: case.validity for case in cases}["old"]

    def test_alone_it_stands(self):
        assert self.state() == "VALIDATED"

    def test_a_newer_one_on_the_same_ground_outdates_it(self):
        assert self.state(past("new", "Should we raise the leverage", days=29)) == "OUTDATED"

    @pytest.mark.parametrize(
        ("directive", "expected"),
        [
            ("Should it be: raise leverage", "OUTDATED"),  # 3 of 4; it and be are too short to count
            ("raise the leverage", "OUTDATED"),  # 3 of 4
            ("raise the", "VALIDATED"),  # 2 of 4
            ("should we raise the leverage again today soon", "VALIDATED"),  # 4 of 7
        ],
    )
    def test_the_ground_is_the_words_longer_than_two_characters(self, directive, expected):
        assert self.state(past("new", directive, days=1)) == expected

    def test_exactly_six_tenths_are_enough(self):
        old = past("old", "alpha bravo charlie delta", days=9)
        new = past("new", "alpha bravo charlie echo", days=8)  # 3 of 5

        states = {case.session.id: case.validity for case in cases_on("alpha", old, new)}

        assert states == {"old": "OUTDATED", "new": "UNKNOWN"}

    def test_stop_words_count_as_ground(self):
        old = past("old", "what should they sell now", days=9)
        new = past("new", "what they should sell off", days=8)  # 4 of 6, and "sell" of "sell"

        assert [case.validity for case in cases_on("sell", old, new)] == ["UNKNOWN", "OUTDATED"]

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Which database should we use?", "Which framework should we use?"),
            ("What is the best database for us?", "What is the best framework for us?"),
            ("Welche Datenbank sollen wir nehmen?", "Welche Werkstatt sollen wir meiden?"),
        ],
    )
    def test_but_alone_they_are_no_ground(self, old, new):
        (state,) = {
            case.validity
            for case in cases_on(old, past("old", old, days=9), past("new", new, days=8))
            if case.session.id == "old"
        }

        assert state == "UNKNOWN"

    def test_a_disproven_one_does_not_supersede(self):
        assert self.state(past("new", "Should we raise the leverage", days=1, accuracy=0.39)) == "VALIDATED"

    @pytest.mark.parametrize("accuracy", [0.4, 1.0, None])
    def test_any_other_does(self, accuracy):
        newer = past("new", "Should we raise the leverage", days=1, accuracy=accuracy)

        assert self.state(newer) == "OUTDATED"

    def test_behind_a_disproven_one_another_may_do_it(self):
        disproven = past("new", "Should we raise the leverage", days=1, accuracy=0.0)
        sound = past("sound", "Should we raise the leverage", days=2, accuracy=0.5)

        assert self.state(disproven, sound) == "OUTDATED"

    def test_an_older_one_and_one_of_the_same_time_do_not(self):
        same = past("same", "Should we raise the leverage", days=30)
        older = past("older", "Should we raise the leverage", days=31)

        assert self.state(same, older) == "VALIDATED"

    def test_a_disproven_session_stays_so(self):
        old = past("old", "raise leverage", days=9, accuracy=0.0)
        new = past("new", "raise leverage", days=8, accuracy=1.0)

        states = {case.session.id: case.validity for case in cases_on("leverage", old, new)}

        assert states == {"old": "DISPROVEN", "new": "VALIDATED"}

    def test_one_without_a_time_is_older_than_any(self):
        states = {
            case.session.id: case.validity
            for case in cases_on(
                "leverage", past("old", "raise leverage", days=None), past("new", "raise leverage", days=8)
            )
        }

        assert states == {"old": "OUTDATED", "new": "UNKNOWN"}

    def test_an_outdated_case_gives_its_place_to_one_that_is_not(self):
        chain = [past(f"s{n}", "raise leverage", days=9 - n, accuracy=1.0) for n in range(5)]
        other = past("other", "leverage among entirely different subjects", days=400, accuracy=None)

        cases = cases_on("raise leverage", *chain, other, k=2)

        assert [(case.session.id, case.validity) for case in cases] == [
            ("s4", "VALIDATED"),
            ("other", "UNKNOWN"),
        ]


def test_days_are_counted_from_now():
    (case,) = cases_on("leverage", past("one", "leverage", days=269, accuracy=1.0))
    assert case.validity == "VALIDATED"
    (case,) = recalled(
        "leverage",
        HeldSessions([past("one", "leverage", days=269, accuracy=1.0)], {}),
        8,
        days_ago(-2),
    )
    assert case.validity == "PARTIALLY_VALID"
