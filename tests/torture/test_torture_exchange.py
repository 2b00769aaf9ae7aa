"""Writers that know nothing of us, against our updates: what they write is in the file, or kept."""

from __future__ import annotations

import collections
import functools
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from council_vault.errors import Busy, FileChanged
from council_vault.files import Replacer, exchange, protection, recovery
from council_vault.files.exchange import POINTS
from support import file_systems, foreign_writers
from support.foreign_writers import KINDS, READING_KINDS, HalfWritten, document, lines_in, raise_flag
from support.stoppable import Folder, server

pytestmark = pytest.mark.torture

TESTS = Path(__file__).parent.parent


# Moments of microseconds that are stretched to a millisecond, so that writers meet them often.
STRETCHED = {"checked", "exchanged", "put-back-begun"}


class Kept(list):
    """What `keep` has rescued."""

    def __call__(self, _path, content):
        self.append(content)

    def records(self):
        return {line for content in self for line in content.split(b"\n")}


def start_storm(kind, path, writes, seed):
    command = [sys.executable, foreign_writers.__file__, kind, str(path), str(writes), str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def update_until_ended(replacer, path, writer):
    """Update as long as the writer writes; returns how many updates stood and how many gave up."""
    stood = gave_up = 0
    while writer.poll() is None:
        try:
            replacer.update(path, raise_flag)
        except (FileChanged, Busy, HalfWritten):
            gave_up += 1
        else:
            stood += 1
        time.sleep(0.001)
    return stood, gave_up


def storm_on(kind, path, locks, writes):
    """One foreign writer against our updates; returns how much of it is neither in the file nor kept."""
    path.write_bytes(document(0, []))
    kept, points, dice = Kept(), collections.Counter(), random.Random(2)

    def observe(point):
        points.update([point])
        if point in STRETCHED:
            time.sleep(dice.random() * 0.001)

    replacer = Replacer(locks, kept, observe)
    started = time.monotonic()
    with start_storm(kind, path, writes, seed=1) as writer:
        stood, gave_up = update_until_ended(replacer, path, writer)
        missed, missing = json.loads(writer.stdout.read())
    assert writer.returncode == 0
    assert missing == 0 or not protection(path).full

    in_file = set(lines_in(path.read_bytes()))
    written = {b"w%06d" % number for number in range(writes)}
    absent = written - in_file if kind in READING_KINDS else {record.encode() for record in missed}
    print(
        f"\n{protection(path).file_system}, {kind}: {writes} writes, {stood} updates stood, "
        f"{points['exchanged'] - stood} taken back, {gave_up} given up; {len(kept)} contents kept, "
        f"{len(absent & kept.records())} records only there, {len(absent - kept.records())} lost; "
        f"{time.monotonic() - started:.0f} s"
    )
    assert stood
    assert [entry.name for entry in path.parent.iterdir() if entry != locks] == [path.name]
    return len(absent - kept.records())


@pytest.mark.parametrize("kind", KINDS)
def test_every_foreign_write_is_in_the_file_or_kept(kind, full, tmp_path):
    writes = 10_000 if full else 150
    assert storm_on(kind, tmp_path / "memory.json", tmp_path / "locks", writes) == 0


@pytest.fixture(scope="module")
def ours():
    with server() as running:
        yield running


class Writing(threading.Thread):
    """A foreign write that may have to wait for us."""

    def __init__(self, kind, path, record, hold=0.0):
        super().__init__()
        before = path.read_bytes()
        self.replaces = set(lines_in(before)) if kind not in READING_KINDS else set()
        self._write = functools.partial(foreign_writers.add, kind, path, record, hold)
        self.start()

    def run(self):
        self._write()

    def settle(self):
        """Return when it is done or surely waits for us."""
        self.join(0.03)


def outcome(path, kept):
    """What can be found again: in the file, or kept."""
    return set(lines_in(path.read_bytes())) | kept.records()


def prepare(folder):
    folder.mkdir(exist_ok=True)
    path = folder / "memory.json"
    path.write_bytes(document(0, [b"first"]))
    return path, Folder(folder / "kept")


def recover_and_update(path, kept, *writers):
    """What the next one does, writers or not; it leaves a usable file and nothing beside it."""
    replacer = Replacer(path.parent / "locks", kept)
    replacer.recover(path.parent)
    replacer.update(path, raise_flag)
    for writer in writers:
        writer.join()
    lines = lines_in(path.read_bytes())
    assert lines_in(replacer.update(path, raise_flag)) == lines
    beside = sorted(entry.name for entry in path.parent.iterdir())
    assert beside == ["kept", "locks", "memory.json"]


def kinds_at(points, point, full):
    """All kinds of writers at each point, or two that change from point to point."""
    first = points.index(point)
    return KINDS if full else (KINDS[first % 4], KINDS[(first + 2) % 4])


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_each_step_loses_no_foreign_write(point, ours, full, tmp_path):
    for kind in kinds_at(POINTS, point, full):
        path, kept = prepare(tmp_path / kind)
        assert ours.order("update", path, point) == "stopped"
        before = Writing(kind, path, b"before the kill")
        before.settle()
        assert ours.order("kill") == "killed"
        before.join()
        after = Writing(kind, path, b"after the kill", hold=0.01)

        recover_and_update(path, kept, after)

        found = outcome(path, kept)
        assert b"after the kill" in found, kind
        assert {b"first", b"before the kill"} - before.replaces - after.replaces <= found, kind


PUT_BACK = ["put-back-begun", "put-back-done"]


@pytest.mark.parametrize("point", PUT_BACK)
def test_a_kill_while_putting_back_loses_no_foreign_write(point, ours, full, tmp_path):
    for kind in kinds_at(PUT_BACK, point, full):
        path, kept = prepare(tmp_path / kind)
        assert ours.order("update", path, "checked", point) == "stopped"
        foreign_writers.add("read-rename", path, b"collides")
        assert ours.order("continue") == "stopped"
        during = Writing(kind, path, b"during")
        during.settle()
        assert ours.order("kill") == "killed"
        during.join()

        recover_and_update(path, kept)

        assert {b"first", b"collides", b"during"} - during.replaces <= outcome(path, kept), kind


RECOVERY = ["leftover-found", *PUT_BACK]


@pytest.mark.parametrize("point", RECOVERY)
def test_a_kill_during_recovery_loses_no_foreign_write(point, ours, full, tmp_path):
    for kind in kinds_at(RECOVERY, point, full):
        path, kept = prepare(tmp_path / kind)
        assert ours.order("update", path, "checked", "put-back-begun") == "stopped"
        foreign_writers.add("read-rename", path, b"collides")
        assert ours.order("continue") == "stopped"
        assert ours.order("kill") == "killed"
        assert ours.order("recover", path, point) == "stopped"
        during = Writing(kind, path, b"during")
        during.settle()
        assert ours.order("kill") == "killed"
        during.join()

        recover_and_update(path, kept)

        assert {b"first", b"collides", b"during"} - during.replaces <= outcome(path, kept), kind


def start_updates(path, name, updates):
    command = [sys.executable, "-m", "support.own_updates", str(path), name, str(updates)]
    return subprocess.Popen(command, cwd=TESTS)


def test_two_of_ours_lose_nothing_of_each_other(full, tmp_path):
    updates = 500 if full else 5
    path, kept = prepare(tmp_path)
    with start_updates(path, "a", updates) as first, start_updates(path, "b", updates) as second:
        pass
    assert (first.returncode, second.returncode) == (0, 0)
    ours = {b"%s%05d" % (name, number) for name in (b"a", b"b") for number in range(updates)}
    lines = lines_in(path.read_bytes())
    print(f"\ntwo of ours: {updates} updates each, {len(ours - set(lines))} lost")
    assert sorted(lines) == sorted({b"first"} | ours)
    assert kept.records() == set()


@pytest.mark.parametrize("kind", READING_KINDS)
def test_two_of_ours_and_a_foreign_writer(kind, full, tmp_path):
    updates, writes = (500, 5_000) if full else (5, 60)
    path, kept = prepare(tmp_path)
    with (
        start_updates(path, "a", updates) as first,
        start_updates(path, "b", updates) as second,
        start_storm(kind, path, writes, seed=3) as writer,
    ):
        assert json.loads(writer.stdout.read()) == [[], 0]
    assert (first.returncode, second.returncode, writer.returncode) == (0, 0, 0)
    written = {b"w%06d" % number for number in range(writes)}
    absent = written - set(lines_in(path.read_bytes()))
    print(
        f"\ntwo of ours and {kind}: {writes} writes, {len(absent & kept.records())} only kept, "
        f"{len(absent - kept.records())} lost"
    )
    assert absent <= kept.records()


@pytest.mark.parametrize("point", ["part-written", "created"])
def test_a_kill_while_creating_leaves_all_or_nothing(point, ours, tmp_path):
    path = tmp_path / "memory.json"
    assert ours.order("create", path, point) == "stopped"
    assert ours.order("kill") == "killed"
    Replacer(tmp_path / "locks", Folder(tmp_path / "kept")).recover(tmp_path)
    beside = {entry.name for entry in tmp_path.iterdir()} - {"kept", "locks"}
    assert beside == ({"memory.json"} if point == "created" else set())
    assert not path.exists() or path.read_bytes() == b"created"


@pytest.mark.parametrize("name", [name for name in file_systems.NAMES if name != "bindfs"])
def test_a_storm_on_every_file_system(name, full, tmp_path):
    with file_systems.mounted(name, tmp_path) as mount:
        for kind in KINDS:
            folder = mount / kind
            folder.mkdir()
            assert storm_on(kind, folder / "memory.json", tmp_path / "locks", 1_000 if full else 30) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_storm_where_leases_mean_nothing(kind, full, tmp_path, monkeypatch):
    """There, what falls into the moment around our rename, here made longer, can be lost, and little more."""
    writes = 1_000 if full else 50
    for module in (exchange, recovery):
        monkeypatch.setattr(module, "GRACE_WITHOUT_LEASES", 0.25)
    with file_systems.mounted("bindfs", tmp_path) as mount:
        assert storm_on(kind, mount / "memory.json", tmp_path / "locks", writes) <= 2 + writes // 50


WITHOUT_LEASES = ["staged", "checked", "linked", "exchanged"]


@pytest.mark.parametrize("point", WITHOUT_LEASES)
def test_a_kill_where_leases_mean_nothing_loses_no_foreign_write(point, ours, full, tmp_path, monkeypatch):
    for module in (exchange, recovery):
        monkeypatch.setattr(module, "GRACE_WITHOUT_LEASES", 0.1)
    with file_systems.mounted("bindfs", tmp_path) as mount:
        for kind in kinds_at(WITHOUT_LEASES, point, full):
            path, kept = prepare(mount / kind)
            assert ours.order("update", path, point) == "stopped"
            foreign_writers.add(kind, path, b"before the kill")
            assert ours.order("kill") == "killed"

            recover_and_update(path, kept)

            assert b"before the kill" in outcome(path, kept), kind
