"""The vault on Drive: when it is looked for, which folder is taken, and what is said where it cannot be."""

from __future__ import annotations

import threading

import msgspec
import pytest

from council_vault.errors import SettingsError, VaultAmbiguous, VaultUnavailable
from council_vault.settings import DriveSettings
from council_vault.vault import drive_search
from council_vault.vault.discovery import (
    DRIVE_API,
    DRIVE_MOUNTS,
    NONE,
    PINNED,
    REGISTRY,
    WORKSPACE,
    Request,
    discover,
    require,
)
from council_vault.vault.drive_folder import DriveAccess, DriveFolder, pinned_folder
from council_vault.vault.drive_patience import Patience
from council_vault.vault.drive_session import client, token_store
from support.drive_emulator import HTML_PAGE, REVOKED, status
from support.drive_sign_in import access_to, secrets_of, sign_in_to, signed_in, write_json
from support.places import make_vault

NAME = "MoxyWolf Vault"


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "home" / "ines" / "council"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def access(emulator, tmp_path):
    return access_to(emulator, tmp_path / "states")


@pytest.fixture
def look(workspace, access, tmp_path):
    def search(**changes):
        settings = {key: changes.pop(key) for key in DriveSettings.__struct_fields__ if key in changes}
        request = {
            "workspace": workspace,
            "path": None,
            "name": NAME,
            "mounts": (),
            "pin": None,
            "adopt": False,
            "home": workspace.parent,
            "environment": {},
            "drive": msgspec.structs.replace(
                access, settings=msgspec.structs.replace(access.settings, **settings)
            ),
            "root": tmp_path,
        }
        return discover(Request(**(request | changes)))

    return search


def vault_on(emulator, name=NAME, parent="root") -> str:
    folder = emulator.add_folder(name, parent)
    emulator.add_file("MEMORY.md", b"# Memory\n", emulator.add_folder("_System", folder))
    return folder


def said(found) -> str:
    return "\n".join(finding for step in found.steps for finding in step.findings)


# Which folder


def test_a_folder_of_the_name_that_holds_the_marker_is_the_vault(look, emulator):
    folder = vault_on(emulator)
    found = look()
    assert found.vault == require(found) == DriveFolder(NAME, folder)
    assert found.pin == f"drive:{folder}"
    assert [step.number for step in found.steps] == [WORKSPACE, REGISTRY, DRIVE_MOUNTS, DRIVE_API]
    assert said(found).endswith(f"{NAME} on Google Drive ({folder}): holds _System/MEMORY.md.")
    assert pinned_folder(found.pin) == folder


def test_a_folder_of_this_computer_is_always_taken_first(look, emulator, workspace):
    vault_on(emulator)
    vault = make_vault(workspace / "Notes")
    assert look().vault == vault
    assert look(path=str(vault)).vault == vault
    assert look(pin=str(vault)).vault == vault
    assert emulator.requests == []


def test_several_on_this_computer_are_not_decided_by_drive(look, emulator, workspace):
    vault_on(emulator)
    make_vault(workspace / "One")
    make_vault(workspace / "Two")
    with pytest.raises(VaultAmbiguous):
        require(look())
    assert emulator.requests == []


def test_what_only_resembles_it_is_not_taken(look, emulator):
    plain = emulator.add_folder(NAME)
    other = vault_on(emulator, f"{NAME} 2")
    gone = vault_on(emulator)
    emulator.trash(gone)
    under_gone = emulator.add_folder("Old")
    vault_on(emulator, parent=under_gone)
    emulator.trash(under_gone)
    unmarked = vault_on(emulator)
    emulator.trash(emulator.find("_System/MEMORY.md", unmarked))
    emulator.add_file(NAME, b"a file")
    found = look()
    assert (found.vault, found.pin) == (None, None)
    assert [step.number for step in found.steps][-2:] == [DRIVE_API, NONE]
    assert found.steps[-2].candidates == ()
    assert f"({plain}): no _System/MEMORY.md." in said(found)
    assert f"({unmarked}): no _System/MEMORY.md." in said(found)
    assert other not in said(found)
    assert gone not in said(found)
    with pytest.raises(VaultUnavailable, match=r"no vault was found: no folder that was looked at"):
        require(found)


