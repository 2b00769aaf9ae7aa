"""What is left of the promise where a system or a file system offers less."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from council_vault.errors import Busy, FileChanged, WriteFailed
from council_vault.files import digest, exchange, protection, recovery, staging, system
from council_vault.files.names import short, swap_beside
from support.replacing import Waiting, rename_over


def exclaim(content):
    return content + b"!"


def no_exchange(monkeypatch):
    monkeypatch.setattr(system, "exchange", lambda *_: False)


def no_links(monkeypatch):
    no_exchange(monkeypatch)
    monkeypatch.setattr(system, "link", lambda *_: False)


@pytest.fixture
def leaseless(monkeypatch):
    """A file system that does not tell of writers."""
    monkeypatch.setattr(system, "file_system", lambda _: "fuse")
    for module in (exchange, recovery):
        monkeypatch.setattr(module, "GRACE_WITHOUT_LEASES", 0.15)


@pytest.fixture(params=["exchange", "link", "neither"])
def offer(request, leaseless, monkeypatch):
    """No leases anywhere, and then less and less."""
    {"exchange": lambda _: None, "link": no_exchange, "neither": no_links}[request.param](monkeypatch)
    return request.param


displaced_is_kept = pytest.mark.parametrize("offer", ["exchange", "link"], indirect=True)


def test_a_file_is_replaced_all_the_same(bench, offer):
    bench.path.write_bytes(b"old")
    assert bench.replacer.update(bench.path, exclaim) == b"old!"
    assert bench.path.read_bytes() == b"old!"
    assert bench.beside() == []
    assert bench.kept == []


def test_creating_never_overwrites(bench, offer):
    bench.replacer.replace(bench.path, b"new", None)
    assert bench.replacer.settle() == ()
    with pytest.raises(FileChanged):
        bench.replacer.replace(bench.path, b"ours", None)
    assert bench.path.read_bytes() == b"new"
    assert bench.beside() == []


def test_what_changed_just_before_is_seen(bench, offer):
    bench.path.write_bytes(b"old")
    bench.at["staged"] = lambda: rename_over(bench.path, b"theirs")
    assert bench.replacer.update(bench.path, exclaim) == b"theirs!"
    assert bench.beside() == []


@displaced_is_kept
def test_a_rename_at_the_last_moment_goes_back(bench, offer):
    bench.path.write_bytes(b"old")
    bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
    assert bench.replacer.update(bench.path, exclaim) == b"theirs!"
    assert bench.kept_contents() == [b"theirs"]
    assert bench.beside() == []


@displaced_is_kept
def test_a_rename_at_the_last_moment_goes_back_before_the_replacement_returns(bench, offer):
    bench.path.write_bytes(b"old")
    bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
    with pytest.raises(FileChanged):
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
    assert bench.path.read_bytes() == b"theirs"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nothing tells which files are open")
def test_no_file_stays_open(bench, offer, monkeypatch):
    for module in (exchange, recovery):
        monkeypatch.setattr(module, "GRACE_WITHOUT_LEASES", 0.0)
    bench.replacer.replace(bench.path, b"new", None)
    bench.replacer.settle()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        bench.replacer.update(bench.path, exclaim)
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        bench.replacer.update(bench.path, exclaim)
        bench.at["staged"] = bench.path.unlink
        with pytest.raises(FileChanged):
            bench.replacer.update(bench.path, exclaim)
        bench.replacer.replace(bench.path, b"new", None)
        bench.replacer.settle()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@displaced_is_kept
def test_a_late_write_through_an_open_handle_goes_back(bench, offer):
    bench.path.write_bytes(b"old")
    with bench.path.open("r+b", buffering=0) as file:
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        file.write(b"theirs")
        assert bench.replacer.settle() == (bench.path,)
    assert bench.path.read_bytes() == b"theirs"
    assert bench.beside() == []


@displaced_is_kept
def test_a_late_write_goes_back_at_once_and_not_at_the_end(bench, offer, monkeypatch):
    monkeypatch.setattr(exchange, "GRACE_WITHOUT_LEASES", 60.0)
    bench.path.write_bytes(b"old")
    with bench.path.open("r+b", buffering=0) as file:
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        settling = Waiting(bench.replacer.settle)
        file.write(b"theirs")
    assert settling.done() == (bench.path,)
    assert bench.path.read_bytes() == b"theirs"


@displaced_is_kept
def test_a_late_write_is_kept_where_something_newer_stands(bench, offer):
    bench.path.write_bytes(b"old")
    with bench.path.open("r+b", buffering=0) as file:
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        rename_over(bench.path, b"newer")
        file.write(b"theirs")
        assert bench.replacer.settle() == (bench.path,)
    assert bench.path.read_bytes() == b"newer"
    assert bench.kept_contents() == [b"theirs"]
    assert bench.beside() == []


def test_a_write_into_ours_keeps_it_in_its_place(bench, leaseless, monkeypatch):
    no_exchange(monkeypatch)
    bench.path.write_bytes(b"old")
    with bench.path.open("r+b", buffering=0) as file:
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        bench.path.write_bytes(b"into ours")
        file.write(b"theirs")
        assert bench.replacer.settle() == (bench.path,)
    assert bench.path.read_bytes() == b"into ours"
    assert b"theirs" in bench.kept_contents()
    assert bench.beside() == []


def test_a_deletion_at_the_last_moment_is_a_change(bench, offer):
    bench.path.write_bytes(b"old")
    bench.at["staged"] = bench.path.unlink
    with pytest.raises(FileChanged):
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
    assert bench.beside() == []


def test_an_interruption_leaves_the_file_and_nothing_beside_it(bench, offer):
    def interrupt():
        raise KeyboardInterrupt

    bench.path.write_bytes(b"old")
    for point in ("part-written", "staged", "checked", *(["linked"] if offer != "exchange" else [])):
        bench.at = {point: interrupt}
        with pytest.raises(KeyboardInterrupt):
            bench.replacer.update(bench.path, exclaim)
        assert bench.path.read_bytes() == b"old"
        assert bench.beside() == []


def test_exchange_missing_on_a_trusted_file_system_falls_back_too(bench, monkeypatch):
    for module in (exchange, recovery):
        monkeypatch.setattr(module, "GRACE_WITHOUT_LEASES", 0.05)
    no_exchange(monkeypatch)
    bench.path.write_bytes(b"old")
    assert bench.replacer.update(bench.path, exclaim) == b"old!"
    assert "linked" in bench.points
    assert bench.beside() == []


def test_what_the_file_system_did_not_keep_is_noticed_in_time(bench, offer, monkeypatch):
    written = staging._write
    monkeypatch.setattr(staging, "_write", lambda file, data: written(file, data[:-1]))
    bench.path.write_bytes(b"old")
    with pytest.raises(WriteFailed, match="did not keep what was written"):
        bench.replacer.update(bench.path, exclaim)
    with pytest.raises(WriteFailed, match="did not keep what was written"):
        bench.replacer.replace(bench.path.with_name("new.md"), b"new", None)
    assert bench.path.read_bytes() == b"old"
    assert bench.beside() == []


def test_a_folder_that_cannot_be_made_durable_takes_the_replacement_back(bench, monkeypatch):
    def fail(folder):
        raise OSError(5, "Input/output error")

    bench.path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(system, "make_names_durable", fail)
        with pytest.raises(WriteFailed, match=r"input/output error.*Check the disk"):
            bench.replacer.update(bench.path, exclaim)
    assert bench.path.read_bytes() == b"old"
    assert bench.beside() == []
    assert bench.kept == []


def test_what_cannot_be_settled_is_said_and_gives_the_lock_back(bench, monkeypatch):
    bench.path.write_bytes(b"old")
    bench.replacer.replace(bench.path, b"ours", digest(b"old"))
    unlink = Path.unlink

    def fail(path, missing_ok=False):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(WriteFailed, match="what it replaced cannot be settled: read-only"):
        bench.replacer.settle()
    monkeypatch.setattr(Path, "unlink", unlink)
    assert bench.replacer.settle() == ()
    assert bench.another().update(bench.path, exclaim) == b"ours!"
    assert bench.beside() == []


def test_protection_says_what_is_missing(bench, monkeypatch):
    monkeypatch.setattr(system, "file_system", lambda _: "9p")
    found = protection(bench.path)
    assert (found.full, found.file_system) == (False, "9p")
    assert "does not tell reliably" in found.reason


def test_protection_of_what_is_not_there_is_that_of_its_folder(bench):
    assert protection(bench.path / "a" / "b").file_system == protection(bench.path.parent).file_system


def test_a_leftover_that_is_still_written_to_is_not_overwritten(bench, monkeypatch):
    monkeypatch.setattr(recovery, "PATIENCE", 0.02)
    bench.path.write_bytes(b"old")
    left = swap_beside(bench.path, short(b"old"), short(b"old!"))
    left.write_bytes(b"half of their")
    with left.open("r+b"), pytest.raises(Busy, match="still writes to an earlier version"):
        bench.replacer.update(bench.path, exclaim)
    assert bench.path.read_bytes() == b"old"
    assert bench.beside() == [left.name]


def test_protection_of_a_pipe_is_an_error(bench):
    os.mkfifo(bench.path)
    with pytest.raises(WriteFailed, match="not a regular file"):
        protection(bench.path)


def test_a_missing_place_has_no_known_file_system():
    assert system.file_system(Path("/missing/place")) == "unknown"


def test_renaming_by_links_and_by_looking(tmp_path, monkeypatch):
    monkeypatch.setattr(system, "_RENAMING", {})
    for has_links in (True, False):
        if not has_links:
            monkeypatch.setattr(system, "_NO_LINKS", system._NO_LINKS | {17})
            monkeypatch.setattr(os, "link", fail_to_link)
        source, target = tmp_path / "source", tmp_path / f"target-{has_links}"
        source.write_bytes(b"new")
        system.rename_new(source, target)
        assert target.read_bytes() == b"new"
        assert not source.exists()
        source.write_bytes(b"newer")
        with pytest.raises(FileExistsError):
            system.rename_new(source, target)
        assert target.read_bytes() == b"new"
    assert system.exchange(source, target) is False


def fail_to_link(source, target):
    raise OSError(1, "Operation not permitted")


def test_a_link_that_is_refused_for_another_reason_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        system.link(tmp_path / "missing", tmp_path / "target")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_it_can_be_imported_and_used_on_other_systems(platform, tmp_path):
    """As far as this system can play another one: no leases, no statfs, no exchange in the C library."""
    program = textwrap.dedent(
        """
        import os, pathlib, sys, tempfile
        import ctypes, datetime, filelock, random, shlex  # what the system itself needs, as it is
        sys.platform = sys.argv[1]
        if sys.platform == "win32":
            sys.modules["fcntl"] = None
        from council_vault.files import Replacer, exchange, protection, recovery, system
        if sys.platform == "darwin":
            system.make_durable = os.fsync
        exchange.GRACE_WITHOUT_LEASES = recovery.GRACE_WITHOUT_LEASES = 0.01
        folder = pathlib.Path(sys.argv[2])
        path = folder / "memory.json"
        replacer = Replacer(folder / "locks", print)
        replacer.replace(path, b"old", None)
        assert replacer.settle() == ()
        assert replacer.update(path, lambda content: content + b"!") == b"old!"
        assert sorted(os.listdir(folder)) == ["locks", "memory.json"], os.listdir(folder)
        found = protection(path)
        assert not found.full and found.file_system == "unknown", found
        print(path.read_bytes().decode(), found.reason)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program, platform, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "old! only Linux tells when another program opens a file\n", done.stderr
