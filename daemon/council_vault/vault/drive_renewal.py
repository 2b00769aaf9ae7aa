"""What Google means when it refuses to renew a sign-in, and the command that mends it.

Of what it says, only the word for the error reaches a person: the rest may hold secrets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from council_vault.errors import VaultUnavailable
from council_vault.vault.drive_refusals import DRIVE, SIGN_IN_AGAIN

if TYPE_CHECKING:
    from google.auth.exceptions import RefreshError

    from council_vault.vault.drive_credentials import ServiceAccount

_WORD = re.compile(r"[a-z_]{1,60}")
_OTHER_CLIENT = (
    "Make a new OAuth client in the Google Cloud console, set drive.credentials to its file, and sign in "
    "with `council-vault drive login`"
)
_NEW_KEY = "Make a new key in the Google Cloud console and set drive.credentials to its file"
_WRONG_CLOCK = ("iat", "reasonable timeframe", "short-lived token")


class _Saying(NamedTuple):
    what: str
    remedy: str


_OF_A_PERSON = {
    "invalid_grant": _Saying(
        "the sign-in has expired or was taken back",
        f"{SIGN_IN_AGAIN}. If this happens every 7 days, publish the OAuth app: while it is in testing, "
        "Google ends its sign-ins",
    ),
    "invalid_rapt": _Saying("your organisation wants you to sign in anew", SIGN_IN_AGAIN),
    "invalid_client": _Saying("Google does not know the OAuth client any more", _OTHER_CLIENT),
    "deleted_client": _Saying("the OAuth client was deleted", _OTHER_CLIENT),
    "disabled_client": _Saying("the OAuth client is disabled", _OTHER_CLIENT),
    "unauthorized_client": _Saying("the OAuth client may not do this", _OTHER_CLIENT),
    "admin_policy_enforced": _Saying(
        "your organisation does not allow this program to use Drive", "Ask its administrators"
    ),
}


def nobody_any_more() -> VaultUnavailable:
    """Return the error for a sign-in that was ended, or replaced by another one, while it was in use."""
    return VaultUnavailable(
        "whoever was signed in is no longer", where=DRIVE, remedy="Sign in with `council-vault drive login`"
    )


def person_refused(error: RefreshError) -> VaultUnavailable:
    """Return what a refusal to renew the sign-in of a person means."""
    word, _ = _said(error)
    unknown = _Saying(f"Google refuses to renew the sign-in{word and f' ({word})'}", SIGN_IN_AGAIN)
    saying = _OF_A_PERSON.get(word, unknown)
    return VaultUnavailable(saying.what, where=DRIVE, remedy=saying.remedy)


def account_refused(error: RefreshError, account: ServiceAccount) -> VaultUnavailable:
    """Return what a refusal of a token for a service account means."""
    word, description = _said(error)
    if word == "invalid_grant" and any(sign in description for sign in _WRONG_CLOCK):
        return VaultUnavailable(
            "the clock of this computer is wrong: Google refuses what is signed at such a time",
            where=DRIVE,
            remedy="Set the clock",
        )
    if word == "invalid_grant":
        what, remedy = f"Google does not know the service account {account.email}, or its key", _NEW_KEY
    else:
        what, remedy = f"Google refuses the service account {account.email}{word and f' ({word})'}", _NEW_KEY
    return VaultUnavailable(what, where=account.path, remedy=remedy)


def _said(error: RefreshError) -> tuple[str, str]:
    """Return the word for an error, and its description, which is not for people."""
    answer = error.args[1] if len(error.args) > 1 and isinstance(error.args[1], dict) else {}
    word = str(answer.get("error_subtype") or answer.get("error") or "")
    return word if _WORD.fullmatch(word) else "", str(answer.get("error_description") or "")