def test_where_nothing_has_the_name_that_is_said(look):
    assert "No folder and no shared drive is called 'MoxyWolf Vault'." in said(look())


def test_one_in_a_folder_is_found_and_one_on_a_shared_drive(look, emulator):
    folder = vault_on(emulator, parent=emulator.add_folder("Notes"))
    assert look().vault.id == folder
    emulator.trash(folder)
    shared = vault_on(emulator, parent=emulator.add_shared_drive("Team"))
    assert look().vault.id == shared


def test_a_shared_drive_of_the_name_is_the_vault_itself(look, emulator):
    emulator.add_shared_drive("Another")
    drive = emulator.add_shared_drive(NAME)
    assert "no _System/MEMORY.md" in said(look())
    emulator.add_file("MEMORY.md", b"# Memory\n", emulator.add_folder("_System", drive))
    assert look().vault == DriveFolder(NAME, drive)


def test_the_form_of_its_name_does_not_matter(look, emulator):
    folder = vault_on(emulator, "cafe\u0301 notes")
    assert look(name="Caf\u00e9 Notes").vault.id == folder


def test_a_shortcut_leads_to_it(look, emulator):
    folder = vault_on(emulator, "Elsewhere")
    emulator.add_shortcut(NAME, folder)
    assert look().vault == DriveFolder("Elsewhere", folder)


def test_a_shortcut_and_its_folder_are_one_vault(look, emulator):
    folder = vault_on(emulator)
    emulator.add_shortcut(NAME, folder, emulator.add_folder("Links"))
    assert look().vault.id == folder


def test_a_dead_shortcut_is_named(look, emulator):
    folder = vault_on(emulator, "Elsewhere")
    shortcut = emulator.add_shortcut(NAME, folder)
    emulator.trash(folder)
    found = look()
    assert found.vault is None
    assert f"({shortcut}): a shortcut to what is gone or in the trash." in said(found)
    emulator.delete(folder)
    assert f"({shortcut}): a shortcut to what is gone or in the trash." in said(look())


@pytest.mark.parametrize("name", ["Ben's Vault", "What's \\ next", "x' or name contains '", "Caf\u00e9 — 🐺"])
def test_whatever_it_is_called_it_is_found_by_that_name_alone(look, emulator, name):
    vault_on(emulator, "Another")
    assert look(name=name).vault is None
    folder = vault_on(emulator, name)
    assert look(name=name).vault == DriveFolder(name, folder)


def test_of_several_none_is_taken_and_all_are_listed(look, emulator):
    folders = sorted([vault_on(emulator), vault_on(emulator)])
    found = look()
    assert (found.vault, found.pin) == (None, None)
    assert [candidate.id for candidate in found.steps[-1].candidates] == folders
    with pytest.raises(VaultAmbiguous, match=r"Set drive\.folder_id to the one that is meant") as caught:
        require(found)
    assert all(folder in str(caught.value) for folder in folders)
    assert "2 vaults were found: it is not clear which is meant." in said(found)


def test_of_several_the_one_that_is_set_is_taken(look, emulator):
    vault_on(emulator)
    second = vault_on(emulator)
    assert look(folder_id=second).vault == DriveFolder(NAME, second)


def test_the_folder_that_is_set_need_not_have_the_name(look, emulator):
    folder = vault_on(emulator, "Notes")
    vault_on(emulator)
    found = look(folder_id=folder)
    assert found.vault == DriveFolder("Notes", folder)
    assert "the folder that drive.folder_id names" in said(found)
    shortcut = emulator.add_shortcut("Link", folder)
    assert look(folder_id=shortcut).vault == DriveFolder("Notes", folder)


def test_the_folder_that_is_set_must_be_there_and_be_a_vault(look, emulator):
    vault_on(emulator)
    plain, file = emulator.add_folder("Plain"), emulator.add_file("a.md", b"")
    trashed = vault_on(emulator, "Old")
    emulator.trash(trashed)
    for folder_id, words in [
        ("no-such-id", "it is gone, or not shared with this account"),
        (plain, "no _System/MEMORY.md"),
        (file, "it is not a folder"),
        (trashed, "it is in the trash"),
    ]:
        found = look(folder_id=folder_id)
        assert found.vault is None
        assert words in said(found)


