"""The brief as a council reads it, and where it is put."""

from __future__ import annotations

import inspect
import json
import logging
import sqlite3

import pytest

from council_vault.briefing.brief import build_brief
from council_vault.briefing.cases import Reputation
from council_vault.briefing.prompt import (
    CLOSING,
    brief_counsel,
    brief_event,
    brief_or_none,
    brief_role_prompt,
    format_brief_for_council,
)
from council_vault.briefing.recall import HeldSessions
from council_vault.errors import LedgerUnreadable
from support.past_sessions import DIRECTIVE, NOW, past, predicted, recalling, sample_ledger

ROLES = ["Analyst", "Strategist", "Skeptic", "Forecaster", "Executor", "Storyteller"]
OWN = {"role": "system", "content": "You are the counsel."}
USER = {"role": "user", "content": "Decide."}
LABELS = [
    "Executive Summary",
    "Validated Lessons",
    "Failed Lessons",
    "Repeated Errors",
    "Patterns",
    "Confidence Trend",
    "Agent Performance",
    "Other Cases",
    "Blind Spots",
    "Recommended Focus",
]


@pytest.fixture(scope="module")
def brief(tmp_path_factory):
    with recalling(sample_ledger(tmp_path_factory.mktemp("sample") / "ledger.db")) as recall:
        return build_brief(DIRECTIVE, recall, now=NOW)


@pytest.fixture
def empty():
    return build_brief("Something never asked", HeldSessions([], {}), now=NOW)


class TestRendering:
    def test_sections_stand_in_order_with_their_labels(self, brief):
        text = format_brief_for_council(brief)

        assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == LABELS
        assert text.startswith(f"# Historical brief: {DIRECTIVE}\n")

    def test_ends_with_the_instruction(self, brief):
        assert format_brief_for_council(brief).endswith(CLOSING)
        assert CLOSING == (
            "Reason WITH this history. Do not repeat disproven reasoning; "
            "do not rediscover validated lessons; surface new uncertainty."
        )

    def test_says_it_all(self, brief):
        text = format_brief_for_council(brief)

        for line in (
            brief.executive_summary,
            "- Phase in, keep a hedge (cs_4, 100% right)",
            "- ⚠ YES max leverage, BTC moons (cs_1): below 58k",
            "- ⚠ predicted btc up, 3×, such as: BTC rallies hard",
            "- leverage (3)",
            "- 3 prior cases ended DISPROVEN (3)",
            "- stated 82%, right 25%, falling: the House has been OVERCONFIDENT here",
            "- Forecaster: unreliable (skill 18%, calibration 10%)",
            f"- {brief.known_blind_spots[0]}",
            f"- {brief.recommended_focus_areas[0]}",
        ):
            assert line in text.splitlines()

    def test_sections_that_say_nothing_are_left_out(self):
        one = build_brief("leverage", HeldSessions([past("one", "leverage", accuracy=1.0)], {}), now=NOW)
        labels = [line[3:] for line in format_brief_for_council(one).splitlines() if line.startswith("## ")]

        assert labels == ["Executive Summary", "Validated Lessons", "Confidence Trend", "Recommended Focus"]

    def test_what_is_no_lesson_is_told_with_its_state(self):
        open_ = past("open", "leverage of cash", verdict="Wait")
        half = past("half", "leverage on shares", verdict="Try a little", accuracy=0.5)
        old = past("old", "leverage of bonds", verdict="Buy them", accuracy=1.0, days=541)
        lesson = past("lesson", "leverage in gold", verdict="Hold it", accuracy=1.0)
        brief = build_brief("leverage", HeldSessions([open_, half, old, lesson], {}), now=NOW)

        told = format_brief_for_council(brief).partition("## Other Cases\n\n")[2].partition("\n\n")[0]

        assert told.splitlines() == [
            "- Wait (open, untested)",
            "- ⚠ Buy them (old, outdated, 100% right)",
            "- ⚠ Try a little (half, partially valid, 50% right)",
        ]

    def test_errors_without_an_example_and_agents_without_calibration(self):
        sessions = [
            past(
                id_,
                f"leverage {id_}",
                participants=("Skeptic",),
                predictions=(predicted("incorrect", statement="", metric="btc", direction="up"),),
            )
            for id_ in ("one", "two")
        ]
        known = {"Skeptic": Reputation(agent="Skeptic", alpha=3.0)}
        lines = format_brief_for_council(
            build_brief("leverage", HeldSessions(sessions, known), now=NOW)
        ).splitlines()

        assert "- ⚠ predicted btc up, 2×" in lines
        assert "- Skeptic: mixed (skill 75%, calibration unknown)" in lines

    def test_no_history_is_said_and_nothing_else(self, empty):
        assert format_brief_for_council(empty) == (
            f"# Historical brief: Something never asked\n\n## Executive Summary\n\n{empty.executive_summary}"
        )


