"""Google's own libraries sign in to the emulated Drive, stay signed in, and are turned away."""

from __future__ import annotations

import webbrowser
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import Request
from google.oauth2.credentials import Credentials
from google.oauth2.service_account import Credentials as ServiceAccount
from google_auth_oauthlib.flow import InstalledAppFlow
from googleapiclient.errors import HttpError
from oauthlib.oauth2 import AccessDeniedError

from support.drive import google_client
from support.drive_emulator import oauth_error
from support.drive_emulator.oauth import CLIENT_ID, SCOPE


def person(info):
    """Return credentials from a token file; the library's own reader does not heed ``token_uri``."""
    known = {
        name: info[name] for name in ("client_id", "client_secret", "refresh_token", "token_uri", "scopes")
    }
    return Credentials(None, **known)


@pytest.fixture
def signed_in(emulator):
    """Return credentials of a person and a client that uses them; nobody else is let in."""
    emulator.oauth.required = True
    credentials = person(emulator.authorized_user())
    client = google_client(emulator.endpoint, credentials=credentials)
    yield credentials, client
    client.close()


@pytest.fixture
def consenting(monkeypatch):
    """Let a person with a browser be at the machine, who goes where they are sent."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the emulator has no TLS
    with ThreadPoolExecutor(1) as person:

        class Browser:
            def open(self, url, **_):
                person.submit(requests.get, url, timeout=10)
                return True

        monkeypatch.setattr(webbrowser, "get", lambda *_: Browser())
        yield


def sign_in(emulator):
    flow = InstalledAppFlow.from_client_config(emulator.client_secrets(), [SCOPE])
    try:
        return flow.run_local_server(port=0, open_browser=True, timeout_seconds=20)
    finally:
        flow.oauth2session.close()


def refresh(credentials):
    request = Request()
    try:
        credentials.refresh(request)
    finally:
        request.session.close()


def ask(client):
    return client.about().get(fields="user/me").execute()["user"]["me"]


def test_without_a_token_nobody_is_let_in(emulator, google):
    assert ask(google)
    emulator.oauth.required = True
    with pytest.raises(HttpError) as caught:
        ask(google)
    assert (caught.value.status_code, caught.value.error_details[0]["reason"]) == (401, "authError")


def test_a_wrong_token_is_never_good(emulator):
    client = google_client(emulator.endpoint, credentials=Credentials("ya29.made-up"))
    with pytest.raises(RefreshError):
        ask(client)
    client.close()
    assert [request.operation for request in emulator.requests] == ["about.get"]


def test_a_refresh_token_gives_access(emulator, signed_in):
    credentials, client = signed_in
    assert ask(client)
    assert credentials.token.startswith("ya29.")
    assert [request.operation for request in emulator.requests] == ["oauth.token", "about.get"]
    assert [request.kind for request in emulator.requests] == ["auth", "read"]
    assert emulator.writes == []


def test_an_access_token_that_ended_is_renewed(emulator, signed_in):
    credentials, client = signed_in
    ask(client)
    before = credentials.token
    emulator.oauth.expire()
    assert ask(client)
    assert credentials.token != before
    assert [request.operation for request in emulator.requests][2:] == [
        "about.get",
        "oauth.token",
        "about.get",
    ]


def test_revoked_access_is_refused_with_the_reason(emulator, signed_in):
    _, client = signed_in
    ask(client)
    emulator.oauth.revoke()
    with pytest.raises(RefreshError, match=r"invalid_grant.*expired or revoked"):
        ask(client)


def test_the_sign_in_server_can_fail(emulator, signed_in):
    credentials, _ = signed_in
    emulator.fail(lambda request: request.kind == "auth", oauth_error("invalid_client", code=401))
    with pytest.raises(RefreshError, match="invalid_client"):
        refresh(credentials)
    refresh(credentials)
    assert credentials.valid


def test_another_programs_credentials_are_refused(emulator):
    info = emulator.authorized_user() | {"client_secret": "another"}
    with pytest.raises(RefreshError, match="invalid_client"):
        refresh(person(info))


@pytest.mark.usefixtures("consenting")
def test_a_person_signs_in_with_their_browser(emulator):
    emulator.oauth.required = True
    credentials = sign_in(emulator)
    assert credentials.refresh_token in emulator.oauth.refresh
    client = google_client(emulator.endpoint, credentials=credentials)
    assert ask(client)
    client.close()
    asked, exchanged = (request for request in emulator.requests if request.kind == "auth")
    assert asked.query["scope"] == SCOPE
    assert asked.query["code_challenge_method"] == "S256"
    assert exchanged.operation == "oauth.token"


@pytest.mark.usefixtures("consenting")
def test_a_person_who_says_no_is_not_signed_in(emulator):
    emulator.oauth.consent = False
    with pytest.raises(AccessDeniedError):
        sign_in(emulator)
    assert emulator.oauth.refresh == set()


def post(url, form):
    reply = requests.post(url, data=form, timeout=10)
    return reply.status_code, reply.json()


def test_a_code_is_good_once_and_for_who_asked(emulator):
    right, wrong = "http://localhost:1/", "http://localhost:2/"
    query = {
        "client_id": CLIENT_ID,
        "response_type": "code",
        "redirect_uri": right,
        "access_type": "offline",
        "state": "s",
    }

    def code():
        reply = requests.get(emulator.auth_uri, params=query, allow_redirects=False, timeout=10)
        place = urlsplit(reply.headers["Location"])
        answer = dict(parse_qsl(place.query))
        assert (place.netloc, answer["state"]) == ("localhost:1", "s")
        return answer["code"]

    def exchange(one, redirect_uri):
        form = {"grant_type": "authorization_code", "code": one, "redirect_uri": redirect_uri}
        return post(emulator.token_uri, form)

    good = code()
    assert exchange(good, right)[1]["refresh_token"] in emulator.oauth.refresh
    refused = (400, {"error": "invalid_grant", "error_description": "Malformed auth code."})
    assert exchange(good, right) == exchange(code(), wrong) == refused
    assert post(emulator.token_uri, {"grant_type": "password"})[1]["error"] == "unsupported_grant_type"
    stranger = query | {"client_id": "stranger"}
    assert requests.get(emulator.auth_uri, params=stranger, timeout=10).status_code == 400


def test_a_service_account_is_let_in(emulator):
    emulator.oauth.required = True
    credentials = ServiceAccount.from_service_account_info(emulator.service_account(), scopes=[SCOPE])
    client = google_client(emulator.endpoint, credentials=credentials)
    assert ask(client)
    client.close()
    stranger = emulator.service_account() | {"client_email": "stranger@emulator.iam.gserviceaccount.com"}
    with pytest.raises(RefreshError, match="account not found"):
        refresh(ServiceAccount.from_service_account_info(stranger, scopes=[SCOPE]))


def test_a_token_is_given_back(emulator, signed_in):
    credentials, client = signed_in
    ask(client)
    form = {"token": credentials.refresh_token}
    assert post(emulator.revoke_uri, form) == (200, {})
    assert post(emulator.revoke_uri, form)[0] == 400
    with pytest.raises(RefreshError, match="invalid_grant"):
        ask(client)