def test_very_many_of_one_name_are_not_all_looked_into(look, emulator):
    for _ in range(22):
        emulator.add_folder(NAME)
    found = look()
    assert "22 folders are called 'MoxyWolf Vault'; 20 of them were looked at." in said(found)
    assert said(found).count("no _System/MEMORY.md") == 20 + said(look(enabled=False)).count("no _System")


def test_a_folder_that_may_not_be_looked_into_does_not_hide_others(look, emulator):
    closed, folder = vault_on(emulator), vault_on(emulator)
    emulator.fail(
        lambda request: closed in request.query.get("q", ""),
        status(403, "insufficientFilePermissions"),
        times=None,
    )
    found = look()
    assert found.vault.id == folder
    assert f"({closed}): it may not be changed by this account." in said(found)


# The pinned one


def test_the_pinned_one_is_asked_for_and_nothing_else(look, emulator, workspace):
    make_vault(workspace / "Notes")
    vault_on(emulator)
    pinned = vault_on(emulator, "Renamed since")
    found = look(pin=f"drive:{pinned}")
    assert (found.vault, found.pin) == (DriveFolder("Renamed since", pinned), f"drive:{pinned}")
    assert [step.number for step in found.steps] == [PINNED]
    assert [(request.operation, request.file) for request in emulator.requests] == [("files.get", pinned)]


def test_a_pin_holds_against_the_setting(look, emulator):
    pinned, other = vault_on(emulator), vault_on(emulator)
    assert look(pin=f"drive:{pinned}", folder_id=other).vault.id == pinned
    assert look(pin=f"drive:{pinned}", folder_id=other, adopt=True).vault.id == other


@pytest.mark.parametrize("what", ["trash", "delete"])
def test_while_the_pinned_one_is_gone_no_other_takes_its_place(look, emulator, workspace, what):
    make_vault(workspace / "Notes")
    vault_on(emulator)
    pinned = vault_on(emulator)
    getattr(emulator, what)(pinned)
    found = look(pin=f"drive:{pinned}")
    assert (found.vault, found.pin) == (None, f"drive:{pinned}")
    with pytest.raises(
        VaultUnavailable, match=f"drive:{pinned}: the vault used before is not there.*--adopt-vault"
    ):
        require(found)


def test_adopting_takes_a_folder_of_this_computer_first(look, emulator, workspace):
    pinned = vault_on(emulator)
    vault = make_vault(workspace / "Notes")
    found = look(pin=f"drive:{pinned}", adopt=True)
    assert (found.vault, found.pin) == (vault, str(vault))


def test_a_pinned_one_that_cannot_be_asked_for_is_kept_and_the_remedy_named(look, emulator, workspace):
    make_vault(workspace / "Notes")
    pinned = f"drive:{vault_on(emulator)}"
    found = look(pin=pinned, enabled=False)
    assert (found.vault, found.pin) == (None, pinned)
    with pytest.raises(
        VaultUnavailable, match=r"used before is on Google Drive, .* turned off by drive\.enabled"
    ) as caught:
        require(found)
    assert "config set drive.enabled true" in str(caught.value)
    assert emulator.requests == []


# Whether it is looked for


def test_where_nobody_is_signed_in_google_is_not_asked(look):
    found = look(endpoint=None)
    assert "Not looked at: nobody is signed in. `council-vault drive login` does it." in said(found)
    with pytest.raises(VaultUnavailable, match="no vault was found: no folder that was looked at holds"):
        require(found)


def test_where_it_is_wanted_but_nobody_is_signed_in_the_remedy_is_the_command(look):
    for settings in ({"enabled": True}, {"folder_id": "x"}):
        found = look(endpoint=None, **settings)
        with pytest.raises(VaultUnavailable, match="nobody is signed in") as caught:
            require(found)
        assert "`council-vault drive login`" in str(caught.value)
        assert str(caught.value).count("Google Drive") == 1


def test_turned_off_it_is_not_looked_at(look, emulator, access):
    vault_on(emulator)
    signed_in(access, sign_in_to(emulator))
    found = look(enabled=False)
    assert found.vault is None
    assert "Not looked at: drive.enabled is false." in said(found)
    assert emulator.requests == []


def test_a_sign_in_is_used(look, emulator, access):
    folder = vault_on(emulator)
    emulator.oauth.required = True
    signed_in(access, sign_in_to(emulator, lasts=-1))
    assert look().vault.id == folder


