"""Deliberations go into the memory file, and everything that is learned from them with them."""

from __future__ import annotations

import json
import os
from datetime import timedelta

import pytest

from council_vault.errors import MemoryReadOnly, MemoryUnreadable
from council_vault.learning.log_input import read_log_input
from council_vault.memory.decoding import decode
from council_vault.operations.log import log
from support.deliberations import MODELS, answer, deliberation
from support.memory_files import dump, record
from support.syncing import Road, records


@pytest.fixture
def road(tmp_path):
    return Road(tmp_path)


def logged(road, number=1, *, minutes=11, given=None, **fields):
    """Log a deliberation, so many minutes after the one before."""
    road.now += timedelta(minutes=minutes)
    return log(road.workspace(), read_log_input(given or deliberation(number, **fields)), road.now)


# The record and its place


def test_the_memory_is_created_and_the_record_is_in_it(road):
    outcome = logged(road)
    (kept,) = road.parsed()["deliberations"]
    assert outcome.id == kept["id"] == "d_20260329_001"
    assert outcome.record == kept
    assert not outcome.already
    assert outcome.followed.warnings == ()
    assert road.parsed()["version"] == "1.3"
    assert road.parsed()["last_updated"] == kept["timestamp"] == "2026-03-29T12:11:00Z"


def test_a_memory_file_that_has_gone_is_begun_anew_and_this_is_said(road):
    first = logged(road)
    road.memory.unlink()
    second = logged(road, 2)
    assert road.pending() == {second.id}
    (warning,) = second.followed.warnings
    assert "council-vault restore" in warning
    assert first.id == second.id  # `restore` gives the earlier one a number of its own


def test_unknown_fields_odd_records_and_the_order_of_keys_are_kept(road):
    odd = {"id": "no id", "query_summary": "kept"}
    road.write_memory(
        record(1, mine={"a": 0.10}),
        odd,
        "not a record",
        ours={"x": 1},
        model_performance={MODELS[0]: {"note": "mine", "deliberations_participated": 4, "avg_rank": 2.0}},
        routing_model={"rules": [], "extra": True},
    )
    before = road.parsed()
    logged(road)
    after = road.parsed()
    assert after["deliberations"][:3] == before["deliberations"]
    assert after["ours"] == {"x": 1}
    assert after["routing_model"]["extra"] is True
    assert after["model_performance"][MODELS[0]]["note"] == "mine"
    assert after["model_performance"][MODELS[0]]["deliberations_participated"] == 5
    assert [key for key in after if key in before] == list(before)


def test_one_with_an_earlier_time_stands_where_that_belongs(road):
    road.write_memory(*records(3, day="20260301"), *records(1, day="20260320"))
    logged(road, timestamp="2026-03-10T10:00:00+02:00")
    ids = [one["id"] for one in road.parsed()["deliberations"]]
    assert ids[2:] == ["d_20260301_003", "d_20260310_001", "d_20260320_001"]
    assert road.record("d_20260310_001")["timestamp"] == "2026-03-10T08:00:00Z"


def test_one_without_a_time_is_the_last_even_behind_one_from_the_future(road):
    road.write_memory(*records(1, day="20990101"))
    outcome = logged(road)
    assert road.parsed()["deliberations"][-1]["id"] == outcome.id


def test_the_next_number_is_that_of_the_utc_day(road):
    road.write_memory(record(7, "20260329"), record(3, "20260329"))
    assert logged(road).id == "d_20260329_008"
    road.now += timedelta(days=1)
    assert logged(road, 2).id == "d_20260330_001"


def test_an_old_file_is_migrated(road):
    old = {
        "version": "1.0",
        "created": "2026-03-01T00:00:00Z",
        "deliberations": [record(1, vault_synced=...)],
    }
    road.memory.write_bytes(dump(old))
    logged(road)
    after = road.parsed()
    assert after["version"] == "1.3"
    assert after["optimization_log"] == []
    assert after["routing_model"]["routing_accuracy"] is None
    assert "vault_synced" not in after["deliberations"][0]


# Again


def test_the_same_within_ten_minutes_is_logged_once(road):
    first = logged(road)
    before = road.memory.read_bytes()
    again = logged(road, minutes=9)
    assert (again.id, again.already, again.record) == (first.id, True, first.record)
    assert road.memory.read_bytes() == before
    assert not logged(road, 2, minutes=0).already


def test_later_it_is_a_repeat(road):
    first = logged(road)
    again = logged(road, minutes=11)
    assert not again.already
    assert again.record["repeat_of"] == first.id


def test_a_single_answer_that_the_council_is_asked_for_again_is_rejected(road):
    first = logged(road, given=answer())
    assert first.record["outcome"] == "accepted"
    second = logged(road, minutes=2)
    assert second.rejected == first.id
    rejected = road.record(first.id)
    assert (rejected["user_rating"], rejected["outcome"]) == ("negative", "rejected")
    assert second.followed.synced is not None  # the notes follow


