"""What Drive says of the account that uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.vault.drive_patience import Patience
from council_vault.vault.drive_requests import Requests

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

_FIELDS = "user(displayName,emailAddress),storageQuota(limit,usage)"
_PATIENCE = Patience(total=5.0, longest=2.0, silence=8.0, whole=15.0)


class User(msgspec.Struct, frozen=True, rename="camel"):
    """A person, or a service account."""

    display_name: str = ""
    email_address: str = ""


class Quota(msgspec.Struct, frozen=True):
    """Bytes used, and how many there may be; Drive writes them as text, and no limit where there is none."""

    usage: str = "0"
    limit: str | None = None


class Account(msgspec.Struct, frozen=True, rename="camel"):
    """An account and its room."""

    user: User = User()
    storage_quota: Quota = Quota()


def ask_account(endpoint: str | None, credentials: Credentials | None) -> Account:
    """Return the account that some credentials belong to.

    Raises:
        VaultUnavailable: Drive cannot be used now, or refuses them.
    """
    requests = Requests(endpoint, credentials, _PATIENCE)
    try:
        return requests.ask(lambda api: api.about.get(fields=_FIELDS), Account)
    finally:
        requests.close()
