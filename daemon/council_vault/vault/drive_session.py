"""Whether Google Drive is used, by whom, and the client that a thread uses it with.

Nothing of Google's is imported here before a client is wanted, and nothing is asked of any server.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from council_vault.errors import VaultUnavailable
from council_vault.vault.drive_credentials import ServiceAccount, read_credentials
from council_vault.vault.drive_refusals import DRIVE
from council_vault.vault.drive_tokens import SignIn, TokenStore

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

    from council_vault.vault.drive_client import DriveClient
    from council_vault.vault.drive_folder import DriveAccess
    from council_vault.vault.drive_patience import Patience

SIGN_IN = "Sign in with `council-vault drive login`"

Identity = ServiceAccount | SignIn | None
"""Who uses Drive; ``None`` where the server asks nobody."""


def token_store(access: DriveAccess) -> TokenStore:
    """Return where the sign-in is kept."""
    return TokenStore(access.states / "drive", access.states / "locks")


def is_wanted(access: DriveAccess) -> bool:
    """Whether a vault on Drive is looked for: as the settings say, else where one could be used.

    Raises:
        SettingsError: ``drive.credentials`` cannot be used.
    """
    settings = access.settings
    if settings.enabled is not None:
        return settings.enabled
    if settings.endpoint or settings.folder_id or token_store(access).is_signed_in:
        return True
    return _service_account(access) is not None


def identity(access: DriveAccess) -> Identity:
    """Return who uses Drive.

    Raises:
        VaultUnavailable: Drive is turned off, or nobody is signed in, or what is kept of it cannot be used.
        SettingsError: ``drive.credentials`` cannot be used.
    """
    if access.settings.enabled is False:
        raise VaultUnavailable(
            "it is turned off by drive.enabled",
            where=DRIVE,
            remedy="`council-vault config set drive.enabled true` turns it on",
        )
    account = _service_account(access)
    if account is not None:
        return account
    kept = token_store(access).read()
    if kept is None and not access.settings.endpoint:
        raise VaultUnavailable("nobody is signed in", where=DRIVE, remedy=SIGN_IN)
    return kept


def client(access: DriveAccess, patience: Patience | None = None) -> DriveClient:
    """Return this thread's client: the same one as long as the same person is signed in.

    Args:
        access: how Drive is used.
        patience: how long it repeats what fails; a thread has one client for each.

    Raises:
        VaultUnavailable, SettingsError: as `identity` does.
        SettingsError: ``drive.endpoint`` or the key of a service account cannot be used.
    """
    who = identity(access)
    since = who.signed_in_at if isinstance(who, SignIn) else repr(who)
    return _mine.client(access, who, (access, since), patience)


def credentials_of(access: DriveAccess, who: Identity) -> Credentials | None:
    """Return what signs the requests of somebody; raises `SettingsError` as `client` does."""
    if who is None:
        return None
    from council_vault.vault.drive_auth import of_person, of_service_account  # noqa: PLC0415 - see above

    if isinstance(who, ServiceAccount):
        return of_service_account(who)
    return of_person(who, token_store(access))


def _service_account(access: DriveAccess) -> ServiceAccount | None:
    if not access.settings.credentials:
        return None
    given = read_credentials(Path(access.settings.credentials))
    return given if isinstance(given, ServiceAccount) else None


class _Clients(threading.local):
    """The clients of a thread, all with the same credentials, so that a token is renewed once for all."""

    def __init__(self) -> None:
        self._key: object = None
        self._credentials: Credentials | None = None
        self._clients: dict[Patience | None, DriveClient] = {}

    def client(
        self, access: DriveAccess, who: Identity, key: object, patience: Patience | None
    ) -> DriveClient:
        if key != self._key:
            credentials = credentials_of(access, who)
            for client in self._clients.values():
                client.close()
            self._key, self._credentials, self._clients = key, credentials, {}
        if patience not in self._clients:
            from council_vault.vault.drive_client import DriveClient  # noqa: PLC0415 - see above

            self._clients[patience] = DriveClient(access.settings.endpoint, self._credentials, patience)
        return self._clients[patience]


_mine = _Clients()
