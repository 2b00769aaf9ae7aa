from __future__ import annotations

import gzip
import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from council_vault.errors import MemoryUnreadable, WriteFailed
from council_vault.files import Replacer
from council_vault.memory.decoding import decode
from council_vault.memory.file import MemoryFile
from council_vault.memory.restore import restore_records
from council_vault.memory.snapshots import Snapshots
from support import memory_files as made

NOON = datetime(2026, 3, 28, 12, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "snapshots"


@pytest.fixture
def snapshots(folder: Path) -> Snapshots:
    return Snapshots(folder, clock=lambda: NOON)


def content(*numbers: int, archived: int = 0, **fields: object) -> bytes:
    """Return a memory with these records; equal numbers always give equal records."""
    fields |= {"archived": {"count": archived}} if archived else {}
    return made.dump(made.document(*(made.record(number) for number in numbers), **fields))


def vanished(snapshots: Snapshots, current: bytes) -> list[str]:
    return [record.id[-3:] for record in snapshots.vanished(decode(current).memory)]


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.gz"))


def test_versions_are_compressed_readable_and_for_the_person_alone(
    snapshots: Snapshots, folder: Path
) -> None:
    snapshots.save(content(1), NOON)
    (file,) = files(folder)
    assert gzip.decompress(file.read_bytes()) == content(1)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (file, folder / "index.json")} == {0o600}


def test_what_is_there_already_is_not_kept_twice(snapshots: Snapshots, folder: Path) -> None:
    snapshots.save(content(1), NOON)
    before = (folder / "index.json").stat().st_ino
    snapshots.save(content(1), NOON + SECOND)
    assert (len(files(folder)), (folder / "index.json").stat().st_ino) == (1, before)
    snapshots.save(content(1, 2), NOON + 2 * SECOND)
    snapshots.save(content(1), NOON + 3 * SECOND)
    assert len(files(folder)) == 2
    assert gzip.decompress(files(folder)[-1].read_bytes()) == content(1)
    assert vanished(snapshots, content(1)) == ["002"]


def test_what_does_not_parse_is_no_good_version(snapshots: Snapshots, folder: Path) -> None:
    with pytest.raises(MemoryUnreadable):
        snapshots.save(b'{"deliberations": [', NOON)
    assert files(folder) == []


def test_vanished_records_come_with_their_text_and_the_time_they_were_seen_last(snapshots: Snapshots) -> None:
    text = b'{"id": "d_20260328_002",\n "cost_usd": 0.10, "x": "\\u00e9", "confidence": NaN}'
    rich = content(1, 5).replace(b'"HERE"', b"").replace(b'"d_20260328_005"', b'"d_20260328_006"')
    rich = rich.replace(b'"deliberations": [', b'"deliberations": [' + text + b",")
    snapshots.save(rich, NOON)
    snapshots.save(content(1), NOON + timedelta(hours=3))
    first, second = snapshots.vanished(decode(content(1)).memory)
    assert (first.id, first.text, first.last_seen) == ("d_20260328_002", text.decode(), NOON)
    assert second.id == "d_20260328_006"
    assert snapshots.problems == ()


def test_records_that_are_gone_now_are_named_before_the_next_version_is_saved(snapshots: Snapshots) -> None:
    assert vanished(snapshots, content()) == []
    snapshots.save(content(1, 2, 3), NOON)
    assert vanished(snapshots, content(1, 2, 3, 4)) == []
    assert vanished(snapshots, content(3)) == ["001", "002"]


@pytest.mark.parametrize("field", ["id", "timestamp", "query_hash", "vault_synced"])
@pytest.mark.parametrize("odd", ['{"a": []}', "[1]", r'"\ud800"', "NaN", "1e400", "9" * 5000, "true"])
def test_whatever_stands_in_a_record_the_others_are_kept_and_found(
    snapshots: Snapshots, field: str, odd: str
) -> None:
    data = content(1, 2).replace(b'"deliberations": [', b'"deliberations": [{"X": HERE},')
    data = data.replace(b'"X": HERE', f'"id": "d_20260328_009", "{field}": {odd}'.encode())
    snapshots.save(data, NOON)
    later = data.replace(b"d_20260328_002", b"d_20260328_003")
    assert "002" in vanished(snapshots, later)
    snapshots.save(later, NOON + timedelta(hours=3))
    assert "002" in vanished(snapshots, later)
    assert snapshots.problems == ()


