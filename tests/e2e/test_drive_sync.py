"""The real program and a vault on Drive: `sync-vault`, and the daemon, with what goes wrong on the way."""

from __future__ import annotations

import collections
import signal
import socket
import time

import pytest

from council_vault.service.presence import present
from council_vault.settings import DriveSettings
from council_vault.state import memory_folder
from council_vault.vault.drive_folder import DriveAccess
from support.daemons import add_one, running
from support.drive_emulator import DROPPED, LOST_REPLY, hang, status
from support.drive_road import DriveRoad
from support.drive_sign_in import secrets_of, sign_in_to, signed_in
from support.syncing import records

SOON = 10.0  # it aims at five seconds, and the machine may be busy


@pytest.fixture
def road(tmp_path, emulator):
    road = DriveRoad(tmp_path, emulator)
    road.write_memory(*records(5))
    road.configure()
    return road


def synced(road, *options):
    """Run `sync-vault`, and return what it says."""
    ran = road.run(*options)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    return ran.stdout


def requests(emulator):
    """Return how many requests of each kind were made, and forget them."""
    count = collections.Counter(request.kind for request in emulator.requests)
    emulator.forget_requests()
    return count


# sync-vault


def test_notes_appear_and_nothing_is_written_twice(road, emulator):
    assert "5 new deliberation log entries" in synced(road)
    road.check_whole()
    first = requests(emulator)
    before = emulator.files
    assert "Nothing to do" in synced(road)
    second = requests(emulator)
    assert "Nothing to do" in synced(road)
    third = requests(emulator)
    assert emulator.files == before
    assert first["write"] <= 5
    assert second["write"] == third["write"] == 0
    assert second["read"] <= 25
    assert third["read"] <= 15
    print(f"\nrequests: {dict(first)} to make the notes, {dict(second)} and {dict(third)} with nothing to do")


def test_an_edit_between_our_reading_and_our_writing_is_merged(road, emulator):
    synced(road)
    road.change_memory(lambda memory: memory["deliberations"].extend(records(5, first=6)))
    log = road.id("log")
    emulator.before(
        lambda request: request.operation == "files.update" and request.file == log,
        lambda: road.rate("d_20260328_002", "positive"),
    )
    assert "5 new" in synced(road)
    assert road.row("d_20260328_002")[-1] == "positive"
    assert len(road.rows()) == 10
    road.check_whole()
    synced(road)
    assert road.record("d_20260328_002")["user_rating"] == "positive"
    assert road.row("d_20260328_002")[-1] == "positive"


def test_words_between_our_reading_and_our_writing_are_merged(road, emulator):
    synced(road)
    road.change_memory(lambda memory: memory["deliberations"].extend(records(5, first=6)))
    performance, before = road.id("performance"), road.text("performance")
    emulator.before(
        lambda request: request.operation == "files.update" and request.file == performance,
        lambda: road.edit(
            "performance", "%% council-vault:end %%", "%% council-vault:end %%\n\nMy own words."
        ),
    )
    synced(road)
    assert "My own words." in road.text("performance")
    assert (
        road.text("performance").partition("%% council-vault:end")[0]
        != before.partition("%% council-vault:end")[0]
    )
    assert "Nothing to do" in synced(road)
    road.check_whole()


def test_ratings_typed_into_the_copy_on_drive_come_back(road, emulator):
    synced(road)
    road.rate("d_20260328_003", "positive")
    synced(road)
    assert road.record("d_20260328_003")["user_rating"] == "positive"
    assert road.record("d_20260328_003")["outcome"] == "accepted"
    road.change_memory(lambda memory: memory["deliberations"][0].update(user_rating="negative"))
    synced(road)
    assert road.row("d_20260328_001")[-1] == "negative"
    road.check_whole()


@pytest.mark.parametrize(
    "how",
    [status(403, "userRateLimitExceeded"), status(429, retry_after="1"), LOST_REPLY],
    ids=lambda how: how.name,
)
def test_what_passes_is_waited_for(how, road, emulator):
    emulator.fail(lambda request: request.kind == "write", how, skip=1)
    assert "5 new" in synced(road)
    road.check_whole()


def test_without_drive_it_says_so_and_the_records_stay_pending(road, emulator):
    synced(road)
    add_one(road)
    emulator.fail(None, DROPPED, times=None)
    ran = road.run()
    assert ran.returncode == 3
    assert "Google Drive, which cannot be used now" in ran.stderr
    assert road.pending() == {"d_20260329_006"}
    assert road.parsed()["vault_sync_note"] == "vault_unavailable"
    emulator.reset_faults()
    synced(road)
    road.check_whole()


# The daemon


@pytest.fixture
def kept(road):
    """Return a road that a daemon has brought up to date."""
    with running(road) as daemon:
        settled(daemon, 5)
        yield road, daemon


def settled(daemon, count):
    """Wait until so many records are synced, and it sleeps."""
    daemon.until(lambda: len(daemon.road.flagged()) == count and not daemon.road.pending())
    daemon.until(daemon.sleeps)


