"""What signs requests: read from files, renewed by a real server of tokens, plain about what is refused."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime, timedelta

import httplib2
import msgspec
import pytest
from google.auth.exceptions import RefreshError, TransportError
from google_auth_httplib2 import AuthorizedHttp

from council_vault.errors import SettingsError, VaultUnavailable
from council_vault.files.locks import Lock
from council_vault.vault import drive_auth
from council_vault.vault.drive_auth import of_person, of_service_account
from council_vault.vault.drive_credentials import OAuthClient, ServiceAccount, read_credentials
from council_vault.vault.drive_renewal import account_refused, person_refused
from council_vault.vault.drive_session import token_store
from support.drive_emulator import DROPPED, EMPTY_BODY, HTML_PAGE, oauth_error, status
from support.drive_emulator.oauth import CLIENT_ID, CLIENT_SECRET, SERVICE_ACCOUNT
from support.drive_sign_in import access_to, secrets_of, sign_in_to, signed_in, write_json

# The file of credentials


def test_a_file_is_told_by_its_content(emulator, tmp_path):
    client = read_credentials(write_json(tmp_path / "a.json", emulator.client_secrets()))
    assert client == OAuthClient(CLIENT_ID, CLIENT_SECRET, emulator.auth_uri, emulator.token_uri)
    account = read_credentials(write_json(tmp_path / "b.json", emulator.service_account()))
    assert isinstance(account, ServiceAccount)
    assert (account.email, account.path) == (SERVICE_ACCOUNT, tmp_path / "b.json")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "neither the secrets of an OAuth client nor the key of a service account"),
        ("{}", "neither"),
        ('{"type": "authorized_user", "refresh_token": "sentinel"}', "neither"),
        ('{"type": "service_account", "private_key": "sentinel"}', "neither"),
        ('{"installed": {"client_id": "id", "client_secret": "sentinel"}}', "something is missing"),
        ('{"installed": {"client_id": "id", "client_secret": ["sentinel"]}}', "something is missing"),
        ('{"web": {"client_id": "id", "client_secret": "sentinel"}}', "of the type “Web application”"),
    ],
)
def test_anything_else_is_named_with_what_is_needed(tmp_path, content, words):
    path = tmp_path / "file.json"
    path.write_text(content, "utf-8")
    with pytest.raises(SettingsError, match="“Desktop app”") as caught:
        read_credentials(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "sentinel" not in f"{caught.value} {caught.value.__cause__}"


@pytest.mark.parametrize(("name", "words"), [("none", "no such file"), (".", "is a directory")])
def test_one_that_cannot_be_read_is_named(tmp_path, name, words):
    with pytest.raises(SettingsError, match=words):
        read_credentials(tmp_path / name)


def test_nothing_read_shows_its_secrets(emulator, tmp_path):
    client = read_credentials(write_json(tmp_path / "a.json", emulator.client_secrets()))
    account = read_credentials(write_json(tmp_path / "b.json", emulator.service_account()))
    told = f"{client!r} {client} {account!r} {account}"
    assert CLIENT_ID in told
    assert SERVICE_ACCOUNT in told
    assert CLIENT_SECRET not in told
    assert "PRIVATE KEY" not in told


# A person


@pytest.fixture
def access(emulator, tmp_path):
    return access_to(emulator, tmp_path)


@pytest.fixture
def http_of():
    """Return a function that makes the library's client for some credentials."""
    made = []

    def make(credentials):
        made.append(AuthorizedHttp(credentials, http=httplib2.Http(timeout=10)))
        return made[-1]

    yield make
    for http in made:
        http.close()


def ask(http, emulator) -> int:
    response, _ = http.request(f"{emulator.endpoint}/drive/v3/about?fields=user")
    return response.status


def renewals(emulator) -> int:
    return sum(request.operation == "oauth.token" for request in emulator.requests)


@pytest.fixture
def person(access, emulator, http_of):
    """Return a function that signs somebody in and returns how they send requests."""
    emulator.oauth.required = True

    def sign_in(**options):
        kept = signed_in(access, sign_in_to(emulator, **options))
        return http_of(of_person(kept, token_store(access)))

    return sign_in


def test_a_token_that_is_good_is_not_renewed(person, emulator):
    assert ask(person(), emulator) == 200
    assert renewals(emulator) == 0


