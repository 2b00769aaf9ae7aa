"""The real daemon when something goes wrong around it: it stays up, says so once, and recovers by itself."""

from __future__ import annotations

import shutil
import signal
import time
from contextlib import contextmanager

import pytest

from council_vault.files.names import leftovers, names_in
from support import places
from support.daemons import add_one, configure, running
from support.memory_files import document, dump
from support.syncing import NAMES, Road, records

SOON = 20.0  # long before the next rescan


@pytest.fixture
def road(tmp_path):
    road = Road(tmp_path)
    road.write_memory(*records(3))
    configure(road)
    return road


def in_the_log(road, record_id):
    return lambda: record_id in road.flagged() and record_id in road.ids()


def test_what_it_cannot_read_is_said_once_and_it_goes_on(road):
    """Bytes that are no UTF-8, a number at the top, nothing at all: the watching must not end."""
    with running(road) as daemon:
        daemon.until_settled()
        whole = road.memory.read_bytes()
        for broken in (b'{"a":"\xff"}', b"12", b""):
            road.memory.write_bytes(broken)
            daemon.until_said("WARNING", seconds=SOON)
            assert road.memory.read_bytes() == broken
        road.memory.write_bytes(whole)
        daemon.until(in_the_log(road, add_one(road)), SOON)
        assert daemon.log().count("WARNING") == 1
        assert str(road.memory) in daemon.log()


@contextmanager
def filled(disk):
    filler = disk / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(disk).free))
    try:
        yield
    finally:
        filler.unlink()


@pytest.mark.parametrize("where", ["vault", "workspace"])
@pytest.mark.parametrize("trouble", [filled, places.read_only], ids=["full", "read-only"])
def test_a_disk_that_takes_nothing_for_a_while(trouble, where, tmp_path):
    road = Road(tmp_path)
    configure(road)
    disk = {"vault": road.vault, "workspace": road.folder}[where]
    aside = tmp_path / "aside"
    disk.rename(aside)
    with places.small_disk(disk, 256):
        shutil.copytree(aside, disk, dirs_exist_ok=True)
        road.write_memory(*records(3))
        with running(road) as daemon:
            daemon.until_settled()
            notes = {kind: road.path(kind).read_bytes() for kind in NAMES}
            road.change_memory(lambda memory: memory["deliberations"].extend(records(60, first=4)))
            memory = road.memory.read_bytes()
            with trouble(disk):
                daemon.until_said("WARNING")
                if where == "vault":
                    assert {kind: road.path(kind).read_bytes() for kind in NAMES} == notes
                    assert road.memory.read_bytes() == memory
                assert len(road.flagged()) == 3
                for folder in (road.folder, road.path("log").parent):
                    assert not list(leftovers(folder, names_in(folder)))
            daemon.until(lambda: len(road.flagged()) == 63, SOON)
            assert len(road.rows()) == 63
            daemon.end()


def test_the_watched_folder_is_removed_and_made_again(road):
    with running(road) as daemon:
        daemon.until_settled()
        memory = road.parsed()
        shutil.rmtree(road.folder)
        daemon.until_said("WARNING", seconds=SOON)
        road.folder.mkdir()
        road.write_memory(*memory["deliberations"], *records(1, "20260329"), created=memory["created"])
        daemon.until(in_the_log(road, "d_20260329_001"), SOON)
        daemon.until(in_the_log(road, add_one(road)), SOON)


def test_the_watched_folder_is_replaced(road):
    with running(road) as daemon:
        daemon.until_settled()
        copy = road.folder.with_name("copy")
        shutil.copytree(road.folder, copy)
        road.folder.rename(road.folder.with_name("before"))
        copy.rename(road.folder)
        new = add_one(road)
        # Nothing tells of a folder that was renamed away, so the rescan must find it; it is asked for here.
        daemon.send(signal.SIGHUP)
        daemon.until(in_the_log(road, new), SOON)
        daemon.until(in_the_log(road, add_one(road)), SOON)


def test_the_workspace_is_unmounted_and_mounted_again(tmp_path):
    road = Road(tmp_path)
    configure(road)
    with places.small_disk(road.folder, 256):
        road.write_memory(*records(3))
        content = road.memory.read_bytes()
        with running(road) as daemon:
            daemon.until_settled()
            content = road.memory.read_bytes()
            with places.small_disk(road.folder, 256):  # over the first: what was there is hidden
                daemon.send(signal.SIGHUP)
                daemon.until_said("there is no memory file", seconds=SOON)
                road.memory.write_bytes(content)
                new = add_one(road)
                daemon.until(in_the_log(road, new), SOON)
            daemon.send(signal.SIGHUP)
            daemon.until_said("The settings were read again", times=2)
            assert road.memory.read_bytes() == content
            daemon.until(in_the_log(road, add_one(road)), SOON)
            daemon.end()


def test_an_unmounted_vault_is_not_written_to_and_found_again(tmp_path):
    road = Road(tmp_path)
    configure(road)
    aside = tmp_path / "aside"
    road.vault.rename(aside)
    with places.small_disk(road.vault, 512):
        shutil.copytree(aside, road.vault, dirs_exist_ok=True)
        road.write_memory(*records(3))
        with running(road) as daemon:
            daemon.until_settled()
            with places.small_disk(road.vault, 128):
                new = add_one(road)
                daemon.until_said("vault.path cannot be used")
                assert not any(road.vault.iterdir())
                assert road.parsed()["vault_sync_note"] == "vault_unavailable"
            daemon.until(in_the_log(road, new), 30.0)
            daemon.until_said("Recovered")
            assert road.parsed()["vault_sync_note"] is None
            daemon.end()


def test_stopped_for_a_while_it_goes_on_where_it_was(road):
    with running(road) as daemon:
        daemon.until_settled()
        daemon.send(signal.SIGSTOP)
        begun = time.monotonic()
        new = add_one(road)
        assert time.monotonic() - begun < SOON
        daemon.send(signal.SIGCONT)
        daemon.until(in_the_log(road, new), SOON)


def test_killed_at_any_moment_the_next_one_goes_on(road):
    """A few moments of many; the torture has the rest."""
    for number in range(4):
        with running(road) as daemon:
            daemon.until_said("Keeping ", times=number + 1)
            add_one(road)
            time.sleep(0.15 * number)
            daemon.send(signal.SIGKILL)
            assert daemon.wait() == -signal.SIGKILL
    with running(road) as daemon:
        daemon.until(lambda: not road.pending())
        assert len(road.ids()) == len(set(road.ids())) == 7


def test_a_broken_file_touched_over_and_over_does_not_flood_the_log(road):
    with running(road) as daemon:
        daemon.until_settled()
        whole = dump(document(*records(4)))
        used = daemon.processor_time()
        for number in range(30):
            road.memory.write_bytes(whole[: -50 - number])
            time.sleep(0.1)
        assert daemon.log().count("\n") <= 6
        assert daemon.processor_time() - used < 3.0
        road.memory.write_bytes(whole)
        daemon.until(in_the_log(road, "d_20260328_004"), SOON)


def test_its_log_is_not_in_the_workspace_or_the_vault(road):
    before = set(road.folder.iterdir())
    with running(road) as daemon:
        daemon.until_settled()
        daemon.end()
    assert set(road.folder.iterdir()) == before
    assert not list(road.vault.rglob("*.log"))
