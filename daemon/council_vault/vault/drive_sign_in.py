"""Signing a person in to Google, as programs on their own computer do it, and out again.

The page opens in a browser, on this computer or another one; what it answers is exchanged for tokens (RFC
8252, with PKCE). Only words of our own reach an error: the libraries' may hold codes and tokens.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
import webbrowser
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import requests
from google_auth_oauthlib.flow import InstalledAppFlow
from oauthlib.oauth2 import OAuth2Error

from council_vault.errors import VaultUnavailable
from council_vault.vault.drive_auth import SCOPE
from council_vault.vault.drive_loopback import Loopback
from council_vault.vault.drive_refusals import DRIVE, SIGN_IN_AGAIN
from council_vault.vault.drive_tokens import Secrets, SignIn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from council_vault.vault.drive_credentials import OAuthClient

_SILENCE = 30.0
_LIFETIME = 3600
_SERVER_ERROR = 500
_REFUSALS = {
    "access_denied": "you have not allowed it",
    "admin_policy_enforced": "your organisation forbids it",
}


def sign_in(
    client: OAuthClient, say: Callable[[str], None], typed: int | None, *, browser: bool = True
) -> SignIn:
    """Sign a person in, and return who and what is to be kept; whose account it is, is left open.

    Args:
        client: the OAuth client.
        say: tells the person something.
        typed: file descriptor of what the person types; ``None`` where nobody can.
        browser: whether to open one, if there is one on this computer.

    Raises:
        VaultUnavailable: the person or Google refuses, or Google cannot be reached.
    """
    for name in ("requests_oauthlib", "oauthlib"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # they tell of every token
    flow = InstalledAppFlow.from_client_config({"installed": _config(client)}, scopes=[SCOPE])
    state = flow.oauth2session.new_state()
    with Loopback(state, typed, say) as loopback:
        flow.redirect_uri = loopback.address
        url, _ = flow.authorization_url(state=state, prompt="consent")
        if browser and has_browser(os.environ):
            say(f"Your browser opens this page; if it does not, open it yourself:\n\n  {url}\n")
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        else:
            say(f"Open this page in a browser, on this computer or another one:\n\n  {url}\n")
            if typed is not None:
                say(
                    "On another one the browser ends at an address that it cannot open "
                    f"({loopback.address}?state=…). Paste that address here:"
                )
        answer = loopback.wait()
    if not answer.code:
        raise _not_signed_in(_REFUSALS.get(answer.error, "Google refuses it"))
    return _kept(client, _exchanged(flow, answer.code))


def revoke(sign_in: SignIn) -> bool:
    """Have Google forget a sign-in, and return whether it has."""
    address = urllib.parse.urljoin(sign_in.token_uri, "revoke")
    form = urllib.parse.urlencode({"token": sign_in.secrets.refresh_token}).encode()
    try:
        with urllib.request.urlopen(address, data=form, timeout=_SILENCE):  # noqa: S310 - as in the credentials
            return True
    except (OSError, ValueError):
        return False


def _config(client: OAuthClient) -> dict[str, str]:
    return {
        "client_id": client.client_id,
        "client_secret": client.client_secret,
        "auth_uri": client.auth_uri,
        "token_uri": client.token_uri,
    }


def has_browser(environment: Mapping[str, str]) -> bool:
    """Whether a browser can open a window here; one for the terminal would take the terminal away."""
    if environment.get("BROWSER"):
        return True
    if sys.platform.startswith("linux") and not (
        environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _exchanged(flow: InstalledAppFlow, code: str) -> Mapping[str, Any]:
    """Return the tokens that a code stands for."""
    token: Mapping[str, Any]
    flow.oauth2session.register_compliance_hook("access_token_response", _of_google)
    try:
        token = flow.fetch_token(code=code, include_client_id=True, timeout=_SILENCE)
    except Warning as changed:  # the library's way to say that not all that was asked for was allowed
        token = getattr(changed, "token", {})
    except OAuth2Error as error:
        word = error.error if error.error in {"invalid_grant", "invalid_client"} else ""
        raise _not_signed_in(
            {
                "invalid_grant": "the code is no longer good, or belongs to another sign-in",
                "invalid_client": "Google does not know the OAuth client, or its secret",
            }.get(word, "Google refuses it")
        ) from None
    except requests.RequestException:
        raise _not_signed_in("Google cannot be reached now") from None
    if SCOPE not in _scopes(token):
        raise _not_signed_in("access to Google Drive was not ticked")
    if not token.get("refresh_token"):
        raise _not_signed_in("Google gave no lasting permission")
    return token


def _of_google(response: requests.Response) -> requests.Response:
    """Return an answer that the server of tokens can have meant; the library takes everything for one."""
    if response.status_code >= _SERVER_ERROR:
        raise _not_signed_in("Google cannot answer now")
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or not isinstance(answer.get("error", ""), str):
        raise _not_signed_in("what answers is not Google: a network may be asking to sign in to it")
    return response


def _kept(client: OAuthClient, token: Mapping[str, Any]) -> SignIn:
    now = datetime.now(UTC)
    lifetime = timedelta(seconds=float(token.get("expires_in") or _LIFETIME))
    return SignIn(
        account="",
        client_id=client.client_id,
        token_uri=client.token_uri,
        scopes=tuple(_scopes(token)),
        signed_in_at=now,
        secrets=Secrets(
            client_secret=client.client_secret,
            refresh_token=token["refresh_token"],
            access_token=token["access_token"],
            expiry=now + lifetime,
        ),
    )


def _scopes(token: Mapping[str, Any]) -> list[str]:
    scope = token.get("scope", SCOPE)  # left out, it is what was asked for
    return scope.split() if isinstance(scope, str) else list(scope)


def _not_signed_in(why: str) -> VaultUnavailable:
    return VaultUnavailable(f"you are not signed in: {why}", where=DRIVE, remedy=SIGN_IN_AGAIN)