def test_one_that_has_ended_is_renewed_and_kept(person, emulator, access):
    http = person(lasts=-10)
    old = token_store(access).read()
    assert ask(http, emulator) == 200
    kept = token_store(access).read()
    assert kept.secrets.access_token != old.secrets.access_token
    assert kept.secrets.access_token in emulator.oauth.access
    assert kept.secrets.refresh_token == old.secrets.refresh_token
    assert timedelta(minutes=50) < kept.secrets.expiry - datetime.now(UTC) < timedelta(minutes=61)
    assert msgspec.structs.replace(kept, secrets=old.secrets) == old
    assert ask(http, emulator) == 200
    assert renewals(emulator) == 1


def test_one_that_drive_refuses_is_renewed_whatever_the_clock_says(person, emulator, access):
    http = person()
    emulator.oauth.expire()
    assert ask(http, emulator) == 200
    assert renewals(emulator) == 1
    assert token_store(access).read().secrets.access_token in emulator.oauth.access


def test_what_another_program_has_renewed_is_taken(person, emulator, access, http_of):
    first = person(lasts=-10)
    second = http_of(of_person(token_store(access).read(), token_store(access)))
    assert ask(first, emulator) == 200
    assert ask(second, emulator) == 200
    assert renewals(emulator) == 1


def test_a_new_refresh_token_is_kept(person, emulator, access):
    http = person(lasts=-10)
    new = emulator.oauth.new_access_token()
    grant = {"access_token": new, "expires_in": 100, "refresh_token": "rotated", "token_type": "Bearer"}
    emulator.fail(1, _answer(grant))
    assert ask(http, emulator) == 200
    assert token_store(access).read().secrets.refresh_token == "rotated"


def test_a_grant_that_does_not_say_how_long_it_lasts_is_used(person, emulator, access):
    http = person(lasts=-10)
    emulator.fail(1, _answer({"access_token": emulator.oauth.new_access_token(), "token_type": "Bearer"}))
    assert ask(http, emulator) == 200


def _answer(grant):
    fault = oauth_error("unused")
    reply = type(fault.reply)(200, json.dumps(grant).encode())
    return type(fault)("a grant", effect=False, reply=reply)


def test_one_that_was_taken_back_is_said_with_the_command(person, emulator, access):
    http = person()
    before = token_store(access).path.read_bytes()
    emulator.oauth.revoke()
    with pytest.raises(
        VaultUnavailable, match=r"has expired or was taken back\. Sign in again with"
    ) as caught:
        ask(http, emulator)
    assert "`council-vault drive login`" in str(caught.value)
    assert "7 days" in str(caught.value)
    assert caught.value.__suppress_context__
    assert token_store(access).path.read_bytes() == before  # never deleted, and never blanked
    assert renewals(emulator) == 1


def test_who_is_refused_asks_again_only_after_a_while(person, emulator, monkeypatch):
    http = person()
    emulator.oauth.revoke()
    for _ in range(3):
        with pytest.raises(VaultUnavailable, match="taken back") as caught:
            ask(http, emulator)
        assert len(traceback.extract_tb(caught.value.__traceback__)) < 20
    assert renewals(emulator) == 1
    monkeypatch.setattr(drive_auth, "_REFUSED_FOR", 0.0)
    with pytest.raises(VaultUnavailable, match="taken back"):
        ask(http, emulator)
    assert renewals(emulator) == 2


def test_after_a_sign_out_nothing_is_kept_again(person, emulator, access):
    http = person(lasts=-10)
    with token_store(access).locked():
        token_store(access).forget()
    with pytest.raises(VaultUnavailable, match="whoever was signed in is no longer"):
        ask(http, emulator)
    assert not token_store(access).is_signed_in


def test_after_another_sign_in_the_old_one_is_not_used(person, emulator, access):
    http = person(lasts=-10)
    other = signed_in(access, sign_in_to(emulator, account="eve@example.com"))
    with pytest.raises(VaultUnavailable, match="whoever was signed in is no longer"):
        ask(http, emulator)
    assert token_store(access).read() == other


def test_a_token_that_cannot_be_kept_is_used_nevertheless(person, emulator, access, monkeypatch, caplog):
    http = person(lasts=-10)

    def full(_file):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("council_vault.vault.drive_tokens.make_durable", full)
    assert ask(http, emulator) == 200
    assert ask(http, emulator) == 200
    assert renewals(emulator) == 1
    assert "the sign-in cannot be kept: read-only file system" in caplog.text


def test_while_another_program_renews_it_one_tries_again_later(person, emulator, access, monkeypatch):
    http = person(lasts=-10)
    monkeypatch.setattr(Lock.take, "__defaults__", (0.01,))
    with token_store(access).locked(), pytest.raises(TransportError, match="another council-vault"):
        ask(http, emulator)
    assert ask(http, emulator) == 200


