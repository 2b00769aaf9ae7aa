"""Other programs at the same files during a sync; memories that change hands; what is kept aside."""

from __future__ import annotations

import shutil

import pytest

from council_vault.errors import VaultUnavailable
from council_vault.memory.file import MemoryFile
from council_vault.memory.snapshots import Snapshots
from council_vault.vault.local import LocalVault
from support.syncing import NAMES, records, stats_below


def more(road, day="20260401"):
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, day)))


@pytest.fixture
def before_each_write(monkeypatch):
    """Let something happen right before a note is written."""

    def set_up(action):
        write = LocalVault.write

        def wrapped(vault, name, content, expected):
            action(name)
            return write(vault, name, content, expected)

        monkeypatch.setattr(LocalVault, "write", wrapped)

    return set_up


def test_a_note_that_is_changed_while_it_is_drawn_is_drawn_again(road, before_each_write):
    road.settle()
    typed = []

    def type_once(name):
        if "performance" in name and not typed:
            typed.append(name)
            road.path("performance").write_text(road.text("performance") + "\nMine, just now.\n")

    before_each_write(type_once)
    more(road)
    assert not road.sync().failed
    assert road.text("performance").endswith("\nMine, just now.\n")
    assert "2026-04-01" in road.text("performance")


def test_a_note_that_never_stands_still_is_left_alone_and_the_others_are_written(road, before_each_write):
    road.settle()
    typed = []

    def type_always(name):
        if "log" in name:
            typed.append(name)
            road.path("log").write_text(f"{road.text('log')}\n{len(typed)}\n")

    before_each_write(type_always)
    more(road)
    report = road.sync()
    assert report.failed
    (log,) = [note for note in report.notes if note.kind == "log"]
    assert log.outcome == "failed"
    assert "kept being changed" in log.reason
    assert "d_20260401_001" not in road.ids()
    assert "d_20260401_001" not in road.flagged()
    assert all(f"\n{number}\n" in road.text("log") for number in range(1, len(typed) + 1))
    assert "2026-04-01" in road.text("performance")


@pytest.mark.parametrize("times", [1, 10])
def test_a_note_whose_replacement_was_taken_back_is_merged_again(road, monkeypatch, times):
    """A program that has the note open writes into it after it was replaced: its text is put back."""
    road.settle()
    settle = LocalVault.settle
    left = [times]

    def taking_back(vault):
        settle(vault)
        if not left[0]:
            return ()
        left[0] -= 1
        road.path("log").write_text(f"{before}\nTheirs {left[0]}.\n")
        return (NAMES["log"],)

    before = road.text("log")
    monkeypatch.setattr(LocalVault, "settle", taking_back)
    more(road)
    report = road.sync()
    monkeypatch.undo()
    assert report.failed == (times > 1)
    assert ("d_20260401_001" in road.flagged()) == (times == 1)
    assert road.text("log").endswith(f"\nTheirs {left[0]}.\n")
    road.settle()
    assert road.ids().count("d_20260401_001") == 1
    assert road.text("log").endswith(f"\nTheirs {left[0]}.\n")
    assert len(road.flagged()) == 4


def test_a_note_that_appears_while_it_is_made_is_not_overwritten(road, before_each_write):
    appeared = []

    def appear(name):
        if "routing" in name and not appeared:
            appeared.append(name)
            road.path("routing").parent.mkdir(parents=True, exist_ok=True)
            road.path("routing").write_text("# Theirs\n\nWords of theirs.\n")

    before_each_write(appear)
    assert not road.sync().failed
    assert "Words of theirs." in road.text("routing")
    assert "council-vault:begin routing" in road.text("routing")


def test_a_memory_that_is_another_one_in_the_same_place_is_refused_until_adopted(road):
    road.settle()
    before = stats_below(road.vault)
    road.write_memory(*records(4, "20260501"), created="2026-05-01T00:00:00Z")
    report = road.sync()
    assert {note.outcome for note in report.notes} == {"refused"}
    assert "m-20260301T000000Z" in report.notes[0].reason
    assert "m-20260501T000000Z" in report.notes[0].reason
    assert stats_below(road.vault) == before
    assert not road.flagged()
    assert road.sync().failed
    assert not road.sync(adopt_log=True).failed
    assert len(road.ids()) == 7
    assert "council_memory: m-20260501T000000Z" in road.text("log")
    road.settle()


