"""Changes of a file are heard, however other programs write it, and nothing else is."""

from __future__ import annotations

import os
import threading

import pytest

from council_vault.service import inotify, watcher
from council_vault.service.watcher import Watcher
from support.listening import DEADLINE, Ear, until, watching


@pytest.fixture
def file(tmp_path):
    """A memory file in a folder of its own."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "council-memory.json").write_text("{}")
    return folder / "council-memory.json"


def replaced(file, source=None):
    """Replace a file as most programs do: written beside it, or elsewhere, then renamed."""
    source = source or file.with_name("new.tmp")
    source.write_text('{"new": true}')
    source.replace(file)


def in_place(file):
    file.write_text('{"new": true}')


def renamed_into(file):
    replaced(file, file.parent.parent / "from-elsewhere.tmp")


def deleted_then_made(file):
    file.unlink()
    file.write_text('{"new": true}')


def set_aside_then_made(file):
    file.rename(f"{file}.bak")
    file.write_text('{"new": true}')


WAYS = (replaced, in_place, renamed_into, deleted_then_made, set_aside_then_made)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_writing_is_heard_again_and_again(file, way):
    with watching(file) as (watched, ear):
        for _ in range(3):
            way(file)
            ear.waits()
        assert watched.trouble is None


def test_a_file_that_comes_and_goes_is_heard(file):
    file.unlink()
    with watching(file) as (_, ear):
        file.write_text("{}")
        ear.waits()
        file.unlink()
        ear.waits()


def test_reading_is_not_heard(file):
    with watching(file) as (_, ear):
        for _ in range(100):
            file.read_text()
        replaced(file)
        assert ear.waits() == 1  # the events come in order: those of the readers would have come before


def test_a_writer_that_takes_its_time_is_heard_while_it_writes_and_when_it_is_done(file):
    with watching(file) as (_, ear):
        with file.open("r+") as stream:
            for _ in range(3):
                stream.write("{")
                stream.flush()
                ear.waits()
        ear.waits()


def test_other_files_are_not_heard(file):
    (file.parent / "folder").mkdir()
    with watching(file) as (watched, ear):
        assert len(watched._watch.kernel) == 1  # what is below the folder costs nothing
        for name in ("council-memory.json.tmp", "x-council-memory.json", "folder/council-memory.json"):
            file.with_name("written").write_text("other")
            file.with_name("written").replace(file.parent / name)
        replaced(file)
        assert ear.waits() == 1


def test_nothing_new_is_done_while_all_is_well(file):
    made = []

    def observers():
        made.append(watcher.system_observer())
        return made[-1]

    with watching(file, observers=observers) as (watched, ear):
        for _ in range(20):
            watched.check()
        assert (len(made), ear.heard, watched.trouble) == (1, 0, None)


def test_stopping_leaves_nothing_behind(file, monkeypatch):
    monkeypatch.setattr(watcher, "_PATIENCE", DEADLINE)
    threads, watches = set(threading.enumerate()), inotify.own_watches()
    with watching(file) as (watched, ear):
        assert inotify.own_watches() > watches
        watched.stop()
        assert set(threading.enumerate()) <= threads
        assert inotify.own_watches() == watches
        replaced(file)
        assert ear.heard == 0


def test_stopping_does_not_wait_for_ever_for_who_is_being_told(file, monkeypatch):
    monkeypatch.setattr(watcher, "_PATIENCE", 0.05)
    told, release = threading.Event(), threading.Event()

    def busy():
        told.set()
        release.wait()

    watched = Watcher(file, busy)
    watched.start()
    replaced(file)
    assert told.wait(10)
    watched.stop()
    release.set()
    until(lambda: not any(thread.name == "end of watching" for thread in threading.enumerate()))


def test_what_fails_on_being_told_is_told_again(file, caplog):
    with watching(file) as (watched, ear):
        ear.failure = ValueError("not this time")
        for _ in range(3):
            replaced(file)
            ear.waits()
        until(lambda: watched.trouble)
        assert (
            watched.trouble == "a change was seen, and then the program failed: ValueError('not this time')"
        )
        assert len(caplog.records) == 1  # and not once for every event
        assert "not this time" in caplog.text
        ear.failure = None
        watched.check()
        assert watched.trouble is None
        ear.waits()
        replaced(file)
        ear.waits()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_dead_thread_is_noticed(file, number):
    with watching(file) as (watched, ear):
        thread = watched._watch.threads[number]
        thread.stop()
        until(lambda: not thread.is_alive())
        watched.check()
        ear.waits()
        replaced(file)
        ear.waits()
        assert watched.trouble is None


def test_a_thread_that_died_of_an_error_is_noticed(file, monkeypatch):
    def fails(_timeout):
        raise ValueError("a mistake of watchdog's")

    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with watching(file) as (watched, ear):
        (emitter,) = watched._watch.observer.emitters
        emitter.queue_events = fails
        replaced(file)
        until(lambda: not emitter.is_alive())
        ear.heard = 0
        assert watched._watch.observer.is_alive()  # and the kernel still watches
        watched.check()
        ear.waits()
        replaced(file)
        ear.waits()


def test_an_observer_that_is_dead_is_noticed(file):
    class Dead:
        """Has no thread at all."""

        def schedule(self, *arguments, **options):
            pass

        start = stop = join = schedule

        def is_alive(self):
            return False

    kinds = [watcher.system_observer, Dead]

    def observers():
        return kinds.pop()()

    with watching(file, observers=observers) as (watched, ear):
        watched.check()
        ear.waits()
        replaced(file)
        ear.waits()
        assert kinds == []


def test_polling_uses_no_events(file):
    def observers():
        pytest.fail("an observer was made")

    with watching(file, mode="poll", observers=observers) as (watched, ear):
        watched.check()
        assert watched.trouble == "events are not used, as the setting sync.watch says"
        assert ear.heard == 0


def test_names_that_are_no_text_are_watched(tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    with watching(folder / "council-memory.json") as (_, ear):
        replaced(folder / "council-memory.json")
        ear.waits()


def test_a_path_with_steps_back_is_watched(file):
    (file.parent / "inner").mkdir()
    with watching(file.parent / "inner" / ".." / file.name) as (_, ear):
        replaced(file)
        ear.waits()


def test_a_relative_path_is_watched(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    with watching(type(file)(file.name)) as (_, ear):
        replaced(file)
        ear.waits()


def test_stopping_before_the_start_is_no_error(file):
    Watcher(file, Ear()).stop()
    assert file.exists()
