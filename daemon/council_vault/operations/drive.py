"""Signing in to Google Drive and out, and telling how things stand there."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - msgspec reads the annotations
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.errors import SettingsError, VaultUnavailable
from council_vault.state import open_state
from council_vault.vault.drive_credentials import ServiceAccount, read_credentials
from council_vault.vault.drive_folder import pinned_folder
from council_vault.vault.drive_session import credentials_of, identity, token_store
from council_vault.vault.drive_tokens import SignIn

if TYPE_CHECKING:
    from collections.abc import Callable

    from council_vault.vault.drive_session import Identity
    from council_vault.workspace import Workspace

_HOW = (
    "Make one in the Google Cloud console, as the README says, and give its file with --credentials, or set "
    "drive.credentials to it"
)


class SignedIn(msgspec.Struct, frozen=True):
    """Who is signed in now, and where that is kept."""

    account: str
    kept_in: Literal["file", "keyring"]
    path: Path


class SignedOut(msgspec.Struct, frozen=True):
    """Who was signed in, as far as that is known, and whether Google has forgotten it too."""

    account: str
    revoked: bool


class DriveStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How things stand with Drive.

    Attributes:
        enabled: what drive.enabled says; ``None`` where it is unset.
        identity: who uses Drive: a person, a service account, or nobody, since the server asks nobody;
            ``None`` where it cannot be used.
        account: the address of the person or service account.
        name: the person's.
        scopes: what Google allows a person's sign-in.
        signed_in_at: since when they are signed in.
        expiry: when the access token ends, which is then renewed.
        kept_in: where the sign-in is.
        usage: bytes used, and ``limit`` how many there may be.
        folder_id: what drive.folder_id says.
        vault: the id of the folder that is this memory's vault, if it is on Drive.
        trouble: why Drive cannot be used now.
    """

    enabled: bool | None
    identity: Literal["person", "service account", "nobody"] | None = None
    account: str = ""
    name: str = ""
    scopes: tuple[str, ...] = ()
    signed_in_at: datetime | None = None
    expiry: datetime | None = None
    kept_in: str = ""
    usage: int | None = None
    limit: int | None = None
    folder_id: str | None = None
    vault: str | None = None
    trouble: VaultUnavailable | None = None


def log_in(
    workspace: Workspace,
    credentials: Path | None,
    say: Callable[[str], None],
    typed: int | None,
    *,
    browser: bool,
) -> SignedIn:
    """Sign a person in, and keep that.

    Args:
        workspace: its settings count.
        credentials: the file of an OAuth client, if not the one of the settings.
        say: tells the person something.
        typed: file descriptor of what the person types; ``None`` where nobody can.
        browser: whether to open one.

    Raises:
        SettingsError: there are no credentials, or they are not those of an OAuth client.
        VaultUnavailable: it has not worked.
        WriteFailed, Busy: it cannot be kept.
    """
    path = credentials or _credentials(workspace)
    if path is None:
        raise SettingsError("there is no OAuth client to sign in with", remedy=_HOW)
    client = read_credentials(path)
    if isinstance(client, ServiceAccount):
        raise SettingsError(
            f"this is the key of the service account {client.email}, which needs no sign-in",
            where=path,
            remedy=f"Share the vault's folder with it; `council-vault config set drive.credentials {path}`",
        )
    from council_vault.vault.drive_account import ask_account  # noqa: PLC0415 - loads Google's libraries
    from council_vault.vault.drive_sign_in import sign_in  # noqa: PLC0415 - likewise

    tokens = token_store(workspace.drive)
    signed_in = sign_in(client, say, typed, browser=browser)
    with tokens.locked():
        kept_in = tokens.save(signed_in)
    try:
        found = ask_account(workspace.settings.drive.endpoint, credentials_of(workspace.drive, signed_in))
    except VaultUnavailable as error:
        say(f"You are signed in, but Drive does not answer: {error}.")
        return SignedIn("", kept_in, tokens.path)
    account = found.user.email_address
    with tokens.locked():
        tokens.save(msgspec.structs.replace(tokens.read() or signed_in, account=account))
    return SignedIn(account, kept_in, tokens.path)


def log_out(workspace: Workspace) -> SignedOut | None:
    """Sign out: have Google forget the sign-in, if it can be asked, and delete what is kept of it.

    Returns:
        Who was signed in; ``None`` where nobody was.

    Raises:
        WriteFailed, Busy: it cannot be deleted.
        VaultUnavailable: the keyring does not answer; all else is deleted.
    """
    tokens = token_store(workspace.drive)
    if not tokens.is_signed_in:
        return None
    with tokens.locked():
        try:
            kept = tokens.read()
        except VaultUnavailable:  # damaged: there is nothing that Google could be told
            kept = None
        tokens.forget()
    if kept is None:
        return SignedOut("", revoked=False)
    from council_vault.vault.drive_sign_in import revoke  # noqa: PLC0415 - loads Google's libraries

    return SignedOut(kept.account, revoke(kept))


def drive_status(workspace: Workspace) -> DriveStatus:
    """Return how things stand with Drive; it is asked, if it can be."""
    settings = workspace.settings.drive
    with open_state(workspace.folder) as state:
        pin = state.facts.pin or ""
    status = DriveStatus(enabled=settings.enabled, folder_id=settings.folder_id, vault=pinned_folder(pin))
    try:
        who = identity(workspace.drive)
        status = msgspec.structs.replace(status, **_known_of(workspace, who))
        from council_vault.vault.drive_account import ask_account  # noqa: PLC0415 - likewise

        account = ask_account(settings.endpoint, credentials_of(workspace.drive, who))
    except (VaultUnavailable, SettingsError) as error:
        trouble = VaultUnavailable(error.what, where=error.where, remedy=error.remedy)
        return msgspec.structs.replace(status, trouble=trouble)
    quota = account.storage_quota
    if isinstance(who, SignIn):  # the token may have been renewed
        status = msgspec.structs.replace(status, **_known_of(workspace, identity(workspace.drive)))
    return msgspec.structs.replace(
        status,
        account=who.email if isinstance(who, ServiceAccount) else account.user.email_address,
        name=account.user.display_name,
        usage=int(quota.usage),
        limit=None if quota.limit is None else int(quota.limit),
    )


def _known_of(workspace: Workspace, who: Identity) -> dict[str, object]:
    """Return what is known of somebody without asking Drive."""
    if who is None:
        return {"identity": "nobody"}
    if isinstance(who, ServiceAccount):
        return {"identity": "service account", "account": who.email, "kept_in": str(who.path)}
    tokens = token_store(workspace.drive)
    return {
        "identity": "person",
        "account": who.account,
        "scopes": who.scopes,
        "signed_in_at": who.signed_in_at,
        "expiry": who.secrets.expiry,
        "kept_in": "the keyring" if tokens.place == "keyring" else str(tokens.path),
    }


def _credentials(workspace: Workspace) -> Path | None:
    """Return the file that the settings name."""
    given = workspace.settings.drive.credentials
    return Path(given) if given else None