def test_what_compaction_removed_has_not_vanished(snapshots: Snapshots) -> None:
    snapshots.save(content(1, 2, 3), NOON)
    assert vanished(snapshots, content(3, archived=2)) == []
    assert vanished(snapshots, content(1, 2, archived=1)) == ["003"]
    snapshots.save(content(3, archived=2), NOON + SECOND)
    assert vanished(snapshots, content(3, archived=2)) == []


def test_a_record_whose_id_an_agent_gave_away_again_has_vanished(snapshots: Snapshots) -> None:
    snapshots.save(content(1, 2), NOON)
    again = made.dump(
        made.document(
            made.record(1, timestamp="2026-03-28T20:00:00Z", query_hash="ffffffff"),
            made.record(2, timestamp=...),
        )
    )
    assert vanished(snapshots, again) == ["001"]
    snapshots.save(again, NOON + SECOND)
    (record,) = snapshots.vanished(decode(again).memory)
    assert json.loads(record.text)["query_hash"] == "00000001"


def test_dismissed_records_are_not_named_again(snapshots: Snapshots) -> None:
    snapshots.save(content(1, 2, 3), NOON)
    snapshots.save(content(1), NOON + SECOND)
    snapshots.dismiss(["d_20260328_002"])
    assert vanished(Snapshots(snapshots._folder.path), content(1)) == ["003"]


def test_one_that_holds_a_vanished_record_stays_until_it_is_let_go(
    snapshots: Snapshots, folder: Path
) -> None:
    snapshots.save(content(1, 2), NOON)
    for day in range(1, 80):
        snapshots.save(content(1, x=day), NOON + timedelta(days=day))
    assert vanished(snapshots, content(1)) == ["002"]
    assert len(files(folder)) == 1 + 32
    snapshots.dismiss(["d_20260328_002"])
    snapshots.save(content(1, x="last"), NOON + timedelta(days=80))
    assert len(files(folder)) == 32
    assert vanished(snapshots, content(1)) == []


def test_a_clock_that_was_set_back_does_not_mix_up_the_versions(snapshots: Snapshots) -> None:
    snapshots.save(content(1, 2), NOON)
    snapshots.save(content(1), NOON - timedelta(days=1))
    again = Snapshots(snapshots._folder.path)
    assert vanished(again, content(1)) == ["002"]
    again.save(content(1, 3), NOON - timedelta(days=1))
    assert vanished(again, content(1)) == ["002", "003"]


def test_displaced_content_is_kept_and_its_records_are_named(snapshots: Snapshots, folder: Path) -> None:
    snapshots.save(content(1, archived=1), NOON)
    snapshots.keep(folder / "council-memory.json", content(1, 7, archived=1))
    snapshots.keep(folder / "council-memory.json", content(1, 7, archived=1))
    snapshots.keep(folder / "council-memory.json", b'{"half": ')
    assert vanished(snapshots, content(1, archived=1)) == ["007"]
    assert vanished(snapshots, content(1, 7, archived=1)) == []
    assert vanished(snapshots, content(archived=3)) == []
    assert sorted((kept.records, kept.when) for kept in snapshots.kept()) == [(0, NOON), (2, NOON)]
    assert {gzip.decompress(kept.file.read_bytes()) for kept in snapshots.kept()} == {
        content(1, 7, archived=1),
        b'{"half": ',
    }
    assert snapshots.problems == ()


def test_a_kept_memory_goes_a_month_after_its_last_record_is_accounted_for(snapshots: Snapshots) -> None:
    snapshots.keep(Path("council-memory.json"), content(1, 7))
    snapshots.keep(Path("council-memory.json"), b"unreadable")
    snapshots.save(content(1), NOON + timedelta(days=60))
    assert len(snapshots.kept()) == 2
    snapshots.save(content(1, 7), NOON + timedelta(days=61))
    assert [kept.records for kept in snapshots.kept()] == [0]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"newest": 5}', b"\xff\xfe\0", None])
def test_a_damaged_index_is_made_again(snapshots: Snapshots, folder: Path, damage: bytes | None) -> None:
    for step, numbers in enumerate([(1, 2, 3), (2, 3), (3,)]):
        snapshots.save(content(*numbers), NOON + step * SECOND)
    if damage is None:
        (folder / "index.json").unlink()
    else:
        (folder / "index.json").write_bytes(damage)
    again = Snapshots(folder)
    assert vanished(again, content(3)) == ["001", "002"]
    assert (again.problems == ()) is (damage is None)
    again.save(content(3, 4), NOON + 9 * SECOND)
    assert vanished(Snapshots(folder), content(3)) == ["001", "002", "004"]
    assert Snapshots(folder).problems == ()