@pytest.mark.parametrize(
    "fault",
    [status(503), status(500, "internalError"), status(429), status(408), HTML_PAGE, EMPTY_BODY, DROPPED],
    ids=lambda fault: fault.name,
)
def test_what_passes_is_not_taken_for_a_refusal(person, emulator, access, fault):
    http = person(lasts=-10)
    emulator.fail(lambda request: request.operation == "oauth.token", fault, times=None)
    with pytest.raises((TransportError, OSError)) as caught:
        ask(http, emulator)
    assert not isinstance(caught.value, RefreshError)
    emulator.reset_faults()
    assert ask(http, emulator) == 200


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("invalid_grant", "has expired or was taken back"),
        ("invalid_client", "does not know the OAuth client any more"),
        ("deleted_client", "was deleted"),
        ("unauthorized_client", "may not do this"),
        ("admin_policy_enforced", "your organisation does not allow"),
        ("brand_new_word", "refuses to renew the sign-in (brand_new_word)"),
        ("Odd <words> sentinel", "refuses to renew the sign-in."),
    ],
)
def test_every_refusal_is_put_into_words(person, emulator, word, said):
    http = person(lasts=-10)
    emulator.fail(1, oauth_error(word, "description-sentinel"))
    with pytest.raises(VaultUnavailable) as caught:
        ask(http, emulator)
    assert said in str(caught.value)
    assert "sentinel" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.remedy


def test_an_organisation_that_wants_a_new_sign_in_is_understood():
    error = RefreshError("x", {"error": "invalid_grant", "error_subtype": "invalid_rapt"})
    assert "your organisation wants you to sign in anew" in str(person_refused(error))
    assert "refuses to renew the sign-in. Sign in again" in str(person_refused(RefreshError("sentinel")))


def test_no_secret_is_told_however_much_is_logged(person, emulator, caplog):
    caplog.set_level(logging.DEBUG)
    http = person(lasts=-10)
    known = secrets_of(emulator)
    assert ask(http, emulator) == 200
    emulator.oauth.revoke()
    with pytest.raises(VaultUnavailable) as caught:
        ask(http, emulator)
    told = f"{caplog.text} {caught.value!r} {caught.value.__context__!r} {http.credentials!r}"
    assert not [secret for secret in known | secrets_of(emulator) if secret in told]


# A service account


@pytest.fixture
def account(emulator, tmp_path):
    emulator.oauth.required = True
    return read_credentials(write_json(tmp_path / "key.json", emulator.service_account()))


def test_a_service_account_gets_its_token_by_its_key(emulator, account, http_of):
    http = http_of(of_service_account(account))
    assert (ask(http, emulator), ask(http, emulator)) == (200, 200)
    emulator.oauth.expire()
    assert ask(http, emulator) == 200
    assert renewals(emulator) == 2


@pytest.mark.parametrize(
    "key", ["", "junk-sentinel", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_damaged_key_is_named(emulator, account, key):
    broken = msgspec.structs.replace(account, info={**account.info, "private_key": key})
    with pytest.raises(SettingsError, match="the key of the service account is damaged") as caught:
        of_service_account(broken)
    assert str(account.path) in str(caught.value)
    assert "sentinel" not in f"{caught.value} {caught.value.__cause__}"


@pytest.mark.parametrize(
    ("word", "description", "said"),
    [
        (
            "invalid_grant",
            "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.",
            "the clock of this computer is wrong",
        ),
        ("invalid_grant", "Invalid JWT Signature.", f"does not know the service account {SERVICE_ACCOUNT}"),
        ("invalid_grant", "Invalid grant: account not found", "or its key. Make a new key"),
        ("disabled_client", "sentinel", f"refuses the service account {SERVICE_ACCOUNT} (disabled_client)"),
    ],
)
def test_what_google_refuses_an_account_is_put_into_words(
    emulator, account, http_of, word, description, said
):
    http = http_of(of_service_account(account))
    emulator.fail(1, oauth_error(word, description))
    with pytest.raises(VaultUnavailable) as caught:
        ask(http, emulator)
    assert said in str(caught.value)
    assert "sentinel" not in str(caught.value)


def test_an_account_refused_without_a_word_is_named_too(account):
    said = str(account_refused(RefreshError("sentinel"), account))
    assert f"refuses the service account {SERVICE_ACCOUNT}. Make a new key" in said
