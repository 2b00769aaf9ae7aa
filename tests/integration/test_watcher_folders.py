"""The watched folder is lost, replaced, mounted over; links lead elsewhere; limits are used up."""

from __future__ import annotations

import ctypes
import errno
import os
import random
import shutil
import threading
from contextlib import ExitStack

import pytest

from council_vault.service import inotify, watcher
from support.file_systems import mounted
from support.listening import until, watching
from support.places import as_nobody, dead_mount, small_disk

NAME = "council-memory.json"


@pytest.fixture
def folder(tmp_path):
    """A workspace with a memory file."""
    made = tmp_path / "workspace"
    made.mkdir()
    (made / NAME).write_text("{}")
    return made


def write(folder):
    (folder / "new.tmp").write_text('{"new": true}')
    (folder / "new.tmp").replace(folder / NAME)


def picked_up(watched, ear, folder):
    """Check that one look is enough to hear of this folder's changes."""
    watched.check()
    ear.waits()  # what was changed meanwhile must be looked at
    assert watched.trouble is None
    write(folder)
    ear.waits()
    watched.check()
    assert watched.trouble is None


def test_a_deleted_folder_is_said_at_once_and_watched_when_it_is_back(folder):
    with watching(folder / NAME) as (watched, ear):
        shutil.rmtree(folder)
        until(lambda: watched.trouble == f"{folder} was deleted")
        ear.waits()
        watched.check()
        assert watched.trouble == f"the folder {folder} is missing"
        watched.check()
        assert ear.heard == 0  # there is nothing to look at
        folder.mkdir()
        picked_up(watched, ear, folder)


def test_the_deletion_of_an_empty_folder_is_heard(folder):
    (folder / NAME).unlink()
    with watching(folder / NAME) as (watched, ear):
        folder.rmdir()
        ear.waits()
        assert watched.trouble == f"{folder} was deleted"


def test_a_folder_deleted_and_made_again_between_two_looks(folder):
    with watching(folder / NAME) as (watched, ear):
        for _ in range(20):
            shutil.rmtree(folder)
            folder.mkdir()
            picked_up(watched, ear, folder)


def test_a_folder_renamed_away_and_made_again(folder):
    with watching(folder / NAME) as (watched, ear):
        old = folder.rename(folder.with_name("old"))
        folder.mkdir()
        picked_up(watched, ear, folder)
        until(lambda: len(watched._watch.kernel) == 1)
        ear.heard = 0
        write(old)  # of the folder that is not ours any more, nothing is heard
        write(folder)
        assert ear.waits() == 1


def test_a_folder_renamed_away_and_back_is_the_same(folder):
    with watching(folder / NAME) as (watched, ear):
        folder.rename(folder.with_name("old")).rename(folder)
        watched.check()
        assert ear.heard == 0
        write(folder)
        ear.waits()


def test_a_folder_missing_at_the_start(tmp_path):
    folder = tmp_path / "later"
    with watching(folder / NAME) as (watched, ear):
        assert watched.trouble == f"the folder {folder} is missing"
        watched.check()
        assert ear.heard == 0
        folder.mkdir()
        picked_up(watched, ear, folder)


def test_a_file_in_place_of_the_folder(folder):
    shutil.rmtree(folder)
    folder.write_text("no folder")
    with watching(folder / NAME) as (watched, ear):
        assert watched.trouble == f"the folder {folder} is missing"
        folder.unlink()
        folder.mkdir()
        picked_up(watched, ear, folder)


def test_a_disk_mounted_over_the_folder_and_unmounted(folder):
    with watching(folder / NAME) as (watched, ear):
        with small_disk(folder):
            picked_up(watched, ear, folder)
        picked_up(watched, ear, folder)


def test_a_disk_mounted_over_a_disk(folder):
    """Both begin with the same inode, and the lower one is still watched."""
    with small_disk(folder), watching(folder / NAME) as (watched, ear):
        with small_disk(folder):
            picked_up(watched, ear, folder)
        picked_up(watched, ear, folder)


def test_a_disk_unmounted_and_mounted_again_between_two_looks(folder):
    """Device and inode may be what they were; only the kernel knows that the watch has ended."""
    with ExitStack() as first:
        first.enter_context(small_disk(folder))
        before = folder.stat()
        with watching(folder / NAME) as (watched, ear):
            first.close()
            with small_disk(folder):
                after = folder.stat()
                if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino):
                    pytest.skip("the system gave the second disk another number")
                picked_up(watched, ear, folder)


