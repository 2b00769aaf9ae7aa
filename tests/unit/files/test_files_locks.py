from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap

import pytest

from council_vault.errors import Busy, WriteFailed
from council_vault.files import sync_lock
from council_vault.files.locks import Lock
from support.replacing import Waiting

HOLDER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from council_vault.files import sync_lock
    with sync_lock(Path(sys.argv[1]), Path(sys.argv[2])):
        print("held", flush=True)
        sys.stdin.read()
    """
)


@pytest.fixture
def paths(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "state" / "locks", tmp_path / "work" / "memory.json"


def test_another_process_is_named(paths):
    locks, path = paths
    command = [sys.executable, "-c", HOLDER, str(locks), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy) as caught, sync_lock(locks, path, timeout=0.05):
            pass
        holder.communicate("")
    said = rf"process {holder.pid} \(-c .*memory\.json\), since \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d"
    assert re.search(said, str(caught.value))
    with sync_lock(locks, path, timeout=0.05):
        pass


def test_the_death_of_the_holder_frees_the_lock(paths):
    locks, path = paths
    command = [sys.executable, "-c", HOLDER, str(locks), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()
    with sync_lock(locks, path, timeout=0.5):
        assert locks.stat().st_mode & 0o077 == 0


def test_every_path_to_a_file_leads_to_the_same_lock(paths):
    locks, path = paths
    path.write_bytes(b"")
    link = path.parent.parent / "link.json"
    link.symlink_to(path)
    with sync_lock(locks, path), pytest.raises(Busy), sync_lock(locks, link, timeout=0.02):
        pass


def test_a_sync_does_not_hold_up_a_replacement(paths):
    locks, path = paths
    lock = Lock(locks, path, "file")
    with sync_lock(locks, path):
        lock.take(timeout=0.05)
    lock.give_back()


def test_a_lock_can_be_taken_again_and_from_another_thread(paths):
    lock = Lock(*paths, "file")
    lock.take()
    Waiting(lock.take).done()
    lock.give_back()
    other = Lock(*paths, "file")
    with pytest.raises(Busy):
        other.take(timeout=0.02)
    Waiting(lock.give_back).done()
    other.take(timeout=0.02)
    other.give_back()


def test_a_holder_that_has_not_signed_is_admitted(paths):
    lock, other = Lock(*paths, "file"), Lock(*paths, "file")
    lock.take()
    next(paths[0].glob("*.holder")).write_bytes(b"{")
    with pytest.raises(Busy, match="it has not said which process it is"):
        other.take(timeout=0.02)
    lock.give_back()


def test_a_shorter_signature_over_a_longer_one_is_read_right(paths, monkeypatch):
    lock = Lock(*paths, "file")
    for command in (["council-vault", "x" * 100], ["council-vault", "log"]):
        monkeypatch.setattr(sys, "argv", command)
        lock.take()
        lock.give_back()
    lock.take()
    with pytest.raises(Busy, match=rf"process {os.getpid()} \(council-vault log\), since"):
        Lock(*paths, "file").take(timeout=0.02)
    lock.give_back()


def test_a_missing_folder_is_named(paths):
    with (
        pytest.raises(WriteFailed, match="its folder cannot be read"),
        sync_lock(paths[0], paths[1] / "a" / "b"),
    ):
        pass


def test_a_folder_for_locks_that_cannot_be_made_is_named(paths):
    locks, path = paths
    locks.parent.write_bytes(b"a file in its way")
    with pytest.raises(WriteFailed, match="the folder for locks cannot be made"), sync_lock(locks, path):
        pass


def test_a_signature_that_cannot_be_written_gives_the_lock_back(paths):
    lock = Lock(*paths, "file")
    lock.take()
    lock.give_back()
    signature = next(paths[0].glob("*.holder"))
    signature.unlink()
    signature.mkdir()
    with pytest.raises(WriteFailed, match="the lock cannot be taken"):
        lock.take()
    signature.rmdir()
    Lock(*paths, "file").take(timeout=0.02)
