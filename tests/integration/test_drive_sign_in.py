"""Signing in as people do: the program in a process of its own, a browser, and a real server of tokens."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from council_vault.vault.drive_session import token_store
from support.drive_emulator import REVOKED, oauth_error
from support.drive_emulator.oauth import CLIENT_SECRET, SCOPE
from support.drive_sign_in import (
    INSECURE,
    access_to,
    asked_for,
    browser,
    consent,
    consent_elsewhere,
    mode,
    secrets_of,
    shown_address,
    sign_in_to,
    signed_in,
    write_json,
    write_settings,
)


@pytest.fixture
def access(program, emulator):
    return access_to(emulator, program.states)


@pytest.fixture
def client(program, emulator):
    """Return the file of an OAuth client; the settings lead to the emulator, which asks for a sign-in."""
    emulator.oauth.required = True
    write_settings(program, emulator)
    return write_json(program.base / "client.json", emulator.client_secrets())


@pytest.fixture
def login(program, client):
    """Return a function that starts ``drive login``."""
    started = []

    def start(*options, **environment):
        process = program.start(
            *("-v", "drive", "login", "--credentials", client, *options),
            environment=INSECURE | {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""} | environment,
            stdin=subprocess.PIPE,
            bufsize=0,  # what is read line by line and what is read at the end come from one place
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ended(process, typed: bytes | None = None) -> tuple[int, str, str]:
    out, err = process.communicate(typed, timeout=60)
    return process.returncode, out.decode(), err.decode()


def vault_on(emulator) -> str:
    folder = emulator.add_folder("MoxyWolf Vault")
    emulator.add_file("MEMORY.md", b"# Memory\n", emulator.add_folder("_System", folder))
    return folder


def test_in_a_browser_on_this_computer(login, emulator, access, program):
    process = login(BROWSER=browser(program.base, sys.executable))
    code, out, err = ended(process)
    assert (code, err) == (0, "")
    assert "Your browser opens this page" in out
    assert f"Signed in as ada@example.com. This is kept in {token_store(access).path}.\n" in out
    assert "`council-vault discover` shows whether the vault is found.\n" in out
    kept = token_store(access).read()
    assert (kept.account, kept.scopes, kept.token_uri) == ("ada@example.com", (SCOPE,), emulator.token_uri)
    assert kept.secrets.refresh_token in emulator.oauth.refresh
    assert mode(token_store(access).path) == 0o600
    assert [request.operation for request in emulator.requests if request.operation != "oauth.auth"] == [
        "oauth.token",
        "about.get",
    ]


def test_what_is_asked_for_is_what_the_readme_says(login, client):
    process = login("--no-browser")
    asked = asked_for(shown_address(process.stdout))
    assert asked["scope"] == SCOPE
    assert (asked["access_type"], asked["prompt"], asked["response_type"]) == ("offline", "consent", "code")
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["code_challenge"]) == 43
    assert len(asked["state"]) >= 20
    assert asked["redirect_uri"].startswith("http://127.0.0.1:")
    assert CLIENT_SECRET not in json.dumps(asked)


def test_on_a_computer_without_a_browser_the_address_is_pasted(login, access):
    process = login()
    url = shown_address(process.stdout)
    code, out, err = ended(process, f"{consent_elsewhere(url)}\n".encode())
    assert (code, err) == (0, "")
    assert "Paste that address here:" in out
    assert "Signed in as ada@example.com" in out
    assert token_store(access).is_signed_in


def test_the_code_alone_can_be_pasted(login, access):
    process = login("--no-browser")
    code = asked_for(consent_elsewhere(shown_address(process.stdout)))["code"]
    assert ended(process, f"{code}\n".encode())[0] == 0
    assert token_store(access).is_signed_in


def test_no_browser_is_opened_where_none_is_wanted(login, program):
    opened = program.base / "opened"
    process = login("--no-browser", BROWSER=f"touch {opened} %s")
    consent(shown_address(process.stdout))
    assert ended(process)[0] == 0
    assert not opened.exists()


def test_without_anybody_to_type_the_browser_still_can(program, client, access, emulator):
    process = program.start(
        *("drive", "login", "--no-browser", "--credentials", client), environment=INSECURE, bufsize=0
    )  # standard input is /dev/null
    assert "You are signed in." in consent(shown_address(process.stdout))
    assert ended(process)[0] == 0
    assert token_store(access).is_signed_in


def test_an_answer_with_another_mark_is_not_taken(login, access):
    process = login("--no-browser")
    url = shown_address(process.stdout)
    forged = consent_elsewhere(url).replace(asked_for(url)["state"], "forged")
    process.stdin.write(f"{forged}\n".encode())
    process.stdin.flush()
    for line in process.stdout:
        if b"That is not the address at which this sign-in ends" in line:
            break
    assert not token_store(access).is_signed_in
    consent(url)
    assert ended(process)[0] == 0


def test_whoever_does_not_consent_is_not_signed_in(login, emulator, access):
    emulator.oauth.consent = False
    process = login("--no-browser")
    assert "You are not signed in." in consent(shown_address(process.stdout))
    code, _, err = ended(process)
    assert code == 3
    assert err.startswith(
        "council-vault: Google Drive: you are not signed in: you have not allowed it. Sign in again"
    )
    assert not token_store(access).is_signed_in


def test_a_former_sign_in_stays_where_a_new_one_fails(login, emulator, access):
    former = signed_in(access, sign_in_to(emulator))
    emulator.oauth.consent = False
    process = login("--no-browser")
    consent(shown_address(process.stdout))
    assert ended(process)[0] == 3
    assert token_store(access).read() == former


def test_where_drive_does_not_answer_the_sign_in_is_kept(login, emulator, access):
    emulator.fail(lambda request: request.operation == "about.get", REVOKED, times=None)
    process = login("--no-browser")
    consent(shown_address(process.stdout))
    code, out, _ = ended(process)
    assert code == 0
    assert "You are signed in, but Drive does not answer" in out
    assert token_store(access).read().account == ""


def test_no_secret_and_no_code_is_told(login, emulator, program, access):
    told = ""
    for refuse in (False, True):
        if refuse:
            emulator.fail(lambda request: request.operation == "oauth.token", oauth_error("invalid_grant"))
        process = login("--no-browser", PYTHONASYNCIODEBUG="1")
        address = consent_elsewhere(shown_address(process.stdout))
        _, out, err = ended(process, f"{address}\n".encode())
        told += out + err
        assert asked_for(address)["code"] not in told
    assert not [secret for secret in secrets_of(emulator) if secret in told]


def test_signed_in_the_vault_is_found_and_written(login, emulator, program):
    folder = vault_on(emulator)
    program.write_memory()
    process = login("--no-browser")
    consent(shown_address(process.stdout))
    assert ended(process)[0] == 0
    ran = program.process("sync-vault")
    assert ran.code == 0, ran.err
    assert emulator.find("_Shared Knowledge/Agents and Plugins/council-deliberation-log.md", folder)
    written = len(emulator.writes)
    assert written
    assert program.process("sync-vault").code == 0
    assert len(emulator.writes) == written
    assert program.process("drive", "logout").code == 0
    ran = program.process("sync-vault")
    assert ran.code == 3
    assert "the vault used before is on Google Drive, which cannot be used now" in ran.err


def test_a_sign_in_that_has_ended_makes_no_command_ask(program, emulator, access):
    vault_on(emulator)
    emulator.oauth.required = True
    write_settings(program, emulator)
    program.write_memory()
    signed_in(access, sign_in_to(emulator, lasts=-1))
    emulator.oauth.revoke()
    opened = program.base / "opened"
    for words in (["sync-vault"], ["discover"], ["drive", "status"]):
        reading, writing = os.pipe()  # an input that never says anything: whoever read it would hang
        ran = program.process(*words, stdin=reading, environment={"BROWSER": f"touch {opened} %s"})
        os.close(reading)
        os.close(writing)
        assert ran.code == 3
        assert "Sign in again with `council-vault drive login`" in ran.err
        assert "Traceback" not in ran.err
    assert not opened.exists()
    assert program.parsed()["vault_sync_note"] == "vault_unavailable"


_LOADED = """
import sys
from council_vault.cli.main import main
try:
    main()
finally:
    heavy = {"google", "googleapiclient", "httplib2", "requests", "oauthlib", "keyring", "email"}
    print("LOADED", sorted(heavy & {name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [["sync-vault"], ["status"], ["discover"], ["rate", "great"]])
def test_a_run_that_does_not_use_drive_loads_none_of_it(program, words, emulator, access):
    program.make_vault()
    program.write_memory()
    signed_in(access, sign_in_to(emulator))
    assert program("sync-vault").code == 0
    ran = subprocess.run(
        [sys.executable, "-c", _LOADED, *words], capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.stderr.splitlines()[-1] == "LOADED []"