def test_a_dead_mount_is_said(folder):
    with watching(folder / NAME) as (watched, ear):
        with dead_mount(folder):
            watched.check()
            assert (
                watched.trouble
                == f"{folder / NAME}: watching could not begin: Transport endpoint is not connected"
            )
        picked_up(watched, ear, folder)


def test_a_file_system_that_does_not_tell_everything_is_named(tmp_path):
    with mounted("bindfs", tmp_path) as mount:
        with watching(mount / NAME) as (watched, ear):
            what = "its file system (fuse) may not tell of changes made on another machine"
            assert watched.trouble == f"{mount}: {what}"
            write(mount)
            ear.waits()  # what it tells is heard all the same
            watched.check()
            assert ear.waits(0) == 0
            assert watched.trouble is not None
        with watching(mount / NAME, mode="events") as (watched, _):
            assert watched.trouble is None


@pytest.mark.parametrize("name", ["ext4", "xfs", "btrfs", "tmpfs", "overlay"])
def test_file_systems_that_tell_everything(tmp_path, name):
    with mounted(name, tmp_path) as mount, watching(mount / NAME) as (watched, ear):
        for _ in range(2):
            write(mount)
            ear.waits()
            watched.check()
            assert watched.trouble is None
        assert ear.heard <= 1  # of the second write, but not of a look: nothing was watched anew


def test_a_folder_that_may_not_be_read_is_said():
    with as_nobody() as folder:
        folder.chmod(0o300)
        try:
            with watching(folder / NAME) as (watched, ear):
                assert watched.trouble == f"{folder}: watching could not begin: Permission denied"
                folder.chmod(0o700)
                picked_up(watched, ear, folder)
        finally:
            folder.chmod(0o700)


@pytest.fixture
def link(folder, tmp_path):
    """A link to the memory file, from a folder of its own."""
    (tmp_path / "links").mkdir()
    made = tmp_path / "links" / NAME
    made.symlink_to(folder / NAME)
    return made


def test_the_target_of_a_link_is_watched(folder, link):
    with watching(link) as (watched, ear):
        write(folder)
        ear.waits()
        link.write_text("{}")
        ear.waits()
        watched.check()
        assert watched.trouble is None


def test_a_link_that_leads_elsewhere_is_followed(tmp_path, folder, link):
    other = tmp_path / "other"
    other.mkdir()
    (other / NAME).write_text("{}")
    with watching(link) as (watched, ear):
        link.unlink()
        link.symlink_to(os.path.join("..", "other", NAME))  # noqa: PTH118 - a relative link
        ear.waits()
        picked_up(watched, ear, other)
        assert {place.path for place in watched._watch.places.folders} == {link.parent, other}


def test_every_link_of_a_chain_is_watched(tmp_path, folder, link):
    chain = tmp_path / "chain"
    chain.symlink_to(link)
    other = tmp_path / "other"
    other.mkdir()
    with watching(chain) as (watched, ear):
        write(folder)
        ear.waits()
        link.unlink()
        link.symlink_to(other / NAME)
        ear.waits()
        picked_up(watched, ear, other)


def test_a_link_that_becomes_a_file_is_watched(folder, link):
    with watching(link) as (watched, ear):
        link.unlink()
        link.write_text("{}")
        ear.waits()
        picked_up(watched, ear, link.parent)


def test_a_linked_folder_that_leads_elsewhere_is_followed(tmp_path, folder):
    (tmp_path / "linked").symlink_to(folder)
    other = tmp_path / "other"
    other.mkdir()
    with watching(tmp_path / "linked" / NAME) as (watched, ear):
        write(folder)
        ear.waits()
        (tmp_path / "linked").unlink()
        (tmp_path / "linked").symlink_to(other)
        picked_up(watched, ear, other)


def test_a_target_whose_folder_is_missing_is_said(tmp_path, folder, link):
    link.unlink()
    link.symlink_to(tmp_path / "later" / NAME)
    with watching(link) as (watched, ear):
        assert watched.trouble == f"the folder {tmp_path / 'later'} is missing"
        (tmp_path / "later").mkdir()
        picked_up(watched, ear, tmp_path / "later")


def test_links_in_a_circle_are_watched_until_they_are_mended(folder):
    (folder / NAME).unlink()
    (folder / NAME).symlink_to(folder / "there")
    (folder / "there").symlink_to(folder / NAME)
    with watching(folder / NAME) as (watched, ear):
        assert watched.trouble is None
        (folder / "there").unlink()
        ear.waits()