def test_unless_the_person_has_rated_it(road):
    first = logged(road, given=answer())

    def rate(memory):
        memory["deliberations"][0]["user_rating"] = "positive"

    road.change_memory(rate)
    assert logged(road).rejected is None
    assert road.record(first.id)["user_rating"] == "positive"


# Aggregates and rules


def test_aggregates_go_on(road):
    for number in range(1, 8):
        logged(road, number)
    ranks = [one["rankings"][MODELS[1]] for one in road.parsed()["deliberations"]]
    kept = road.parsed()["model_performance"][MODELS[1]]
    assert kept["deliberations_participated"] == 7
    assert kept["avg_rank"] == pytest.approx(sum(ranks) / 7)
    assert sum(kept["category_counts"].values()) == 7


def test_a_single_answer_changes_no_aggregate(road):
    logged(road)
    before = road.parsed()["model_performance"]
    logged(road, given=answer(2))
    assert road.parsed()["model_performance"] == before


def test_the_rules_are_made_at_twenty_thirty_and_so_on(road):
    rebuilt = [number for number in range(1, 42) if logged(road, number).rebuilt]
    assert rebuilt == [20, 30, 40]
    routing = road.parsed()["routing_model"]
    assert routing["sample_size"] == 40
    assert routing["last_rebuilt"] == road.parsed()["deliberations"][39]["timestamp"]


def test_removed_records_count(road):
    road.write_memory(*records(3), archived={"count": 16})
    assert logged(road).rebuilt
    assert road.parsed()["routing_model"]["sample_size"] == 20


# What follows


def test_a_sync_follows_at_every_fifth(road):
    synced = [number for number in range(1, 13) if logged(road, number).followed.synced]
    assert synced == [5, 10]
    assert len(road.flagged()) == 10
    assert len(road.ids()) == 10


def test_as_often_as_is_set(road):
    road.settings["sync"] = {"every": 3}
    assert [number for number in range(1, 8) if logged(road, number).followed.synced] == [3, 6]


def test_without_a_vault_the_record_is_safe_and_this_is_said(road, tmp_path):
    road.settings["vault"] = {"path": str(tmp_path / "gone")}
    outcomes = [logged(road, number) for number in range(1, 6)]
    assert [len(outcome.followed.warnings) for outcome in outcomes] == [0, 0, 0, 0, 1]
    assert "The vault was not synced" in outcomes[-1].followed.warnings[0]
    assert len(road.parsed()["deliberations"]) == 5
    assert road.parsed()["vault_sync_note"] == "vault_unavailable"
    road.settings["vault"] = {}
    assert logged(road, 6).followed.synced.entries == 6  # what was due is due until it is done


def test_what_a_stale_rewrite_undoes_can_be_restored(road):
    logged(road)
    stale = road.memory.read_bytes()
    outcome = logged(road, 2)
    road.memory.write_bytes(stale)
    snapshots = road.workspace().snapshots()
    assert [one.id for one in snapshots.vanished(decode(stale).memory)] == [outcome.id]


def test_a_snapshot_that_cannot_be_kept_is_a_warning(road):
    logged(road)
    folder = road.workspace().folder / "snapshots"
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    folder.write_text("in the way")
    outcome = logged(road, 2)
    assert len(road.parsed()["deliberations"]) == 2
    assert "snapshot cannot be kept" in outcome.followed.warnings[0]


# What is not touched


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        (b"", MemoryUnreadable),
        (b'{"version": "1.3", "deliberations": [', MemoryUnreadable),
        (b"[]", MemoryUnreadable),
        (b'{"version": "1.3", "deliberations": {"a": 1}}', MemoryUnreadable),
        (b'{"version": "1.3", "deliberations": [], "model_performance": [1]}', MemoryUnreadable),
        (
            b'{"version": "1.3", "deliberations": [], "model_performance": {"openai/gpt-4o": 3}}',
            MemoryUnreadable,
        ),
        (b'{"version": "2.0", "deliberations": []}', MemoryReadOnly),
    ],
)
def test_a_file_that_cannot_be_changed_is_left_as_it_is(broken, error, road):
    road.memory.write_bytes(broken)
    os.utime(road.memory, (1e9, 1e9))  # long ago: nobody is just writing it
    with pytest.raises(error):
        logged(road)
    assert road.memory.read_bytes() == broken


def test_many_in_one_process_leave_a_file_without_problems(road):
    for number in range(1, 25):
        logged(road, number, models=number % 4 + 1 if number % 4 else 4)
        decoded = decode(road.memory.read_bytes())
        assert decoded.problems == ()
        assert decoded.memory.total == number
    json.loads(road.memory.read_bytes(), parse_constant=pytest.fail)
