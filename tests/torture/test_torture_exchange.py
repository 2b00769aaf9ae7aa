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

import pytest

from council_vault.errors import Busy, FileChanged
from council_vault.files import Replacer
from council_vault.files.exchange import POINTS
from support import foreign_writers
from support.foreign_writers import KINDS, READING_KINDS, document, lines_in, raise_flag
from support.stoppable import Folder, server

pytestmark = pytest.mark.torture


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
        except (FileChanged, Busy):
            gave_up += 1
        else:
            stood += 1
        time.sleep(0.001)
    return stood, gave_up


@pytest.mark.parametrize("kind", KINDS)
def test_every_foreign_write_is_in_the_file_or_kept(kind, full, tmp_path):
    writes = 10_000 if full else 250
    path = tmp_path / "memory.json"
    path.write_bytes(document(0, []))
    kept, points = Kept(), collections.Counter()
    dice = random.Random(2)

    def observe(point):
        points.update([point])
        if point in STRETCHED:
            time.sleep(dice.random() * 0.001)

    replacer = Replacer(tmp_path / "locks", kept, observe)
    started = time.monotonic()

    with start_storm(kind, path, writes, seed=1) as writer:
        stood, gave_up = update_until_ended(replacer, path, writer)
        missed = {record.encode() for record in json.loads(writer.stdout.read())}
    assert writer.returncode == 0

    in_file = set(lines_in(path.read_bytes()))
    written = {b"w%06d" % number for number in range(writes)}
    absent = written - in_file if kind in READING_KINDS else missed
    print(
        f"\n{kind}: {writes} writes, {stood} updates stood, {points['exchanged'] - stood} taken back, "
        f"{gave_up} given up; "
        f"{len(kept)} contents kept, {len(absent & kept.records())} records only there, "
        f"{len(absent - kept.records())} lost; {time.monotonic() - started:.0f} s"
    )
    assert absent <= kept.records()
    assert stood
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["locks", "memory.json"]


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
    path = folder / "memory.json"
    path.write_bytes(document(0, [b"first"]))
    return path, Folder(folder / "kept")


def recover_and_update(path, kept, *writers):
    """What the next one who comes does, writers or not; it must leave the file usable and nothing beside it."""
    replacer = Replacer(path.parent / "locks", kept)
    replacer.recover(path.parent)
    replacer.update(path, raise_flag)
    for writer in writers:
        writer.join()
    lines = lines_in(path.read_bytes())
    assert lines_in(replacer.update(path, raise_flag)) == lines
    beside = sorted(entry.name for entry in path.parent.iterdir())
    assert beside == ["kept", "locks", "memory.json"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_each_step_loses_no_foreign_write(point, kind, ours, tmp_path):
    path, kept = prepare(tmp_path)
    assert ours.order("update", path, point) == "stopped"
    before = Writing(kind, path, b"before the kill")
    before.settle()
    assert ours.order("kill") == "killed"
    before.join()
    after = Writing(kind, path, b"after the kill", hold=0.01)

    recover_and_update(path, kept, after)

    found = outcome(path, kept)
    assert b"after the kill" in found
    assert {b"first", b"before the kill"} - before.replaces - after.replaces <= found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", ["put-back-begun", "put-back-done"])
def test_a_kill_while_putting_back_loses_no_foreign_write(point, kind, ours, tmp_path):
    path, kept = prepare(tmp_path)
    assert ours.order("update", path, "checked", point) == "stopped"
    foreign_writers.add("read-rename", path, b"collides")
    assert ours.order("continue") == "stopped"
    during = Writing(kind, path, b"during")
    during.settle()
    assert ours.order("kill") == "killed"
    during.join()

    recover_and_update(path, kept)

    assert {b"first", b"collides", b"during"} - during.replaces <= outcome(path, kept)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", ["leftover-found", "put-back-begun", "put-back-done"])
def test_a_kill_during_recovery_loses_no_foreign_write(point, kind, ours, tmp_path):
    path, kept = prepare(tmp_path)
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

    assert {b"first", b"collides", b"during"} - during.replaces <= outcome(path, kept)
