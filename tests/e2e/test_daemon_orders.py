"""What the real daemon is told, by signals and settings, and what it tells systemd and `status`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time

import pytest

from council_vault.files import sync_lock
from council_vault.files.names import leftovers, names_in
from support import places
from support.daemons import add_one, configure, running
from support.foreign_writers import write
from support.memory_files import document, dump
from support.syncing import Road, records

SOON = 10.0  # it aims at five seconds, and the machine may be busy
STOPS = [signal.SIGTERM, signal.SIGINT]


@pytest.fixture
def road(tmp_path):
    road = Road(tmp_path)
    road.write_memory(*records(3))
    configure(road)
    return road


def ends_soon(daemon, number=signal.SIGTERM):
    begun = time.monotonic()
    assert daemon.end(number) == 0
    assert time.monotonic() - begun < SOON


def status(road):
    command = road.command(before=["--workspace", str(road.folder)])[:-1]
    done = subprocess.run(
        [*command, "status", "--json"], env=road.environment(), capture_output=True, check=True, timeout=30
    )
    return json.loads(done.stdout)


# Stopping


@pytest.mark.parametrize("number", STOPS)
def test_it_stops_when_it_has_nothing_to_do(number, road):
    with running(road) as daemon:
        daemon.until_settled()
        ends_soon(daemon, number)
        assert daemon.log().endswith("INFO Stopped.\n")


def test_it_stops_in_the_middle_of_a_sync_with_every_file_whole(road):
    road.memory.write_bytes(dump(document(*records(999, "20260328"))))
    for number in range(3):
        with running(road) as daemon:
            daemon.until_said("Keeping ", times=number + 1)
            time.sleep(0.1 * number)
            ends_soon(daemon)
        road.parsed()
        for kind in road.names:
            if road.path(kind).exists():
                assert road.text(kind).endswith("\n")
        assert road.flagged() <= (set(road.ids()) if road.path("log").exists() else set())
    with running(road) as daemon:
        daemon.until(lambda: not road.pending())
        assert len(road.ids()) == len(set(road.ids())) == 999


def test_it_stops_while_it_waits_for_the_vault(road):
    road.vault.rename(road.vault.with_name("away"))
    with running(road) as daemon:
        daemon.until_said("vault.path cannot be used")
        ends_soon(daemon)


def test_it_stops_while_the_memory_file_is_missing(road):
    road.memory.unlink()
    with running(road) as daemon:
        daemon.until_said("there is no memory file")
        ends_soon(daemon)


def test_it_stops_while_another_sync_holds_the_lock(road):
    states = road.base / "xdg-state" / "council-vault"
    with running(road) as daemon:
        daemon.until_settled()
        with sync_lock(states / "locks", road.memory):
            add_one(road)
            read = daemon.processor_time()
            daemon.until(lambda: daemon.processor_time() >= read + 0.05)  # it asks for the lock
            ends_soon(daemon)
        assert "the next start settles it" in daemon.log()


def test_it_stops_while_somebody_holds_the_file_open_for_writing(road):
    with running(road) as daemon:
        daemon.until_settled()
        memory = road.parsed()
        memory["deliberations"] += records(1, "20260329")
        write("rename", road.memory, dump(memory))
        with road.memory.open("r+b"):
            daemon.until(lambda: "d_20260329_001" in road.ids())
            ends_soon(daemon)


def test_it_stops_on_a_file_system_without_leases(tmp_path):
    """There it waits five seconds after each write, and is told to stop in the middle of that."""
    road = Road(tmp_path)
    road.write_memory(*records(3))
    configure(road)
    with running(road, PYTHONPATH=without_leases(road)) as daemon:
        daemon.until(lambda: road.path("log").exists() and not road.pending())
        ends_soon(daemon)
        assert "the next start settles it" in daemon.log()
        assert len(leftovers(road.folder, names_in(road.folder))) == 1
    with running(road) as daemon:
        daemon.until(lambda: not leftovers(road.folder, names_in(road.folder)))
        assert not road.pending()
        assert len(road.rows()) == 3


def without_leases(road):
    """Return a path for Python on which nothing grants a lease."""
    folder = road.base / "without-leases"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import importlib\nimportlib.import_module('council_vault.files.protection')._TRUSTED = frozenset()\n"
    )
    return os.pathsep.join([str(folder), road.environment()["PYTHONPATH"]])


# Settings


def test_new_settings_hold_from_the_next_hangup_on(road):
    with running(road) as daemon:
        daemon.until_settled()
        other = road.base / "other"
        places.make_vault(other)
        config = road.base / "xdg-config" / "council-vault" / "config.toml"
        config.write_text(config.read_text().replace(str(road.vault), str(other)))
        daemon.send(signal.SIGHUP)
        daemon.until((other / road.names["log"]).exists, SOON)


def test_wrong_settings_are_said_and_the_old_ones_stay(road):
    with running(road) as daemon:
        daemon.until_settled()
        config = road.base / "xdg-config" / "council-vault" / "config.toml"
        config.write_text("[sync]\nevery = 'often'\n")
        daemon.send(signal.SIGHUP)
        daemon.until_said("sync.every: expected a whole number")
        new = add_one(road)
        daemon.until(lambda: new in road.flagged(), SOON)
        ends_soon(daemon)


def test_wrong_settings_at_the_start_end_it_with_a_code_that_says_so(road):
    configure(road, watch="sometimes")
    with running(road) as daemon:
        assert daemon.wait() == 2
        assert "expected auto, events or poll, got 'sometimes'" in daemon.log()


# One at a time


def test_a_second_daemon_is_refused_and_the_first_one_named(road):
    with running(road) as first:
        first.until_settled()
        second = Road(road.base)
        with running(second) as refused:
            assert refused.wait() == 2
        assert f"a daemon keeps it already: process {first.pid}" in first.log()
        new = add_one(road)
        first.until(lambda: new in road.flagged(), SOON)


def test_after_a_kill_the_next_one_may_begin(road):
    with running(road) as first:
        first.until_settled()
        first.end(signal.SIGKILL)
    assert status(road)["daemon"] is None
    with running(road) as second:
        second.until_said("Keeping ", times=2)
        second.until(lambda: status(road)["daemon"])
        ends_soon(second)


# What it tells


def test_status_says_what_it_does(road):
    assert status(road)["daemon"] is None
    with running(road) as daemon:
        daemon.until_settled()
        told = status(road)["daemon"]
        assert told["pid"] == daemon.pid
        assert told["did"].startswith("Vault synced: updated model performance")
        assert told["troubles"] == []
        road.vault.rename(road.vault.with_name("away"))
        add_one(road)
        daemon.until_said("vault.path cannot be used")
        told = daemon.until(lambda: (found := status(road)["daemon"])["troubles"] and found)
        assert told["waiting"].startswith("trying again at ")
        ends_soon(daemon)
    assert status(road)["daemon"] is None


class Manager:
    """What systemd is to a service: a datagram socket, and the messages that came to it."""

    def __init__(self, path):
        self.path = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.path)
        self._socket.settimeout(20)

    def next(self):
        """Return the next message, watchdog pings left out."""
        while (message := self._socket.recv(4096).decode().split("\n")) == ["WATCHDOG=1"]:
            pass
        return message

    def until_ping(self):
        while self._socket.recv(4096) != b"WATCHDOG=1":
            pass

    def until(self, start):
        while not (message := self.next())[0].startswith(start):
            pass
        return message

    def close(self):
        self._socket.close()


@pytest.fixture
def manager(tmp_path):
    manager = Manager(tmp_path / "notify")
    yield manager
    manager.close()


def test_systemd_hears_when_it_is_ready_how_it_is_and_that_it_stops(road, manager):
    with running(road, NOTIFY_SOCKET=manager.path) as daemon:
        assert manager.next() == ["READY=1", "STATUS=3 deliberations, 3 pending"]
        synced = manager.next()
        assert synced[0].startswith("STATUS=3 deliberations, 0 pending, synced ")
        daemon.until_settled()
        daemon.send(signal.SIGHUP)
        assert manager.until("RELOADING")[1].startswith("MONOTONIC_USEC=")
        assert manager.until("READY=1")[1].startswith("STATUS=")
        daemon.send(signal.SIGTERM)
        assert manager.until("STOPPING") == ["STOPPING=1"]
        assert daemon.wait() == 0


def test_it_is_ready_where_everything_is_missing(road, manager):
    road.memory.unlink()
    road.vault.rename(road.vault.with_name("away"))
    with running(road, NOTIFY_SOCKET=manager.path) as daemon:
        ready, said = manager.next()
        assert ready == "READY=1"
        assert "there is no memory file" in said
        ends_soon(daemon)


def test_the_watchdog_is_fed_in_time(road, manager):
    seconds = 5.0
    with running(road, NOTIFY_SOCKET=manager.path, WATCHDOG_USEC=f"{seconds * 1e6:.0f}") as daemon:
        daemon.until_settled()
        last = time.monotonic()
        for _ in range(2):
            manager.until_ping()
            assert time.monotonic() - last < seconds
            last = time.monotonic()
        ends_soon(daemon)
