"""``drive``: who is signed in, and out; what is shown of it."""

from __future__ import annotations

import json
import logging

import msgspec
import pytest

from council_vault.notes.figures import size
from council_vault.operations.drive import DriveStatus
from council_vault.settings import DriveSettings
from council_vault.vault.drive_account import Quota
from council_vault.vault.drive_folder import DriveAccess
from council_vault.vault.drive_session import token_store
from support.drive_emulator import REVOKED
from support.drive_emulator.oauth import SCOPE, SERVICE_ACCOUNT
from support.drive_sign_in import access_to, secrets_of, sign_in_to, signed_in, write_json, write_settings
from support.program import LOG
from support.readme_help import README


@pytest.fixture
def access(program, emulator):
    return access_to(emulator, program.states)


@pytest.fixture
def person(program, emulator, access):
    """Return somebody who is signed in."""
    emulator.oauth.required = True
    write_settings(program, emulator)
    return signed_in(access, sign_in_to(emulator))


def vault_on(emulator) -> str:
    folder = emulator.add_folder("MoxyWolf Vault")
    emulator.add_file("MEMORY.md", b"# Memory\n", emulator.add_folder("_System", folder))
    return folder


# Status


def test_nobody_is_signed_in_and_the_command_is_named(program):
    ran = program("drive", "status")
    assert ran.code == 3
    assert ran.out.startswith("Signed in:  no\nVault:      none on Drive yet; 'MoxyWolf Vault' is looked for")
    assert ran.err == (
        "council-vault: Google Drive: nobody is signed in. Sign in with `council-vault drive login`\n"
    )


def test_who_is_signed_in_is_shown(program, emulator, person):
    emulator.add_file("big.bin", bytes(5 * 1024 * 1024))
    ran = program("drive", "status")
    assert (ran.code, ran.err) == (0, "")
    lines = dict(line.split(":", 1) for line in ran.out.splitlines())
    assert lines["Signed in"].strip() == "Ada Example (ada@example.com)"
    assert lines["Allowed"].strip() == SCOPE
    assert lines["Since"].strip() == f"{person.signed_in_at.astimezone():%Y-%m-%d %H:%M}"
    assert lines["Renewed at"].strip() == f"{person.secrets.expiry.astimezone():%Y-%m-%d %H:%M}, by itself"
    assert lines["Kept in"].strip() == str(program.states / "drive" / "token.json")
    assert lines["Storage"].strip() == "5.0 MiB of 15.0 GiB in use"


def test_a_token_that_has_ended_is_renewed_and_its_new_end_shown(program, emulator, access, person):
    signed_in(access, sign_in_to(emulator, lasts=-60))
    found = program("drive", "status", "--json").json
    kept = token_store(access).read()
    assert found["expiry"] == msgspec.to_builtins(kept.secrets.expiry)
    assert kept.secrets.access_token in emulator.oauth.access


def test_json_has_the_keys_that_the_readme_shows(program, emulator, person):
    found = program("drive", "status", "--json").json
    shown = README.read_text("utf-8").partition('{"enabled": null, "identity"')
    example = json.loads(f"{shown[1]}{shown[2].partition('```')[0]}")
    assert list(found) == list(example) == list(DriveStatus.__struct_fields__)
    assert (found["identity"], found["account"], found["trouble"]) == ("person", "ada@example.com", None)


def test_the_folder_that_is_the_vault_is_shown(program, emulator, person):
    folder = vault_on(emulator)
    program("init", "--yes")
    program("sync-vault")
    assert f"Vault:      folder {folder}\n" in program("drive", "status").out
    assert program("drive", "status", "--json").json["vault"] == folder


def test_the_folder_that_is_set_is_shown(program, emulator):
    write_settings(program, emulator, folder_id="abc")
    assert "Vault:      folder abc, as drive.folder_id says; not used yet\n" in program("drive", "status").out


def test_an_emulator_asks_for_no_sign_in(program, emulator):
    write_settings(program, emulator)
    ran = program("drive", "status")
    assert ran.code == 0
    assert f"Signed in:  nobody; {emulator.endpoint} asks for no sign-in\n" in ran.out


def test_a_service_account_is_shown(program, emulator):
    emulator.oauth.required = True
    key = write_json(program.base / "key.json", emulator.service_account())
    write_settings(program, emulator, credentials=str(key))
    ran = program("drive", "status")
    assert ran.code == 0
    assert f"Signed in:  {SERVICE_ACCOUNT}, a service account\nKey:        {key}\n" in ran.out


def test_what_is_known_is_shown_where_google_refuses(program, emulator, person):
    emulator.oauth.revoke()
    ran = program("drive", "status")
    assert ran.code == 3
    assert "Signed in:  ada@example.com\n" in ran.out
    assert "taken back. Sign in again with `council-vault drive login`" in ran.err
    ran = program("drive", "status", "--json")
    assert ran.code == 3
    assert ran.json["identity"] == "person"
    assert "taken back" in ran.json["trouble"]


def test_turned_off_it_says_how_to_turn_it_on(program, emulator):
    write_settings(program, emulator, enabled="false")
    ran = program("drive", "status")
    assert ran.code == 3
    assert "`council-vault config set drive.enabled true` turns it on" in ran.err
    assert emulator.requests == []


