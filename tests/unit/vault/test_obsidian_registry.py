"""Obsidian's own list of vaults, in all its places and states."""

from __future__ import annotations

import json

import pytest

from council_vault.vault.obsidian_registry import look_at_registered
from council_vault.vault.survey import Survey
from support.places import as_nobody, make_vault

PLACES = (
    ".config",
    ".var/app/md.obsidian.Obsidian/config",
    "snap/obsidian/current/.config",
    "Library/Application Support",
)


def register(folder, content):
    file = folder / "obsidian" / "obsidian.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return file


def listed(*paths):
    return {"vaults": {f"{number:016x}": {"path": str(path), "ts": 1} for number, path in enumerate(paths)}}


def look(home, environment=None):
    survey = Survey("Notes")
    look_at_registered(survey, home, environment or {})
    return survey


@pytest.mark.parametrize("place", PLACES)
def test_the_list_is_found_in_every_place(tmp_path, place):
    vault = make_vault(tmp_path / "Notes")
    file = register(tmp_path / place, listed(vault))
    before = file.read_bytes(), file.stat().st_mtime_ns
    survey = look(tmp_path)
    assert survey.candidates == survey.of_wanted_name == (vault,)
    assert survey.findings[:1] == [f"{file}: it lists 1 vault."]
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "APPDATA"])
def test_the_environment_says_where_else_it_may_be(tmp_path, variable):
    vault = make_vault(tmp_path / "Notes")
    register(tmp_path / "elsewhere", listed(vault))
    assert look(tmp_path, {variable: str(tmp_path / "elsewhere")}).candidates == (vault,)
    assert look(tmp_path).candidates == ()


def test_only_vaults_with_the_marker_count(tmp_path):
    vault = make_vault(tmp_path / "Notes")
    bare = make_vault(tmp_path / "Bare", obsidian=True)
    register(tmp_path / ".config", listed(vault, bare, tmp_path / "gone"))
    survey = look(tmp_path)
    assert survey.candidates == (vault,)
    assert f"{bare}: no _System/MEMORY.md." in survey.findings
    assert f"{tmp_path / 'gone'}: there is no such folder." in survey.findings


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"12",
        b'{"vaults": []}',
        b'{"vaults": null}',
        b"[" * 100_000,
        b"null",
    ],
)
def test_a_list_that_cannot_be_understood_is_named_and_passed(tmp_path, content):
    vault = make_vault(tmp_path / "Notes")
    broken = register(tmp_path / ".config", content)
    register(tmp_path / PLACES[1], listed(vault))
    survey = look(tmp_path)
    assert survey.candidates == (vault,)
    assert f"{broken}: it cannot be understood." in survey.findings


def test_a_vault_that_two_lists_name_is_one_candidate(tmp_path):
    vault = make_vault(tmp_path / "Notes")
    (tmp_path / "link").symlink_to(vault)
    for place in PLACES:
        register(tmp_path / place, listed(vault, tmp_path / "link"))
    survey = look(tmp_path)
    assert survey.candidates == (vault,)
    assert survey.findings.count(f"{vault}: holds _System/MEMORY.md.") == 1
    assert not any("keeps no list" in finding for finding in survey.findings)


def test_odd_entries_are_passed(tmp_path, monkeypatch):
    make_vault(tmp_path / "relative" / "path")
    monkeypatch.chdir(tmp_path)
    vault = make_vault(tmp_path / "Notes")
    odd = listed("relative/path", "nul\0byte", "/lone \ud800 surrogate", vault)
    odd["vaults"].update({"a": None, "b": {}, "c": {"path": 3}, "d": "x"})
    register(tmp_path / ".config", b"\xef\xbb\xbf" + json.dumps(odd).encode())
    assert look(tmp_path).candidates == (vault,)


def test_a_list_that_may_not_be_read_is_named(tmp_path):
    with as_nobody() as home:
        file = register(home / ".config", listed("/nowhere"))
        file.chmod(0)
        assert f"{file}: it may not be read." in look(home).findings


def test_missing_lists_are_named_in_one_sentence(tmp_path):
    survey = look(tmp_path)
    assert len(survey.findings) == 1
    assert survey.findings[0].startswith(
        f"Obsidian keeps no list at {tmp_path}/.config/obsidian/obsidian.json, "
    )
