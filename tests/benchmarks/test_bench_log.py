"""Logging: one after the other for long, and as a whole process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import timedelta

import pytest

from council_vault.learning.log_input import read_log_input
from council_vault.memory.decoding import decode
from council_vault.operations.log import log
from support.deliberations import deliberation
from support.measuring import Figure, heap_frozen, median, spread, taking_turns
from support.memories import build_memory
from support.memory_files import dump
from support.syncing import Road

_BARE = """
import click

@click.command()
def command():
    click.echo("Nothing to do.")

command()
"""
_OURS = "from council_vault.cli.main import main; main()"


@pytest.mark.timeout(0)
def test_ten_thousand_in_a_row(short, figures, tmp_path):
    count, block = (60, 20) if short else (10_000, 1000)
    road = Road(tmp_path)
    workspace = road.workspace()
    alone, synced, blocks, largest = [], [], [], 0
    with heap_frozen():
        for number in range(1, count + 1):
            given = read_log_input(deliberation(number))
            road.now += timedelta(minutes=11)
            started = time.perf_counter()
            outcome = log(workspace, given, road.now)
            (synced if outcome.followed.synced else alone).append(time.perf_counter() - started)
            assert not outcome.already
            assert not outcome.followed.warnings
            decoded = decode(road.memory.read_bytes())
            assert decoded.problems == ()
            assert decoded.memory.total == number
            largest = max(largest, road.memory.stat().st_size)
            if number % block == 0:
                blocks.append((median(alone), median(synced)))
                alone, synced = [], []
                times = ", ".join(f"{seconds * 1e3:.0f}" for seconds in blocks[-1])
                print(f"{number}: {times} ms without and with a sync; {road.memory.stat().st_size} bytes")
    print(f"largest file {largest} bytes")
    early, late = blocks[1 if len(blocks) > 2 else 0], blocks[-1]
    figures.append(Figure(f"a log after {count}, against one after {2 * block}", early[0], late[0], 1.2))
    figures.append(Figure("the same with a sync", early[1], late[1], 1.2))


def test_whole_process(short, figures, tmp_path):
    road = Road(tmp_path)
    road.memory.write_bytes(dump(build_memory(20 if short else 500, models=8, seed=11)))
    road.settle()
    settings = tmp_path / "config.toml"
    settings.write_text("[sync]\nevery = 1000\n")  # what is timed is a log that no sync follows
    places = ["--config", settings, "--workspace", road.folder, "--vault", road.vault]
    environment = road.environment()
    del environment["PYTHONWARNINGS"]  # costs its own imports
    given = tmp_path / "given.json"
    numbers = iter(range(1_000_000))

    def run(*program):
        done = subprocess.run([sys.executable, *program], env=environment, check=True, stdout=subprocess.PIPE)
        assert done.stdout

    def bare():
        return lambda: run("-c", _BARE)

    def ours():
        given.write_text(json.dumps(deliberation(next(numbers))))
        return lambda: run("-c", _OURS, *map(str, places), "log", str(given))

    run("-c", _OURS, *map(str, places), "status")
    floor, whole = taking_turns(2 if short else 40, bare, ours)
    print(f"\na log as a whole process, ms\n  bare click {spread(floor)}\n  ours       {spread(whole)}")
    figures.append(Figure("log, whole process", median(floor), median(whole), 4.0))
