"""A brief as a whole: the sample, and what no brief ever says."""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.briefing.brief import build_brief
from council_vault.briefing.prompt import format_brief_for_council
from council_vault.briefing.recall import HeldSessions
from support.past_sessions import (
    DIRECTIVE,
    NOW,
    days_ago,
    past,
    predicted,
    recalling,
    sample_ledger,
    write_ledger,
)

SECTIONS = [
    "directive",
    "generated_at",
    "n_cases",
    "coverage",
    "executive_summary",
    "relevant_historical_cases",
    "validated_lessons",
    "failed_lessons",
    "common_patterns",
    "repeated_errors",
    "confidence_trends",
    "agent_performance_trends",
    "recommended_focus_areas",
    "known_blind_spots",
]
CASE_KEYS = ["ref", "validity", "warning", "gist", "accuracy", "why_relevant"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    path = sample_ledger(tmp_path_factory.mktemp("sample") / "ledger.db")
    with recalling(path) as recall:
        yield msgspec.json.decode(msgspec.json.encode(build_brief(DIRECTIVE, recall, now=NOW)))


def brief_of(sessions, directive, now=NOW, **options):
    return build_brief(directive, HeldSessions(sessions, {}), now=now, **options)


class TestTheSample:
    def test_has_all_sections_in_order(self, sample):
        assert list(sample) == SECTIONS

    def test_counts(self, sample):
        assert sample["directive"] == DIRECTIVE
        assert sample["generated_at"] == 1781400000.0
        assert sample["n_cases"] == 5
        assert sample["coverage"] == {"VALIDATED": 1, "DISPROVEN": 3, "UNKNOWN": 1}

    def test_is_summed_up(self, sample):
        assert sample["executive_summary"] == (
            "5 prior deliberation(s) on this: 1 validated, 1 untested, 3 disproven. "
            "⚠ Repeated error: predicted btc up. "
            "Established lesson: Phase in, keep a hedge. Calibration: OVERCONFIDENT."
        )

    def test_refers_to_cases_those_without_a_warning_first(self, sample):
        cases = sample["relevant_historical_cases"]
        assert [list(case) for case in cases] == [CASE_KEYS] * 5
        assert {
            "ref": "cs_1",
            "validity": "DISPROVEN",
            "warning": True,
            "gist": "YES max leverage, BTC moons",
            "accuracy": 0.0,
            "why_relevant": "matched terms: leverage, risk, btc",
        } in cases
        assert [case["warning"] for case in cases] == [False, False, True, True, True]
        assert [case["accuracy"] for case in cases] == [1.0, None, 0.0, 0.0, 0.0]

    def test_lessons(self, sample):
        assert sample["validated_lessons"] == [
            {"lesson": "Phase in, keep a hedge", "from_case": "cs_4", "accuracy": 1.0}
        ]
        failed = {lesson["from_case"]: lesson for lesson in sample["failed_lessons"]}
        assert sorted(failed) == ["cs_1", "cs_2", "cs_3"]
        assert failed["cs_1"] == {
            "lesson": "YES max leverage, BTC moons",
            "why_failed": "below 58k",
            "from_case": "cs_1",
        }

    def test_patterns_and_errors(self, sample):
        assert sample["common_patterns"] == [
            {"pattern": "leverage", "occurrences": 3},
            {"pattern": "3 prior cases ended DISPROVEN", "occurrences": 3},
        ]
        assert sample["repeated_errors"] == [
            {"error": "predicted btc up", "occurrences": 3, "example": "BTC rallies hard"}
        ]

    def test_trends(self, sample):
        assert sample["confidence_trends"] == {
            "stated_avg": 0.825,
            "realized_accuracy": 0.25,
            "calibration_gap": 0.575,
            "direction": "falling",
            "note": "the House has been OVERCONFIDENT here",
        }
        assert sample["agent_performance_trends"] == [
            {
                "agent": "Forecaster",
                "skill": 0.18,
                "calibration": 0.1,
                "accuracy_rate": 0.0,
                "reliability": "unreliable",
            }
        ]

    def test_guidance(self, sample):
        first, second = sample["recommended_focus_areas"]
        assert first.startswith("Do NOT repeat: predicted btc up (failed 3×)")
        assert second.startswith("Counter known overconfidence: demand evidence")
        (spot,) = sample["known_blind_spots"]
        assert spot.startswith("1 recalled case(s) are UNTESTED")


class TestNoHistory:
    @pytest.mark.parametrize(
        "directive",
        [
            "Something never asked",
            "",
            "a",
            "should we not do it",
            "the of and",
            "\ud800",
            "\0",
            "🙂",
            "x" * 10_000,
        ],
    )
    def test_no_past_is_invented(self, directive):
        sessions = [past("one", "Raise the leverage", accuracy=1.0), past("two", "", verdict="")]

        brief = brief_of(sessions, directive)

        assert brief.n_cases == 0
        assert brief.coverage == {}
        assert brief.relevant_historical_cases == brief.validated_lessons == brief.failed_lessons == ()
        assert brief.common_patterns == brief.repeated_errors == brief.agent_performance_trends == ()
        assert brief.known_blind_spots == ()
        assert brief.confidence_trends.stated_avg is None
        assert "No prior deliberations" in brief.executive_summary
        assert "first principles" in brief.executive_summary
        assert "record a new baseline" in brief.executive_summary
        assert brief.recommended_focus_areas == (brief.executive_summary,)
        assert msgspec.json.decode(msgspec.json.encode(brief), type=type(brief)) == brief

    def test_nor_from_an_empty_history(self):
        assert brief_of([], "Raise the leverage").n_cases == 0

    @pytest.mark.parametrize("k", [0, -1])
    def test_nor_where_no_case_is_wanted(self, k):
        assert brief_of([past("one", "Raise the leverage")], "Raise the leverage", k=k).n_cases == 0


class TestAnyScript:
    @pytest.mark.parametrize(
        ("directive", "earlier", "shown"),
        [
            ("ควรเพิ่มเลเวอเรจไหม", "เพิ่มเลเวอเรจตอนนี้", "เพ"),
            ("我们应该增加杠杆吗", "增加杠杆的风险", "杠杆"),
            ("Hebel erhöhen?", "Den Hebel ERHÖHEN", "erhöhen"),
            ("레버리지를 높일까", "레버리지가 위험하다", "레버리지를"),
        ],
    )
    def test_words_without_spaces_match(self, directive, earlier, shown):
        brief = brief_of([past("one", earlier), past("two", "Completely different")], directive)

        (case,) = brief.relevant_historical_cases
        assert case.ref == "one"
        assert shown in case.why_relevant

    def test_ten_thousand_characters(self):
        brief = brief_of([past("one", "leverage")], "Should we raise leverage? " * 400)

        assert [case.why_relevant for case in brief.relevant_historical_cases] == ["matched terms: leverage"]


class TestTheSameAgain:
    def test_the_same_ledger_and_clock_give_the_same_bytes_in_any_process(self, tmp_path):
        path = sample_ledger(tmp_path / "ledger.db")
        program = (
            "import sys, msgspec\n"
            "from pathlib import Path\n"
            "from council_vault.briefing.brief import build_brief\n"
            "from council_vault.briefing.prompt import format_brief_for_council\n"
            "from support.past_sessions import DIRECTIVE, NOW, recalling\n"
            "with recalling(Path(sys.argv[1])) as recall:\n"
            "    brief = build_brief(DIRECTIVE, recall, now=NOW)\n"
            "sys.stdout.buffer.write(msgspec.json.encode(brief))\n"
            "sys.stdout.buffer.write(format_brief_for_council(brief).encode())\n"
        )
        outputs = {
            subprocess.run(
                [sys.executable, "-c", program, str(path)],
                env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
                check=True,
                stdout=subprocess.PIPE,
            ).stdout
            for seed in ("0", "1", "4242")
        }
        with recalling(path) as recall:
            brief = build_brief(DIRECTIVE, recall, now=NOW)
            again = build_brief(DIRECTIVE, recall, now=NOW)

        assert brief == again
        assert outputs == {msgspec.json.encode(brief) + format_brief_for_council(brief).encode()}

    def test_the_order_in_which_sessions_are_held_makes_no_difference(self):
        sessions = [past(f"s{n}", f"leverage {'risk' * (n % 3)}", days=9, accuracy=n % 2) for n in range(9)]

        assert brief_of(sessions, "leverage risk") == brief_of(sessions[::-1], "leverage risk")


WORDS = ["leverage", "risk", "hedge", "btc", "data_gaps: [", "]", '"', "，杠杆", "ความเสี่ยง", "\n", ", "]
long_texts = st.lists(
    st.one_of(st.sampled_from(WORDS), st.text(st.characters(codec="utf-8"), max_size=30)), max_size=60
).map(" ".join) | st.sampled_from(["z" * 300, "leverage" + "z" * 300, "leverage, risk, hedge, btc, " * 20])
sentinels = st.builds(
    lambda texts, statuses, rating, confidence: past(
        texts[0],
        "leverage " + texts[1],
        verdict=texts[2],
        confidence=confidence,
        accuracy=rating,
        participants=(texts[3],),
        evidence_summary=texts[4],
        dissent_summary=texts[5],
        predictions=tuple(
            predicted(
                status,
                agent=texts[3],
                statement=texts[6],
                metric=texts[7],
                direction=texts[7],
                invalidation=texts[8],
            )
            for status in statuses
        ),
    ),
    st.lists(long_texts, min_size=9, max_size=9),
    st.lists(st.sampled_from(["correct", "incorrect", "partial", "pending"]), max_size=3),
    st.sampled_from([None, 0.0, 0.5, 1.0]),
    st.none() | st.floats(0, 1),
)


def texts_of(session):
    yield from (session.id, session.directive, session.verdict, *session.participants)
    yield from (session.evidence_summary, session.dissent_summary)
    for one in session.predictions:
        yield from (one.agent, one.statement, one.metric, one.direction, one.invalidation)


class TestNothingLeaks:
    @settings(max_examples=150, deadline=None)
    @given(st.lists(sentinels, min_size=1, max_size=4))
    def test_no_more_than_a_gist_of_any_text_leaves(self, sessions):
        brief = brief_of(sessions, "leverage, risk, hedge, btc")
        said = [format_brief_for_council(brief), *strings_in(msgspec.to_builtins(brief))]

        assert brief.n_cases >= 1
        for session in sessions:
            for text in texts_of(session):
                for start in range(len(text) - 110):
                    part = text[start : start + 111]
                    assert not any(part in one for one in said)

    def test_not_even_where_the_directive_is_the_same_long_list_again(self):
        words = ", ".join(f"word{n}" for n in range(100))
        brief = brief_of([past("one", words, verdict=words)], words)

        (case,) = brief.relevant_historical_cases
        assert len(case.why_relevant) <= 110
        assert len(case.gist) <= 110

    @settings(max_examples=50, deadline=None)
    @given(st.lists(sentinels, min_size=1, max_size=4))
    def test_cases_have_six_keys_and_no_others(self, sessions):
        brief = msgspec.to_builtins(brief_of(sessions, "leverage"))

        for case in brief["relevant_historical_cases"]:
            assert list(case) == CASE_KEYS
        assert not {"contributions", "model", "evidence_summary"} & set(keys_in(brief))


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for one in value.values() for text in strings_in(one))
    elif isinstance(value, (list, tuple)):
        yield from (text for one in value for text in strings_in(one))


