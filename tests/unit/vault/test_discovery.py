"""Which folder is taken for the vault, and what is said on the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from council_vault.errors import VaultAmbiguous, VaultUnavailable
from council_vault.settings import DriveSettings
from council_vault.vault import search
from council_vault.vault.discovery import (
    DRIVE_API,
    DRIVE_MOUNTS,
    EXPLICIT,
    NONE,
    PINNED,
    REGISTRY,
    WORKSPACE,
    Discovery,
    Request,
    discover,
    require,
)
from council_vault.vault.drive_folder import DriveAccess
from support.places import as_nobody, dead_mount, make_vault, small_disk

NAME = "MoxyWolf Vault"


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home" / "ines"
    (folder / "work" / "council").mkdir(parents=True)
    return folder


@pytest.fixture
def workspace(home):
    return home / "work" / "council"


def look(workspace: Path, **changes) -> Discovery:
    home = changes.pop("home", None) or next(
        parent for parent in workspace.parents if parent.parent.name == "home"
    )
    request = {
        "workspace": workspace,
        "path": None,
        "name": NAME,
        "mounts": (),
        "pin": None,
        "adopt": False,
        "home": home,
        "environment": {},
        "drive": DriveAccess(DriveSettings(), home.parent.parent),
        "root": home.parent.parent,
    }
    return discover(Request(**(request | changes)))


def said(discovery: Discovery) -> str:
    return "\n".join(finding for step in discovery.steps for finding in step.findings)


# The workspace and its surroundings


@pytest.mark.parametrize("place", ["", "..", "../..", "Notes", "a/b/c/Notes", "../MoxyWolf Vault"])
def test_the_marker_is_found_at_and_around_the_workspace(workspace, place):
    vault = Path(os.path.normpath(workspace / place))
    make_vault(vault)
    found = look(workspace)
    assert (found.vault, found.pin) == (vault, str(vault))
    assert [step.number for step in found.steps] == [WORKSPACE]
    assert found.steps[0].candidates == (vault,)
    assert f"{vault}: holds _System/MEMORY.md." in found.steps[0].findings
    assert require(found) == vault


@pytest.mark.parametrize(
    "place", ["a/b/c/d/Notes", ".hidden/Notes", "../Other vault", "../../../../outside", "../../.."]
)
def test_what_is_too_far_hidden_or_beyond_home_is_not_found(workspace, home, place):
    make_vault(Path(os.path.normpath(workspace / place)))
    found = look(workspace, home=home)
    assert (found.vault, found.pin) == (None, None)
    assert [step.number for step in found.steps] == [WORKSPACE, REGISTRY, DRIVE_MOUNTS, DRIVE_API, NONE]
    with pytest.raises(VaultUnavailable, match=r"no vault was found.*--vault DIR"):
        require(found)


def test_nothing_that_only_resembles_the_marker_is_one(workspace):
    system = workspace / "Notes" / "_System"
    (system / "MEMORY.md").mkdir(parents=True)
    for name in ("MEMORY (conflicted copy 2026-03-28).md", "MEMORY.md.bak", "memory.md", "MEMORY (1).md"):
        (system / name).write_text("x")
    make_vault(workspace / "Obsidian only", obsidian=True)
    assert look(workspace).vault is None


def test_the_upward_search_stops_at_a_file_system_boundary(tmp_path):
    make_vault(tmp_path)
    with small_disk(tmp_path / "disk") as disk:
        workspace = disk / "council"
        workspace.mkdir()
        found = look(workspace, home=tmp_path / "nobody")
        assert found.vault is None
        assert f"{tmp_path}: not looked at, since it is on another file system than {disk}." in said(found)
        make_vault(disk)
        assert look(workspace, home=tmp_path / "nobody").vault == disk


def test_a_sibling_is_found_whatever_the_case_and_form_of_its_name(workspace):
    vault = make_vault(workspace.parent / "cafe\u0301 notes")
    assert look(workspace, name="CAF\u00c9 Notes").vault == vault
    assert look(workspace, name="Cafe Notes").vault is None


def test_of_several_the_one_of_the_configured_name_is_meant(workspace):
    make_vault(workspace / "Archive")
    vault = make_vault(workspace / "deep" / NAME.upper())
    found = look(workspace)
    assert found.vault == vault
    assert len(found.steps[0].candidates) == 2
    assert f"{vault} is meant, since it has the configured name 'MoxyWolf Vault'." in found.steps[0].findings


@pytest.mark.parametrize("names", [("One", "Two"), (f"a/{NAME}", f"b/{NAME}")])
def test_several_without_a_clear_name_stop_the_search_and_are_listed(workspace, home, names):
    vaults = [make_vault(workspace / name) for name in names]
    make_vault(home / "GoogleDrive" / NAME)
    found = look(workspace, pin=None)
    assert (found.vault, found.pin) == (None, None)
    assert [step.number for step in found.steps] == [WORKSPACE]
    with pytest.raises(VaultAmbiguous, match=r"--vault DIR") as caught:
        require(found)
    assert all(str(vault) in str(caught.value) for vault in vaults)
    assert "it is not clear which is meant" in said(found)


def test_an_earlier_step_decides_even_against_the_name(workspace, home):
    near = make_vault(workspace / "Near")
    make_vault(home / "GoogleDrive" / NAME)
    assert look(workspace).vault == near


def test_a_vault_is_not_searched_for_further_ones(workspace):
    outer = make_vault(workspace / "Outer")
    make_vault(outer / "Archive" / "Old")
    assert look(workspace).vault == outer


def test_other_git_repositories_are_not_entered(workspace):
    (workspace / ".git").mkdir()
    other = workspace / "code" / "other"
    make_vault(other / "fixtures" / "vault")
    (other / ".git").write_text("gitdir: elsewhere\n")
    found = look(workspace)
    assert found.vault is None
    assert f"Passed, another git repository: {other}." in said(found)
    own = make_vault(workspace / "Notes")
    (own / ".git").mkdir()
    assert look(workspace).vault == own


def test_a_link_into_another_git_repository_does_not_count(workspace, tmp_path):
    repository = tmp_path / "elsewhere"
    vault = make_vault(repository / "fixtures" / "vault")
    (repository / ".git").mkdir()
    (workspace / "vault").symlink_to(vault)
    found = look(workspace)
    assert found.vault is None
    assert f"lies in another git repository, {repository}" in said(found)


def test_a_workspace_inside_a_repository_sees_that_repository(workspace):
    (workspace.parent / ".git").mkdir()
    vault = make_vault(workspace / "Notes")
    assert look(workspace).vault == vault


def test_links_are_followed_once_and_circles_not_at_all(workspace, tmp_path):
    vault = make_vault(tmp_path / "real" / "v1")
    (workspace / "a").mkdir()
    (workspace / "a" / "back").symlink_to(workspace)
    (workspace / "a" / "up").symlink_to(tmp_path)
    (workspace / "a" / "self").symlink_to("self")
    (workspace / "a" / "gone").symlink_to(tmp_path / "nowhere")
    (workspace / NAME).symlink_to(vault)
    (workspace / "Second name").symlink_to(vault)
    found = look(workspace)
    assert (found.vault, found.pin) == (vault, str(vault))
    assert found.steps[0].candidates == (vault,)
    assert f"{workspace / NAME} (really {vault}): holds" in said(found)
    assert "lead in a circle" in said(found)


def test_a_link_above_the_workspace_is_not_a_way_out_of_it(workspace, home):
    make_vault(home / "elsewhere" / "Vault")
    (workspace / "up").symlink_to(home)
    found = look(workspace)
    assert found.vault is None
    assert f"Below {workspace}: looked at 0 folders, down to 4 levels." in said(found)


def test_a_folder_with_many_names_is_looked_at_once(workspace, tmp_path):
    (tmp_path / "elsewhere" / "inner").mkdir(parents=True)
    for number in range(5):
        (workspace / f"link {number}").symlink_to(tmp_path / "elsewhere")
    assert f"Below {workspace}: looked at 2 folders, down to 4 levels." in said(look(workspace))


def test_the_configured_name_may_be_that_of_a_link(workspace, tmp_path):
    vault = make_vault(tmp_path / "v1")
    (workspace / NAME).symlink_to(vault)
    make_vault(workspace / "Another")
    assert look(workspace).vault == vault


def test_a_workspace_behind_a_link_is_looked_at_from_both_sides(home, tmp_path):
    vault = make_vault(home / "Vault")
    real = tmp_path / "data" / "council"
    real.mkdir(parents=True)
    (vault / "council").symlink_to(real)
    assert look(vault / "council", home=home).vault == vault
    link = home / "council"
    inside = vault / "Projects"
    inside.mkdir()
    link.symlink_to(inside)
    assert look(link, home=home).vault == vault


def test_huge_trees_are_searched_in_part_and_that_is_said(workspace, monkeypatch):
    monkeypatch.setattr(search, "MAXIMUM_ENTRIES", 40)
    for number in range(60):
        (workspace / "node_modules" / f"package-{number}").mkdir(parents=True)
    found = look(workspace)
    assert (
        f"Below {workspace}: there are too many folders; the rest was not looked at."
        in found.steps[0].findings
    )


def test_the_number_of_folders_looked_at_is_bounded(workspace):
    for number in range(20):
        (workspace / f"{number:02}").mkdir()
    make_vault(workspace / "19" / "Vault")
    survey = search.Survey(NAME)
    search.search_below(survey, workspace, depth=4, maximum=20)
    assert survey.candidates == ()
    assert survey.findings == [
        f"Below {workspace}: looked at 20 folders, down to 4 levels.",
        f"Below {workspace}: there are too many folders; the rest was not looked at.",
    ]
    search.search_below(survey, workspace, depth=4, maximum=21)
    assert survey.candidates == (workspace / "19" / "Vault",)


def test_folders_that_may_not_be_read_are_named_and_passed():
    with as_nobody() as folder:
        workspace = folder / "workspace"
        for name in ("closed", "half"):
            (workspace / name).mkdir(parents=True)
        make_vault(workspace / "closed" / "Vault")
        vault = make_vault(workspace / "open" / "Vault")
        (workspace / "closed").chmod(0)
        (workspace / "half").chmod(0o100)
        try:
            found = look(workspace, home=folder)
        finally:
            (workspace / "closed").chmod(0o700)
            (workspace / "half").chmod(0o700)
        assert found.vault == vault
        assert f"Passed, it may not be read: {workspace / 'closed'}, {workspace / 'half'}." in said(found)


def test_a_workspace_that_may_not_be_read_is_said():
    with as_nobody() as folder:
        workspace = folder / "parent" / "workspace"
        workspace.mkdir(parents=True)
        workspace.parent.chmod(0)
        try:
            found = look(workspace, home=folder)
        finally:
            workspace.parent.chmod(0o700)
        assert found.vault is None
        assert f"{workspace}: it may not be read." in said(found)
        assert f"{workspace.parent}: it may not be read." in said(found)


def test_dead_mounts_are_named_and_passed(workspace, home):
    with dead_mount(workspace / "a mount"), dead_mount(home / "GoogleDrive"):
        found = look(workspace)
        assert found.vault is None
        lost = "it is a mount that has lost its connection"
        assert f"Passed, {lost}: {workspace / 'a mount'}." in said(found)
        assert f"{home / 'GoogleDrive'}: {lost}." in said(found)
        vault = make_vault(workspace / "z")
        assert look(workspace).vault == vault


def test_an_empty_mount_point_is_no_vault(tmp_path, workspace):
    with small_disk(workspace / "mounted") as disk:
        assert look(workspace).vault is None
        make_vault(disk)
        assert look(workspace).vault == disk
    assert look(workspace, pin=str(workspace / "mounted")).vault is None


def test_configured_mounts_count_themselves_and_one_level_down(workspace, home, tmp_path):
    vault = make_vault(tmp_path / "media" / "disk")
    assert look(workspace, mounts=(str(vault),)).vault == vault
    assert look(workspace, mounts=(str(tmp_path / "nowhere"), str(vault.parent))).vault == vault
    assert look(workspace, mounts=(str(tmp_path / "media" / ".."),)).vault is None
    assert look(workspace, mounts=("~/work/../more", "~")).vault is None
    own = make_vault(home / "more")
    assert look(workspace, mounts=("~/work/../more",)).vault == own


def test_a_workspace_that_does_not_exist_is_said(home):
    found = look(home / "nowhere" / "council", home=home)
    assert found.vault is None
    assert said(found).count(f"{home / 'nowhere' / 'council'}: there is no such folder.") == 1


# The named vault


def test_a_named_vault_counts_against_pin_and_search_and_becomes_the_pin(workspace, tmp_path):
    make_vault(workspace)
    other = make_vault(tmp_path / "pinned")
    named = make_vault(tmp_path / "named")
    found = look(workspace, path=str(named), pin=str(other))
    assert (found.vault, found.pin) == (named, str(named))
    assert [step.number for step in found.steps] == [EXPLICIT]


def test_of_a_named_vault_the_obsidian_folder_is_sign_enough(workspace, tmp_path):
    named = make_vault(tmp_path / "named", obsidian=True)
    found = look(workspace, path=str(named))
    assert found.vault == named
    assert look(workspace, pin=found.pin).vault == named


def test_a_named_vault_may_be_relative_to_home_or_a_link(workspace, home, tmp_path):
    vault = make_vault(home / "Vault")
    assert look(workspace, path="~/Vault").vault == vault
    (tmp_path / "link").symlink_to(vault)
    found = look(workspace, path=str(tmp_path / "link"))
    assert (found.vault, found.pin) == (vault, str(vault))
    assert f"(really {vault})" in said(found)


def test_a_named_vault_may_be_relative_to_the_current_folder(workspace, tmp_path, monkeypatch):
    vault = make_vault(tmp_path / "Vault")
    monkeypatch.chdir(tmp_path)
    assert look(workspace, path="x/../Vault").vault == vault


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "there is no such folder"),
        ("plain", "neither _System/MEMORY.md nor .obsidian is in it"),
        ("circle", "there is no such folder"),
        ("file/below", "there is no such folder"),
        ("nul\0byte", ""),
    ],
)
def test_a_named_vault_that_is_none_stops_the_search(workspace, tmp_path, name, reason):
    make_vault(workspace)
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    found = look(workspace, path=str(tmp_path / name), pin="/kept")
    assert (found.vault, found.pin) == (None, "/kept")
    with pytest.raises(VaultUnavailable, match=r"Mount it .*, or correct vault\.path or --vault") as caught:
        require(found)
    assert reason in str(caught.value)


def test_an_empty_setting_is_none(workspace):
    vault = make_vault(workspace)
    assert look(workspace, path="", pin="").vault == vault


# The pinned vault


def test_the_pinned_vault_is_taken_without_a_search(workspace, tmp_path):
    make_vault(workspace)
    pinned = make_vault(tmp_path / "pinned")
    found = look(workspace, pin=str(pinned))
    assert (found.vault, found.pin) == (pinned, str(pinned))
    assert [step.number for step in found.steps] == [PINNED]


@pytest.mark.parametrize("state", ["missing", "empty", "dead"])
def test_while_the_pinned_vault_is_absent_no_other_takes_its_place(workspace, tmp_path, state):
    make_vault(workspace)
    pinned = tmp_path / "pinned"
    if state == "empty":
        pinned.mkdir()
    found = look(workspace, pin=str(pinned))
    if state == "dead":
        with dead_mount(pinned):
            found = look(workspace, pin=str(pinned))
        assert "lost its connection" in said(found)
    assert (found.vault, found.pin) == (None, str(pinned))
    with pytest.raises(
        VaultUnavailable, match=f"{pinned}: the vault used before is not there.*--adopt-vault"
    ):
        require(found)


def test_adopting_searches_anew_and_moves_the_pin_only_when_something_is_found(workspace, tmp_path):
    pinned = str(tmp_path / "pinned")
    assert look(workspace, pin=pinned, adopt=True).pin == pinned
    vault = make_vault(workspace)
    found = look(workspace, pin=pinned, adopt=True)
    assert (found.vault, found.pin) == (vault, str(vault))


def test_a_pinned_vault_that_was_moved_is_found_through_a_link(workspace, tmp_path):
    vault = make_vault(tmp_path / "new place")
    (tmp_path / "old place").symlink_to(vault)
    found = look(workspace, pin=str(tmp_path / "old place"))
    assert (found.vault, found.pin) == (vault, str(vault))