def test_a_service_account_is_used_before_a_sign_in(look, emulator, access, tmp_path):
    folder = vault_on(emulator)
    emulator.oauth.required = True
    signed_in(access, msgspec.structs.replace(sign_in_to(emulator), token_uri="http://127.0.0.1:9/token"))
    emulator.oauth.expire()
    key = write_json(tmp_path / "key.json", emulator.service_account())
    assert look(credentials=str(key)).vault.id == folder


def test_the_secrets_of_a_client_alone_are_no_sign_in(look, emulator, tmp_path):
    path = write_json(tmp_path / "client.json", emulator.client_secrets())
    assert "nobody is signed in" in said(look(endpoint=None, credentials=str(path)))


def test_wrong_credentials_are_named(look, tmp_path):
    path = write_json(tmp_path / "client.json", {})
    found = look(endpoint=None, credentials=str(path))
    assert "these credentials for Google Drive cannot be used" in said(found)
    with pytest.raises(
        VaultUnavailable, match=r"client\.json: no vault was found .* cannot be used"
    ) as caught:
        require(found)
    assert "“Desktop app”" in str(caught.value)


def test_an_endpoint_elsewhere_gets_nothing(look, emulator, access):
    signed_in(access, sign_in_to(emulator))
    with pytest.raises(VaultUnavailable, match="not on this computer"):
        require(look(endpoint="http://drive.example.com"))


# What can go wrong


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (REVOKED, "the sign-in is no longer valid. Sign in again with `council-vault drive login`"),
        (status(403, "accessNotConfigured"), "Enable it in the Google Cloud console"),
        (HTML_PAGE, "the answer is not from Drive"),
        (status(400, "invalid"), "Drive refuses it (400 invalid)"),
    ],
    ids=["revoked", "no API", "HTML", "a mistake of ours"],
)
def test_what_drive_refuses_is_said_and_the_vault_unavailable(look, emulator, fault, words):
    vault_on(emulator)
    emulator.fail(None, fault, times=None)
    found = look()
    assert found.vault is None
    assert words in said(found)
    with pytest.raises(
        VaultUnavailable, match="no vault was found on this computer; it may be on Google Drive"
    ) as caught:
        require(found)
    assert words in str(caught.value)


def test_a_server_that_is_not_there_is_said(look, emulator, monkeypatch):
    monkeypatch.setattr(drive_search, "PATIENCE", Patience(total=0.0))
    found = look(endpoint="http://127.0.0.1:9", pin="drive:x")
    assert "cannot be reached now" in said(found)
    assert found.pin == "drive:x"


def test_a_revoked_sign_in_is_said_without_a_secret(look, emulator, access):
    emulator.oauth.required = True
    signed_in(access, sign_in_to(emulator, lasts=-1))
    known = secrets_of(emulator)
    emulator.oauth.revoke()
    found = look()
    assert "has expired or was taken back. Sign in again with `council-vault drive login`" in said(found)
    with pytest.raises(VaultUnavailable) as caught:
        require(found)
    assert not [secret for secret in known if secret in f"{said(found)} {caught.value}"]


# The client


def test_a_thread_has_one_client_as_long_as_the_same_person_is_signed_in(access, emulator):
    first = client(access)
    assert client(access) is first
    signed_in(access, sign_in_to(emulator))
    second = client(access)
    assert second is not first
    assert client(access) is second
    with token_store(access).locked():
        token_store(access).save(msgspec.structs.replace(token_store(access).read(), account="known now"))
    assert client(access) is second  # what is renewed is the same sign-in
    assert client(access, drive_search.PATIENCE) is client(access, drive_search.PATIENCE) is not second
    others = []
    thread = threading.Thread(target=lambda: others.append(client(access)))
    thread.start()
    thread.join()
    assert others[0] is not second


def test_a_damaged_key_is_no_client(access, emulator, tmp_path):
    key = write_json(tmp_path / "key.json", emulator.service_account() | {"private_key": "junk"})
    broken = DriveAccess(msgspec.structs.replace(access.settings, credentials=str(key)), access.states)
    with pytest.raises(SettingsError, match="the key of the service account is damaged"):
        client(broken)