def test_a_log_of_compacted_records_alone_is_still_ours(road):
    road.settle()
    road.path("log").write_text(road.text("log").replace("m-20260301T000000Z", "m-20200101T000000Z"))
    road.write_memory(*records(1, "20260501"), archived={"count": 3})
    report = road.sync()
    assert not report.failed
    assert len(road.ids()) == 4
    assert "council_memory: m-20260301T000000Z" in road.text("log")


def test_what_is_kept_aside_is_named_once(road):
    road.settle()
    road.workspace().rescued().keep(road.path("log"), b"theirs")
    road.workspace().snapshots().keep(road.memory, b"theirs, and no memory")
    more(road)
    messages = road.sync().messages
    assert len(messages) == 2
    assert all("another program wrote" in message for message in messages)
    for message in messages:
        assert str(road.states) in message
    more(road, "20260402")
    assert not road.sync().messages
    assert b"theirs" in {file.read_bytes() for file in road.workspace().rescued().files()}


def test_snapshots_that_cannot_be_kept_hold_nothing_back(road):
    road.workspace().folder.mkdir(parents=True)
    (road.workspace().folder / "snapshots").write_text("a file where a folder should be")
    report = road.sync()
    assert not report.failed
    assert [message for message in report.messages if "snapshots" in message]
    assert len(road.flagged()) == 3
    road.settle()


def test_damaged_snapshots_are_named_and_hold_nothing_back(road):
    road.settle()
    for file in (road.workspace().folder / "snapshots").iterdir():
        file.write_bytes(b"junk")
    more(road)
    report = road.sync()
    assert not report.failed
    assert any("snapshot" in message for message in report.messages)
    assert len(road.flagged()) == 4


def test_a_broken_state_is_begun_anew_and_loses_nothing(road):
    road.settle()
    for file in road.workspace().folder.glob("state.sqlite*"):
        file.write_bytes(b"junk")
    more(road)
    assert not road.sync().failed
    assert len(road.ids()) == len(set(road.ids())) == 4
    road.settle()


def test_a_note_that_was_settled_and_cannot_be_read_now_is_said(road):
    road.settle()
    road.path("log").unlink()
    road.path("log").mkdir()
    report = road.sync()
    assert report.failed
    assert {note.kind: note.outcome for note in report.notes}["performance"] == "unchanged"


def test_a_folder_that_is_no_vault_any_more_is_not_written_to(road):
    road.search_vault()
    road.settle()
    (road.vault / "_System" / "MEMORY.md").unlink()
    shutil.rmtree(road.vault / ".obsidian")
    before = stats_below(road.vault)
    with pytest.raises(VaultUnavailable):
        road.sync()
    assert road.parsed()["last_vault_sync"] is None
    assert stats_below(road.vault) == before


def test_every_good_version_of_the_memory_is_in_a_snapshot(road):
    road.sync()
    snapshots = Snapshots(road.workspace().folder / "snapshots")
    road.write_memory(*records(1), created="2026-03-01T00:00:00Z")
    vanished = snapshots.vanished(road.workspace().memory_file().read().memory)
    assert [record.id for record in vanished] == ["d_20260328_002", "d_20260328_003"]


def test_what_is_settled_is_seen_at_a_glance_in_whatever_order_notes_came_to_be(road, monkeypatch):
    road.path("performance").mkdir(parents=True)
    assert road.sync().failed
    road.path("performance").rmdir()
    road.settle()

    def decoded(*_arguments, **_keywords):
        pytest.fail("the memory was decoded")

    with monkeypatch.context() as patch:
        patch.setattr(MemoryFile, "read", decoded)
        assert not road.sync().changed
    assert not road.sync(full=True).changed
