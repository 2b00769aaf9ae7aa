from __future__ import annotations

import pytest

from council_vault.errors import FileChanged
from council_vault.files import Replacer
from council_vault.vault.local import LocalVault
from council_vault.vault.rehearsal import Rehearsal
from support.places import make_vault


@pytest.fixture
def vault(tmp_path):
    root = make_vault(tmp_path / "vault")
    (root / "note.md").write_text("old")
    return Rehearsal(LocalVault(root, Replacer(tmp_path / "locks", lambda *_: None)))


def test_what_is_written_is_read_again_and_stands_nowhere(vault, tmp_path):
    version = vault.read("note.md").version
    vault.write("note.md", b"new", version)
    vault.write("folder/other.md", b"made", None)
    assert vault.settle() == ()
    assert vault.read("note.md").content == b"new"
    assert vault.exists("folder/other.md")
    assert (tmp_path / "vault" / "note.md").read_text() == "old"
    assert not (tmp_path / "vault" / "folder").exists()
    assert vault.place == str(tmp_path / "vault")
    assert vault.list() == ("_System/MEMORY.md", "note.md")


def test_a_note_is_written_only_as_expected(vault):
    version = vault.read("note.md").version
    for expected in (None, "other"):
        with pytest.raises(FileChanged):
            vault.write("note.md", b"new", expected)
    vault.write("note.md", b"new", version)
    with pytest.raises(FileChanged):
        vault.write("note.md", b"newer", version)
    with pytest.raises(FileChanged):
        vault.write("missing.md", b"x", version)
