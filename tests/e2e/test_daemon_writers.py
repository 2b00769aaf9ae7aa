"""The real daemon while other programs write to the memory file, each in its own way."""

from __future__ import annotations

import os
import time

import pytest

from support.daemons import add_one, configure, running, until
from support.foreign_writers import KINDS, write
from support.memory_files import document, dump
from support.syncing import Road, records

SOON = 15.0  # long before the rescan, on a busy machine too; the benchmark says how soon
READ = "DEBUG Read "


@pytest.fixture
def road(tmp_path):
    road = Road(tmp_path)
    road.write_memory(*records(3))
    configure(road)
    return road


def with_one_more(road):
    """Return what the memory file says with one more record, and that record's id."""
    memory = road.parsed()
    (new,) = records(1, "20260329", first=len(memory["deliberations"]) + 1)
    memory["deliberations"].append(new)
    return dump(memory), new["id"]


def in_the_log(road, record_id):
    return lambda: record_id in road.ids() and record_id in road.flagged()


@pytest.mark.parametrize("kind", KINDS)
def test_what_every_writer_adds_is_in_the_vault_soon(kind, road):
    with running(road) as daemon:
        daemon.until_settled()
        for _ in range(3):
            content, new = with_one_more(road)
            write(kind, road.memory, content, hold=0.4)
            daemon.until(in_the_log(road, new), SOON)
        daemon.until(daemon.sleeps)
        assert len(road.ids()) == len(set(road.ids())) == 6
        assert not daemon.log().count("WARNING")


def rename_within(road, content):
    beside = road.memory.with_name("beside.tmp")
    beside.write_bytes(content)
    beside.replace(road.memory)


def rename_from_elsewhere(road, content):
    elsewhere = road.base / "elsewhere.tmp"
    elsewhere.write_bytes(content)
    elsewhere.replace(road.memory)


def in_place(road, content):
    road.memory.write_bytes(content)


def delete_and_create(road, content):
    road.memory.unlink()
    gone = time.monotonic()
    until(lambda: time.monotonic() - gone > 0.2)
    road.memory.write_bytes(content)


def rename_away_and_create(road, content):
    road.memory.replace(road.memory.with_suffix(".bak"))
    road.memory.write_bytes(content)


WAYS = [rename_within, rename_from_elsewhere, in_place, delete_and_create, rename_away_and_create]


@pytest.mark.parametrize("watch", ["events", "poll"])
def test_however_the_file_is_replaced_it_stays_watched(watch, road):
    configure(road, watch=watch)
    with running(road) as daemon:
        daemon.until_settled()
        for way in WAYS + WAYS[:1] * 2:
            content, new = with_one_more(road)
            way(road, content)
            daemon.until(in_the_log(road, new), SOON)
        assert len(road.ids()) == 3 + len(WAYS) + 2


def test_a_file_behind_a_link_is_watched(road):
    real = road.base / "elsewhere"
    real.mkdir()
    road.memory.rename(real / "memory.json")
    road.memory.symlink_to(real / "memory.json")
    with running(road) as daemon:
        daemon.until_settled()
        daemon.until(in_the_log(road, add_one(road)), SOON)
        content, new = with_one_more(road)
        write("rename", real / "memory.json", content)
        daemon.until(in_the_log(road, new), SOON)
        assert road.memory.is_symlink()


def test_one_record_costs_one_write_and_foreign_readers_nothing(road):
    with running(road, "-v") as daemon:
        daemon.until_settled()
        content, new = with_one_more(road)
        write("rename", road.memory, content)
        theirs = road.memory.stat().st_ino
        daemon.until(in_the_log(road, new), SOON)
        ours = road.memory.stat()
        assert ours.st_ino != theirs
        daemon.until(daemon.sleeps)
        synced, used, read = (
            daemon.log().count("Vault synced"),
            daemon.processor_time(),
            daemon.log().count(READ),
        )
        assert read <= 5  # at the start, once for the record, and after each sync
        notes = {kind: road.path(kind).stat().st_mtime_ns for kind in road.names}
        for _ in range(1000):
            road.memory.read_bytes()
        assert daemon.sleeps()
        assert daemon.processor_time() - used <= 0.05
        assert road.memory.stat() == ours or road.memory.stat().st_mtime_ns == ours.st_mtime_ns
        assert road.memory.stat().st_ino == ours.st_ino
        assert {kind: road.path(kind).stat().st_mtime_ns for kind in road.names} == notes
        assert daemon.log().count("Vault synced") == synced == 2
        assert daemon.log().count(READ) == read


