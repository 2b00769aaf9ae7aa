"""What signs requests to Google: access tokens, renewed when they end, for a person or a service account.

What passes is left to whoever sent the request, to try again; nobody is ever asked for anything here.
"""

from __future__ import annotations

import json
import logging
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import google.auth.credentials
import google.oauth2.credentials
import google.oauth2.service_account
import msgspec
from google.auth.exceptions import RefreshError, TransportError

from council_vault.errors import Busy, SettingsError, VaultUnavailable, WriteFailed
from council_vault.vault.drive_credentials import HOW_TO_GET_ONE
from council_vault.vault.drive_renewal import account_refused, nobody_any_more, person_refused
from council_vault.vault.drive_tokens import Secrets, SignIn

if TYPE_CHECKING:
    from collections.abc import Callable

    from council_vault.vault.drive_credentials import ServiceAccount
    from council_vault.vault.drive_tokens import TokenStore

    Transport = Callable[..., Any]
    Token = tuple[str, datetime]

SCOPE = "https://www.googleapis.com/auth/drive"
"""All of Drive: a narrower one sees only what this program has made, and never the person's own vault."""

_SOON = timedelta(minutes=5)
_BUSY = {408, 429}
_REFUSED_FOR = 900.0  # seconds
_log = logging.getLogger(__name__)


class _Renewing(google.auth.credentials.Credentials):
    """Credentials of anybody. Who is refused asks again only after a while.

    Args:
        renew: returns a new token and when it ends, in UTC without a zone, as the library has it.
    """

    def __init__(self, renew: Callable[[Transport], Token]) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # the library has no types for it
        self._renew = renew
        self._refusal: VaultUnavailable | None = None
        self._refused_at = 0.0

    def refresh(self, request: Transport) -> None:
        """Get a new access token.

        Raises:
            VaultUnavailable: Google refuses.
            TransportError: it cannot be asked now.
        """
        if self._refusal is not None and time.monotonic() < self._refused_at + _REFUSED_FOR:
            raise self._refusal.with_traceback(None)
        try:
            self.token, self.expiry = self._renew(_reliable(request))
        except VaultUnavailable as refusal:
            self.token = None  # or it would be tried before each renewal
            self._refusal, self._refused_at = refusal, time.monotonic()
            raise
        self._refusal = None


def of_person(sign_in: SignIn, tokens: TokenStore) -> google.auth.credentials.Credentials:
    """Return the credentials of who is signed in; what is renewed is kept, for other council-vaults too."""
    last = sign_in.secrets

    def renew(request: Transport) -> Token:
        nonlocal last
        try:
            with tokens.locked():
                kept = tokens.read()
                if kept is None or kept.signed_in_at != sign_in.signed_in_at:
                    raise nobody_any_more()
                if kept.secrets.access_token == last.access_token or not _is_good(kept.secrets):
                    kept = msgspec.structs.replace(kept, secrets=_renewed(kept, request))
                    _keep(tokens, kept)
        except Busy as error:
            raise TransportError("another council-vault is renewing the sign-in") from error
        last = kept.secrets
        return _as_the_library_has_it(last)

    credentials = _Renewing(renew)
    if _is_good(last):
        credentials.token, credentials.expiry = _as_the_library_has_it(last)
    return credentials


def of_service_account(account: ServiceAccount) -> google.auth.credentials.Credentials:
    """Return the credentials of a service account.

    Raises:
        SettingsError: its key cannot be used.
    """
    try:
        own = google.oauth2.service_account.Credentials.from_service_account_info(
            account.info, scopes=[SCOPE]
        )
    except ValueError:
        raise SettingsError(
            "the key of the service account is damaged", where=account.path, remedy=HOW_TO_GET_ONE
        ) from None

    def renew(request: Transport) -> Token:
        try:
            own.refresh(request)
        except RefreshError as error:
            raise account_refused(error, account) from None
        return own.token, own.expiry

    return _Renewing(renew)


def _renewed(kept: SignIn, request: Transport) -> Secrets:
    secrets = kept.secrets
    own = google.oauth2.credentials.Credentials(
        None,
        refresh_token=secrets.refresh_token,
        token_uri=kept.token_uri,
        client_id=kept.client_id,
        client_secret=secrets.client_secret,
    )
    try:
        own.refresh(request)
    except RefreshError as error:
        raise person_refused(error) from None
    expiry = own.expiry or datetime.now(UTC)  # one that does not say how long it lasts is renewed every time
    return Secrets(
        client_secret=secrets.client_secret,
        refresh_token=str(own.refresh_token),
        access_token=str(own.token),
        expiry=expiry.replace(tzinfo=UTC),
    )


def _keep(tokens: TokenStore, sign_in: SignIn) -> None:
    """Keep a renewed token; where that fails it is good nevertheless, until the program ends."""
    try:
        tokens.save(sign_in)
    except WriteFailed as error:
        _log.warning("%s.", error)


def _is_good(secrets: Secrets) -> bool:
    return secrets.expiry > datetime.now(UTC) + _SOON


def _as_the_library_has_it(secrets: Secrets) -> Token:
    return secrets.access_token, secrets.expiry.astimezone(UTC).replace(tzinfo=None)


def _reliable(request: Transport) -> Transport:
    """Return a transport that takes an answer for one only if the server of tokens can have meant it."""

    def ask(*args: object, **options: object) -> object:
        response = request(*args, **options)
        if response.status >= 500 or response.status in _BUSY:
            raise TransportError(f"the server of tokens answers with {response.status}")
        try:
            answer = json.loads(response.data)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise TransportError("what answers is not the server of tokens")
        return response

    return ask
