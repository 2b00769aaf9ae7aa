"""The replacement on every file system that can be mounted here, and on full and read-only ones."""

from __future__ import annotations

import os
import subprocess

import pytest

from council_vault.errors import FileChanged, WriteFailed
from council_vault.files import digest, exchange, protection, recovery
from support.file_systems import NAMES, mounted
from support.replacing import Bench, Waiting, rename_over

FULL = {"ext4", "xfs", "btrfs", "tmpfs", "overlay"}


def exclaim(content):
    return content + b"!"


@pytest.fixture(params=NAMES)
def place(request, tmp_path, monkeypatch):
    """A bench on a fresh file system of that kind."""
    for module in (exchange, recovery):
        monkeypatch.setattr(module, "GRACE_WITHOUT_LEASES", 0.2)
    with mounted(request.param, tmp_path) as mount:
        bench = Bench(mount / "folder", tmp_path / "locks")
        bench.path.parent.mkdir()
        bench.kind = request.param
        yield bench


def test_a_file_is_made_and_updated_and_nothing_lost(place):
    bench, path = place, place.path
    found = protection(path)
    assert (found.full, found.file_system) == (
        bench.kind in FULL,
        "fuse" if bench.kind == "bindfs" else bench.kind,
    )

    bench.replacer.replace(path, b"new", None)
    assert bench.replacer.settle() == ()
    with pytest.raises(FileChanged):
        bench.replacer.replace(path, b"never", None)
    assert bench.replacer.update(path, exclaim) == b"new!"

    bench.at["checked"] = lambda: rename_over(path, b"renamed")
    assert bench.replacer.update(path, exclaim) == b"renamed!"

    with path.open("r+b", buffering=0) as file:
        updating = Waiting(lambda: bench.replacer.update(path, exclaim))
        file.write(b"in place")
    assert updating.done() == b"in place!"

    writer = []
    bench.at["durable"] = lambda: writer.append(Waiting(lambda: path.write_bytes(b"over ours")))
    bench.replacer.replace(path, b"ours", digest(b"in place!"))
    writer[0].done()
    assert bench.replacer.settle() == ()
    assert path.read_bytes() == b"over ours"

    assert bench.beside() == []
    assert bench.kept_contents() == [b"renamed"]


def test_a_file_of_the_lower_layer_is_protected_too(tmp_path):
    with mounted("overlay", tmp_path) as mount:
        bench = Bench(mount, tmp_path / "locks")
        bench.path = mount / "from-below.json"
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        assert bench.replacer.update(bench.path, exclaim) == b"theirs!"
        assert bench.beside() == []


def test_a_first_update_of_a_file_of_the_lower_layer_stands(tmp_path):
    with mounted("overlay", tmp_path) as mount:
        bench = Bench(mount, tmp_path / "locks")
        bench.path = mount / "from-below.json"
        assert bench.replacer.update(bench.path, exclaim) == b"from below!"
        assert bench.beside() == []
        assert bench.kept == []


@pytest.fixture
def small(tmp_path):
    """A bench on a file system with room for 128 KiB, its locks elsewhere."""
    with mounted("tmpfs", tmp_path, size="128k") as mount:
        yield Bench(mount, tmp_path / "locks")


def test_a_full_disk_leaves_the_file_and_no_stub(small):
    small.path.write_bytes(b"old" * 1000)
    with pytest.raises(WriteFailed, match=r"no space left.*Make room on the disk"):
        small.replacer.update(small.path, lambda content: content * 60)
    with pytest.raises(WriteFailed, match="no space left"):
        small.replacer.replace(small.path.with_name("new.md"), b"x" * 200_000, None)
    assert small.path.read_bytes() == b"old" * 1000
    assert small.beside() == []
    assert small.replacer.update(small.path, exclaim) == b"old" * 1000 + b"!"


def test_a_read_only_file_system_is_said_and_can_be_read(small):
    small.path.write_bytes(b"old")
    subprocess.run(["mount", "-o", "remount,ro", str(small.path.parent)], check=True)
    with pytest.raises(WriteFailed, match=r"read-only|write-protected"):
        small.replacer.update(small.path, exclaim)
    with pytest.raises(WriteFailed, match=r"read-only.*Mount the file system for writing"):
        small.replacer.replace(small.path.with_name("new.md"), b"new", None)
    assert small.replacer.update(small.path, bytes) == b"old"
    subprocess.run(["mount", "-o", "remount,rw", str(small.path.parent)], check=True)
    assert small.replacer.update(small.path, exclaim) == b"old!"
    assert small.beside() == []


def test_an_immutable_file_is_refused(tmp_path):
    with mounted("ext4", tmp_path) as mount:
        bench = Bench(mount, tmp_path / "locks")
        bench.path.write_bytes(b"old")
        (mount / "lost+found").rmdir()
        subprocess.run(["chattr", "+i", str(bench.path)], check=True)
        with pytest.raises(WriteFailed, match=r"not permitted|write-protected"):
            bench.replacer.update(bench.path, exclaim)
        subprocess.run(["chattr", "-i", str(bench.path)], check=True)
        assert bench.path.read_bytes() == b"old"
        assert bench.beside() == []
        assert os.access(bench.path, os.W_OK)
