"""What Drive says when it does not do what it was asked, and what a person can do about it.

Only words of our own reach an error: what Drive or the network say in theirs may hold names and keys.
"""

from __future__ import annotations

import email.utils
import json
import re
from datetime import UTC, datetime
from typing import NamedTuple

from council_vault.errors import CouncilVaultError, VaultUnavailable

DRIVE = "Google Drive"
SIGN_IN_AGAIN = "Sign in again with `council-vault drive login`"

_BUSY_STATUSES = {408, 429}
_BUSY_REASONS = {"rateLimitExceeded", "userRateLimitExceeded", "sharingRateLimitExceeded", "backendError"}
_REASON = re.compile(r"[A-Za-z_]{1,60}")


class Passing(Exception):
    """Trouble that goes by: the same request may succeed in a moment.

    Args:
        what: what happened, in a few words.
        retry_after: how many seconds Drive asks to wait; ``None`` where it does not say.
    """

    def __init__(self, what: str, retry_after: float | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.retry_after = retry_after

    def lasting(self) -> VaultUnavailable:
        """Return the error to raise when there is no more time to wait."""
        return VaultUnavailable(
            f"it cannot be reached now: {self.what}", where=DRIVE, remedy="Nothing is lost; try again later"
        )


class ItemRefused(CouncilVaultError):
    """Drive refuses something about one item; others are not concerned."""


class ItemMissing(ItemRefused):
    """There is no such item, or it may not be seen."""


class IdentifierTaken(ItemRefused):
    """What was to be created with this identifier exists."""


class _Saying(NamedTuple):
    what: str
    remedy: str


_OF_THE_WHOLE = {
    "storageQuotaExceeded": _Saying("the storage is full", "Make room in Google Drive"),
    "quotaExceeded": _Saying("the quota is used up", "Try again tomorrow, or have it raised"),
    "dailyLimitExceeded": _Saying("the day's quota is used up", "Try again tomorrow, or have it raised"),
    "insufficientPermissions": _Saying("the sign-in does not allow this", SIGN_IN_AGAIN),
    "insufficientScopes": _Saying("the sign-in does not allow this", SIGN_IN_AGAIN),
    "accessNotConfigured": _Saying(
        "the Drive API is not enabled in the project that the sign-in belongs to",
        "Enable it in the Google Cloud console",
    ),
    "domainPolicy": _Saying("the administrators do not allow programs to use Drive", "Ask them"),
}
_OF_ONE_ITEM = {
    "insufficientFilePermissions": _Saying("it may not be changed by this account", "Ask for edit access"),
    "appNotAuthorizedToFile": _Saying("this program may not open it", SIGN_IN_AGAIN),
    "fileNotDownloadable": _Saying("Drive does not hand out its content", ""),
    "cannotDownloadAbusiveFile": _Saying("Drive takes its content for harmful", ""),
    "numChildrenInNonRootLimitExceeded": _Saying("its folder holds as much as it may", "Make room in it"),
    "teamDriveFileLimitExceeded": _Saying("the shared drive holds as much as it may", "Make room in it"),
}
_NO_DRIVE = _Saying("the answer is not from Drive", "Open a browser: a network may be asking to sign in")


def refusal(status: int, content: bytes, retry_after: str | None) -> CouncilVaultError | Passing:
    """Return what an answer that is no success means.

    Args:
        status: the HTTP status.
        content: the body; errors of the API are JSON, those on the way are anything.
        retry_after: the header of that name.
    """
    reason = _reason(content)
    if status in _BUSY_STATUSES or status >= 500 or reason in _BUSY_REASONS:
        return Passing(f"it answers with {status}", seconds_in(retry_after))
    if status < 400:
        return not_from_drive()
    if status == 401:
        return signed_out()
    if reason in _OF_THE_WHOLE:
        saying = _OF_THE_WHOLE[reason]
        return VaultUnavailable(saying.what, where=DRIVE, remedy=saying.remedy)
    return _about_one_item(status, reason)


def _about_one_item(status: int, reason: str) -> ItemRefused:
    if status == 404:
        return ItemMissing("it is not in Drive, or may not be seen")
    if status == 409:
        return IdentifierTaken("it exists")
    saying = _OF_ONE_ITEM.get(reason, _Saying(f"Drive refuses it ({status} {reason})".replace(" )", ")"), ""))
    return ItemRefused(saying.what, remedy=saying.remedy)


def not_from_drive() -> VaultUnavailable:
    """Return the error for an answer that looks like success and is something else, such as a web page."""
    return VaultUnavailable(_NO_DRIVE.what, where=DRIVE, remedy=_NO_DRIVE.remedy)


def signed_out() -> VaultUnavailable:
    """Return the error for a sign-in that has ended or was taken back."""
    return VaultUnavailable("the sign-in is no longer valid", where=DRIVE, remedy=SIGN_IN_AGAIN)


def seconds_in(retry_after: str | None, now: datetime | None = None) -> float | None:
    """Return for how many seconds the header ``Retry-After`` asks: it holds seconds or a date.

    Args:
        retry_after: the header.
        now: the time, if it is not now.
    """
    if retry_after is None:
        return None
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


def _reason(content: bytes) -> str:
    """Return the word by which the API tells its errors apart; empty where it gives none."""
    try:
        error = json.loads(content)["error"]
        reason = error["errors"][0]["reason"] if "errors" in error else error["status"]
    except (ValueError, LookupError, TypeError):
        return ""
    return reason if isinstance(reason, str) and _REASON.fullmatch(reason) else ""
