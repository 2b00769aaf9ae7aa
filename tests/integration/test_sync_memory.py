"""Memory files as agents leave them: missing, half-written, broken, odd, or without some of their records."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest
import time_machine

from council_vault.errors import MemoryUnreadable
from council_vault.vault.local import LocalVault
from support.memories import build_memory
from support.memory_files import document, dump, record
from support.syncing import NAMES, Road, contents_below, records, stats_below

LONG_AGO = 1_700_000_000


def age(road):
    """Make the memory file look as if nobody were writing it any more."""
    os.utime(road.memory, (LONG_AGO, LONG_AGO))


def test_a_missing_memory_is_said_and_nothing_is_made(road):
    road.memory.unlink()
    before = contents_below(road.base)
    with pytest.raises(MemoryUnreadable, match="council-vault init"):
        road.sync()
    assert road.run().returncode == 4
    after = contents_below(road.base)
    assert {name for name in after if name.startswith(("vault/", "workspace/"))} == {
        name for name in before if name.startswith(("vault/", "workspace/"))
    }


def test_a_missing_workspace_is_said_like_a_missing_memory(road):
    road.folder = road.base / "nowhere"
    road.memory = road.folder / "council-memory.json"
    ran = road.run()
    assert ran.returncode == 4
    assert "nowhere" in ran.stderr
    assert not road.folder.exists()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_exit_code_4(road, make):
    road.memory.unlink()
    make(road.memory)
    ran = road.run()
    assert ran.returncode == 4
    assert "a file was expected here" in ran.stderr
    assert not (road.vault / "_Shared Knowledge").exists()


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 100, b"[]", b"12", b'{"deliberations": [', b'{"a":"\xff"}', b"{}{}"]
)
def test_nothing_is_written_from_a_broken_memory(road, content):
    road.settle()
    road.memory.write_bytes(content)
    age(road)
    before = stats_below(road.vault, road.folder)
    with pytest.raises(MemoryUnreadable) as caught:
        road.sync()
    assert str(road.memory) in str(caught.value)
    assert stats_below(road.vault, road.folder) == before


def test_every_truncation_is_refused_or_the_whole(road):
    road.settle()
    whole = road.memory.read_bytes()
    before = stats_below(road.vault)
    for end in range(0, len(whole) - 2, max(1, len(whole) // 40)):
        road.memory.write_bytes(whole[:end])
        age(road)
        with pytest.raises(MemoryUnreadable):
            road.sync()
        assert road.memory.read_bytes() == whole[:end]
    assert stats_below(road.vault) == before
    road.write_memory(*records(4))
    road.sync()
    assert len(road.ids()) == 4


def test_a_memory_that_is_still_being_written_is_waited_for(road):
    road.settle()
    whole = dump(document(*records(4)))
    road.memory.write_bytes(whole[: len(whole) // 2])

    def finish():
        time.sleep(0.3)  # the writer stalls: this is what is waited for
        road.memory.write_bytes(whole)

    writer = threading.Thread(target=finish)
    writer.start()
    report = road.sync()
    writer.join()
    assert report.entries == 1
    assert len(road.ids()) == 4


def test_a_broken_memory_gives_exit_code_4_and_says_where(road):
    road.memory.write_bytes(b'{"deliberations": [\n  {"id": 1,,}\n]}')
    age(road)
    ran = road.run()
    assert ran.returncode == 4
    assert "council-memory.json" in ran.stderr
    assert "line 2" in ran.stderr
    assert not ran.stdout


def test_bad_records_are_named_and_hold_back_no_other(road):
    odd = [
        record(1, confidence="high", cost_usd="$0.12"),
        record(2, rankings=None, models_used="gpt"),
        {"no": "id"},
        "not a record",
        record(3, id="d_20260230_001"),
        record(4),
        record(4, query_summary="The same id again"),
        record(5, timestamp="soon", chairman=7),
        record(6, user_rating=["x"], outcome=3),
    ]
    road.memory.write_bytes(dump(document(*odd)))
    ran = road.run()
    assert ran.returncode == 0, ran.stderr
    for where in ("[0].confidence", "[2].id", "[3]", "[4].id", "[6].id", "[7].chairman", "[8].user_rating"):
        assert f"deliberations{where}" in ran.stderr, where
    assert sorted(road.ids()) == [f"d_20260328_{number:03d}" for number in (1, 2, 4, 5, 6)]
    assert road.row("d_20260328_001")[4:6] == ["—", "$0.12"]
    assert road.row("d_20260328_005")[1] == "—"
    flags = [
        one.get("vault_synced") if isinstance(one, dict) else None for one in road.parsed()["deliberations"]
    ]
    assert flags == [True, True, None, None, False, True, False, True, True]
    before = stats_below(road.vault, road.folder)
    assert road.run().returncode == 0
    assert road.run().returncode == 0
    assert stats_below(road.vault, road.folder) == before


def test_what_cannot_be_shown_breaks_no_terminal(road):
    road.memory.write_bytes(
        dump(
            document(record(1, confidence="\ud800 \x1b[31m", query_summary="half \udc00 a pair \x1b]0;x\x07"))
        )
    )
    for options, encoding in (((), "ascii:strict"), (("--json",), "utf-8:strict")):
        ran = road.run(*options, PYTHONIOENCODING=encoding)
        assert ran.returncode == 0, ran.stderr
        assert "Traceback" not in ran.stderr
        assert "\x1b" not in ran.stderr + ran.stdout
    assert road.ids() == ["d_20260328_001"]
    assert "�" in road.row("d_20260328_001")[2]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
        lambda text: text.replace("0.09", "NaN").encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
    ],
    ids=["bom and crlf", "utf-16-le", "utf-16-be", "nan", "crlf"],
)
def test_odd_encodings_are_read_and_kept(road, encode):
    text = dump(document(*[record(number, note="ünï 🏛️") for number in (1, 2)])).decode()
    road.memory.write_bytes(encode(text))
    before = road.memory.read_bytes()
    assert not road.sync().failed
    assert len(road.ids()) == 2
    flagged = text.replace('"vault_synced": false', '"vault_synced": true')
    stamp = f'"last_vault_sync": "{road.now:%Y-%m-%dT%H:%M:%SZ}"'
    assert road.memory.read_bytes() == encode(flagged.replace('"last_vault_sync": null', stamp))
    assert road.memory.read_bytes() != before
    settled = stats_below(road.vault, road.folder)
    road.sync()
    road.sync()
    assert stats_below(road.vault, road.folder) == settled


def test_vanished_records_are_said_once_and_their_rows_stay(road):
    road.write_memory(*records(8))
    road.settle()
    road.write_memory(*records(2), created="2026-03-01T00:00:00Z")
    messages = road.sync().messages
    assert [message for message in messages if "6 records have vanished" in message and "restore" in message]
    assert len(road.ids()) == 8
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    assert not road.sync().messages
    assert len(road.ids()) == 9


def test_compaction_is_no_loss(road):
    road.write_memory(*records(8))
    road.settle()
    road.write_memory(*records(5, first=4), archived={"count": 3}, created="2026-03-01T00:00:00Z")
    assert not road.sync().messages
    assert len(road.ids()) == 8


def test_conflict_copies_beside_the_memory_are_named_once_and_never_read(road):
    copy = road.folder / "council-memory.sync-conflict-20260328-101010-ABCDEFG.json"
    copy.write_bytes(dump(document(*records(9))))
    before = copy.read_bytes()
    (message,) = road.sync().messages
    assert copy.name in message
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    assert not road.sync().messages
    assert copy.read_bytes() == before
    assert len(road.ids()) == 4


def test_an_older_version_is_not_migrated_by_a_sync(road):
    old = [{name: value for name, value in one.items() if name != "vault_synced"} for one in records(2)]
    road.memory.write_bytes(dump(document(*old, version="1.1", last_vault_sync=...)))
    road.settle()
    assert road.parsed()["version"] == "1.1"
    assert len(road.flagged()) == 2
    assert len(road.ids()) == 2


def test_the_memory_rewritten_with_the_same_content_writes_nothing(road):
    road.settle()
    whole = road.parsed()
    road.memory.write_bytes(json.dumps(whole, indent=4, sort_keys=True).encode())
    before = stats_below(road.vault, road.folder)
    for _ in range(2):
        road.sync()
        assert stats_below(road.vault, road.folder) == before
    road.memory.touch()
    before = stats_below(road.vault, road.folder)
    road.sync()
    assert stats_below(road.vault, road.folder) == before


def test_a_record_that_an_agent_adds_while_a_sync_runs_is_not_flagged_before_its_row(road, monkeypatch):
    write = LocalVault.write

    def meanwhile(vault, name, content, expected):
        if len(road.parsed()["deliberations"]) < 5:
            road.change_memory(lambda whole: whole["deliberations"].extend(records(2, "20260401")))
        return write(vault, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", meanwhile)
    report = road.sync()
    monkeypatch.undo()
    assert (report.flagged, report.pending, report.entries) == (3, 2, 3)
    assert len(road.flagged()) == len(road.ids()) == 3
    report = road.sync()
    assert (report.flagged, report.pending, report.entries) == (2, 0, 2)
    assert len(road.flagged()) == len(road.ids()) == 5


def test_a_memory_broken_while_the_notes_were_written_loses_nothing(road, monkeypatch):
    whole = road.memory.read_bytes()
    write = LocalVault.write

    def breaking(vault, name, content, expected):
        road.memory.write_bytes(whole[:50])
        age(road)
        return write(vault, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", breaking)
    report = road.sync()
    monkeypatch.undo()
    assert report.failed
    assert str(road.memory) in report.failure
    assert road.memory.read_bytes() == whole[:50]
    road.memory.write_bytes(whole)
    road.settle()
    assert len(road.ids()) == len(road.flagged()) == 3


def test_a_memory_that_must_not_be_replaced_is_said_and_the_notes_are_kept(road):
    other_name = road.memory.with_name("other name.json")
    other_name.hardlink_to(road.memory)
    report = road.sync()
    assert report.failed
    assert "hard links" in report.failure
    assert len(road.ids()) == 3
    assert not road.flagged()
    other_name.unlink()
    road.settle()
    assert len(road.flagged()) == 3


def test_a_symbolic_link_stays_one(road):
    real = road.base / "real.json"
    road.memory.rename(real)
    road.memory.symlink_to(real)
    road.settle()
    assert road.memory.is_symlink()
    assert b'"vault_synced": true' in real.read_bytes()


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo", "UTC", "Pacific/Kiritimati"])
def test_the_time_zone_changes_nothing(tmp_path, zone):
    times = [
        "2026-03-29T01:30:00Z",
        "2026-03-28T23:30:00+00:00",
        "2026-03-08T02:30:00-08:00",
        "2026-11-01T01:30:00",
    ]
    road = Road(tmp_path)
    road.write_memory(*[record(number, timestamp=time) for number, time in enumerate(times, start=1)])
    assert road.run(TZ=zone).returncode == 0
    days = [road.row(f"d_20260328_{number:03d}")[1] for number in (1, 2, 3, 4)]
    assert days == ["2026-03-29", "2026-03-28", "2026-03-08", "2026-11-01"]
    before = stats_below(road.vault, road.folder)
    for other in ("Asia/Tokyo", "America/Los_Angeles"):
        assert road.run(TZ=other).returncode == 0
    assert stats_below(road.vault, road.folder) == before


def test_running_over_midnight_writes_nothing(road):
    with time_machine.travel("2026-03-31T23:59:00Z", tick=False) as clock:
        road.settle()
        before = stats_below(road.vault, road.folder)
        for moment in ("2026-04-01T00:01:00Z", "2027-01-01T00:00:00Z", "2026-03-08T02:30:00Z"):
            clock.move_to(moment)
            for _ in range(2):
                road.sync()
                assert stats_below(road.vault, road.folder) == before


@pytest.mark.parametrize("count", [0, 1, 60, 5000])
def test_memories_of_every_size(tmp_path, count):
    road = Road(tmp_path)
    road.memory.write_bytes(dump(build_memory(count, 6, seed=1)))
    assert not road.sync().failed
    text = road.text("log")
    rows = [line.split("|")[1].strip() for line in text.split("\n") if line.lstrip("> ").startswith("| d_")]
    assert len(rows) == len(set(rows)) == count
    assert len([line for line in text.split("\n") if line.startswith("| d_")]) == min(count, 50)
    assert len(road.flagged()) == count
    before = stats_below(road.vault, road.folder)
    road.sync()
    road.sync()
    assert stats_below(road.vault, road.folder) == before
    assert set(NAMES.values()) <= set(contents_below(road.vault))
