"""Record notes in a vault on Drive: made, rated there, and left alone where nothing has changed."""

from __future__ import annotations

import pytest

from support.drive_road import DriveRoad
from support.syncing import FOLDER, records

ONE = "d_20260328_001"
NAME = f"{FOLDER}/Council Records/2026 Q1/{ONE}.md"


@pytest.fixture
def road(tmp_path, emulator):
    made = DriveRoad(tmp_path, emulator)
    made.settings["notes"] = {"records": True}
    made.names["note"] = NAME
    made.write_memory(*records(3))
    return made


def test_they_are_made_rated_and_left_alone(road):
    assert road.sync().records == 3
    assert f"council_id: {ONE}\n" in road.text("note")
    assert not road.sync().changed
    road.edit("note", "rating:\n", "rating: positive\n")
    assert road.sync().ratings == 1
    assert road.record(ONE)["user_rating"] == "positive"
    assert road.row(ONE)[-1] == "positive"
    assert not road.sync().changed
    assert "\nrating: positive\n" in road.text("note")