class TestRoles:
    @pytest.mark.parametrize("role", ROLES)
    def test_the_brief_stands_before_the_task(self, brief, role):
        text = brief_role_prompt(f"You are the {role}.", "Decide.", {"budget": 3}, brief)

        order = [text.index(part) for part in (f"You are the {role}.", "# Historical brief", CLOSING)]
        order += [text.index("TASK:\nDecide."), text.index('CONTEXT:\n{\n  "budget": 3\n}')]
        assert order == sorted(order)
        assert format_brief_for_council(brief) in text

    def test_internal_keys_are_dropped(self, brief):
        text = brief_role_prompt("role", "task", {"_secret": "hidden", "shown": "ü", "a_b": 1}, brief)

        assert "_secret" not in text
        assert "hidden" not in text
        assert json.loads(text.split("CONTEXT:\n")[1]) == {"shown": "ü", "a_b": 1}
        assert '"ü"' in text

    def test_without_a_brief(self):
        assert brief_role_prompt("role", "task", {}, None) == "role\n\nTASK:\ntask"

    @pytest.mark.parametrize("context", [{}, {"_only": "internal"}])
    def test_without_context(self, brief, context):
        assert "CONTEXT" not in brief_role_prompt("role", "task", context, brief)

    def test_context_of_any_kind_is_shown_as_text(self):
        assert str(NOW) in brief_role_prompt("role", "task", {"at": NOW}, None)

    def test_the_context_itself_stays(self):
        context = {"_secret": 1}
        brief_role_prompt("role", "task", context, None)

        assert context == {"_secret": 1}


class TestCounsel:
    def test_the_brief_follows_the_counsels_own_message(self, brief):
        messages = [OWN, USER]

        assert brief_counsel(messages, brief) == [
            OWN,
            {"role": "system", "content": format_brief_for_council(brief)},
            USER,
        ]
        assert messages == [OWN, USER]

    def test_the_last_of_several(self, brief):
        messages = brief_counsel([OWN, USER, OWN, USER], brief)

        assert [message["role"] for message in messages] == ["system", "user", "system", "system", "user"]
        assert messages[3]["content"].startswith("# Historical brief")

    def test_else_it_comes_first(self, brief):
        assert brief_counsel([USER, {}], brief)[0]["content"].startswith("# Historical brief")
        assert len(brief_counsel([], brief)) == 1

    def test_without_a_brief_nothing_changes(self):
        messages = [OWN, USER]

        assert brief_counsel(messages, None) == messages
        assert brief_counsel(messages, None) is not messages


class TestEvent:
    def test_can_be_parsed_as_a_server_sent_event(self, brief):
        event = brief_event(brief)

        assert event.endswith("\n\n")
        fields = dict(line.split(": ", 1) for line in event.strip().split("\n"))
        assert fields["event"] == "brief"
        assert json.loads(fields["data"]) == {
            "n_cases": 5,
            "repeated_errors": [
                {"error": "predicted btc up", "occurrences": 3, "example": "BTC rallies hard"}
            ],
        }

    def test_of_no_history(self, empty):
        assert brief_event(empty) == 'event: brief\ndata: {"n_cases": 0, "repeated_errors": []}\n\n'


class TestBestEffort:
    @pytest.mark.parametrize(
        "error",
        [
            LedgerUnreadable("it is gone"),
            sqlite3.OperationalError("locked"),
            ValueError("odd"),
            KeyError("x"),
        ],
    )
    def test_a_source_that_fails_gives_an_unbriefed_council_and_a_warning(self, error, caplog):
        def failing():
            raise error

        with caplog.at_level(logging.WARNING):
            assert brief_or_none("Decide", failing) is None

        (record,) = caplog.records
        assert record.levelno == logging.WARNING
        assert "without a brief" in record.getMessage()
        assert str(error) in record.getMessage()

    def test_so_does_one_that_fails_later(self, caplog):
        class Failing(HeldSessions):
            def sessions(self, ids):
                raise OSError(f"disk on fire at {ids}")

        assert brief_or_none("leverage", lambda: Failing([past("one", "leverage")], {})) is None
        assert "disk on fire" in caplog.text

    def test_being_interrupted_is_no_failure(self):
        def interrupted():
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            brief_or_none("Decide", interrupted)

    def test_else_there_is_a_brief(self):
        sessions = [past(f"s{n}", f"leverage x{n}x y{n}y") for n in range(5)]

        assert brief_or_none("leverage", lambda: HeldSessions(sessions, {}), k=2).n_cases == 2


@pytest.mark.parametrize(
    "function", [brief_or_none, format_brief_for_council, brief_role_prompt, brief_counsel, brief_event]
)
def test_what_councils_call_is_typed_and_described(function):
    signature = inspect.signature(function)

    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())
    assert signature.return_annotation is not inspect.Signature.empty
    assert len(function.__doc__) > 60
