"""Compaction of a memory file that is synced: rows stay, and nothing is taken for lost by mistake."""

from __future__ import annotations

import pytest

from council_vault.learning import compaction
from council_vault.learning.log_input import read_log_input
from council_vault.operations.log import log
from council_vault.operations.rebuild import rebuild, relearn
from council_vault.operations.repairing import repair
from support.deliberations import deliberation
from support.learned_records import differences, every_statistic
from support.syncing import Road, records

FULL, KEPT = 8, 20


@pytest.fixture
def road(tmp_path, monkeypatch):
    monkeypatch.setattr(compaction, "KEPT_IN_FULL", FULL)
    monkeypatch.setattr(compaction, "KEPT", KEPT)
    road = Road(tmp_path)
    road.write_memory(*records(30))
    road.settle()
    return road


def compact(road):
    """Rebuild the rules, with which old records are reduced, and return what the sync after it said."""
    rebuilt = rebuild(road.workspace(), road.now)
    assert rebuilt.compacted
    assert rebuilt.followed.warnings == ()
    return rebuilt.followed.synced


def memory(road):
    return road.workspace().memory_file().read().memory


def add(road, count, first):
    road.change_memory(lambda whole: whole["deliberations"].extend(records(count, first=first)))


def ids(road):
    return [one["id"] for one in road.parsed()["deliberations"]]


def vanished(road):
    return [one.id for one in road.workspace().snapshots().vanished(memory(road))]


def test_rows_stay_to_the_byte_and_no_statistic_changes(road):
    before, rows = every_statistic(memory(road)), [road.line(id_) for id_ in road.ids()]
    report = compact(road)
    assert len(ids(road)) == KEPT
    assert sum("query_summary" in one for one in road.parsed()["deliberations"]) == FULL
    assert [road.line(id_) for id_ in road.ids()] == rows
    assert len(rows) == 30
    assert not [message for message in report.messages if "vanished" in message]
    found = differences(before, every_statistic(memory(road)))
    assert not [difference for difference in found if ".router.last_rebuilt" not in difference]


@pytest.mark.parametrize("full", [False, True])
def test_later_syncs_neither_blank_nor_repeat_rows(road, full):
    rows = [road.line(id_) for id_ in road.ids()]
    compact(road)
    road.sync(full=full)
    assert [road.line(id_) for id_ in road.ids()] == rows
    add(road, 1, first=31)
    road.sync(full=full)
    assert [road.line(id_) for id_ in road.ids()][1:] == rows
    assert not road.sync(full=full).changed


def test_a_rating_typed_into_the_row_of_a_summary_comes_back_and_the_row_keeps_its_cells(road):
    compact(road)
    shortened = ids(road)[0]
    cells = road.row(shortened)
    road.rate(shortened, "negative")
    assert road.sync().ratings == 1
    assert road.record(shortened)["user_rating"] == "negative"
    assert road.row(shortened) == [*cells[:-1], "negative"]


def test_a_rating_typed_into_the_row_of_a_removed_record_stays_there(road):
    compact(road)
    road.rate("d_20260328_001", "negative")
    assert not road.sync().failed
    assert road.row("d_20260328_001")[-1] == "negative"
    assert "d_20260328_001" not in ids(road)


def test_no_new_record_gets_the_id_and_with_it_the_row_of_a_removed_one(road):
    compact(road)
    rows = {id_: road.line(id_) for id_ in road.ids()}
    removed = rows.keys() - set(ids(road))
    given = read_log_input(deliberation(1, timestamp="2026-03-27T10:00:00Z"))
    assert log(road.workspace(), given, road.now).id == "d_20260327_011"
    nameless = {**records(1, day="20260326")[0], "id": None}
    road.change_memory(lambda whole: whole["deliberations"].insert(0, nameless))
    repair(road.workspace(), road.now)
    assert ids(road)[0] == "d_20260326_011"
    road.settle()
    assert len(removed) == 10
    assert {id_: road.line(id_) for id_ in removed} == {id_: rows[id_] for id_ in removed}


def test_what_is_not_in_the_vault_yet_is_passed_over_and_nothing_has_vanished(road):
    def unflag(whole):
        for place in (0, 4, 15):
            whole["deliberations"][place]["vault_synced"] = False

    road.change_memory(unflag)
    road.workspace().snapshots().save(road.memory.read_bytes(), road.now)
    compact(road)
    assert len(ids(road)) == KEPT + 2
    assert {"d_20260328_001", "d_20260328_005"} < set(ids(road))
    assert vanished(road) == []
    add(road, 5, first=31)
    road.sync()
    compact(road)
    assert len(ids(road)) == KEPT
    assert vanished(road) == []


def test_what_vanished_before_the_next_snapshot_is_told_from_what_was_removed(road):
    compact(road)
    add(road, 10, first=31)
    road.sync()

    def change(document, _memory):
        assert relearn(document, road.workspace(), road.now).compacted
        return document

    road.workspace().memory_file().operate(change)
    assert vanished(road) == []
    for place in (3, -1):
        road.change_memory(lambda whole, place=place: whole["deliberations"].pop(place))
    assert vanished(road) == ["d_20260328_024", "d_20260328_040"]


def test_a_file_that_was_never_in_a_vault_is_reduced_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(compaction, "KEPT_IN_FULL", FULL)
    monkeypatch.setattr(compaction, "KEPT", KEPT)
    road = Road(tmp_path)
    road.write_memory(*records(30))
    road.settings["vault"] = {"path": None, "name": "Nowhere"}
    assert rebuild(road.workspace(), road.now).compacted
    assert len(ids(road)) == KEPT
    assert len(road.pending()) == KEPT
