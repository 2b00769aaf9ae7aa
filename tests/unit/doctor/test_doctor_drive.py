"""What ``doctor`` says of Google Drive, which is here an emulated one."""

from __future__ import annotations

import pytest

from council_vault.doctor.drive import drive_sign_in
from council_vault.doctor.finding import Finding
from council_vault.settings import DriveSettings, Settings
from council_vault.workspace import Workspace
from support.drive_sign_in import sign_in_to, signed_in


def workspace(base, **drive):
    return Workspace(Settings(drive=DriveSettings(**drive)), base / "states", base, {"PATH": ""})


def found(given, *, needed=False):
    return list(drive_sign_in(given, needed=needed))


def test_who_does_not_use_drive_hears_nothing_of_it(tmp_path):
    assert found(workspace(tmp_path)) == []
    assert found(workspace(tmp_path, enabled=False)) == []


@pytest.mark.parametrize(("needed", "level"), [(True, "problem"), (False, "note")])
def test_nobody_is_signed_in(tmp_path, needed, level):
    (one,) = found(workspace(tmp_path, enabled=True), needed=needed)
    assert one.level == level
    assert one.where == "Google Drive"
    assert one.what.startswith("nobody is signed in. ")
    assert "council-vault drive login" in one.what


def test_a_vault_on_a_drive_that_is_turned_off_is_a_problem(tmp_path):
    (one,) = found(workspace(tmp_path, enabled=False), needed=True)
    assert one.level == "problem"
    assert "turned off by drive.enabled" in one.what


def test_somebody_is_signed_in(tmp_path, emulator):
    given = workspace(tmp_path, endpoint=emulator.endpoint)
    signed_in(given.drive, sign_in_to(emulator))
    assert found(given) == [Finding("note", "Google Drive", "ada@example.com is signed in")]


def test_an_emulator_asks_nobody(tmp_path, emulator):
    given = workspace(tmp_path, endpoint=emulator.endpoint)
    assert found(given) == [
        Finding("note", "Google Drive", "nobody is signed in, and nobody is asked who they are")
    ]


def test_credentials_that_cannot_be_used_are_named(tmp_path):
    (tmp_path / "key.json").write_text("no key")
    (one,) = found(workspace(tmp_path, credentials=str(tmp_path / "key.json")))
    assert one.level == "problem"
    assert str(tmp_path / "key.json") in str(one)


@pytest.mark.parametrize(("needed", "level"), [(True, "problem"), (False, "note")])
def test_a_storage_that_is_full_is_said(tmp_path, emulator, monkeypatch, needed, level):
    given = workspace(tmp_path, endpoint=emulator.endpoint)
    signed_in(given.drive, sign_in_to(emulator))
    monkeypatch.setattr("support.drive_emulator.feeds_api.QUOTA", 1000)
    (one,) = found(given, needed=needed)
    assert (one.level, one.where) == (level, "Google Drive")
    assert one.what == "the storage of ada@example.com is full. Make room there, or no note can be written"
