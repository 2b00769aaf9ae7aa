"""Signing in: the page that asks for consent, and the server that hands out tokens and takes them back."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from support.drive_emulator.replies import Reply, resource, unauthorized

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.drive_emulator.requests import Request

SCOPE = "https://www.googleapis.com/auth/drive"
CLIENT_ID = "123456789012-emulator.apps.googleusercontent.com"
CLIENT_SECRET = "GOCSPX-not-a-secret"
SERVICE_ACCOUNT = "keeper@emulator.iam.gserviceaccount.com"
LIFETIME = 3599


class OAuth:
    """The sign-in server.

    Attributes:
        required: requests without a token are refused too; a wrong token is refused always.
        consent: what the person answers on the page.
        access: valid access tokens with the time when each ends.
        refresh: valid refresh tokens.

    Args:
        new_token: makes the changing part of a token.
    """

    def __init__(self, new_token: Callable[[], str]) -> None:
        self._new_token = new_token
        self._lock = threading.Lock()
        self._codes: dict[str, dict[str, str]] = {}
        self.required = False
        self.consent = True
        self.access: dict[str, float] = {}
        self.refresh: set[str] = set()

    # For requests to the API

    def check(self, request: Request) -> None:
        """Refuse a request whose token is missing or no longer valid.

        Raises:
            DriveError: 401.
        """
        given = request.headers.get("authorization")
        if given is None and not self.required:
            return
        scheme, _, token = (given or "").partition(" ")
        if scheme.lower() != "bearer" or self.access.get(token, 0.0) <= time.time():
            raise unauthorized()

    # The handle

    def new_refresh_token(self) -> str:
        with self._lock:
            token = f"1//0{self._new_token()}"
            self.refresh.add(token)
            return token

    def new_access_token(self) -> str:
        with self._lock:
            token = f"ya29.{self._new_token()}"
            self.access[token] = time.time() + LIFETIME
            return token

    def revoke(self) -> None:
        """Make every token invalid, as a person does in the settings of their account."""
        with self._lock:
            self.refresh.clear()
            self.access.clear()

    def expire(self) -> None:
        """Let every access token end now; refresh tokens stay valid."""
        with self._lock:
            self.access.clear()

    # The server

    def authorize(self, request: Request) -> Reply:
        """Show the page on which the person consents, and go on to where the program listens."""
        query = request.query
        if query.get("client_id") != CLIENT_ID or query.get("response_type") != "code":
            return _page(400, "Error 400: invalid_request")
        answer = {"state": query["state"]} if "state" in query else {}
        if self.consent:
            code = f"4/0{self._new_token()}"
            self._codes[code] = query
            answer |= {"code": code, "scope": query.get("scope", SCOPE)}
        else:
            answer |= {"error": "access_denied"}
        return Reply(302, headers={"Location": f"{query['redirect_uri']}?{urlencode(answer)}"})

    def token(self, request: Request) -> Reply:
        form = dict(parse_qsl(request.body.decode()))
        grant = form.get("grant_type")
        if grant == "refresh_token":
            return self._refreshed(form)
        if grant == "authorization_code":
            return self._exchanged(form)
        if grant == "urn:ietf:params:oauth:grant-type:jwt-bearer":
            return self._asserted(form)
        return _refused("unsupported_grant_type", f"Invalid grant_type: {grant}")

    def revoke_token(self, request: Request) -> Reply:
        form = dict(parse_qsl(request.body.decode())) | request.query
        token = form.get("token", "")
        with self._lock:
            known = token in self.refresh or token in self.access
            self.refresh.discard(token)
            self.access.clear()
        return resource({}) if known else _refused("invalid_token", "Token expired or revoked")

    # Grants

    def _refreshed(self, form: dict[str, str]) -> Reply:
        if form.get("client_id") != CLIENT_ID or form.get("client_secret") != CLIENT_SECRET:
            return _refused("invalid_client", "The OAuth client was not found.", 401)
        if form.get("refresh_token") not in self.refresh:
            return _refused("invalid_grant", "Token has been expired or revoked.")
        return self._granted(form.get("scope", SCOPE))

    def _exchanged(self, form: dict[str, str]) -> Reply:
        asked = self._codes.pop(form.get("code", ""), None)
        if asked is None or asked.get("redirect_uri") != form.get("redirect_uri"):
            return _refused("invalid_grant", "Malformed auth code.")
        challenge = asked.get("code_challenge")
        if challenge and challenge != _challenge(form.get("code_verifier", "")):
            return _refused("invalid_grant", "Invalid code verifier.")
        refresh = self.new_refresh_token() if asked.get("access_type") == "offline" else None
        return self._granted(asked.get("scope", SCOPE), refresh)

    def _asserted(self, form: dict[str, str]) -> Reply:
        try:
            claims = form["assertion"].split(".")[1]
            issuer = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["iss"]
        except (KeyError, IndexError, ValueError):
            return _refused("invalid_grant", "Invalid JWT.")
        if issuer != SERVICE_ACCOUNT:
            return _refused("invalid_grant", "Invalid grant: account not found")
        return self._granted(SCOPE)

    def _granted(self, scope: str, refresh: str | None = None) -> Reply:
        grant = {
            "access_token": self.new_access_token(),
            "expires_in": LIFETIME,
            "scope": scope,
            "token_type": "Bearer",
        }
        return resource(grant | ({"refresh_token": refresh} if refresh else {}))


def client_secrets(auth_uri: str, token_uri: str) -> dict:
    """Return the file of an installed app."""
    return {
        "installed": {
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "project_id": "emulator",
            "auth_uri": auth_uri,
            "token_uri": token_uri,
            "redirect_uris": ["http://localhost"],
        }
    }


def authorized_user(token_uri: str, refresh_token: str) -> dict:
    """Return the file that is kept after signing in."""
    return {
        "type": "authorized_user",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "refresh_token": refresh_token,
        "token_uri": token_uri,
        "scopes": [SCOPE],
    }


def service_account(token_uri: str) -> dict:
    """Return the key file of a service account, with a new key."""
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - few tests need it
    from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415 - few tests need it

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return {
        "type": "service_account",
        "project_id": "emulator",
        "private_key_id": "emulator",
        "private_key": pem.decode(),
        "client_email": SERVICE_ACCOUNT,
        "client_id": "123456789012345678901",
        "token_uri": token_uri,
    }


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _refused(error: str, description: str, status: int = 400) -> Reply:
    return resource({"error": error, "error_description": description}, status)


def _page(status: int, text: str) -> Reply:
    return Reply(status, f"<!DOCTYPE html><title>{text}</title>".encode(), "text/html; charset=UTF-8")
