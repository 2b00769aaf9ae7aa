"""The emulator as a test holds it: its address, what was asked, and what goes wrong."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from support.drive_emulator import oauth
from support.drive_emulator.api import Api
from support.drive_emulator.contents import Contents
from support.drive_emulator.faults import Fault, Rule, Schedule
from support.drive_emulator.oauth import OAuth
from support.drive_emulator.server import Server
from support.drive_emulator.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from support.drive_emulator.faults import When
    from support.drive_emulator.requests import Request


class DriveEmulator(Contents):
    """A Google Drive on the loopback, for as long as the ``with`` block lasts.

    Args:
        seed: for ids; the same seed gives the same ones.
        port: 0 for any that is free.

    Attributes:
        endpoint: ``http://127.0.0.1:PORT``, the root URL for the client.
        oauth: the sign-in server: ``required``, ``consent``, ``revoke()``, ``expire()``; see `OAuth`.
    """

    def __init__(self, seed: int = 1, port: int = 0) -> None:
        super().__init__(Store(seed))
        self._schedule = Schedule()
        self._server = Server(port, self._schedule)
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.oauth = OAuth(lambda: self._store.new_id("", 40))
        self._api = Api(self._store, self.oauth, self.endpoint)
        self._server.answer = self._api.answer
        # So many seconds pass between two looks at whether to stop; closing waits for one.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop.

        Raises:
            ExceptionGroup: the emulator itself went wrong, and no test shall pass for that.
        """
        self._server.close()
        self._thread.join()
        if self._server.errors:
            raise ExceptionGroup("the emulator failed", self._server.errors)

    # What was asked

    @property
    def requests(self) -> list[Request]:
        """All requests so far, in the order in which they came."""
        return list(self._server.log)

    @property
    def writes(self) -> list[Request]:
        """The requests that may change something on the Drive; refused ones are here too."""
        return [request for request in self.requests if request.kind == "write"]

    def forget_requests(self) -> None:
        """Empty the log; numbers go on."""
        self._server.log.clear()

    # What goes wrong

    def fail(self, when: When, how: Fault, *, times: int | None = 1, skip: int = 0) -> None:
        """Let requests go wrong. Of several rules that mean a request, the oldest decides.

        Args:
            when: ``n`` for the n-th request from now on, a predicate, or ``None`` for all.
            how: what happens; see `support.drive_emulator.faults`.
            times: how often; ``None``: until `reset_faults`.
            skip: how many that ``when`` means are spared first.
        """
        self._schedule.add_fault(Rule.of(when, how, times=times, skip=skip))

    def before(self, when: When, act: Callable[[], object], *, times: int | None = 1, skip: int = 0) -> None:
        """Do something in the moment before a request is carried out; ``when`` and the rest as for `fail`."""
        self._schedule.add_action(Rule.of(when, act, times=times, skip=skip))

    def reset_faults(self) -> None:
        """Let nothing go wrong any more, end what hangs, and forget what was to be done `before` requests."""
        self._schedule.reset()

    def drop_connections(self) -> None:
        """Close every connection that a client keeps open, as servers do with idle ones."""
        self._server.drop_connections()

    def lag_lists(self, requests: int) -> None:
        """Let so many list requests pass before a list shows what is made from now on."""
        self._store.list_lag = requests

    def page_lists(self, limit: int = 1000, *, empty_pages: bool = False) -> None:
        """Put at most so many files on a page; with ``empty_pages``, an empty page before each."""
        self._api.files.page_limit = limit
        self._api.files.empty_pages = empty_pages

    # Signing in

    @property
    def token_uri(self) -> str:
        """Where tokens are fetched and refreshed."""
        return f"{self.endpoint}/token"

    @property
    def auth_uri(self) -> str:
        """The page on which a person consents."""
        return f"{self.endpoint}/auth"

    @property
    def revoke_uri(self) -> str:
        """Where a token is given back."""
        return f"{self.endpoint}/revoke"

    def client_secrets(self) -> dict:
        """Return what the file holds that one downloads for an installed app."""
        return oauth.client_secrets(self.auth_uri, self.token_uri)

    def authorized_user(self) -> dict:
        """Return what a token file holds after signing in; the access token is yet to be fetched."""
        return oauth.authorized_user(self.token_uri, self.oauth.new_refresh_token())

    def service_account(self) -> dict:
        """Return what the key file of a service account holds; the key is made now."""
        return oauth.service_account(self.token_uri)
