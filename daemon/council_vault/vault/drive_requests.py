"""Requests to Drive's API: sent, repeated where that helps, and every failure put into words.

The library's own repetition is not used: it never reads ``Retry-After``, and does not repeat on 408, on a
body that was cut off, or where the network is gone.
"""

from __future__ import annotations

import functools
import http.client
import json
import logging
import math
import ssl
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import msgspec

from council_vault.errors import VaultUnavailable
from council_vault.vault.drive_refusals import DRIVE, Passing, not_from_drive, refusal, signed_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from google.auth.credentials import Credentials

    from council_vault.vault.drive_items import Page
    from council_vault.vault.drive_patience import Patience

_LONGEST_WISH = 3600.0  # seconds of a pause that Drive asks for
_Answer = TypeVar("_Answer")
_Page = TypeVar("_Page", bound="Page")


class Request(Protocol):
    """One request, ready to be sent."""

    def execute(self, *, num_retries: int) -> object:
        """Send it and return what is answered."""
        ...


class Api(NamedTuple):
    """The parts of the API in use; the library takes milliseconds to make one of them."""

    about: Any
    drives: Any
    files: Any
    revisions: Any
    changes: Any
    close: Callable[[], None]


class Requests:
    """Sends requests to the API over one kept connection; one thread owns it.

    A pause that Drive asks for is kept, also where it is too long to be waited for: until it is over nothing
    is sent.

    Args:
        endpoint: where the API is, ``None`` for Google's.
        credentials: who is signed in; ``None`` where the endpoint asks nobody.
        patience: how long to repeat what fails for the moment.
    """

    def __init__(self, endpoint: str | None, credentials: Credentials | None, patience: Patience) -> None:
        self._endpoint = endpoint
        self._credentials = credentials
        self._patience = patience
        self._api: Api | None = None
        self._quiet_until = -math.inf
        self._why_quiet = ""

    def ask(self, make: Callable[[Api], Request], kind: type[_Answer]) -> _Answer:
        """Send a request and return its answer as what it must be.

        Args:
            make: makes the request out of the API; called anew for every attempt.
            kind: what the answer is: a type of `drive_items`, or bytes for content.

        Raises:
            VaultUnavailable: Drive cannot be used now.
            ItemRefused: Drive does not do this with this item.
        """
        answer = self._patience.see_through(lambda: self._attempt_unless_quiet(make))
        try:
            return msgspec.convert(answer, kind)
        except msgspec.ValidationError as error:
            raise not_from_drive() from error

    def pages(self, make: Callable[[str | None, Api], Request], kind: type[_Page]) -> Iterator[_Page]:
        """Yield all pages of a list; one that is empty is not the last."""
        token: str | None = None
        while True:
            page = self.ask(functools.partial(make, token), kind)
            yield page
            if page.next_page_token is None:
                return
            if page.next_page_token == token:
                raise not_from_drive()  # it would go on for ever
            token = page.next_page_token

    def close(self) -> None:
        """Give up the connection; the next request makes a new one."""
        if self._api is not None:
            self._api.close()

    def _attempt_unless_quiet(self, make: Callable[[Api], Request]) -> object:
        left = self._quiet_until - self._patience.clock()
        if left > 0:
            raise Passing(self._why_quiet, left)
        try:
            return self._attempt(make)
        except Passing as trouble:
            if trouble.retry_after is not None:
                self._quiet_until = self._patience.clock() + min(trouble.retry_after, _LONGEST_WISH)
                self._why_quiet = trouble.what
            raise

    def _attempt(self, make: Callable[[Api], Request]) -> object:
        import google.auth.exceptions  # noqa: PLC0415 - only who uses Drive loads its libraries
        import googleapiclient.errors  # noqa: PLC0415
        import httplib2  # noqa: PLC0415

        if self._api is None:
            self._api = self._build()
        try:
            return make(self._api).execute(num_retries=0)
        except googleapiclient.errors.HttpError as error:
            meaning = refusal(error.resp.status, error.content, error.resp.get("retry-after"))
            raise meaning from None
        except UnicodeDecodeError:
            raise not_from_drive() from None
        except ssl.SSLCertVerificationError:
            self.close()
            raise VaultUnavailable(
                "its certificate is not valid here", where=DRIVE, remedy="Look at the clock and the network"
            ) from None
        except google.auth.exceptions.TransportError:
            self.close()
            raise Passing("the sign-in server does not answer") from None
        except google.auth.exceptions.GoogleAuthError as error:
            if error.retryable:
                raise Passing("the sign-in server is busy") from None
            raise signed_out() from None
        except (OSError, http.client.HTTPException, httplib2.HttpLib2Error) as error:
            self.close()  # whatever is left of an answer must not be taken for the next one
            raise Passing(_in_words(error)) from None

    def _build(self) -> Api:
        """Return the API as the library offers it, from the description that comes with the library."""
        import google_auth_httplib2  # noqa: PLC0415 - likewise
        from googleapiclient.discovery import build_from_document  # noqa: PLC0415
        from googleapiclient.discovery_cache import get_static_doc  # noqa: PLC0415

        from council_vault.vault.drive_transport import BoundedHttp  # noqa: PLC0415

        for name in ("googleapiclient", "google.auth", "google_auth_httplib2"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what they tell of is said here, once
        description = json.loads(get_static_doc("drive", "v3"))
        if self._endpoint is not None:
            root = self._endpoint.rstrip("/") + "/"
            description |= {"rootUrl": root, "baseUrl": root + description["servicePath"]}
        del description["mtlsRootUrl"]
        connection: Any = BoundedHttp(self._patience.silence, self._patience.whole)
        if self._credentials is not None:
            connection = google_auth_httplib2.AuthorizedHttp(self._credentials, http=connection)
        service = build_from_document(description, http=connection)
        return Api(
            about=service.about(),
            drives=service.drives(),
            files=service.files(),
            revisions=service.revisions(),
            changes=service.changes(),
            close=service.close,
        )


def _in_words(error: Exception) -> str:
    """Return what a failure of the network is, without whatever it holds of the request."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, http.client.IncompleteRead):
        return "an answer was cut off"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return "the connection failed"
