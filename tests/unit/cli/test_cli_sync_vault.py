"""``sync-vault`` and its four options, as a person sees them."""

from __future__ import annotations

import shutil

import pytest

from support.gfm import table_rows
from support.memory_files import record
from support.program import FOLDER, LOG, PERFORMANCE


@pytest.fixture
def ready(program):
    """The program with a vault and two records that are not in it."""
    program.make_vault()
    program.write_memory(record(1), record(2))
    return program


def rows(program) -> list[str]:
    return [row[0] for row in table_rows(program.log()) if row[0].startswith("d_")]


def snapshot(program) -> dict:
    found = [path for place in (program.vault, program.workspace) for path in place.rglob("*")]
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in found if path.is_file()}


def test_one_sentence_says_what_it_did(ready):
    ran = ready("sync-vault")
    assert ran.code == 0
    assert ran.out == (
        "Vault synced: updated model performance, routing intelligence, and 2 new deliberation log entries.\n"
    )
    assert ran.err == ""
    before = snapshot(ready)
    assert ready("sync-vault") == (0, "Nothing to do: the vault is up to date.\n", "")
    assert snapshot(ready) == before


def test_it_says_more_if_asked(ready):
    out = ready("-v", "sync-vault").out
    assert f"{LOG}: written\n" in out
    assert f"The vault is {ready.vault}\n" in out


def test_a_dry_run_writes_nothing_and_shows_what_would_be(ready):
    before = snapshot(ready)
    ran = ready("sync-vault", "--dry-run")
    assert ran.code == 0
    assert snapshot(ready) == before
    assert f"--- /dev/null\n+++ {LOG}\t\n" in ran.out
    assert f"--- {ready.memory}\n+++ {ready.memory}\n" in ran.out
    assert '-      "vault_synced": false,\n+      "vault_synced": true,\n' in ran.out
    assert "Nothing was written. A sync would update" in ran.out
    assert not (ready.vault / FOLDER).exists()


def test_messages_go_beside_the_results(ready):
    ready.write_memory(record(1, confidence="high"))
    copy = ready.vault / FOLDER / "council-deliberation-log (conflicted copy 2026-03-28).md"
    copy.parent.mkdir(parents=True)
    copy.write_text("rows")
    ran = ready("sync-vault")
    assert ran.code == 0
    assert 'deliberations[0].confidence: expected a number, got "high"\n' in ran.err
    assert copy.name in ran.err
    assert ran.out.count("\n") == 1
    assert ran.out.startswith("Vault synced: ")


def test_a_note_that_is_left_alone_makes_it_fail_and_the_others_go_on(ready):
    ready("sync-vault")
    (ready.vault / PERFORMANCE).write_bytes(b"\xff\xfe no text")
    ready.write_memory(record(1), record(2), record(3))
    ran = ready("sync-vault")
    assert ran.code == 1
    assert ran.err.startswith(f"{PERFORMANCE}: ")
    assert "d_20260328_003" in rows(ready)
    assert (ready.vault / PERFORMANCE).read_bytes() == b"\xff\xfe no text"


def test_it_never_says_that_nothing_is_to_do_where_something_failed(ready):
    ready("sync-vault")
    for name in (PERFORMANCE, LOG, f"{FOLDER}/council-routing-intelligence.md"):
        (ready.vault / name).write_bytes(b"\xff\xfe no text")
    ran = ready("sync-vault")
    assert ran.code == 1
    assert "Nothing to do" not in ran.out


def test_a_memory_file_that_cannot_be_flagged_makes_it_fail(ready):
    shutil.copyfile(ready.memory, ready.base / "copy")
    ready.memory.with_name("second-name").hardlink_to(ready.memory)
    ran = ready("sync-vault")
    assert ran.code == 1
    assert str(ready.memory) in ran.err
    assert ready.memory.read_bytes() == (ready.base / "copy").read_bytes()


def test_full_brings_deleted_rows_back(ready):
    ready.write_memory(*(record(number) for number in range(1, 6)))
    ready("sync-vault")
    ready("sync-vault")
    note = ready.vault / LOG
    lines = ready.log().splitlines(keepends=True)
    note.write_text("".join(line for line in lines if "| d_20260328_002 |" not in line), "utf-8")
    ready("sync-vault")
    assert "d_20260328_002" not in rows(ready)
    assert ready("sync-vault", "--full").code == 0
    assert rows(ready) == [f"d_20260328_00{number}" for number in (5, 4, 3, 2, 1)]


def test_another_vault_only_if_it_is_adopted(ready):
    ready("sync-vault")
    ready.vault.rename(ready.base / "away")
    ready.make_vault()
    shutil.move(ready.vault, ready.workspace / "another")
    ran = ready("sync-vault")
    assert ran.code == 3
    assert "--adopt-vault" in ran.err
    assert not (ready.workspace / "another" / FOLDER).exists()
    assert ready.parsed()["vault_sync_note"] == "vault_unavailable"

    assert ready("sync-vault", "--adopt-vault").code == 0
    assert (ready.workspace / "another" / LOG).exists()
    assert ready("status", "--json").json["vault"] == str(ready.workspace / "another")
    assert ready.parsed()["vault_sync_note"] is None


def test_the_log_of_another_memory_only_if_it_is_adopted(ready):
    ready("sync-vault")
    other = ready.base / "other"
    other.mkdir()
    ready.write_memory(record(7, "20260401"), created="2025-01-01T00:00:00Z")
    ready.memory.rename(other / "council-memory.json")
    before = ready.log()
    ran = ready("--workspace", other, "sync-vault")
    assert ran.code == 1
    assert "--adopt-log" in ran.err
    assert ready.log() == before
    assert ready("--workspace", other, "sync-vault", "--adopt-log").code == 0
    assert set(rows(ready)) == {"d_20260328_001", "d_20260328_002", "d_20260401_007"}


def test_as_json(ready):
    shown = ready("sync-vault", "--dry-run", "--json").json
    assert set(shown) == {
        "vault", "dry_run", "notes", "entries", "rows_back", "flagged", "pending", "ratings",
        "messages", "records", "problems", "failure", "memory_diff",
    }  # fmt: skip
    assert shown["dry_run"] is True
    assert {note["kind"] for note in shown["notes"]} == {"performance", "routing", "log"}
    assert set(shown["notes"][0]) == {"kind", "name", "outcome", "reason", "diff"}
    done = ready("sync-vault", "--json").json
    assert (done["entries"], done["flagged"], done["pending"]) == (2, 2, 0)
    assert {note["outcome"] for note in done["notes"]} == {"written"}
    failed = ready("--vault", ready.home, "sync-vault", "--json")
    assert (failed.code, failed.out) == (3, "")


def test_no_vault_and_no_memory_have_codes_of_their_own(program):
    program.write_memory(record())
    assert program("sync-vault").code == 3
    program.make_vault()
    program.memory.unlink()
    assert program("sync-vault").code == 4
    program.write_bytes(b'{"deliberations": [{"id"')
    assert program("sync-vault").code == 4
