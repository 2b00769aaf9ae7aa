"""The exchange of what the browser brings for tokens: what Google may answer, and what is said then."""

from __future__ import annotations

import json
import logging
import sys
import threading
import traceback
import webbrowser
from datetime import timedelta

import pytest

from council_vault.errors import VaultUnavailable
from council_vault.vault.drive_credentials import read_credentials
from council_vault.vault.drive_sign_in import has_browser, revoke, sign_in
from support.drive_emulator import DROPPED, EMPTY_BODY, HTML_PAGE, REVOKED, Fault, oauth_error, status
from support.drive_emulator.oauth import SCOPE
from support.drive_emulator.replies import Reply
from support.drive_sign_in import INSECURE, asked_for, consent, secrets_of, shown_address, write_json


@pytest.fixture
def signing_in(emulator, tmp_path, monkeypatch):
    """Return a function that signs somebody in who consents at once."""
    for name, value in INSECURE.items():
        monkeypatch.setenv(name, value)
    client = read_credentials(write_json(tmp_path / "client.json", emulator.client_secrets()))

    def run():
        waiting = []

        def say(text):
            if "http" in text and not waiting:
                url = shown_address(text.splitlines())
                run.addresses.append(url)
                waiting.append(threading.Thread(target=consent, args=(url,)))
                waiting[0].start()

        try:
            return sign_in(client, say, None, browser=False)
        finally:
            waiting[0].join(20)

    run.addresses = []
    return run


def grant(**changes) -> Fault:
    """Answer with a grant that is not what was asked for."""
    whole = {
        "access_token": "ya29.sentinel",
        "refresh_token": "1//sentinel",
        "expires_in": 3599,
        "scope": SCOPE,
        "token_type": "Bearer",
    } | changes
    body = json.dumps({key: value for key, value in whole.items() if value is not None}).encode()
    return Fault(f"a grant with {changes}", effect=False, reply=Reply(200, body))


def test_whoever_consents_is_signed_in(signing_in, emulator):
    kept = signing_in()
    assert kept.secrets.access_token in emulator.oauth.access
    assert kept.secrets.refresh_token in emulator.oauth.refresh
    assert (kept.account, kept.scopes, kept.token_uri) == ("", (SCOPE,), emulator.token_uri)


def test_every_sign_in_is_marked_anew(signing_in):
    signing_in()
    signing_in()
    first, second = (asked_for(url) for url in signing_in.addresses)
    assert first["state"] != second["state"]
    assert first["code_challenge"] != second["code_challenge"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            oauth_error("invalid_grant", "sentinel"),
            "the code is no longer good, or belongs to another sign-in",
        ),
        (
            oauth_error("invalid_client", "sentinel", 401),
            "Google does not know the OAuth client, or its secret",
        ),
        (oauth_error("unknown_word", "sentinel"), "Google refuses it"),
        (REVOKED, "what answers is not Google"),
        (HTML_PAGE, "what answers is not Google"),
        (EMPTY_BODY, "what answers is not Google"),
        (status(503), "Google cannot answer now"),
        (DROPPED, "Google cannot be reached now"),
        (grant(refresh_token=None), "Google gave no lasting permission"),
        (grant(scope=""), "access to Google Drive was not ticked"),
        (grant(scope="openid"), "access to Google Drive was not ticked"),
        (grant(access_token=None), "Google refuses it"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_what_google_refuses_is_put_into_words(signing_in, emulator, fault, said):
    emulator.fail(lambda request: request.operation == "oauth.token", fault)
    with pytest.raises(VaultUnavailable, match="you are not signed in: ") as caught:
        signing_in()
    assert said in str(caught.value)
    assert "`council-vault drive login`" in str(caught.value)
    assert "sentinel" not in "".join(traceback.format_exception(caught.value))


def test_a_grant_that_does_not_repeat_what_is_allowed_is_one(signing_in, emulator):
    emulator.fail(lambda request: request.operation == "oauth.token", grant(scope=None, expires_in=None))
    kept = signing_in()
    assert kept.scopes == (SCOPE,)
    assert timedelta(minutes=59) < kept.secrets.expiry - kept.signed_in_at < timedelta(minutes=61)


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"BROWSER": "anything"}, True),
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({}, sys.platform == "darwin"),
    ],
)
def test_a_browser_is_one_with_a_window(environment, found, monkeypatch):
    monkeypatch.setattr(webbrowser, "_tryorder", ["ours"])
    monkeypatch.setattr(webbrowser, "_browsers", {"ours": [None, webbrowser.GenericBrowser("ours")]})
    assert has_browser(environment) == found
    monkeypatch.setattr(webbrowser, "_tryorder", [])
    assert has_browser(environment) == ("BROWSER" in environment)


def test_the_libraries_tell_nothing(signing_in, emulator, caplog):
    caplog.set_level(logging.DEBUG)
    for name in ("oauthlib", "requests_oauthlib"):
        logging.getLogger(name).setLevel(logging.NOTSET)
    kept = signing_in()
    assert revoke(kept)
    told = caplog.text
    assert kept.secrets.refresh_token not in told
    assert not [secret for secret in secrets_of(emulator) if secret in told]