GZIP = gzip.compress(b"x" * 999, mtime=0)  # the same in every process that runs tests


@pytest.mark.parametrize("damage", [b"", b"no gzip", GZIP[:-9], GZIP[:20] + b"\xff" * 9])
def test_a_damaged_snapshot_is_named_and_others_stand_in_for_it(
    snapshots: Snapshots, folder: Path, damage: bytes
) -> None:
    snapshots.save(content(1, 2), NOON)
    snapshots.save(content(1, 2, 3), NOON + SECOND)
    snapshots.save(content(1), NOON + 2 * SECOND)
    broken = files(folder)[1]
    broken.write_bytes(damage)
    assert vanished(snapshots, content(1)) == ["002"]
    assert snapshots.problems == (
        f"the snapshot {broken.name} is damaged",
        "d_20260328_003 has vanished from the memory file, and no snapshot that holds it can be read",
    )
    (folder / "index.json").unlink()
    again = Snapshots(folder)
    assert vanished(again, content(1)) == ["002"]
    again.save(content(1, 9), NOON + 3 * SECOND)


def test_a_snapshot_written_just_before_a_crash_counts(snapshots: Snapshots, folder: Path) -> None:
    snapshots.save(content(1), NOON)
    index = (folder / "index.json").read_bytes()
    snapshots.save(content(1, 2), NOON + SECOND)
    (folder / "index.json").write_bytes(index)
    (folder / "version-20260328T123002000000Z-0123456789abcdef.json.gz.77.part").write_bytes(b"half")
    assert vanished(Snapshots(folder), content(1)) == ["002"]


def test_another_record_with_its_id_does_not_stand_in_for_a_lost_one(
    snapshots: Snapshots, folder: Path
) -> None:
    again = made.document(made.record(1, timestamp="2026-03-28T20:00:00Z", query_hash="ffffffff"))
    snapshots.save(content(1), NOON)
    snapshots.save(made.dump(again), NOON + SECOND)
    files(folder)[0].write_bytes(b"damaged")
    assert snapshots.vanished(decode(made.dump(again)).memory) == ()
    assert len(snapshots.problems) == 2


