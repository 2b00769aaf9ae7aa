from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from council_vault.errors import FileChanged, MemoryReadOnly, MemoryUnreadable
from council_vault.files import Replacer
from council_vault.memory.decoding import decode
from council_vault.memory.edits import Edits, RatingEdit
from council_vault.memory.file import MemoryFile
from support import memory_files as made

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 28, 15, tzinfo=UTC)
FLAG = Edits(
    flags=frozenset({"d_20260328_001"}), last_vault_sync="2026-03-28T15:00:00Z", vault_sync_note=None
)


def unchanged(document: dict, _memory: object) -> dict:
    return document


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "work space" / "council-memory.json"


@pytest.fixture
def memory_file(path: Path, tmp_path: Path) -> MemoryFile:
    path.parent.mkdir()

    def keep(_path: Path, _content: bytes) -> None:
        pytest.fail("nobody else was writing")

    return MemoryFile(path, Replacer(tmp_path / "locks", keep))


def identity(path: Path) -> tuple[int, int, bytes]:
    return path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()


def age(path: Path, seconds: float) -> None:
    when = time.time() - seconds
    os.utime(path, (when, when))


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


def test_creating_and_reading_an_empty_memory(memory_file: MemoryFile, path: Path) -> None:
    memory_file.create(NOW)
    assert json.loads(path.read_bytes()) == {
        "version": "1.3",
        "created": "2026-03-28T15:00:00Z",
        "last_updated": "2026-03-28T15:00:00Z",
        "last_vault_sync": None,
        "deliberations": [],
        "routing_model": {"last_rebuilt": None, "sample_size": 0, "routing_accuracy": None, "rules": []},
        "model_performance": {},
        "optimization_log": [],
    }
    assert path.read_bytes().startswith(b'{\n  "version": "1.3",\n')
    content = memory_file.read()
    assert (content.problems, content.memory.deliberations) == ((), ())
    assert names(path) == [path.name]


def test_creating_never_overwrites(memory_file: MemoryFile, path: Path) -> None:
    path.write_bytes(b"not even JSON")
    before = identity(path)
    with pytest.raises(FileChanged):
        memory_file.create(NOW)
    assert identity(path) == before


def test_a_missing_file_says_how_to_make_one(memory_file: MemoryFile, path: Path) -> None:
    for do in (
        memory_file.read,
        lambda: memory_file.edit(FLAG),
        lambda: memory_file.operate(unchanged),
    ):
        with pytest.raises(MemoryUnreadable, match="council-vault init") as caught:
            do()
        assert str(path) in str(caught.value)


def test_an_edit_changes_the_flags_and_the_stamp_and_says_what_stands(
    memory_file: MemoryFile, path: Path
) -> None:
    path.write_bytes(made.dump(made.document(made.record(), vault_sync_note="vault_unavailable"), indent=3))
    content = memory_file.edit(FLAG)
    assert content.memory.pending == ()
    assert content.data == path.read_bytes()
    expected = made.document(
        made.record(vault_synced=True), vault_sync_note=None, last_vault_sync="2026-03-28T15:00:00Z"
    )
    assert content.data == made.dump(expected, indent=3)
    assert names(path) == [path.name]


def test_an_edit_that_is_made_already_touches_nothing(memory_file: MemoryFile, path: Path) -> None:
    path.write_bytes(made.dump(made.document(made.record())))
    memory_file.edit(FLAG)
    before = identity(path)
    memory_file.edit(FLAG)
    assert identity(path) == before


def test_an_operation_migrates_and_writes_the_canonical_form(memory_file: MemoryFile, path: Path) -> None:
    path.write_bytes(
        b'\xef\xbb\xbf{"version":"1.1","deliberations":[{"id":"d_20260328_001","cost_usd":0.10}],"x":1}'
    )

    def change(document: dict, _memory: object) -> dict:
        document["x"] += 1
        return document

    content = memory_file.operate(change)
    assert content.memory.version == (1, 3)
    assert path.read_bytes() == content.data
    assert b'\n    {"id":"d_20260328_001","cost_usd":0.10}\n' in content.data
    assert b'"x": 2,' in content.data


@pytest.mark.parametrize("version", ["1.4", "2.0"])
def test_a_newer_file_is_read_but_never_written(memory_file: MemoryFile, path: Path, version: str) -> None:
    path.write_bytes(made.dump(made.document(made.record(), version=version)))
    before = identity(path)
    assert memory_file.read().memory.pending == ("d_20260328_001",)
    for do in (lambda: memory_file.edit(FLAG), lambda: memory_file.operate(unchanged)):
        with pytest.raises(MemoryReadOnly, match="Update council-vault") as caught:
            do()
        assert version in str(caught.value)
    assert memory_file.edit(Edits()).memory.version[0] in (1, 2)
    assert identity(path) == before


def test_a_file_that_is_broken_for_longer_is_named_at_once_and_left_alone(
    memory_file: MemoryFile, path: Path
) -> None:
    path.write_bytes(b'{\n  "deliberations": [\n    {"id": ]\n}')
    age(path, 6)
    before = identity(path)
    started = time.monotonic()
    for do in (
        memory_file.read,
        lambda: memory_file.edit(FLAG),
        lambda: memory_file.operate(unchanged),
    ):
        with pytest.raises(MemoryUnreadable) as caught:
            do()
        assert str(caught.value).startswith(f"{path}, line 3, column 12: the file is not valid JSON")
        assert "Nothing was written" in str(caught.value)
    assert time.monotonic() - started < 4
    assert identity(path) == before


