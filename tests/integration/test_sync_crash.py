"""A sync may end at any moment: the next ones come to what an undisturbed one would have come to."""

from __future__ import annotations

import random
import shutil
from collections import Counter

import pytest

from council_vault.files import Replacer
from council_vault.memory.file import MemoryFile
from council_vault.memory.snapshots import Snapshots
from council_vault.state import State
from council_vault.vault.local import LocalVault
from support.killable import killer
from support.syncing import NAMES, Road, contents_below, records

BOUNDARIES = [
    (LocalVault, "write"),
    (LocalVault, "settle"),
    (MemoryFile, "edit"),
    (Replacer, "replace"),
    (Snapshots, "save"),
    (State, "remember"),
]


class Crash(BaseException):
    """The end of the process, as far as the code can tell."""


class Crasher:
    """Raises before or after the n-th thing that leaves something behind on the disk."""

    def __init__(self, monkeypatch):
        self.crossed = 0
        self.at = 0
        for owner, name in BOUNDARIES:
            monkeypatch.setattr(owner, name, self._wrapped(getattr(owner, name)))

    def _wrapped(self, function):
        def crossing(*arguments, **keywords):
            self._cross()
            result = function(*arguments, **keywords)
            self._cross()
            return result

        return crossing

    def _cross(self):
        self.crossed += 1
        if self.crossed == self.at:
            raise Crash


@pytest.fixture
def crasher(monkeypatch):
    return Crasher(monkeypatch)


def begin(base):
    """Return a road on which everything has happened once, and the person has been at the notes."""
    road = Road(base)
    road.write_memory(*records(8))
    road.settle()
    for kind in NAMES:
        title = "> [!info]" if kind == "routing" else "> [!summary]"
        road.edit(kind, title, f"Mine in the region of {kind}.\n\n{title}")
        road.path(kind).write_text(road.text(kind) + f"\nMine below {kind}.\n")
    road.rate("d_20260328_002", "negative")
    road.rate("d_20260328_003", "meh")
    road.delete_rows("d_20260328_005")
    road.edit("log", "Question 7 of 20260328", "My words")

    def change(whole):
        whole["deliberations"].extend(records(2, "20260401"))
        whole["deliberations"][0].update(user_rating="positive", cost_usd=3.0)

    road.change_memory(change)
    return road


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    """Return what makes the same road anew, in the same place."""
    base = tmp_path_factory.mktemp("crash")
    begin(base / "road")
    shutil.copytree(base / "road", base / "as it was")

    def make():
        shutil.rmtree(base / "road")
        shutil.copytree(base / "as it was", base / "road")
        return Road(base / "road")

    return make


def outcome(road):
    """Return all that a person and an agent can see, but for the time of the sync."""
    memory = road.parsed()
    del memory["last_vault_sync"]
    return contents_below(road.vault), memory


@pytest.fixture(scope="module")
def undisturbed(again):
    road = again()
    road.sync()
    road.sync()
    notes, memory = outcome(road)
    counts = Counter(line for note in notes.values() for line in note.decode().split("\n"))
    assert all(counts[f"Mine in the region of {kind}."] == 1 for kind in NAMES)
    assert road.record("d_20260328_002")["user_rating"] == "negative"
    assert "d_20260328_005" not in road.ids()
    return notes, memory


def go_on(road):
    """Let the agent go on: every note says something else then."""

    def change(whole):
        whole["deliberations"].extend(records(20, "20260402"))
        whole["model_performance"]["openai/gpt-4o"].update(deliberations_participated=9, avg_rank=1.2)

    road.change_memory(change)


@pytest.fixture(scope="module")
def undisturbed_later(again, undisturbed):
    road = again()
    road.sync()
    go_on(road)
    road.sync()
    road.sync()
    return outcome(road)


def test_a_crash_at_any_boundary_changes_nothing_in_the_end(again, crasher, undisturbed, undisturbed_later):
    road = again()
    crasher.crossed = 0
    road.sync()
    boundaries = crasher.crossed
    assert boundaries > 20
    for at in range(1, boundaries + 1):
        crasher.at = 0
        road = again()
        crasher.crossed, crasher.at = 0, at
        with pytest.raises(Crash):
            road.sync()
        crasher.at = 0
        if at % 2 == 0:
            go_on(road)
        road.sync()
        assert not road.sync().changed, at
        assert outcome(road) == (undisturbed if at % 2 else undisturbed_later), at


def test_kills_at_random_moments_change_nothing_in_the_end(again, undisturbed):
    dice = random.Random(20260328)
    killed = 0
    with killer() as kill:
        for _ in range(8):
            road = again()
            killed += sum(kill.sync_for(road.base, dice.uniform(0.005, 0.09)) for _ in range(3))
            road.sync()
            assert not road.sync().changed
            assert outcome(road) == undisturbed
    assert killed


def test_a_first_sync_killed_again_and_again_makes_each_row_once(tmp_path):
    dice = random.Random(7)
    road = Road(tmp_path)
    road.write_memory(*records(30), *records(40, "20251101"))
    with killer() as kill:
        for _ in range(12):
            kill.sync_for(road.base, dice.uniform(0.005, 0.08))
    road.settle()
    lines = [line for line in road.text("log").split("\n") if line.lstrip("> ").startswith("| d_")]
    ids = [line.split("|")[1].strip() for line in lines]
    assert len(ids) == len(set(ids)) == 70
    assert len(road.flagged()) == 70
    assert all(road.text(kind).count("council-vault:begin") == 1 for kind in NAMES)
    twin = Road(tmp_path / "twin")
    twin.write_memory(*records(30), *records(40, "20251101"))
    twin.sync()
    assert contents_below(road.vault) == contents_below(twin.vault)


def test_what_only_a_killed_sync_has_drawn_is_ours_too(tmp_path, monkeypatch):
    road = Road(tmp_path)
    road.write_memory(*records(3), model_performance={})
    road.settle()
    before = contents_below(road.vault)

    def killed(*_):
        raise Crash

    road.write_memory(
        *records(3), model_performance={"a/b": {"deliberations_participated": 9, "avg_rank": 1.2}}
    )
    with monkeypatch.context() as patch:
        patch.setattr(Snapshots, "save", killed)
        with pytest.raises(Crash):
            road.sync()
    assert "| b " in road.text("performance")
    road.write_memory(*records(3), model_performance={})
    road.sync()
    assert contents_below(road.vault) == before
