"""``restore``: vanished records, or an earlier version of a note, back."""

from __future__ import annotations

import pytest

from support.memory_files import document, dump, record
from support.program import LOG, PERFORMANCE
from support.sound_memories import sound, told


@pytest.fixture
def truncated(program):
    """The program after an agent has lost two of three records."""
    program.make_vault()
    program.write_memory(record(1), record(2), record(3))
    program("sync-vault")
    program.write_memory(record(2, vault_synced=True))
    return program


def ids(program) -> list[str]:
    return [one["id"][-3:] for one in program.parsed()["deliberations"]]


def test_vanished_records_come_back(truncated):
    ran = truncated("restore")
    assert ran == (0, "Restored: d_20260328_001, d_20260328_003\n", "")
    assert ids(truncated) == ["001", "002", "003"]
    assert truncated("restore") == (0, "No records have vanished.\n", "")
    assert truncated("status", "--json").json["messages"] == []


def test_what_comes_back_counts_in_the_aggregates_again(program):
    program.make_vault()
    whole, stale = sound(record(1), record(2), record(3)), sound(record(2))
    assert whole["model_performance"] != stale["model_performance"]
    for agents in (stale, whole):  # a stale file written back whole; records dropped, and the aggregates kept
        program.memory.write_bytes(dump(whole))
        program("sync-vault")
        program.memory.write_bytes(dump({**agents, "deliberations": stale["deliberations"]}))
        assert program("restore").out.startswith("Restored: ")
        assert told(program.parsed()) == {}


def test_aggregates_that_nothing_explains_are_left_alone(program):
    program.make_vault()
    program.memory.write_bytes(dump(sound(record(1), record(2))))
    program("sync-vault")
    program.memory.write_bytes(dump(document(record(1), model_performance={"x/y": {"avg_rank": 2}})))
    assert program("restore").out == "Restored: d_20260328_002\n"
    assert program.parsed()["model_performance"] == {"x/y": {"avg_rank": 2}}


@pytest.mark.parametrize("choice", [(), ("--dismiss",)])
def test_what_has_been_seen_to_is_no_longer_said(truncated, choice):
    assert "2 records have vanished" in truncated("sync-vault").err
    assert "2 records have vanished" in truncated("status").out
    truncated("restore", *choice)
    assert truncated("status", "--json").json["messages"] == []
    assert "vanished" not in truncated("doctor").out


def test_vanished_records_are_let_go(truncated):
    before = truncated.memory.read_bytes()
    assert truncated("restore", "--dismiss") == (0, "Let go: d_20260328_001, d_20260328_003\n", "")
    assert truncated.memory.read_bytes() == before
    assert truncated("restore", "--dismiss") == (0, "No records have vanished.\n", "")
    assert truncated("restore").out == "No records have vanished.\n"


def test_nothing_vanished_and_the_file_is_not_touched(program):
    program.write_bytes(b'{"version":"1.3","deliberations":[ ]}')
    before = program.memory.stat().st_mtime_ns
    assert program("restore") == (0, "No records have vanished.\n", "")
    assert program.memory.stat().st_mtime_ns == before


@pytest.fixture
def changed(program):
    """The program after the log was written three times, each time with a word of the person's."""
    program.make_vault()
    for number in (1, 2, 3):
        program.write_memory(*(record(one) for one in range(1, number + 1)))
        program("sync-vault")
        note = program.vault / LOG
        note.write_text(f"{note.read_text('utf-8')}\nWord {number}.\n", "utf-8")
    program.write_memory(*(record(one) for one in range(1, 5)))
    program("sync-vault")
    return program


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("log", "Word 3."),
        ("log:1", "Word 3."),
        ("log:2", "Word 2."),
        ("council-deliberation-log:3", "Word 1."),
        (f"{LOG}:2", "Word 2."),
        ("LOG", "Word 3."),
    ],
)
def test_a_note_comes_back_as_it_was(changed, name, last):
    present = changed.log()
    ran = changed("restore", "--note", name)
    assert ran.code == 0
    assert ran.out.startswith(f"{LOG} is as it was before 2")
    assert changed.log().splitlines()[-1] == last

    assert changed("restore", "--note", "log").code == 0
    assert changed.log() == present, "what stood there can be restored too"


def test_the_next_sync_brings_the_tables_up_to_date_and_keeps_the_words(changed):
    changed("restore", "--note", "log:3")
    assert changed("sync-vault").code == 0
    assert "d_20260328_004" in changed.log()
    assert "Word 1." in changed.log()
    assert "Word 2." not in changed.log()


def test_a_note_that_was_deleted_comes_back(changed):
    (changed.vault / LOG).unlink()
    assert changed("restore", "--note", "log").code == 0
    assert "Word 3." in changed.log()


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("log:9", 1, "9 changes back is further than what is kept of it. The furthest is log:3"),
        ("log:0", 1, "The furthest is log:3"),
        ("diary", 2, "It is performance, routing, log, a record's id, or the path of one of these notes"),
        ("log:x", 2, "It is performance, routing, log"),
        ("", 2, "It is performance"),
    ],
)
def test_a_version_that_is_not_there_is_said(changed, name, code, words):
    present = changed.log()
    ran = changed("restore", "--note", name)
    assert ran.code == code
    assert words in " ".join(ran.err.split())
    assert changed.log() == present


def test_nothing_is_kept_before_the_first_change(program):
    program.make_vault()
    program.write_memory(record())
    program("sync-vault")
    ran = program("restore", "--note", "performance")
    assert ran.code == 1
    assert "council-model-performance: no earlier version of it is kept" in ran.err
    assert (program.vault / PERFORMANCE).exists()


def test_letting_go_and_a_note_do_not_go_together(changed):
    ran = changed("restore", "--dismiss", "--note", "log")
    assert ran.code == 2
    assert "do not go together" in ran.err


def test_without_the_vault_no_note_comes_back(changed):
    changed.vault.rename(changed.base / "away")
    ran = changed("restore", "--note", "log")
    assert ran.code == 3
    assert not changed.vault.exists()


@pytest.fixture
def synced(program):
    program.make_vault()
    program.write_memory(record(1), record(2))
    program("sync-vault")
    return program


def test_a_broken_memory_file_comes_back_whole_and_what_stood_there_is_kept(synced):
    good = synced.memory.read_bytes()
    for damage in (good[:200], good[:100]):
        synced.write_bytes(damage)
        failed = synced("sync-vault")
        assert failed.code == 4
        assert "`council-vault restore`" in failed.err
        ran = synced("restore")
        assert ran.code == 0
        assert f"{synced.memory} is as it was at 20" in ran.out
        assert synced.memory.read_bytes() == good
        assert synced.memory.with_name("council-memory.json.broken").read_bytes() == damage
    assert synced("sync-vault").out == "Nothing to do: the vault is up to date.\n"


def test_a_missing_memory_file_comes_back(synced):
    good = synced.memory.read_bytes()
    synced.memory.unlink()
    assert "`council-vault restore`" in synced("status").err
    assert synced("restore").code == 0
    assert synced.memory.read_bytes() == good


def test_without_a_good_version_a_broken_file_stays_and_is_named(program):
    program.write_bytes(b'{"version": ')
    ran = program("restore")
    assert ran.code == 4
    assert str(program.memory) in ran.err
    assert program.memory.read_bytes() == b'{"version": '


def test_letting_go_never_writes_a_broken_file(synced):
    synced.write_bytes(b"broken")
    assert synced("restore", "--dismiss").code == 4
    assert synced.memory.read_bytes() == b"broken"