def ends_soon(daemon):
    begun = time.monotonic()
    assert daemon.end(signal.SIGTERM) == 0
    assert time.monotonic() - begun < SOON


def test_it_goes_on_after_an_outage(kept, emulator):
    road, daemon = kept
    emulator.fail(None, DROPPED, times=None)
    added = add_one(road)
    daemon.until_said("on Google Drive, which cannot be used now")
    assert road.pending() == {added}
    emulator.reset_faults()
    add_one(road)
    settled(daemon, 7)
    assert "Recovered" in daemon.log()
    ends_soon(daemon)
    assert daemon.log().endswith("INFO Stopped.\n")
    road.check_whole()


def test_it_stops_while_drive_hangs(kept, emulator):
    road, daemon = kept
    emulator.fail(lambda request: request.kind == "write", hang(), times=None)
    emulator.forget_requests()
    add_one(road)
    daemon.until(lambda: emulator.writes)
    ends_soon(daemon)
    assert "the next start settles it" in daemon.log()
    assert road.flagged() <= set(road.ids())
    emulator.reset_faults()
    with running(road) as again:
        settled(again, 6)
        ends_soon(again)
    road.check_whole()


def test_it_stops_while_it_pauses(kept, emulator):
    road, daemon = kept
    emulator.fail(lambda request: request.kind == "write", status(503, retry_after="50"), times=None)
    emulator.forget_requests()
    add_one(road)
    daemon.until(lambda: emulator.writes)
    ends_soon(daemon)
    assert road.flagged() <= set(road.ids())


def test_nothing_on_this_computer_waits_for_drive(road, emulator):
    """While a request hangs: systemd hears of it, the memory file is looked at, settings are read again."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(road.base / "notify"))
        environment = {"NOTIFY_SOCKET": str(road.base / "notify"), "WATCHDOG_USEC": "1000000"}
        with running(road, **environment) as daemon:
            settled(daemon, 5)
            emulator.fail(None, hang(), times=None)
            emulator.forget_requests()
            add_one(road)
            daemon.until(lambda: emulator.requests)

            while received(systemd, wait=False):
                pass
            pings = 0
            while pings < 4:
                pings += b"WATCHDOG=1" in received(systemd)
            assert "6 deliberations, 1 pending" in told(road)

            whole = road.memory.read_bytes()
            road.memory.write_bytes(whole[:100])
            daemon.until_said("the file ends too early")
            road.memory.write_bytes(whole)
            daemon.until_said("Recovered")

            daemon.send(signal.SIGHUP)
            daemon.until_said("The settings were read again.")
            assert road.pending()
            emulator.reset_faults()
            settled(daemon, 6)
            ends_soon(daemon)
    road.check_whole()


def received(systemd, *, wait=True):
    systemd.settimeout(10.0 if wait else 0.0)
    try:
        return systemd.recv(4096)
    except BlockingIOError:
        return b""


def told(road):
    """Return what the daemon says of itself to whoever asks."""
    states = road.base / "xdg-state" / "council-vault"
    return present(memory_folder(states, road.memory), states / "locks").summary


def test_a_sign_in_that_was_taken_back_is_said_once_and_a_new_one_is_used(tmp_path, emulator):
    road = DriveRoad(tmp_path, emulator)
    road.write_memory(*records(5))
    road.configure()
    access = DriveAccess(DriveSettings(endpoint=emulator.endpoint), road.base / "xdg-state" / "council-vault")
    signed_in(access, sign_in_to(emulator))
    emulator.oauth.required = True
    with running(road) as daemon:
        settled(daemon, 5)
        secrets = secrets_of(emulator)
        emulator.oauth.revoke()
        emulator.forget_requests()
        for count in (1, 2, 3):
            add_one(road)
            daemon.until(lambda count=count: f"{count} pending" in told(road))
            daemon.until(daemon.sleeps)
        assert daemon.log().count("council-vault drive login") == 1
        assert "taken back" in daemon.log()
        assert sum(request.kind == "auth" for request in emulator.requests) == 1
        assert len(road.pending()) == 3
        signed_in(access, sign_in_to(emulator))
        add_one(road)
        settled(daemon, 9)
        ends_soon(daemon)
    secrets |= secrets_of(emulator)
    assert not [secret for secret in secrets if secret in daemon.log()]
    road.check_whole()


def test_it_is_told_to_go_slower(kept, emulator):
    road, daemon = kept
    emulator.fail(None, status(403, "rateLimitExceeded"), times=2)
    emulator.fail(lambda request: request.kind == "write", status(429, retry_after="1"), times=2)
    add_one(road)
    settled(daemon, 6)
    assert "WARNING" not in daemon.log()
    road.check_whole()


def test_it_keeps_no_more_threads_and_files_open_than_it_needs(kept, emulator):
    road, daemon = kept
    before = daemon.threads(), daemon.open_files()
    for count in range(6, 11):
        add_one(road)
        settled(daemon, count)
        emulator.drop_connections()
    assert (daemon.threads(), daemon.open_files()) == before
    ends_soon(daemon)
