"""What a sync of a real memory file comes to, looked at with other programs' eyes."""

from __future__ import annotations

import difflib

import pytest
import yaml
from ruamel.yaml import YAML

from support.gfm import table_rows
from support.memory_files import REAL_DATA
from support.syncing import NAMES, Road, stats_below

REAL = REAL_DATA / "council-memory.json"
needs_real_data = pytest.mark.skipif(
    not REAL.is_file(), reason="the council's data is not beside the checkout"
)


@pytest.fixture
def real(tmp_path):
    road = Road(tmp_path)
    road.memory.write_bytes(REAL.read_bytes())
    return road


@needs_real_data
def test_the_log_has_a_row_of_seven_cells_for_each_of_eighteen_records(real):
    assert real.run().returncode == 0
    rows = table_rows(real.text("log"))
    assert len(rows) == 18
    assert {len(row) for row in rows} == {7}
    assert {row[0] for row in rows} == {one["id"] for one in real.parsed()["deliberations"]}
    assert all("\n" not in cell and cell.strip() not in {"", "None", "nan"} for row in rows for cell in row)


@needs_real_data
def test_properties_are_read_alike_by_yaml_1_1_and_1_2(real):
    real.sync()
    for kind in NAMES:
        block = real.text(kind).split("---\n")[1]
        old, new = yaml.safe_load(block), YAML(typ="safe").load(block)
        assert old == new
        assert list(old) == ["title", "date", "type", "tags", "status", "council_memory"]
        assert isinstance(new["council_memory"], str)


@needs_real_data
def test_the_memory_differs_in_flags_and_stamp_alone(real):
    real.sync()
    before, after = REAL.read_text(), real.memory.read_text()
    changes = [
        line
        for line in difflib.ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True))
        if line[0] in "+-"
    ]
    assert changes
    assert real.flagged() == {one["id"] for one in real.parsed()["deliberations"]}
    undone = after.replace('"vault_synced": true', '"vault_synced": false')
    left = [
        (old, new)
        for old, new in zip(before.splitlines(keepends=True), undone.splitlines(keepends=True), strict=False)
        if old.replace('"vault_synced": true', '"vault_synced": false') != new
    ]
    assert all("last_vault_sync" in new for _, new in left)
    assert len(left) == 1
    assert len(before.splitlines()) == len(after.splitlines())


@needs_real_data
def test_further_syncs_write_nothing_at_all(real):
    real.sync()
    before = stats_below(real.folder, real.vault)
    for _ in range(3):
        report = real.sync()
        assert not report.changed
        assert report.sentence == "Nothing to do: the vault is up to date."
        assert stats_below(real.folder, real.vault) == before


@needs_real_data
def test_the_command_line_settles_too(real):
    first = real.run()
    assert first.returncode == 0, first.stderr
    what = "model performance, routing intelligence, and 18 new deliberation log entries"
    assert first.stdout == f"Vault synced: updated {what}.\n"
    before = stats_below(real.folder, real.vault)
    for _ in range(2):
        again = real.run()
        assert (again.returncode, again.stdout, again.stderr) == (
            0,
            "Nothing to do: the vault is up to date.\n",
            "",
        )
        assert stats_below(real.folder, real.vault) == before