def test_wrong_credentials_are_named(program, emulator):
    write_settings(program, emulator, credentials=str(program.base / "none.json"))
    ran = program("drive", "status")
    assert ran.code == 3
    assert "none.json: these credentials for Google Drive cannot be used: it cannot be read" in ran.err


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1.0 KiB"),
        (1536 * 1024, "1.5 MiB"),
        (5 << 50, "5120.0 TiB"),
    ],
)
def test_sizes_are_in_words(count, shown):
    assert size(count) == shown


def test_without_a_limit_only_what_is_used_is_shown():
    assert Quota() == Quota(usage="0", limit=None)


# In


def test_without_a_client_it_says_how_to_get_one(program):
    ran = program("drive", "login")
    assert ran.code == 2
    assert "there is no OAuth client to sign in with. Make one in the Google Cloud console" in ran.err


def test_a_service_account_needs_no_sign_in(program, emulator):
    key = write_json(program.base / "key.json", emulator.service_account())
    ran = program("drive", "login", "--credentials", key)
    assert ran.code == 2
    assert "needs no sign-in. Share the vault's folder with it" in ran.err
    assert f"config set drive.credentials {key}" in ran.err
    assert emulator.requests == []


# Out


def test_signing_out_tells_google_and_deletes_what_is_kept(program, emulator, access, person):
    ran = program("drive", "logout")
    assert (ran.code, ran.out, ran.err) == (0, "Signed out ada@example.com.\n", "")
    assert not token_store(access).is_signed_in
    assert person.secrets.refresh_token not in emulator.oauth.refresh
    assert emulator.requests[-1].operation == "oauth.revoke"
    assert program("drive", "logout").out == "Nobody was signed in.\n"


def test_where_google_cannot_be_told_it_is_deleted_nevertheless(program, emulator, access, person):
    emulator.fail(None, REVOKED, times=None)
    ran = program("drive", "logout")
    assert ran.code == 0
    assert "You can remove the permission at https://myaccount.google.com/permissions" in ran.err
    assert not token_store(access).is_signed_in


def test_a_damaged_sign_in_can_be_signed_out_of(program, emulator, access, person):
    token_store(access).path.write_text("{}")
    ran = program("drive", "logout")
    assert (ran.code, ran.out) == (0, "Signed out.\n")
    assert not token_store(access).is_signed_in


def test_a_strange_address_of_the_server_is_no_error(program, emulator, access, person):
    signed_in(access, msgspec.structs.replace(person, token_uri="nonsense"))
    assert program("drive", "logout").code == 0
    assert not token_store(access).is_signed_in


# Everywhere


def test_no_command_tells_a_secret(program, emulator, access, person, caplog):
    caplog.set_level(logging.DEBUG)
    vault_on(emulator)
    program("init", "--yes")
    known = secrets_of(emulator)
    told = []
    for words in (
        ["drive", "status"],
        ["drive", "status", "--json"],
        ["discover"],
        ["discover", "--json"],
        ["sync-vault", "-v"],
        ["status", "--json"],
        ["doctor"],
        ["config", "show"],
        ["drive", "logout"],
    ):
        ran = program(*words)
        told += [ran.out, ran.err]
    told.append(caplog.text)
    known |= secrets_of(emulator)
    assert not [secret for secret in known if secret in "".join(told)]
    everywhere = [*emulator.tree().values(), program.memory.read_bytes()]
    assert not [secret for secret in known for text in everywhere if secret.encode() in (text or b"")]


def test_a_run_that_does_not_use_drive_asks_nobody(program, emulator, access):
    program.make_vault()
    program.write_memory()
    signed_in(access, sign_in_to(emulator))
    write_settings(program, emulator)
    for words in (["sync-vault"], ["sync-vault"], ["status"], ["discover"], ["config", "show"]):
        assert program(*words).code == 0
    assert (program.vault / LOG).exists()
    assert emulator.requests == []


def test_init_on_a_terminal_remembers_the_folder_on_drive(program, emulator, person, monkeypatch):
    folder = vault_on(emulator)
    monkeypatch.setattr("sys.stdin", _Terminal(["", "y"]))
    ran = program("init")
    assert ran.code == 0, ran.err
    assert f"drive.folder_id = {folder}" in ran.out
    assert f'folder_id = "{folder}"' in program.config.read_text()
    assert "vault.path" not in program.config.read_text()


class _Terminal:
    """A person who types lines."""

    def __init__(self, lines):
        self._lines = iter(lines)

    def isatty(self):
        return True

    def readline(self, *_):
        return f"{next(self._lines)}\n"


def test_settings_are_described_and_a_path_is_that_of_the_file(program):
    program.config.parent.mkdir(parents=True)
    program.config.write_text('[drive]\ncredentials = "client.json"\n')
    assert program("config", "get", "drive.credentials").out.strip() == str(
        program.config.parent / "client.json"
    )
    assert program("config", "set", "drive.enabled", "false").code == 0
    assert "enabled = false" in program.config.read_text()
    ran = program("config", "set", "drive.enabled", "perhaps")
    assert (ran.code, "expected true or false" in ran.err) == (2, True)


def test_what_leads_to_drive_is_only_a_place(tmp_path):
    access = DriveAccess(DriveSettings(), tmp_path)
    assert token_store(access).path == tmp_path / "drive" / "token.json"
    assert not (tmp_path / "drive").exists()
