"""The daemon: how soon a change is in the vault, and what it costs while nothing changes."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from support.daemons import configure, running
from support.measuring import replace_durably, spread
from support.memories import build_memory
from support.memory_files import dump
from support.syncing import Road, stats_below

DEBOUNCE = 0.05
WAITS = 0.04  # twice 20 ms, for the notes and for the memory file

_ALONE = """
import sys, tempfile, time
import jinja2, msgspec
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer

jinja2.Environment().from_string("{{ 1 }}").render()
msgspec.json.Decoder(dict)
observer = Observer()
observer.schedule(FileSystemEventHandler(), tempfile.mkdtemp())
observer.start()
print("up", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def road(short, tmp_path):
    road = Road(tmp_path)
    configure(road, debounce=DEBOUNCE)
    road.memory.write_bytes(dump(build_memory(20 if short else 500, models=8, seed=11)))
    return road


def test_from_replacing_the_file_to_durable_notes(road, short):
    rounds = 3 if short else 60
    coming = build_memory(520 + rounds, models=8, seed=11)["deliberations"][-rounds:]
    times = []
    with running(road) as daemon:
        daemon.until_settled()
        for record in coming:
            memory = road.parsed()
            memory["deliberations"].append(record)
            replace_durably(road.memory, dump(memory))
            theirs, begun = road.memory.stat().st_ino, time.perf_counter()
            while road.memory.stat().st_ino == theirs:
                time.sleep(0.0005)
            times.append(time.perf_counter() - begun - DEBOUNCE - WAITS)
            daemon.until(lambda: not road.pending())
            daemon.until(daemon.sleeps)
    print(f"\nfile replaced -> notes and flag durable, debounce and waits left out, ms: {spread(times)}")


@pytest.mark.timeout(3600)
def test_idle(road, short, request):
    seconds = 2 if short else request.config.getoption("--idle")
    with running(road) as daemon:
        daemon.until_settled()
        after_a_sync = daemon.resident()
    with running(road) as daemon:  # it makes sure that nothing was left to do
        daemon.until_said("Keeping ", times=2)
        daemon.until(daemon.sleeps)
        after_a_search = daemon.resident()
    places = (road.folder, road.vault, road.base / "xdg-state")
    with running(road) as daemon:
        daemon.until_said("Keeping ", times=3)
        daemon.until(daemon.sleeps)
        before, used, begun = stats_below(*places), daemon.processor_time(), time.monotonic()
        at_first = most = daemon.resident()
        while time.monotonic() - begun < seconds:
            time.sleep(min(1.0, seconds / 4))
            most = max(most, daemon.resident())
        share = (daemon.processor_time() - used) / (time.monotonic() - begun)
        assert stats_below(*places) == before
    alone = resident_alone(road)
    print(
        f"\nidle for {seconds:.0f} s: {share:.4%} of a core (reach 0.1 %), nothing written"
        f"\nmemory in MiB: watchdog, jinja2 and msgspec alone {_mebibytes(alone)}; "
        f"ours {_mebibytes(at_first)}, at most {_mebibytes(most)}, ratio {most / alone:.2f} (reach 1.3); "
        f"after a sync {_mebibytes(after_a_sync)}, ratio {after_a_sync / alone:.2f}; "
        f"after one that changed nothing {_mebibytes(after_a_search)}, ratio {after_a_search / alone:.2f}"
    )


def _mebibytes(size):
    return f"{size / 2**20:.1f}"


def resident_alone(road):
    """Return how much memory the libraries hold that cannot be done without, in bytes."""
    with subprocess.Popen(
        [sys.executable, "-c", _ALONE], env=road.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"up\n"
        with open(f"/proc/{process.pid}/statm", "rb") as file:  # noqa: PTH123 - like the daemon's
            pages = int(file.read().split()[1])
        process.stdin.close()
    return pages * 4096