def test_a_writer_that_never_stops_is_not_waited_for_without_end(memory_file: MemoryFile, path: Path) -> None:
    stop = threading.Event()

    def scribble() -> None:
        while not stop.wait(0.01):
            path.write_bytes(b'{"half": ')

    path.write_bytes(b"{")
    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        with pytest.raises(MemoryUnreadable):
            memory_file.read(patience=0.1)
    finally:
        stop.set()
        writer.join()


def test_a_folder_in_its_place_is_said(memory_file: MemoryFile, path: Path) -> None:
    path.mkdir()
    with pytest.raises(MemoryUnreadable, match="it is a folder"):
        memory_file.read()
    with pytest.raises(MemoryUnreadable, match="it is a folder"):
        memory_file.edit(FLAG)


def test_a_file_with_its_time_in_the_future_is_not_waited_for_without_end(
    memory_file: MemoryFile, path: Path
) -> None:
    path.write_bytes(b"{")
    age(path, -3600)
    with pytest.raises(MemoryUnreadable, match="ends too early"):
        memory_file.read(patience=0.05)


def write_slowly(path: Path, parts: list[bytes], pause: float) -> threading.Thread:
    """Write a file in place part by part, from a thread; the first part stands when this returns."""
    file = path.open("wb")
    file.write(parts[0])
    file.flush()

    def go_on() -> None:
        with file:
            for part in parts[1:]:
                time.sleep(pause)
                file.write(part)
                file.flush()

    thread = threading.Thread(target=go_on)
    thread.start()
    return thread


@pytest.mark.parametrize("do", ["read", "edit", "operate"])
def test_a_writer_that_stalls_in_the_middle_is_waited_for(
    memory_file: MemoryFile, path: Path, do: str
) -> None:
    data = made.dump(made.document(made.record(1), made.record(2)))
    writer = write_slowly(path, [data[:200], data[200:900], data[900:]], 0.3)
    made_so = {
        "read": memory_file.read,
        "edit": lambda: memory_file.edit(FLAG),
        "operate": lambda: memory_file.operate(lambda document, _: document | {"seen": True}),
    }
    content = made_so[do]()
    writer.join()
    assert len(content.memory.deliberations) == 2
    assert ("d_20260328_001" in content.memory.pending) is (do != "edit")
    assert decode(path.read_bytes()).memory.deliberations == content.memory.deliberations


def test_truncated_at_every_offset_nothing_is_written_until_it_is_whole(
    memory_file: MemoryFile, path: Path
) -> None:
    data = made.dump(made.document(made.record(), query="ü"), ensure_ascii=False, indent=None)
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        age(path, 60)
        before = identity(path)
        with pytest.raises(MemoryUnreadable):
            memory_file.edit(FLAG)
        assert identity(path) == before
    path.write_bytes(data)
    assert memory_file.edit(FLAG).memory.pending == ()


def test_edits_go_through_a_symbolic_link_and_keep_the_mode(memory_file: MemoryFile, path: Path) -> None:
    real = path.parent.parent / "real.json"
    real.write_bytes(made.dump(made.document(made.record())))
    real.chmod(0o640)
    path.symlink_to(real)
    memory_file.edit(FLAG)
    assert path.is_symlink()
    assert decode(real.read_bytes()).memory.pending == ()
    assert real.stat().st_mode & 0o777 == 0o640


def test_no_write_of_another_program_is_lost(path: Path, tmp_path: Path) -> None:
    """Another program adds records by atomic rename while ours flags and rates; all of both must stand."""
    path.parent.mkdir()
    path.write_bytes(made.dump(made.document(made.record(1))))
    kept: list[bytes] = []
    memory_file = MemoryFile(path, Replacer(tmp_path / "locks", lambda _path, content: kept.append(content)))
    script = (
        "import json, os, sys\n"
        "path = sys.argv[1]\n"
        "for number in range(2, 42):\n"
        "    document = json.load(open(path, encoding='utf-8'))\n"
        "    document['deliberations'].append({'id': f'd_20260328_{number:03d}', 'vault_synced': False})\n"
        "    with open(path + '.tmp', 'w', encoding='utf-8') as file:\n"
        "        json.dump(document, file)\n"
        "    os.replace(path + '.tmp', path)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, path]) as writer:
        while writer.poll() is None:
            pending = memory_file.read().memory.pending
            memory_file.edit(
                Edits(
                    flags=frozenset(pending), ratings={"d_20260328_001": RatingEdit("positive", "accepted")}
                )
            )
    assert writer.returncode == 0
    memory = memory_file.edit(Edits(ratings={"d_20260328_001": RatingEdit("positive", "accepted")})).memory
    held = {record.id for content in kept for record in decode(content).memory.deliberations}
    assert memory.identified.keys() | held == {f"d_20260328_{number:03d}" for number in range(1, 42)}
    assert memory.identified["d_20260328_001"].user_rating == "positive"


@pytest.mark.skipif(
    not (made.REAL_DATA / "council-memory.json").is_file(), reason="needs ../shared/council-data"
)
def test_real_data_differs_in_nothing_but_the_flags_and_the_stamp(
    memory_file: MemoryFile, path: Path
) -> None:
    data = (made.REAL_DATA / "council-memory.json").read_bytes()
    path.write_bytes(data)
    content = memory_file.read()
    assert (len(content.memory.pending), content.problems) == (18, ())
    edited = memory_file.edit(
        Edits(
            flags=frozenset(content.memory.pending),
            last_vault_sync="2026-04-22T00:00:00Z",
            vault_sync_note=None,
        )
    )
    expected = data.replace(b'"vault_synced": false', b'"vault_synced": true').replace(
        b'"last_vault_sync": null', b'"last_vault_sync": "2026-04-22T00:00:00Z"'
    )
    assert path.read_bytes() == edited.data == expected
