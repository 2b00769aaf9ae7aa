"""``demo``: the program on a vault of its own."""

from __future__ import annotations

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


def test_three_notes_in_a_copy_of_a_vault(program):
    place = program.base / "place"
    ran = program("demo", place)
    assert ran.code == 0
    assert ran.err == ""
    notes = [place / "vault" / FOLDER / f"council-{name}.md" for name in
             ("model-performance", "routing-intelligence", "deliberation-log")]  # fmt: skip
    for note in notes:
        assert f"  {note}\n" in ran.out
        assert "council-vault:begin" in note.read_text("utf-8")
    rows = [row for row in table_rows((place / "vault" / LOG).read_text("utf-8")) if row[0].startswith("d_")]
    assert len(rows) == 70
    assert rows[2][:3] == ["d_20260430_007", "2026-04-30", "Tell neighbours before or after the first alert"]
    assert rows[5][0] == "d_20260430_004"
    assert rows[5][-1] == "👍"
    said = [line for line in ran.out.splitlines() if "Vault synced" in line]
    assert [re.search(r"(\d+) new deliberation", line)[1] for line in said] == ["52", "1", "5"]
    assert "    2 pending until there are 70 deliberations, or until " in ran.out
    assert "    d_20260430_004 is rated positive in the memory file now.\n" in ran.out
    assert "INFO Stopped.\n" in ran.out
    assert f"Delete {place} when you have seen enough." in ran.out
    original = shipped("vault_fixtures") / "studio"
    made = {note.relative_to(place / "vault") for note in notes}
    assert files_in(place / "vault") == files_in(original) | made
    for path in files_in(original) - made:
        assert (place / "vault" / path).read_bytes() == (original / path).read_bytes()


def test_nothing_of_the_persons_own_is_touched(program):
    program.make_vault()
    program.write_memory()
    before = {path: path.stat().st_mtime_ns for path in program.base.rglob("*")}
    assert program("demo", program.base.parent / f"{program.base.name}-demo").code == 0
    assert {path: path.stat().st_mtime_ns for path in program.base.rglob("*")} == before


def test_without_a_folder_it_takes_a_temporary_one(program, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(program.base))
    ran = program("demo")
    assert ran.code == 0
    (place,) = program.base.glob("council-vault-demo-*")
    assert (place / "vault" / PERFORMANCE).exists()
    assert str(place) in ran.out


def test_an_empty_folder_will_do_and_a_full_one_will_not(program):
    (program.base / "empty").mkdir()
    assert program("demo", "../empty").code == 0
    again = program("demo", "../empty")
    assert again.code == 2
    assert f"{program.base}/workspace/../empty: the folder is not empty. Name an empty folder" in again.err


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


def test_no_process_is_left(program):
    place = program.base / "place"
    assert program("demo", place).code == 0
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            assert str(place).encode() not in process.read_bytes()


def test_no_environment_leads_it_elsewhere(program, monkeypatch):
    monkeypatch.setenv("COUNCIL_VAULT_WORKSPACE", str(program.workspace))
    monkeypatch.setenv("COUNCIL_VAULT_CONFIG", str(program.base / "no-such-file"))
    assert program("demo", program.base / "place").code == 0
    assert list(program.workspace.iterdir()) == []
