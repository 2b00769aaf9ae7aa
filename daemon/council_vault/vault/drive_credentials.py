"""The file that Google's console hands out: secrets of an OAuth client, or the key of a service account."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 - msgspec reads the annotations
from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

HOW_TO_GET_ONE = (
    "Download one in the Google Cloud console: the JSON of an OAuth client of the type “Desktop app”, or the "
    "key of a service account"
)


class OAuthClient(msgspec.Struct, frozen=True):
    """An OAuth client for programs on people's computers, and where it signs people in."""

    client_id: str
    client_secret: str
    auth_uri: str
    token_uri: str

    def __repr__(self) -> str:
        return f"OAuthClient({self.client_id!r})"


class ServiceAccount(msgspec.Struct, frozen=True):
    """A service account: its address, the file of its key, and all that the file says."""

    email: str
    path: Path
    info: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"ServiceAccount({self.email!r})"


def read_credentials(path: Path) -> OAuthClient | ServiceAccount:
    """Return what is in a file of credentials; what it is, its content tells.

    Raises:
        SettingsError: it cannot be read, or is something else.
    """
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise _wrong(path, f"it cannot be read: {(error.strerror or 'unknown').lower()}") from None
    except ValueError:
        raise _wrong(path, "it is not JSON") from None
    match content:
        case {"type": "service_account", "client_email": str(email), "private_key": str()}:
            return ServiceAccount(email, path, content)
        case {"installed": {"client_id": str()} as client}:
            try:
                return msgspec.convert(client, OAuthClient)
            except msgspec.ValidationError:
                raise _wrong(path, "something is missing in it") from None
        case {"web": {}}:
            raise _wrong(path, "it belongs to an OAuth client of the type “Web application”")
    raise _wrong(path, "it is neither the secrets of an OAuth client nor the key of a service account")


def _wrong(path: Path, what: str) -> SettingsError:
    return SettingsError(
        f"these credentials for Google Drive cannot be used: {what}", where=path, remedy=HOW_TO_GET_ONE
    )