def test_a_folder_that_others_could_read_is_closed(snapshots: Snapshots, folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    snapshots.keep(Path("council-memory.json"), content(1))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_version_that_is_no_memory_is_passed_over(snapshots: Snapshots, folder: Path) -> None:
    snapshots.save(content(1, 2), NOON)
    files(folder)[0].unlink()
    foreign = folder / "version-20260328T123002000000Z-0123456789abcdef.json.gz"
    foreign.write_bytes(gzip.compress(b"not JSON"))
    assert vanished(snapshots, content(1)) == []
    foreign.write_bytes(
        gzip.compress(made.dump(made.document(5, made.record(2), made.record(2, query_summary="later"))))
    )
    (record,) = snapshots.vanished(decode(content(1)).memory)
    assert json.loads(record.text) == made.record(2)


def test_a_snapshot_that_somebody_deleted_is_named(snapshots: Snapshots, folder: Path) -> None:
    snapshots.save(content(1, 2), NOON)
    files(folder)[0].unlink()
    assert vanished(snapshots, content(1)) == []
    assert snapshots.problems == (
        "d_20260328_002 has vanished from the memory file, and no snapshot that holds it can be read",
    )


def test_what_the_disk_refuses_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    snapshots = Snapshots(tmp_path / "state" / "snapshots")
    for do in (
        lambda: snapshots.save(content(1), NOON),
        lambda: snapshots.keep(Path("x"), b"y"),
        lambda: snapshots.dismiss([]),
    ):
        with pytest.raises(WriteFailed, match="the snapshot cannot be kept"):
            do()
    assert vanished(snapshots, content(1)) == []
    assert [problem.partition(": ")[2] for problem in snapshots.problems] == [
        "it cannot be read: not a directory. Check the path",
        "the snapshots cannot be listed: not a directory. Check the path",
    ]


def test_a_write_that_fails_leaves_nothing_behind(
    snapshots: Snapshots, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshots.save(content(1), NOON)
    before = sorted(folder.iterdir())

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("council_vault.memory.snapshot_folder.make_durable", full)
    with pytest.raises(WriteFailed, match="no space left on device"):
        snapshots.save(content(1, 2), NOON + SECOND)
    assert sorted(folder.iterdir()) == before
    monkeypatch.undo()
    snapshots.save(content(1, 2), NOON + SECOND)
    assert vanished(snapshots, content(1)) == ["002"]


# Restoring


@pytest.fixture
def memory_file(tmp_path: Path, snapshots: Snapshots) -> MemoryFile:
    return MemoryFile(tmp_path / "council-memory.json", Replacer(tmp_path / "locks", snapshots.keep))


def test_vanished_records_come_back_at_their_places_saying_what_they_said(
    snapshots: Snapshots, memory_file: MemoryFile
) -> None:
    odd = content(1, 2, 3, 4, 5).replace(
        b'"cost_usd": 0.09', b'"cost_usd": 0.090, "x": "\\ud800", "x": "\\u00e9"'
    )
    snapshots.save(odd, NOON)
    memory_file.path.write_bytes(content(2, 4))
    lost = snapshots.vanished(memory_file.read().memory)
    assert restore_records(memory_file, lost) == ("d_20260328_001", "d_20260328_003", "d_20260328_005")
    restored = memory_file.read()
    assert [record.id[-1] for record in restored.memory.deliberations] == list("12345")
    assert restored.data.count(b'"cost_usd":0.090,') == 3
    assert restored.data.count(b'"x":"\\ud800"') == 3
    assert vanished(snapshots, restored.data) == []
    assert restore_records(memory_file, lost) == ()
    assert memory_file.read().data == restored.data


def test_a_record_whose_id_is_taken_comes_back_under_the_next_free_one(
    snapshots: Snapshots, memory_file: MemoryFile
) -> None:
    snapshots.save(content(1, 2), NOON)
    other = made.record(1, timestamp="2026-03-28T20:00:00Z", query_hash="ffffffff")
    memory_file.path.write_bytes(made.dump(made.document(other)))
    lost = snapshots.vanished(memory_file.read().memory)
    assert restore_records(memory_file, lost) == ("d_20260328_002", "d_20260328_003")
    by_id = memory_file.read().memory.identified
    assert {id_: one.query_hash for id_, one in by_id.items()} == {
        "d_20260328_001": "ffffffff",
        "d_20260328_002": "00000002",
        "d_20260328_003": "00000001",
    }


@pytest.mark.parametrize("deliberations", [None, ...])
def test_records_come_back_into_a_file_that_has_no_list(
    snapshots: Snapshots, memory_file: MemoryFile, deliberations: object
) -> None:
    snapshots.save(content(1, 2), NOON)
    memory_file.path.write_bytes(made.dump(made.document(deliberations=deliberations)))
    assert len(restore_records(memory_file, snapshots.vanished(memory_file.read().memory))) == 2
    assert vanished(snapshots, memory_file.read().data) == []


def test_a_wrong_container_is_not_overwritten(snapshots: Snapshots, memory_file: MemoryFile) -> None:
    snapshots.save(content(1), NOON)
    memory_file.path.write_bytes(made.dump(made.document(deliberations={"a": 1})))
    before = memory_file.path.read_bytes()
    with pytest.raises(MemoryUnreadable, match="expected a list of records"):
        restore_records(memory_file, snapshots.vanished(memory_file.read().memory))
    assert memory_file.path.read_bytes() == before


def test_order_among_records_without_times_and_without_sense(
    snapshots: Snapshots, memory_file: MemoryFile
) -> None:
    timeless = [made.record(number, timestamp="soon") for number in (1, 2, 3)]
    snapshots.save(made.dump(made.document(*timeless, made.record(4))), NOON)
    memory_file.path.write_bytes(
        made.dump(made.document(5, made.record(9, day="20260327"), timeless[2], "x"))
    )
    restore_records(memory_file, snapshots.vanished(memory_file.read().memory))
    listed = json.loads(memory_file.read().data)["deliberations"]
    assert [one["id"][-6:] if isinstance(one, dict) else one for one in listed] == [
        5,
        "27_009",
        "28_001",
        "28_002",
        "28_003",
        "x",
        "28_004",
    ]


def test_among_records_that_are_out_of_order_one_comes_behind_the_last_that_is_not_later(
    snapshots: Snapshots, memory_file: MemoryFile
) -> None:
    snapshots.save(content(3, 9, 5, 7), NOON)
    memory_file.path.write_bytes(content(3, 9, 5))
    restore_records(memory_file, snapshots.vanished(memory_file.read().memory))
    assert [record.id[-1] for record in memory_file.read().memory.deliberations] == list("3957")
