"""``demo``: the program on a vault of its own."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from council_vault.shipped import shipped
from support.gfm import table_rows
from support.program import FOLDER, LOG, PERFORMANCE


def files_in(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def processes_in(folder: Path) -> list[Path]:
    """Return the processes that a folder is named to."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if os.fsencode(folder) in process.read_bytes():
                found.append(process)
    return found


def test_three_notes_in_a_copy_of_a_vault_and_nothing_else_is_touched(program, monkeypatch):
    monkeypatch.setenv("COUNCIL_VAULT_WORKSPACE", str(program.workspace))
    monkeypatch.setenv("COUNCIL_VAULT_CONFIG", str(program.base / "no-such-file"))
    program.make_vault()
    program.write_memory()
    place = program.base / "empty"
    place.mkdir()
    before = {path: path.stat().st_mtime_ns for path in program.base.rglob("*") if path != place}
    ran = program("demo", "../empty")
    assert ran.code == 0
    assert ran.err == ""
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert processes_in(place) == []
    notes = [place / "vault" / FOLDER / f"council-{name}.md" for name in
             ("model-performance", "routing-intelligence", "deliberation-log")]  # fmt: skip
    for note in notes:
        assert f"  {program.workspace}/../{note.relative_to(program.base)}\n" in ran.out
        assert "council-vault:begin" in note.read_text("utf-8")
    rows = [row for row in table_rows((place / "vault" / LOG).read_text("utf-8")) if row[0].startswith("d_")]
    assert len(rows) == 70
    assert rows[2][:3] == ["d_20260430_007", "2026-04-30", "Keep tide tables offline or fetch them"]
    assert rows[5][0] == "d_20260430_004"
    assert rows[5][-1] == "👍"
    said = [line for line in ran.out.splitlines() if "Vault synced" in line]
    assert [re.search(r"(\d+) new deliberation", line)[1] for line in said] == ["52", "1", "5"]
    assert "    2 pending until there are 70 deliberations, or until " in ran.out
    assert "    d_20260430_004 is rated positive in the memory file now.\n" in ran.out
    assert "INFO Stopped.\n" in ran.out
    assert f"Delete {program.workspace}/../empty when you have seen enough." in ran.out
    original = shipped("vault_fixtures") / "studio"
    made = {note.relative_to(place / "vault") for note in notes}
    assert files_in(place / "vault") == files_in(original) | made
    for path in files_in(original) - made:
        assert (place / "vault" / path).read_bytes() == (original / path).read_bytes()

    again = program("demo", "../empty")
    assert again.code == 2
    assert f"{program.workspace}/../empty: the folder is not empty. Name an empty folder" in again.err


def test_without_a_folder_it_takes_a_temporary_one(program, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(program.base))
    ran = program("demo")
    assert ran.code == 0
    (place,) = program.base.glob("council-vault-demo-*")
    assert (place / "vault" / PERFORMANCE).exists()
    assert str(place) in ran.out
    assert processes_in(place) == []


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/demo"])
def test_where_nothing_can_be_put_it_says_so(program, place):
    (program.workspace / "file").touch()
    ran = program("demo", place)
    assert ran.code == 1
    assert "the demo cannot be put there" in ran.err


def test_templates_and_fixtures_that_are_missing_are_named(program, monkeypatch):
    monkeypatch.setattr("council_vault.shipped._PLACES", (program.base,))
    ran = program("demo", program.base / "place")
    assert ran.code == 1
    assert "the folder 'vault_fixtures' that comes with council-vault is missing" in ran.err
    assert "Install council-vault again" in ran.err


def test_a_daemon_that_does_not_come_up_is_not_waited_for(program, monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    ran = program("demo", program.base / "place")
    assert ran.code == 1
    assert f"{program.base}/place/daemon.log: the daemon did not bring about the first sync" in ran.err