def test_a_folder_whose_link_becomes_a_circle_is_picked_up(tmp_path, folder):
    link = tmp_path / "linked"
    link.symlink_to(folder)
    with watching(link / NAME) as (watched, ear):
        link.unlink()
        link.symlink_to(link)
        watched.check()
        assert watched.trouble is not None
        link.unlink()
        link.symlink_to(folder)
        picked_up(watched, ear, folder)


def test_folders_linked_in_a_circle_are_said(tmp_path):
    (tmp_path / "here").symlink_to(tmp_path / "there")
    (tmp_path / "there").symlink_to(tmp_path / "here")
    with watching(tmp_path / "here" / NAME) as (watched, ear):
        assert watched.trouble is not None
        watched.check()
        (tmp_path / "here").unlink()
        (tmp_path / "here").mkdir()
        picked_up(watched, ear, tmp_path / "here")


def refused_when_made(error):
    raise error


def refused_when_started(error):
    observer = watcher.system_observer()
    observer.on_thread_start = lambda: refused_when_made(error)
    return observer


def used_up(what, name):
    return f"the system's limit on {what} ({name}) is used up. Raise it: `sudo sysctl {name}=256`"


@pytest.mark.parametrize("refused", [refused_when_made, refused_when_started])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(errno.EMFILE, "inotify instance limit reached"),
            used_up("programs that watch folders", "fs.inotify.max_user_instances"),
        ),
        (
            OSError(errno.ENOSPC, "inotify watch limit reached"),
            used_up("watched folders", "fs.inotify.max_user_watches"),
        ),
        (OSError(errno.EIO, "Input/output error"), "watching could not begin: Input/output error"),
        (RuntimeError("can't start new thread"), "watching could not begin: can't start new thread"),
    ],
)
def test_what_the_system_refuses_is_said_and_tried_again(folder, monkeypatch, refused, error, said):
    monkeypatch.setattr(inotify, "limit", lambda _: 128)
    threads, watches = set(threading.enumerate()), inotify.own_watches()
    refusals = [error] * 20

    def observers():
        return refused(refusals.pop()) if refusals else watcher.system_observer()

    with watching(folder / NAME, observers=observers) as (watched, ear):
        while refusals:
            assert watched.trouble == said
            watched.check()
        until(lambda: set(threading.enumerate()) <= threads)
        assert inotify.own_watches() == watches
        assert ear.heard == 0
        picked_up(watched, ear, folder)


def test_used_up_instances_are_said_until_there_are_some_again():
    """The real limit, of a user of whom nothing else runs."""
    libc = ctypes.CDLL(None, use_errno=True)
    with as_nobody() as folder, ExitStack() as held:
        for _ in range(4096):
            instance = libc.inotify_init()
            if instance < 0:
                break
            held.callback(os.close, instance)
        else:
            pytest.skip("there is no end of instances here")
        with watching(folder / NAME) as (watched, ear):
            assert watched.trouble is not None
            assert inotify.INSTANCES in watched.trouble
            watched.check()
            held.close()
            picked_up(watched, ear, folder)


def test_a_limit_that_cannot_be_read_is_named_all_the_same(folder, monkeypatch):
    monkeypatch.setattr(inotify, "limit", lambda _: None)

    def observers():
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    with watching(folder / NAME, observers=observers) as (watched, _):
        what = "the system's limit on watched folders (fs.inotify.max_user_watches) is used up"
        assert watched.trouble == what


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_to_the_folders_one_look_is_enough(tmp_path, seed):
    """Accidents in any order, several between two looks."""
    rng = random.Random(seed)
    places = [tmp_path / "first", tmp_path / "second"]
    link = tmp_path / "workspace"
    for place in places:
        place.mkdir()
    link.symlink_to(places[0])
    aside = iter(tmp_path / f"aside-{number}" for number in range(1000))

    def removed(place):
        shutil.rmtree(place)
        place.mkdir()

    def set_aside(place):
        place.rename(next(aside))
        place.mkdir()

    def led_elsewhere(place):
        link.unlink()
        link.symlink_to(place)

    def linked_file(place):
        (place / NAME).unlink(missing_ok=True)
        (place / NAME).symlink_to(rng.choice(places) / "real.json")

    def written(place):
        write(place)

    def looked_at(_place):
        watched.check()

    accidents = (removed, set_aside, led_elsewhere, linked_file, written, looked_at)
    with watching(link / NAME) as (watched, ear):
        for _ in range(15):
            for _ in range(rng.randint(1, 4)):
                rng.choice(accidents)(rng.choice(places))
            watched.check()
            assert watched.trouble is None
            ear.heard = 0
            (link / NAME).write_text("{}")
            ear.waits()
