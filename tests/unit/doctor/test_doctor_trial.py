"""The self-test: the whole way in a vault of its own, of which nothing stays."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from council_vault.doctor import examine, trial
from council_vault.files import protection
from council_vault.notes.kinds import file_name
from council_vault.settings import NotesSettings, Settings, VaultSettings, WorkspaceSettings
from council_vault.workspace import Workspace
from support.memory_files import document, dump, record
from support.places import make_vault, small_disk

NOW = datetime.now(UTC)
WELL = re.compile(
    r"3 records were in a vault on \S+ after \d+ ms, a rating typed there was back after \d+ ms, "
    r"and a sync with nothing to do took \d+ ms(?P<where>.*)"
)


def made(base: Path, vault: Path, **notes) -> Workspace:
    (base / "workspace").mkdir()
    (base / "workspace" / "council-memory.json").write_bytes(dump(document(record())))
    settings = Settings(
        workspace=WorkspaceSettings(path=str(base / "workspace")),
        vault=VaultSettings(path=str(vault), folder="My notes"),
        notes=NotesSettings(**notes),
    )
    return Workspace(settings, base / "states", base, {"PATH": ""})


@pytest.fixture
def workspace(tmp_path):
    return made(tmp_path, make_vault(tmp_path / "vault"))


def tree(base):
    return sorted(path for path in base.rglob("*") if "states" not in path.parts)


def test_nothing_is_tried_unasked(workspace):
    assert not [one for one in examine(workspace, NOW) if one.where == "self-test"]


def test_all_is_well_and_nothing_stays(workspace, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in tree(tmp_path) if path.is_file()}
    seen = []
    real = trial._tried
    workspace_seen = tree(tmp_path)

    def tried(*given):
        seen.append(given[1])
        return real(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "_tried", tried)
        (found,) = [one for one in examine(workspace, NOW, trying=True) if one.where == "self-test"]
    assert found.level == "note"
    assert WELL.fullmatch(found.what)["where"] == ""
    assert seen[0].parent == tmp_path, "beside the vault"
    assert not seen[0].exists()
    assert {path: path.stat().st_mtime_ns for path in tree(tmp_path) if path.is_file()} == before
    assert tree(tmp_path) == workspace_seen


def test_a_vault_that_is_a_disk_of_its_own_is_not_written_to(tmp_path):
    with small_disk(tmp_path / "disk", kibibytes=1024) as disk:
        make_vault(disk)
        workspace = made(tmp_path, disk)
        before = tree(disk)
        found = trial.self_test(workspace, disk, NOW)
        assert tree(disk) == before
    assert WELL.fullmatch(found.what)["where"] == f". This was in {tmp_path}/states, and not beside the vault"


def test_nothing_is_put_into_a_vault_around_the_vault(tmp_path):
    outer = make_vault(tmp_path / "outer")
    workspace = made(tmp_path, make_vault(outer / "inner"))
    found = trial.self_test(workspace, outer / "inner", NOW)
    assert "not beside the vault" in found.what


def test_without_a_vault_here_it_is_tried_where_the_state_is(workspace, tmp_path):
    found = trial.self_test(workspace, None, NOW)
    assert found.what.endswith(f"This was in {tmp_path}/states, and not beside the vault")


def test_a_place_that_takes_no_folder_is_passed_over(workspace, tmp_path, monkeypatch):
    real = trial.tempfile.mkdtemp

    def mkdtemp(*, prefix, dir):  # noqa: A002 - as it is called
        if dir == tmp_path:
            raise PermissionError
        return real(prefix=prefix, dir=dir)

    monkeypatch.setattr(trial.tempfile, "mkdtemp", mkdtemp)
    found = trial.self_test(workspace, tmp_path / "vault", NOW)
    assert "not beside the vault" in found.what


def test_where_no_folder_can_be_made_it_says_so(workspace, tmp_path):
    (tmp_path / "states").write_text("a file")
    found = trial.self_test(workspace, None, NOW)
    assert found.level == "problem"
    assert f"{tmp_path}/states: no folder can be made for the test" in found.what


def test_a_full_disk_is_found_out(tmp_path):
    with small_disk(tmp_path / "disk", kibibytes=64) as disk:
        workspace = made(tmp_path, make_vault(disk / "vault"))
        found = trial.self_test(workspace, disk / "vault", NOW)
        assert sorted(path.name for path in disk.iterdir()) == ["vault"]
    assert found.level == "problem"
    assert "Make room" in found.what


def test_the_persons_own_templates_are_tried(tmp_path):
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "council-model-performance.md.j2").write_text("---\n{{ nonsense.at.all }}\n")
    workspace = made(tmp_path, make_vault(tmp_path / "vault"), templates=str(templates))
    found = trial.self_test(workspace, tmp_path / "vault", NOW)
    assert found.level == "note", "a broken template is said elsewhere, and the built-in one is used"


def failing(monkeypatch, name):
    """Let one step of the test go wrong."""
    if name == "note":
        monkeypatch.setattr(
            trial, "file_name", lambda kind: f"{kind}.md" if kind == "routing" else file_name(kind)
        )
    elif name == "rating":
        monkeypatch.setattr(trial, "_rated", lambda text, _: text)
    elif name == "rows":
        monkeypatch.setattr(trial, "files", SimpleNamespace(read=lambda _: b"", protection=protection))


def test_a_note_that_cannot_be_written_is_said(workspace, tmp_path, monkeypatch):
    real = trial._trial

    def with_a_folder_in_the_way(*given):
        made = real(*given)
        vault = Path(made.settings.vault.path) / made.settings.vault.folder
        (vault / file_name("log")).mkdir(parents=True)
        return made

    monkeypatch.setattr(trial, "_trial", with_a_folder_in_the_way)
    found = trial.self_test(workspace, tmp_path / "vault", NOW)
    assert found.level == "problem"
    assert file_name("log") in found.what


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("note", "a note that was written is not there"),
        ("rows", "the log does not hold what was logged"),
        ("rating", "a rating typed into the log did not come back"),
    ],
)
def test_what_does_not_come_out_is_said(workspace, tmp_path, monkeypatch, step, said):
    failing(monkeypatch, step)
    found = trial.self_test(workspace, tmp_path / "vault", NOW)
    assert found.level == "problem"
    assert said in found.what
    assert not list(tmp_path.glob(".council*"))
