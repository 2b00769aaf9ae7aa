"""Syncs that leave notes for later: those not asked for, and those that somebody is writing in."""

from __future__ import annotations

import os
import time

import pytest

from council_vault.state import open_state
from support.syncing import NAMES, Road, records


@pytest.fixture
def road(tmp_path):
    road = Road(tmp_path)
    road.write_memory(*records(3))
    road.settle()
    return road


def add(road, number=4):
    road.change_memory(lambda memory: memory["deliberations"].extend(records(1, first=number)))


def outcomes(report):
    return {note.kind: note.outcome for note in report.notes}


def age(road, kind, seconds):
    moment = time.time() - seconds
    os.utime(road.path(kind), (moment, moment))


def test_the_log_alone(road):
    add(road)
    before = {kind: road.text(kind) for kind in NAMES}
    report = road.sync(only_log=True)
    assert outcomes(report) == {"performance": "later", "routing": "later", "log": "written"}
    assert (report.flagged, report.pending, report.failed) == (1, 0, False)
    assert [road.text(kind) == before[kind] for kind in NAMES] == [True, True, False]
    assert road.sync().changed  # the others are still to come, and are not forgotten
    assert not road.sync().changed


def test_the_log_alone_where_nothing_is_to_do(road):
    assert not road.sync(only_log=True).changed
    assert not road.sync().changed


def test_the_log_alone_brings_ratings_too(road):
    road.rate("d_20260328_002", "positive")
    assert road.sync(only_log=True).ratings == 1
    assert road.record("d_20260328_002")["user_rating"] == "positive"


def test_a_note_that_somebody_writes_in_is_left_and_the_others_are_not(road):
    add(road)
    text = road.text("performance") + "\nI am still writ"
    road.path("performance").write_text(text)
    report = road.sync(quiet_for=10.0)
    assert outcomes(report) == {"performance": "later", "routing": "written", "log": "written"}
    assert report.notes[[note.kind for note in report.notes].index("performance")].reason
    assert not report.failed
    assert road.text("performance") == text
    age(road, "performance", 11)
    assert outcomes(road.sync(quiet_for=10.0))["performance"] == "written"
    assert road.text("performance").endswith("\nI am still writ")


def test_a_log_that_somebody_writes_in_says_nothing_yet(road):
    add(road)
    road.rate("d_20260328_002", "posi")
    text = road.text("log")
    report = road.sync(quiet_for=10.0)
    assert outcomes(report)["log"] == "later"
    assert (report.flagged, report.ratings, report.messages) == (0, 0, ())
    assert road.text("log") == text
    assert road.pending() == {"d_20260328_004"}
    road.edit("log", "posi ", "positive ")
    age(road, "log", 11)
    report = road.sync(quiet_for=10.0)
    assert (report.flagged, report.ratings, report.entries) == (1, 1, 1)


def test_nothing_is_known_of_rows_that_were_not_read(road):
    """A row deleted while somebody was typing is still seen as deleted when they have paused."""
    road.delete_rows("d_20260328_002")
    add(road)
    road.sync(quiet_for=10.0)
    age(road, "log", 11)
    road.sync(quiet_for=10.0)
    assert road.ids() == ["d_20260328_004", "d_20260328_003", "d_20260328_001"]


@pytest.mark.parametrize("seconds", [-3600, 10.5, 86400])
def test_what_was_written_long_ago_or_in_the_future_is_not_waited_for(seconds, road):
    road.rate("d_20260328_002", "positive")
    age(road, "log", seconds)
    assert road.sync(quiet_for=10.0).ratings == 1


def test_what_we_wrote_ourselves_is_not_waited_for(road):
    for number in range(4, 7):
        add(road, number)
        assert outcomes(road.sync(quiet_for=10.0)) == dict.fromkeys(NAMES, "written")


def test_what_a_killed_sync_wrote_is_not_waited_for(road, monkeypatch):
    class Killed(BaseException):
        pass

    def killed(*_arguments):
        raise Killed

    add(road)
    with monkeypatch.context() as patch:
        patch.setattr("council_vault.sync._Sync.flag", killed)
        with pytest.raises(Killed):
            road.sync(quiet_for=10.0)
    assert len(road.rows()) == 4
    add(road, 5)
    assert "later" not in outcomes(road.sync(quiet_for=10.0)).values()
    assert len(road.flagged()) == 5


def test_by_hand_nobody_is_waited_for(road):
    road.rate("d_20260328_002", "positive")
    assert road.sync().ratings == 1


def test_a_note_that_an_agent_made_just_now_is_left_as_well(tmp_path):
    road = Road(tmp_path)
    road.write_memory(*records(1))
    road.path("performance").parent.mkdir(parents=True)
    road.path("performance").write_text("# My own\n")
    assert outcomes(road.sync(quiet_for=10.0))["performance"] == "later"
    assert road.text("performance") == "# My own\n"


def test_a_note_that_cannot_be_looked_at_is_no_reason_to_wait(road):
    add(road)
    road.path("routing").unlink()
    road.path("routing").mkdir()
    assert outcomes(road.sync(quiet_for=10.0))["routing"] == "refused"


def test_a_foreign_log_that_somebody_writes_in_is_foreign_all_the_same(tmp_path):
    first = Road(tmp_path / "first")
    first.write_memory(*records(3))
    first.settle()
    second = Road(tmp_path / "second")
    second.vault = first.vault
    second.write_memory(*records(3, "20270101"), created="2027-01-01T00:00:00Z")
    report = second.sync(quiet_for=10.0)
    assert outcomes(report)["log"] == "later"
    assert outcomes(report)["performance"] in {"refused", "later"}
    assert first.ids() == ["d_20260328_003", "d_20260328_002", "d_20260328_001"]


def test_when_the_router_was_rebuilt_is_remembered_once_the_note_shows_it(road):
    def rebuilt():
        with open_state(road.workspace().folder) as state:
            return state.facts.rebuilt

    when = "2026-03-29T10:00:00Z"
    road.change_memory(lambda memory: memory["routing_model"].update(last_rebuilt=when))
    road.sync(only_log=True)
    assert rebuilt() is None
    road.sync()
    assert rebuilt() == when
