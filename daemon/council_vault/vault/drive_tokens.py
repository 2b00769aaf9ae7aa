"""Where the sign-in to Google Drive is kept: in a file for the person alone, or its secrets in the keyring.

The file is replaced as a whole, so that it is there as it was or as it shall be, whenever the power fails.
Nothing but a new sign-in or a sign-out removes what is kept, be it damaged or refused by Google.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import contextmanager
from datetime import datetime  # noqa: TC003 - msgspec reads the annotations
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.errors import VaultUnavailable
from council_vault.files.locks import Lock
from council_vault.files.reading import failed
from council_vault.files.system import make_durable, make_names_durable
from council_vault.vault.drive_keyring import find_keyring
from council_vault.vault.drive_refusals import SIGN_IN_AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FILE = "token.json"
_ANYONE_ELSE = 0o077
_log = logging.getLogger(__name__)


class Secrets(msgspec.Struct, frozen=True, kw_only=True):
    """What nobody else may know. The access token is good until ``expiry``; the other one gets new ones."""

    client_secret: str
    refresh_token: str
    access_token: str
    expiry: datetime

    def __repr__(self) -> str:
        return "Secrets(…)"


class SignIn(msgspec.Struct, frozen=True, kw_only=True):
    """Who is signed in, with which OAuth client, for what, and since when.

    Attributes:
        account: the address of the person; empty where it is not known.
        client_id: the OAuth client.
        token_uri: where its tokens are renewed.
        scopes: what Google allows.
        signed_in_at: when, in UTC.
        secrets: what opens the door.
    """

    account: str
    client_id: str
    token_uri: str
    scopes: tuple[str, ...]
    signed_in_at: datetime
    secrets: Secrets


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The file: a sign-in, its secrets left out where they are in the keyring."""

    account: str
    client_id: str
    token_uri: str
    scopes: tuple[str, ...]
    signed_in_at: datetime
    secrets: Secrets | None

    def __repr__(self) -> str:
        return f"_Kept({self.account!r})"


class TokenStore:
    """Keeps one sign-in.

    Args:
        folder: where to keep it.
        locks: the folder for our lock files.
    """

    def __init__(self, folder: Path, locks: Path) -> None:
        self.path = folder / _FILE
        self._locks = locks

    @property
    def is_signed_in(self) -> bool:
        """Whether something is kept; whether it is still good, only Google can tell."""
        return os.path.lexists(self.path)

    @property
    def place(self) -> Literal["file", "keyring"] | None:
        """Where the secrets are; ``None`` where nobody is signed in; raises as `read` does."""
        kept = self._kept()
        if kept is None:
            return None
        return "keyring" if kept.secrets is None else "file"

    def read(self) -> SignIn | None:
        """Return who is signed in, if anybody is.

        Raises:
            VaultUnavailable: what is kept is damaged or somebody else's, or the keyring does not answer.
        """
        kept = self._kept()
        if kept is None:
            return None
        fields = msgspec.structs.asdict(kept)
        if kept.secrets is None:
            fields["secrets"] = self._from_keyring()
        return SignIn(**fields)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other council-vaults from changing what is kept.

        Raises:
            Busy: another one takes too long.
            WriteFailed: the lock cannot be had.
        """
        self._make_folder()
        lock = Lock(self._locks, self.path, "file")
        lock.take()
        try:
            yield
        finally:
            lock.give_back()

    def save(self, sign_in: SignIn) -> Literal["file", "keyring"]:
        """Keep a sign-in, and return where its secrets are. Hold the lock.

        Raises:
            VaultUnavailable: the keyring does not take it.
            WriteFailed: the file cannot be written; what was kept is kept.
        """
        keyring = find_keyring()
        if keyring is not None:
            keyring.set(self._user, msgspec.json.encode(sign_in.secrets).decode())
        kept = _Kept(**msgspec.structs.asdict(sign_in) | ({} if keyring is None else {"secrets": None}))
        try:
            self._replace(msgspec.json.format(msgspec.json.encode(kept), indent=2))
        except OSError as error:
            raise failed(error, self.path, "the sign-in cannot be kept") from error
        return "file" if keyring is None else "keyring"

    def forget(self) -> None:
        """Delete what is kept, whatever it is. Hold the lock.

        Raises:
            VaultUnavailable: the keyring does not answer; the file is deleted nevertheless.
            WriteFailed: the file cannot be deleted.
        """
        keyring = find_keyring() if self._may_be_in_keyring() else None
        try:
            self._sweep()
            self.path.unlink(missing_ok=True)
            make_names_durable(self.path.parent)
        except OSError as error:
            raise failed(error, self.path, "the sign-in cannot be deleted") from error
        if keyring is not None:
            keyring.remove(self._user)

    def _may_be_in_keyring(self) -> bool:
        try:
            return self.place == "keyring"
        except VaultUnavailable:
            return True

    @property
    def _user(self) -> str:
        return f"Google Drive, {self.path.parent}"

    def _kept(self) -> _Kept | None:
        try:
            with self.path.open("rb") as file:
                self._require_mine(file.fileno())
                data = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = (error.strerror or "unknown").lower()
            raise self._unusable(f"the sign-in cannot be read: {reason}") from None
        try:
            return msgspec.json.decode(data, type=_Kept)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise self._unusable("the sign-in that is kept is damaged") from None

    def _require_mine(self, file: int) -> None:
        """Refuse a file of somebody else, and close one of ours that others may look into."""
        found = os.fstat(file)
        if found.st_uid != os.geteuid():
            raise VaultUnavailable(
                f"the sign-in belongs to another user (number {found.st_uid})",
                where=self.path,
                remedy="Run council-vault as that user, or delete the file and sign in",
            )
        mode = stat.S_IMODE(found.st_mode)
        if mode & _ANYONE_ELSE:
            os.fchmod(file, 0o600)
            _log.warning(
                "%s: others could read the sign-in (mode %03o); now only you can. If others use this "
                "computer, sign out with `council-vault drive logout` and in again.",
                self.path,
                mode,
            )

    def _from_keyring(self) -> Secrets:
        keyring = find_keyring()
        if keyring is None:
            raise self._unusable("the sign-in is kept in a keyring, and none is found now")
        text = keyring.get(self._user)
        if text is None:
            raise self._unusable("the keyring no longer holds the sign-in")
        try:
            return msgspec.json.decode(text, type=Secrets)
        except msgspec.DecodeError:
            raise self._unusable("what the keyring holds of the sign-in is damaged") from None

    def _replace(self, data: bytes) -> None:
        self._make_folder()
        self._sweep()
        part = self.path.with_name(f"{_FILE}.{os.getpid()}.part")
        try:
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "wb") as stream:
                stream.write(data)
                stream.flush()
                make_durable(file)
            part.replace(self.path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        make_names_durable(self.path.parent)

    def _sweep(self) -> None:
        """Delete what a process left that was killed while it wrote."""
        for part in self.path.parent.glob(f"{_FILE}.*.part"):
            part.unlink(missing_ok=True)

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise failed(error, self.path.parent, "its folder cannot be made") from error

    def _unusable(self, what: str) -> VaultUnavailable:
        return VaultUnavailable(what, where=self.path, remedy=SIGN_IN_AGAIN)
