"""A log that is killed at any point leaves the memory file as before or as after."""

from __future__ import annotations

from datetime import timedelta

import pytest

from council_vault.learning.log_input import read_log_input
from council_vault.memory.decoding import decode
from council_vault.operations.log import log
from support.deliberations import MODELS, deliberation
from support.killed_syncs import server
from support.syncing import Road


@pytest.fixture(scope="module")
def logs():
    with server() as running:
        yield running


def road_with(base, count):
    road = Road(base)
    for number in range(1, count + 1):
        road.now += timedelta(minutes=11)
        log(road.workspace(), read_log_input(deliberation(number)), road.now)
    return road


def killed(logs, tmp_path, count, step):
    """Yield roads on which the next log was killed, earlier or later, and what stood there before."""
    point = 1
    while True:
        road = road_with(tmp_path / str(point), count)
        before = road.memory.read_bytes() if road.memory.exists() else None
        outcome = logs.log(road, deliberation(count + 1), point=point)
        if outcome["end"] == "ended":
            assert point > 8
            return
        assert outcome["end"] == "killed", outcome
        assert point < 500
        yield road, before
        point += step


def assert_whole(road, count):
    """The file holds so many councils, and everything in it is of all of them."""
    decoded = decode(road.memory.read_bytes())
    assert decoded.problems == ()
    memory = decoded.memory
    assert memory.total == count
    assert len(memory.identified) == count
    assert {memory.model_performance[model].deliberations_participated for model in MODELS} == {count}
    assert memory.routing_model.sample_size == (count // 10 * 10 if count >= 20 else 0)


def test_the_first_one_which_creates_the_file(logs, tmp_path):
    for road, _ in killed(logs, tmp_path, 0, 1):
        if road.memory.exists():
            memory = decode(road.memory.read_bytes()).memory
            if memory.deliberations:
                assert_whole(road, 1)
        log(road.workspace(), read_log_input(deliberation(1)), road.now)
        assert_whole(road, 1)


def test_one_after_which_a_sync_is_due(logs, tmp_path):
    seen = set()
    for road, before in killed(logs, tmp_path, 4, 6):
        after = road.memory.read_bytes()
        seen.add(after == before)
        if after != before:
            assert_whole(road, 5)
        outcome = log(road.workspace(), read_log_input(deliberation(5)), road.now)
        assert outcome.id.endswith("_005")
        assert_whole(road, 5)
        assert not outcome.followed.warnings
        assert len(road.flagged()) == len(road.ids()) == 5  # the sync that was due came, at the latest, now
        assert [path.name for path in road.folder.iterdir()] == ["council-memory.json"]
    assert seen == {True, False}


def test_one_with_which_the_rules_are_made(logs, tmp_path):
    base = road_with(tmp_path / "base", 19)
    content = base.memory.read_bytes()
    point, ended = 1, False
    while not ended:
        road = Road(tmp_path / str(point))
        road.memory.write_bytes(content)
        road.now = base.now
        ended = logs.log(road, deliberation(20), point=point)["end"] == "ended"
        if road.memory.read_bytes() != content:
            assert_whole(road, 20)
        point += 4
    assert point > 8
