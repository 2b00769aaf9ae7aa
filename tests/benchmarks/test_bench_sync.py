"""A sync against its floor: reading, decoding, and durably replacing as many files of the same sizes."""

from __future__ import annotations

import gc
import time
from unittest import mock

import msgspec
import pytest

from council_vault.files import Replacer
from council_vault.files.exchange import _Exchange
from council_vault.memory.decoding import _Root
from council_vault.syncing.settled import settled_report
from support.measuring import (
    Figure,
    heap_frozen,
    median,
    replace_durably,
    spread,
    taking_turns,
)
from support.memories import build_memory
from support.memory_files import dump
from support.syncing import NAMES, Road

_decoder = msgspec.json.Decoder(_Root)


class Growing:
    """A synced memory of so many records, to which one more is added at a time, by replacing the file."""

    def __init__(self, base, records, more):
        self.road = Road(base)
        self._document = build_memory(records + more, models=8, seed=11)
        # The router took each new decision itself, so that its note changes too.
        self._coming = [
            record | {"routing_decision": "deliberate", "routing_source": "learned"}
            for record in self._document["deliberations"][records:]
        ]
        del self._document["deliberations"][records:]
        self._write()
        for _ in range(3):  # flags everything, finds nothing to do, and has settled
            self.road.sync()
        self.floor_folder = base / "floor"
        self.floor_folder.mkdir()

    def add_one(self):
        self._document = self.road.parsed()
        self._document["deliberations"].append(self._coming.pop(0))
        self._write()

    def sync(self):
        """Sync, and return the seconds until notes and flag were durable, the waits left out.

        The memory file is replaced last: the clock stops when that replacement is durable, before its wait of
        20 ms. The notes are looked at again 20 ms after they were replaced. Of that the time is taken away
        from when there is nothing left to do but wait until the last sleep has ended: less than 20 ms, since
        work is done while it runs.
        """
        waiting_since = waited = 0.0
        stopped = None
        sleep, settle, replaced = time.sleep, Replacer.settle, _Exchange.run

        def clocked_settle(replacer):
            nonlocal waiting_since, waited
            waiting_since, waited = time.perf_counter(), 0.0
            return settle(replacer)

        def clocked_sleep(seconds):
            nonlocal waited
            sleep(seconds)
            waited = time.perf_counter() - waiting_since

        def clocked_replaced(exchange):
            nonlocal stopped
            displaced = replaced(exchange)
            stopped = time.perf_counter() - started - waited
            return displaced

        with (
            mock.patch("time.sleep", clocked_sleep),
            mock.patch.object(Replacer, "settle", clocked_settle),
            mock.patch.object(_Exchange, "run", clocked_replaced),
        ):
            started = time.perf_counter()
            report = self.road.sync()
        assert report.flagged == 1
        assert [note.outcome for note in report.notes] == ["written"] * 3
        return stopped

    def floor(self):
        """Read, decode, and replace the four files durably by as much as stands in them."""
        files = [self.road.path(kind) for kind in NAMES] + [self.road.memory]
        contents = [(self.floor_folder / path.name, path.read_bytes()) for path in files]

        def timed():
            read_and_decode(self.road.memory)
            for path, content in contents:
                replace_durably(path, content)

        return timed

    def _write(self):
        replace_durably(self.road.memory, dump(self._document))


def read_and_decode(path):
    """Do what nobody can do without; the collector rests, as it does in the product."""
    gc.disable()
    _decoder.decode(path.read_bytes())
    gc.enable()


def one_new_record(base, records, rounds):
    """Return how the floor and a sync compare where one record is new among so many; and the file's size."""
    growing = Growing(base, records, rounds + 1)
    growing.add_one()
    growing.sync()

    def ours():
        growing.add_one()
        return growing.sync

    with heap_frozen():
        floor, synced = taking_turns(rounds, growing.floor, ours)
    print(
        f"\none new record among {records}, {rounds} rounds, ms: least, quartiles, most\n"
        f"  floor {spread(floor)}\n  ours  {spread(synced)}"
    )
    return median(floor), median(synced), growing.road.memory.stat().st_size


@pytest.mark.parametrize("records", [500, 10_000])
def test_one_new_record(records, short, figures, tmp_path):
    rounds = 2 if short else 60 if records == 500 else 15
    floor, ours, _ = one_new_record(tmp_path, 30 if short else records, rounds)
    figures.append(Figure(f"one new record among {records}: notes and flag durable", floor, ours, 2.0))


def test_growth_is_linear_in_bytes(short, tmp_path):
    sizes = (20, 40) if short else (1_250, 2_500, 5_000, 10_000)
    print()
    for records in sizes:
        floor, ours, size = one_new_record(tmp_path / str(records), records, 2 if short else 9)
        print(
            f"  {records:6} records, {size / 1e6:5.2f} MB: floor {floor * 1e3:7.1f} ms, "
            f"ours {ours * 1e3:7.1f} ms, ratio {ours / floor:.2f}, {ours * 1e9 / size:.1f} ns a byte"
        )


def test_nothing_to_do(short, figures, tmp_path):
    """Measure what `sync-vault` and the daemon ask before they go to the length of a sync."""
    growing = Growing(tmp_path, 20 if short else 500, 0)
    workspace = growing.road.workspace()

    def floor():
        return lambda: read_and_decode(growing.road.memory)

    def ours():
        return lambda: check(settled_report(workspace))

    def check(report):
        assert report is not None

    with heap_frozen():
        floors, synced = taking_turns(3 if short else 200, floor, ours)
    print(f"\nnothing to do, ms\n  floor {spread(floors)}\n  ours  {spread(synced)}")
    figures.append(Figure("nothing to do among 500, in process", median(floors), median(synced), 1.5))
