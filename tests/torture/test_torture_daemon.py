"""The real daemon: killed, stopped, and stormed at, in a vault in use."""

from __future__ import annotations

import collections
import itertools
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from support.daemons import configure, running
from support.foreign_writers import KINDS
from support.lively_world import World
from support.syncing import NAMES

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

LEASE_BREAK = Path("/proc/sys/fs/lease-break-time")


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path, seed=11)
    configure(world, debounce=0.02)
    return world


def leave_alone_for_a_while(world):
    """Let the notes have been changed a while ago, so that the daemon does not wait for a pause in typing."""
    for kind in NAMES:
        moment = time.time() - 60
        os.utime(world.path(kind), (moment, moment))


def test_nothing_is_lost_by_killing_it(world, full):
    """It is killed at moments from before it looks until after it has synced."""
    kinds = itertools.cycle(KINDS)
    dice = world.dice
    counts = collections.Counter()
    started = time.monotonic()
    for number in range(1000 if full else 12):
        if dice.random() < 0.4:
            world.person_writes()
        if dice.random() < 0.3:
            world.person_rates()
        if dice.random() < 0.05:
            world.person_deletes()
        leave_alone_for_a_while(world)
        agent = threading.Timer(dice.uniform(0.0, 0.5), world.agent_writes, (next(kinds), 0.002))
        with running(world) as daemon:
            agent.start()
            time.sleep(dice.uniform(0.15, 0.9))
            daemon.send(signal.SIGKILL)
            assert daemon.wait() == -signal.SIGKILL
            counts["synced"] += daemon.log().count("Vault synced")
            (world.base / "daemon.log").unlink()
        agent.join()
        world.check_between()
        if number % 20 == 19:
            world.check_at_rest()
    kept = world.check_at_rest()
    print(
        f"\ndaemon killed {1000 if full else 12} times, synced {counts['synced']} times in between; "
        f"{len(world.added)} records, {len(kept)} of them only in snapshots; {len(world.words)} sentences, "
        f"{len(world.ratings)} ratings; {time.monotonic() - started:.0f} s"
    )


def test_a_file_rewritten_twenty_times_a_second(world, full):
    seconds = 60 if full else 3
    with running(world) as daemon:
        daemon.until_settled()
        begun, used = time.monotonic(), daemon.processor_time()
        kinds = itertools.cycle(("rename", "in-place", "read-rename"))
        writes = 0
        while time.monotonic() - begun < seconds:
            world.agent_writes(next(kinds))
            writes += 1
            time.sleep(max(0.0, begun + writes * 0.05 - time.monotonic()))
        busy = (daemon.processor_time() - used) / (time.monotonic() - begun)
        daemon.until(lambda: set(world.added) <= world.flagged(), 10.0)
        daemon.until(daemon.sleeps)
        said = daemon.log()
        assert daemon.end() == 0
    world.check_at_rest()
    assert "ERROR" not in said
    synced = said.count("Vault synced")
    assert synced <= writes
    print(f"\n{writes} rewrites in {seconds} s: {synced} syncs, {busy:.0%} of a core")


def test_stopped_at_any_moment_it_holds_nobody_up(world, full):
    """Who opens the file for writing waits for a lease of ours at most until the system breaks it."""
    at_most = int(LEASE_BREAK.read_text()) + 2
    longest = 0.0
    with running(world) as daemon:
        daemon.until_settled()
        for number in range(20 if full else 3):
            world.agent_writes("rename")
            time.sleep(world.dice.uniform(0.0, 0.15))
            daemon.send(signal.SIGSTOP)
            began = time.monotonic()
            with world.memory.open("r+b"):
                longest = max(longest, time.monotonic() - began)
            if full and number % 10 == 0:
                time.sleep(60)
            world.agent_writes("in-place")
            longest = max(longest, time.monotonic() - began - (60 if full and number % 10 == 0 else 0))
            daemon.send(signal.SIGCONT)
            daemon.until(lambda: not world.pending(), 30.0)
        daemon.until(daemon.sleeps)
        daemon.end()
    world.check_at_rest()
    print(
        f"\nstopped: a writer waited {longest:.1f} s at most; the system breaks leases after {at_most - 2} s"
    )
    assert longest <= at_most


def test_the_command_line_the_daemon_and_an_agent_at_once(world, full):
    kinds = itertools.cycle(KINDS)
    with running(world) as daemon:
        daemon.until_settled()
        for _ in range(100 if full else 6):
            world.person_rates()
            leave_alone_for_a_while(world)
            agent = threading.Timer(world.dice.uniform(0.0, 0.3), world.agent_writes, (next(kinds), 0.002))
            agent.start()
            ran = world.run()
            agent.join()
            assert ran.returncode == 0, ran.stderr
            ids = [row[0] for row in world.rows()]
            assert len(ids) == len(set(ids))
        daemon.until(lambda: not world.pending())
        daemon.until(daemon.sleeps)
        assert "ERROR" not in daemon.log()
        daemon.end()
    world.check_at_rest()
