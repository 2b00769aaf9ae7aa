"""The history of syncs: bounded, the newest first, and nothing depends on it."""

from __future__ import annotations

import os
import sqlite3

import pytest

from council_vault.facts import Facts
from council_vault.history import KEPT, PastSync
from council_vault.state import Remembering, open_state


def past(number=0, **fields):
    known = {"at": f"2026-05-01T08:00:{number % 60:02}Z", "reason": "by hand", "seconds": 0.04, "flagged": 1}
    return PastSync(**known | fields)


def away(number, **fields):
    return past(number, **{"flagged": 0, "troubles": ("no vault was found",), **fields})


def remember(state, *syncs):
    for sync in syncs:
        state.remember(Remembering(facts=state.facts, sync=sync))


def told(state, count=KEPT):
    return [(sync.at[17:19], sync.times, sync.first_at[17:19]) for sync in state.syncs(count)]


def test_the_newest_come_first(tmp_path):
    with open_state(tmp_path) as state:
        assert state.syncs(10) == ()
        remember(state, past(1), past(2), past(3))
        assert told(state) == [("03", 1, "03"), ("02", 1, "02"), ("01", 1, "01")]
        assert told(state, 2) == [("03", 1, "03"), ("02", 1, "02")]
    with open_state(tmp_path) as state:
        assert len(state.syncs(10)) == 3


def test_everything_is_kept_of_a_sync(tmp_path):
    sync = past(
        vault=os.fsdecode(b"/v\xff"), did="Vault synced.", notes=("log",), entries=1, rows_back=2,
        ratings=3, flagged=4, pending=5, troubles=("🏛️",), times=1, first_at="2026-05-01T08:00:00Z",
    )  # fmt: skip
    with open_state(tmp_path) as state:
        remember(state, sync)
        assert state.syncs(1) == (sync,)


def test_a_remembering_without_a_sync_adds_none(tmp_path):
    with open_state(tmp_path) as state:
        remember(state, past(1), None)
        assert len(state.syncs(10)) == 1


def test_only_the_newest_two_hundred_stay(tmp_path):
    with open_state(tmp_path) as state:
        remember(state, *(past(entries=number) for number in range(KEPT + 7)))
        syncs = state.syncs(KEPT * 2)
        assert [sync.entries for sync in syncs] == list(range(KEPT + 6, 6, -1))
    with sqlite3.connect(tmp_path / "state.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM sync").fetchone() == (KEPT,)


def test_one_trouble_again_and_again_counts_as_one(tmp_path):
    with open_state(tmp_path) as state:
        remember(
            state, past(1), away(2), away(3, reason="because the daemon has started"), away(4, seconds=9.0)
        )
        assert told(state) == [("04", 3, "02"), ("01", 1, "01")]
        assert state.syncs(1)[0].seconds == 9.0
        remember(state, past(5), away(6))
        assert told(state)[:2] == [("06", 1, "06"), ("05", 1, "05")]


@pytest.mark.parametrize(
    "other",
    [
        {"troubles": ("another",)},
        {"vault": "/v"},
        {"flagged": 1},
        {"ratings": 1},
        {"notes": ("log",)},
        {"did": "x"},
    ],
)
def test_what_differs_is_another_sync(tmp_path, other):
    with open_state(tmp_path) as state:
        remember(state, away(1), away(2, **other))
        assert told(state) == [("02", 1, "02"), ("01", 1, "01")]


def test_two_that_did_the_same_are_two(tmp_path):
    with open_state(tmp_path) as state:
        remember(state, past(1), past(2))
        assert len(state.syncs(10)) == 2


@pytest.mark.parametrize("stored", ["{}", "nonsense", "[]", '{"at": 1}', None])
def test_what_cannot_be_understood_is_passed_over(tmp_path, stored):
    with open_state(tmp_path) as state:
        remember(state, past(1), past(2))
    with sqlite3.connect(tmp_path / "state.sqlite") as connection:
        connection.execute("UPDATE sync SET past = ? WHERE number = 2", (stored or "\x00",))
    with open_state(tmp_path) as state:
        assert told(state) == [("01", 1, "01")]
        remember(state, past(3))
        assert told(state) == [("03", 1, "03"), ("01", 1, "01")]


def test_a_state_of_before_gets_a_history(tmp_path):
    with open_state(tmp_path) as state:
        state.remember(Remembering(facts=Facts(stamp="m")))
    with sqlite3.connect(tmp_path / "state.sqlite") as connection:
        connection.execute("DROP TABLE sync")
    with open_state(tmp_path) as state:
        remember(state, past(1))
        assert (state.facts.stamp, len(state.syncs(1))) == ("m", 1)


def test_the_history_is_not_of_the_notes_and_outlives_their_names(tmp_path):
    with open_state(tmp_path) as state:
        remember(state, past(1))
        state.forget_notes("other")
        assert len(state.syncs(1)) == 1
