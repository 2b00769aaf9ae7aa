"""Syncs that are killed, in a vault in use; and disks that are full or may not be written to."""

from __future__ import annotations

import collections
import itertools
import shutil
import subprocess
import threading
import time
from contextlib import contextmanager

import pytest

from council_vault.files.names import leftovers, names_in
from support import places
from support.foreign_writers import KINDS
from support.killed_syncs import server
from support.lively_world import World
from support.syncing import NAMES, Road, records

pytestmark = pytest.mark.torture


@pytest.fixture(scope="module")
def syncs():
    with server() as running:
        yield running


class Killing:
    """Starts syncs that end by force, each way in its own manner. `seconds` is what a whole one takes."""

    def __init__(self, how, world, syncs):
        self._how, self._world, self._syncs = how, world, syncs
        started = time.monotonic()
        self._points = syncs.sync(world)["points"]
        if how == "command":
            assert world.run().returncode == 0
        self.seconds = time.monotonic() - started

    def once(self):
        """Return how a sync ended that was to be killed."""
        dice = self._world.dice
        if self._how == "point":
            return self._answer(point=dice.randint(1, self._points))
        moment = dice.uniform(0, self.seconds)
        if self._how == "moment":
            return self._answer(moment=moment)
        with subprocess.Popen(
            self._world.command(),
            env=self._world.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            try:
                output, _ = process.communicate(timeout=moment)
            except subprocess.TimeoutExpired:
                process.kill()
                return "killed"
        assert process.returncode == 0, output.decode()
        return "ended"

    def _answer(self, **when):
        answer = self._syncs.sync(self._world, **when)
        assert answer["end"] in {"killed", "ended"}, answer["why"]
        self._points = max(self._points, answer.get("points", 0))
        return answer["end"]


@pytest.mark.parametrize(
    ("how", "kills", "few"), [("moment", 600, 24), ("point", 340, 14), ("command", 60, 3)]
)
def test_nothing_is_lost_in_killed_syncs(how, kills, few, full, syncs, tmp_path):
    world = World(tmp_path, seed=7)
    dice = world.dice
    world.agent_writes("rename")
    killing = Killing(how, world, syncs)
    kinds = itertools.cycle(KINDS)
    counts = collections.Counter()
    wanted = kills if full else few
    started = time.monotonic()

    while counts["killed"] < wanted:
        if dice.random() < 0.5:
            world.person_writes()
        if dice.random() < 0.3:
            world.person_rates()
        if dice.random() < 0.05:
            world.person_deletes()
        when = dice.uniform(0, killing.seconds)
        agent = threading.Timer(when, world.agent_writes, (next(kinds), 0.002))
        if dice.random() < 0.75:
            agent.start()
        counts[killing.once()] += 1
        if agent.ident:
            agent.join()
        world.check_between()
        if counts.total() % 20 == 0:
            world.check_at_rest()

    kept = world.check_at_rest()
    deleted = world.deleted - {row[0] for row in world.rows()}
    print(
        f"\n{how}: {counts['killed']} killed, {counts['ended']} were quicker; {len(world.added)} records, "
        f"{len(kept)} of them only in snapshots; {len(world.words)} sentences, {len(world.ratings)} ratings, "
        f"{len(deleted)} of {len(world.deleted)} deleted rows stayed deleted; "
        f"{time.monotonic() - started:.0f} s"
    )


@contextmanager
def filled(disk, spared=0):
    """Leave no more room on a disk than so many bytes."""
    filler = disk / "filler"
    filler.write_bytes(bytes(max(shutil.disk_usage(disk).free - spared, 0)))
    try:
        yield
    finally:
        filler.unlink()


TROUBLES = {"full": filled, "read-only": places.read_only}


@pytest.fixture(params=["vault", "workspace"])
def place(request):
    return request.param


@pytest.fixture
def road(place, tmp_path):
    """A road whose vault, or whose memory file, is on a small disk; three records are in the vault."""
    road = Road(tmp_path)
    target = {"vault": road.vault, "workspace": road.folder}[place]
    aside = tmp_path / "aside"
    target.rename(aside)
    with places.small_disk(target):
        shutil.copytree(aside, target, dirs_exist_ok=True)
        road.write_memory(*records(3))
        road.settle()
        yield road


def more_than_fits(road):
    """Let an agent add so many records that their rows take more than a block of the disk."""
    road.change_memory(lambda memory: memory["deliberations"].extend(records(60, first=4)))


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_disk_that_takes_nothing_costs_nothing(trouble, place, road):
    more_than_fits(road)
    disk = road.vault if place == "vault" else road.folder
    notes = {kind: road.path(kind).read_bytes() for kind in NAMES}
    memory = road.memory.read_bytes()

    with TROUBLES[trouble](disk):
        for _ in range(2):
            report = road.sync()
            assert report.failed
            assert road.memory.read_bytes() == memory
            if place == "vault":
                assert {note.outcome for note in report.notes} == {"failed"}
                assert {kind: road.path(kind).read_bytes() for kind in NAMES} == notes
            else:
                assert report.failure
                assert len(road.rows()) == 63
            for folder in (road.folder, road.path("log").parent):
                assert not list(leftovers(folder, names_in(folder)))

    assert road.sync().flagged == 60
    assert len(road.rows()) == 63
    assert len(road.flagged()) == 63
    road.settle()


def test_a_disk_that_becomes_full_in_the_middle_flags_only_what_stands(place, road):
    """Whatever room is left, from nothing to enough: each note is old or new, and no flag without its row."""
    more_than_fits(road)
    disk = road.vault if place == "vault" else road.folder
    outcomes = collections.Counter()
    for kibibytes in range(0, 100, 4):
        with filled(disk, spared=kibibytes * 1024):
            report = road.sync()
        outcomes.update(note.outcome for note in report.notes)
        assert road.flagged() <= {row[0] for row in road.rows()}
        for folder in (road.folder, road.path("log").parent):
            assert not list(leftovers(folder, names_in(folder)))

    road.sync()
    print(f"\n{place}: {dict(outcomes)}")
    assert len(road.flagged()) == len(road.rows()) == 63
    road.settle()