def keys_in(value):
    if isinstance(value, dict):
        yield from value
        yield from (key for one in value.values() for key in keys_in(one))
    elif isinstance(value, (list, tuple)):
        yield from (key for one in value for key in keys_in(one))


class TestWhatIsNoLesson:
    @settings(max_examples=200, deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["leverage risk", "leverage risk hedge", "leverage", "hedge the leverage"]),
                st.none() | st.floats(-2000, 4000),
                st.none() | st.sampled_from([0.0, 0.39, 0.4, 0.5, 0.6, 1.0]) | st.floats(0, 1),
                st.none() | st.floats(0, 1),
            ),
            max_size=8,
        )
    )
    def test_what_was_disproven_or_is_outdated_is_never_a_validated_lesson(self, drawn):
        sessions = [
            past(f"s{n}", directive, days=days, accuracy=accuracy, confidence=confidence)
            for n, (directive, days, accuracy, confidence) in enumerate(drawn)
        ]
        brief = brief_of(sessions, "leverage risk")
        by_id = {session.id: session for session in sessions}

        for lesson in brief.validated_lessons:
            session = by_id[lesson.from_case]
            assert session.accuracy is not None
            assert session.accuracy >= 0.6
            assert session.time is None or session.time >= days_ago(270)
            assert not any(
                other.time is not None
                and (session.time is None or other.time > session.time)
                and set(other.directive.split()) == set(session.directive.split())
                and (other.accuracy is None or other.accuracy >= 0.4)
                for other in sessions
            )
        states = {case.ref: case.validity for case in brief.relevant_historical_cases}
        assert all(states[lesson.from_case] == "VALIDATED" for lesson in brief.validated_lessons)
        assert all(states[lesson.from_case] == "DISPROVEN" for lesson in brief.failed_lessons)
        assert {case.ref for case in brief.relevant_historical_cases if case.warning} == {
            ref for ref, state in states.items() if state in {"DISPROVEN", "OUTDATED", "PARTIALLY_VALID"}
        }


class TestBounds:
    def test_a_brief_rests_on_eight_cases_unless_told(self):
        sessions = [past(f"s{n}", f"leverage number{n} other{n} third{n}") for n in range(20)]

        assert brief_of(sessions, "leverage").n_cases == 8
        assert brief_of(sessions, "leverage", k=3).n_cases == 3

    def test_the_time_is_the_present_unless_told(self, tmp_path):
        path = write_ledger(tmp_path / "ledger.db", [{"directive": "Raise the leverage"}])
        with recalling(path) as recall:
            assert build_brief("leverage", recall).generated_at > NOW.timestamp() - 10 * 365 * 86400
