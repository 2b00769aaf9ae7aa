"""A sync that is killed at any point leaves nothing that the next one takes for a person's wish."""

from __future__ import annotations

import pytest

from support.killed_syncs import server
from support.syncing import Road, records

SECOND = "d_20260328_002"


@pytest.fixture(scope="module")
def syncs():
    with server() as running:
        yield running


def road_with_three(base):
    road = Road(base)
    road.write_memory(*records(3))
    road.settle()
    return road


def rate(road, word):
    """Let an agent rate the second record in the memory."""

    def change(memory):
        memory["deliberations"][1]["user_rating"] = word

    road.change_memory(change)


def killed(syncs, tmp_path, prepare):
    """Yield roads on which a sync was killed after `prepare`, earlier or later, at every fifth point."""
    point = 1
    while True:
        road = road_with_three(tmp_path / str(point))
        prepare(road)
        outcome = syncs.sync(road, point=point)
        if outcome["end"] == "ended":
            assert point > 25
            return
        assert outcome["end"] == "killed", outcome
        assert point < 500
        yield road
        point += 5


def test_what_a_killed_sync_has_written_does_not_count_as_typed(syncs, tmp_path):
    for road in killed(syncs, tmp_path, lambda road: rate(road, "positive")):
        rate(road, "negative")
        road.settle()
        assert road.record(SECOND)["user_rating"] == "negative"
        assert road.row(SECOND)[-1] == "negative"


def test_nor_after_another_sync_was_killed_too(syncs, tmp_path):
    for number, road in enumerate(killed(syncs, tmp_path, lambda road: rate(road, "positive")), 1):
        rate(road, "negative")
        syncs.sync(road, point=number // 2)
        rate(road, "neutral")
        road.settle()
        assert road.record(SECOND)["user_rating"] == "neutral"
        assert road.row(SECOND)[-1] == "neutral"


def test_what_a_person_types_after_a_killed_sync_counts(syncs, tmp_path):
    for road in killed(syncs, tmp_path, lambda road: rate(road, "positive")):
        road.rate(SECOND, "negative")
        road.edit("log", "Question 2 of 20260328", "My second question")
        road.settle()
        assert road.record(SECOND)["user_rating"] == "negative"
        assert road.row(SECOND)[2] == "My second question"


def test_a_row_of_a_killed_sync_that_is_deleted_by_hand_is_no_loss(syncs, tmp_path):
    def one_more(road):
        road.change_memory(lambda memory: memory["deliberations"].extend(records(1, first=4)))

    for road in killed(syncs, tmp_path, one_more):
        road.settle()
        assert road.ids() == [f"d_20260328_{number:03}" for number in (4, 3, 2, 1)]
        assert len(road.flagged()) == 4


def test_what_was_left_beside_the_memory_is_settled_though_there_is_nothing_to_do(tmp_path):
    road = road_with_three(tmp_path)
    left = road.folder / ".council-memory.json.0123456789abcdef.part"
    left.write_bytes(b"half of it")

    road.sync(dry_run=True)
    assert left.exists()

    road.sync()
    assert [path.name for path in road.folder.iterdir()] == ["council-memory.json"]
