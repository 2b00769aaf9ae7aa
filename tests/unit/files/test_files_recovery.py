from __future__ import annotations

import os
import time
from types import SimpleNamespace

import pytest

from council_vault.errors import WriteFailed
from council_vault.files import Replacer, digest, recovery, system
from council_vault.files.names import part_beside, short, swap_beside
from support.replacing import Waiting, until


@pytest.fixture
def left(bench):
    """A swap as a killed predecessor leaves it, which read b"old" and wrote b"ours"."""
    return swap_beside(bench.path, short(b"old"), short(b"ours"))


def test_a_part_is_deleted(bench):
    bench.path.write_bytes(b"old")
    part_beside(bench.path).write_bytes(b"half of")
    bench.replacer.recover(bench.path.parent)
    assert bench.beside() == []
    assert bench.kept == []


@pytest.mark.parametrize("content", [b"old", b"ours"])
def test_what_is_known_is_deleted(bench, left, content):
    bench.path.write_bytes(b"ours")
    left.write_bytes(content)
    bench.replacer.recover(bench.path.parent)
    assert bench.path.read_bytes() == b"ours"
    assert bench.beside() == []
    assert bench.kept == []


def test_theirs_goes_back_where_ours_still_stands(bench, left):
    bench.path.write_bytes(b"ours")
    left.write_bytes(b"theirs")
    bench.replacer.recover(bench.path.parent)
    assert bench.path.read_bytes() == b"theirs"
    assert bench.beside() == []
    assert bench.kept == [(bench.path, b"theirs")], "who read ours meanwhile may still overwrite it"


def test_theirs_is_kept_where_something_newer_stands(bench, left):
    bench.path.write_bytes(b"newer")
    left.write_bytes(b"theirs")
    bench.replacer.recover(bench.path.parent)
    assert bench.path.read_bytes() == b"newer"
    assert bench.beside() == []
    assert bench.kept == [(bench.path, b"theirs")]


def test_theirs_is_kept_where_nothing_stands(bench, left):
    left.write_bytes(b"theirs")
    bench.replacer.recover(bench.path.parent)
    assert not bench.path.exists()
    assert bench.beside() == []
    assert bench.kept == [(bench.path, b"theirs")]


def test_whoever_still_writes_is_waited_for(bench, left):
    bench.path.write_bytes(b"ours")
    left.write_bytes(b"old")
    file = left.open("r+b", buffering=0)
    recovering = Waiting(lambda: bench.replacer.recover(bench.path.parent))
    file.write(b"theirs")
    file.close()
    recovering.done()
    assert bench.path.read_bytes() == b"theirs"
    assert bench.beside() == []


def test_what_is_written_to_for_long_is_left_alone(bench, left, monkeypatch):
    monkeypatch.setattr(recovery, "PATIENCE", 0.05)
    bench.path.write_bytes(b"ours")
    left.write_bytes(b"old")
    with left.open("r+b"):
        bench.replacer.recover(bench.path.parent)
        assert left.exists()
    bench.replacer.recover(bench.path.parent)
    assert not left.exists()


def test_whoever_found_it_before_is_let_in_and_waited_for(bench, left, monkeypatch):
    bench.path.write_bytes(b"ours")
    left.write_bytes(b"old")
    writers = []

    def open_while_we_sleep(_):
        if not writers:
            writers.append(Waiting(lambda: left.write_bytes(b"theirs")))
            until(lambda: left.stat().st_size != 3 or holds_no_more())
        time.sleep(0.001)

    def holds_no_more():
        return any(not system.lease_holds(file) for file in leased)

    leased = []
    take = system.take_lease
    monkeypatch.setattr(system, "take_lease", lambda file: leased.append(file) or take(file))
    monkeypatch.setattr(
        recovery, "time", SimpleNamespace(sleep=open_while_we_sleep, monotonic=time.monotonic, time=time.time)
    )
    bench.replacer.recover(bench.path.parent)
    writers[0].done()
    assert b"theirs" in [bench.path.read_bytes(), *bench.kept_contents()]
    assert bench.beside() == []


def test_a_replacement_settles_what_was_left_first(bench, left):
    bench.path.write_bytes(b"ours")
    left.write_bytes(b"theirs")
    assert bench.replacer.update(bench.path, lambda content: content + b"!") == b"theirs!"
    assert bench.beside() == []


def test_a_replacement_leaves_what_belongs_to_another_file(bench, left):
    other = bench.path.with_name("other.json")
    other.write_bytes(b"old")
    left.write_bytes(b"theirs")
    assert bench.replacer.update(other, lambda content: content + b"!") == b"old!"
    assert left.read_bytes() == b"theirs"


def test_long_names_are_found_again(bench):
    path = bench.path.with_name("n" * 250 + ".md")
    path.write_bytes(b"ours")
    swap_beside(path, short(b"old"), short(b"ours")).write_bytes(b"theirs")
    bench.replacer.recover(path.parent)
    assert path.read_bytes() == b"theirs"
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_files_of_others_are_left_alone(bench):
    names = [".memory.json.swap", "memory.json.part", ".memory.json.swp"]
    for name in names:
        bench.path.with_name(name).write_bytes(b"theirs")
    bench.replacer.recover(bench.path.parent)
    assert bench.beside() == sorted(names)


def test_a_file_that_another_of_ours_is_at_is_left_to_it(bench):
    bench.path.write_bytes(b"old")
    bench.replacer.replace(bench.path, b"ours", digest(b"old"))
    bench.another().recover(bench.path.parent)
    assert len(bench.beside()) == 1
    assert bench.replacer.settle() == ()


def test_what_waits_to_be_settled_is_not_a_leftover(bench):
    bench.path.write_bytes(b"old")
    bench.replacer.replace(bench.path, b"ours", digest(b"old"))
    bench.replacer.recover(bench.path.parent)
    assert len(bench.beside()) == 1
    assert bench.replacer.settle() == ()
    assert bench.path.read_bytes() == b"ours"


def test_a_missing_folder_has_nothing_to_recover(bench):
    bench.replacer.recover(bench.path.parent / "missing")
    assert bench.points == []


def test_a_folder_that_cannot_be_read_is_named(bench):
    bench.path.write_bytes(b"a file")
    with pytest.raises(WriteFailed, match="cannot be settled: not a directory"):
        bench.replacer.recover(bench.path)


def test_what_cannot_be_kept_stays(bench, left, tmp_path):
    def fail(path, content):
        raise OSError(28, "No space left on device")

    bench.path.write_bytes(b"newer")
    left.write_bytes(b"theirs")
    replacer = Replacer(tmp_path / "locks", fail)
    with pytest.raises(WriteFailed, match="no space left"):
        replacer.recover(bench.path.parent)
    assert left.read_bytes() == b"theirs"
    bench.another().recover(bench.path.parent)
    assert bench.kept_contents() == [b"theirs"]


def test_where_nothing_tells_of_writers_a_fresh_one_is_looked_at_after_a_while(bench, left, monkeypatch):
    monkeypatch.setattr(system, "file_system", lambda _: "fuse")
    monkeypatch.setattr(recovery, "GRACE_WITHOUT_LEASES", 0.2)
    bench.path.write_bytes(b"ours")
    left.write_bytes(b"old")
    file = os.open(left, os.O_WRONLY)
    recovering = Waiting(lambda: bench.replacer.recover(bench.path.parent))
    os.write(file, b"theirs")
    os.close(file)
    started = time.monotonic()
    recovering.done()
    assert time.monotonic() - started < 5
    assert b"theirs" in [bench.path.read_bytes(), *bench.kept_contents()]
    assert bench.beside() == []
