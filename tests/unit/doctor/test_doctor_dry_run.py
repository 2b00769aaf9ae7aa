"""The dry run that the doctor looks at the vault by."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from council_vault.settings import Settings, VaultSettings, WorkspaceSettings
from council_vault.sync import Options, sync
from council_vault.syncing.result import unified_diff
from council_vault.workspace import Workspace
from support.memory_files import dump, record
from support.places import make_vault
from support.sound_memories import sound


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "council-memory.json").write_bytes(dump(sound(record(1))))
    settings = Settings(
        workspace=WorkspaceSettings(path=str(tmp_path / "workspace")),
        vault=VaultSettings(path=str(make_vault(tmp_path / "vault"))),
    )
    return Workspace(settings, tmp_path / "states", tmp_path, {"HOME": str(tmp_path)})


def test_it_says_the_same_without_showing_what_would_change(workspace):
    now = datetime.now(UTC)
    shown = sync(workspace, Options(dry_run=True), now)
    plain = sync(workspace, Options(dry_run=True, diffs=False), now)
    assert shown.memory_diff
    assert all(note.diff for note in shown.notes)
    assert plain.memory_diff == ""
    assert {note.diff for note in plain.notes} == {""}
    assert plain.changed
    assert plain.sentence == shown.sentence


def test_there_is_no_difference_between_equal_contents():
    assert unified_diff("x", b"a\n", b"a\n") == ""
    assert unified_diff("x", b"a\n", b"b\n") == "--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n"
