"""The daemon and the record notes: a rating set in a note is taken, and idle looks read none of them."""

from __future__ import annotations

import functools
import os
import time

import pytest

from council_vault.service import keeper, sync_for
from council_vault.service.note_lookout import NoteLookout
from council_vault.service.watcher import Watcher
from council_vault.state import open_state
from council_vault.vault.local import LocalVault
from support.daemons import Life, Silent
from support.record_notes import RECORDS, RecordRoad
from support.syncing import records, stats_below

ONE, TWO = "d_20260328_001", "d_20260328_002"


@pytest.fixture
def road(tmp_path, monkeypatch):
    monkeypatch.setattr(keeper, "Watcher", functools.partial(Watcher, observers=Silent))
    made = RecordRoad(tmp_path)
    made.settings["notes"] = {"records": True}
    made.settings["sync"] = {"every": 1, "watch": "poll"}
    made.write_memory(*records(5))
    return made


def long_ago(path):
    moment = time.time() - 100
    os.utime(path, (moment, moment))


def test_a_rating_set_in_a_note_is_taken_at_the_next_look(road):
    road.settle()
    life = Life(road)

    def tap():
        road.tap(ONE, "positive")
        os.utime(road.note(ONE), (time.time() - 20, time.time() - 20))

    life.time.at(100, tap)
    life.live(100 + keeper.RESCAN + 5)
    assert road.ratings(ONE) == ("positive", "positive", "positive")


def test_a_few_at_a_time_until_all_are_there(road, monkeypatch):
    monkeypatch.setattr(sync_for, "_MOST_RECORDS", 2)
    Life(road).live(200)
    assert road.notes() == [f"d_20260328_00{number}" for number in range(1, 6)]


def test_an_idle_daemon_writes_nothing_and_syncs_no_more(road, caplog):
    caplog.set_level("INFO")
    Life(road).live(100)
    before = stats_below(road.vault, road.folder)
    caplog.clear()
    Life(road).live(1000)
    assert stats_below(road.vault, road.folder) == before
    assert not [line for line in caplog.messages if "Because" in line]


def test_a_look_reads_only_notes_that_look_otherwise(road, monkeypatch):
    road.settle()
    read, names = LocalVault.read, []

    def reading(vault, name):
        if RECORDS in name:
            names.append(name)
        return read(vault, name)

    monkeypatch.setattr(LocalVault, "read", reading)
    with open_state(road.workspace().folder) as state:
        facts = state.facts
    lookout = NoteLookout(road.workspace())
    assert lookout.look(facts) == frozenset()
    assert lookout.look(facts) == frozenset()
    assert names == []
    road.tap(ONE, "positive")
    for _ in range(3):
        ((name, version),) = lookout.look(facts)
        assert name.endswith(f"{ONE}.md")
        assert version
    assert len(names) == 1
    long_ago(road.note(TWO))  # touched, and nothing else
    assert len(lookout.look(facts)) == 1
    assert len(names) == 2
    road.note(TWO).unlink()
    assert {name.rpartition("/")[2]: bool(version) for name, version in lookout.look(facts)} == {
        f"{ONE}.md": True,
        f"{TWO}.md": False,
    }


def test_notes_that_a_sync_has_just_written_are_no_news(road):
    road.sync()
    with open_state(road.workspace().folder) as state:
        facts = state.facts
    assert NoteLookout(road.workspace()).look(facts) == frozenset()


def test_without_the_setting_none_is_looked_at(road):
    road.settle()
    road.settings["notes"] = {"records": False}
    road.sync()
    road.tap(ONE, "positive")
    with open_state(road.workspace().folder) as state:
        facts = state.facts
    assert NoteLookout(road.workspace()).look(facts) == frozenset()
