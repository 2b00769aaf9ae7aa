"""Writers that know nothing of us, against our updates: what they write is in the file, or kept."""

from __future__ import annotations

import collections
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import foreign_writers
from support.foreign_writers import KINDS, READING_KINDS, document, lines_in, raise_flag

from council_vault.errors import Busy, FileChanged
from council_vault.files import Replacer

pytestmark = pytest.mark.torture


# Moments of microseconds that are stretched to a millisecond, so that writers meet them often.
STRETCHED = {"checked", "exchanged", "put-back-begun"}


class Kept(list):
    """What `keep` has rescued."""

    def __call__(self, path, content):
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
        f"\n{kind}: {writes} writes, {stood} updates stood, {points['exchanged'] - stood} taken back, {gave_up} given up; "
        f"{len(kept)} contents kept, {len(absent & kept.records())} records only there, "
        f"{len(absent - kept.records())} lost; {time.monotonic() - started:.0f} s"
    )
    assert absent <= kept.records()
    assert stood
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["locks", "memory.json"]