def test_a_rewrite_that_says_the_same_moves_nothing(road):
    with running(road, "-v") as daemon:
        daemon.until_settled()
        notes = {kind: road.path(kind).stat().st_mtime_ns for kind in road.names}
        memory = dump(road.parsed(), indent=4)
        read = daemon.log().count(READ)
        road.memory.write_bytes(memory)
        daemon.until_said(READ, read + 1)
        daemon.until(daemon.sleeps)
        assert road.memory.read_bytes() == memory
        assert {kind: road.path(kind).stat().st_mtime_ns for kind in road.names} == notes


def test_half_a_file_is_never_taken_for_a_whole_one(road):
    with running(road) as daemon:
        daemon.until_settled()
        notes = {kind: road.text(kind) for kind in road.names}
        before = dump(road.parsed())
        after, new = with_one_more(road)
        step = max(1, len(before) // 40)
        for end in [*range(0, len(before), step), len(before) - 1]:
            road.memory.write_bytes(before[:end])
            time.sleep(0.02)  # the pace of the writer; nothing is waited for
            assert road.memory.read_bytes() == before[:end]
        for odd in (b"\0" * 100, after[:200] + before[200:] + b"}"):
            road.memory.write_bytes(odd)
            time.sleep(0.4)
            assert road.memory.read_bytes() == odd
        assert {kind: road.text(kind) for kind in road.names} == notes
        road.memory.write_bytes(after)
        daemon.until(in_the_log(road, new), SOON)
        assert road.ids().count(new) == 1
        assert daemon.log().count("WARNING") <= 1


def test_a_writer_that_stalls_is_waited_for(road):
    with running(road) as daemon:
        daemon.until_settled()
        content, new = with_one_more(road)
        write("slow", road.memory, content, hold=3.0)
        daemon.until(in_the_log(road, new), SOON)
        assert "WARNING" not in daemon.log()


def test_a_storm_of_rewrites_does_not_make_it_spin(road):
    with running(road) as daemon:
        daemon.until_settled()
        begun, used = time.monotonic(), daemon.processor_time()
        writes = 0
        while time.monotonic() - begun < 2.0:
            content, new = with_one_more(road)
            write("rename", road.memory, content)
            writes += 1
            time.sleep(0.05)
        daemon.until(in_the_log(road, new), SOON)
        daemon.until(daemon.sleeps)
        assert sorted(road.ids()) == sorted(road.flagged())
        assert daemon.log().count("Vault synced") < writes
        assert daemon.processor_time() - used < 2.0


def test_a_rating_is_taken_once_the_person_has_paused(road):
    with running(road) as daemon:
        daemon.until_settled()
        road.rate("d_20260328_002", "positive")
        typed = time.time() - 6.0
        os.utime(road.path("log"), (typed, typed))
        content, new = with_one_more(road)
        write("rename", road.memory, content)
        daemon.until(lambda: road.record("d_20260328_002")["user_rating"] == "positive", 2 * SOON)
        assert time.time() - typed >= 10.0
        daemon.until(in_the_log(road, new))
        assert road.row("d_20260328_002")[-1] == "positive"


def test_the_command_line_and_the_daemon_at_once(road):
    with running(road) as daemon:
        daemon.until_settled()
        for _ in range(4):
            content, new = with_one_more(road)
            write("rename", road.memory, content)
            ran = road.run()
            assert ran.returncode == 0, ran.stderr
        daemon.until(in_the_log(road, new), SOON)
        daemon.until(daemon.sleeps)
        assert len(road.ids()) == len(set(road.ids())) == 7
        assert "ERROR" not in daemon.log()


def test_what_was_written_before_it_came_and_while_it_came(road):
    assert road.run().returncode == 0
    first = add_one(road)
    with running(road) as daemon:
        daemon.until_said("Keeping ")
        second = add_one(road)
        daemon.until(lambda: {first, second} <= road.flagged(), SOON)
        assert {first, second} <= set(road.ids())


def test_many_records_in_one_document(road):
    road.memory.write_bytes(dump(document(*records(300))))
    with running(road) as daemon:
        daemon.until(lambda: not road.pending())
        assert len(road.rows()) == 300
