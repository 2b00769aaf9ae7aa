"""Where Google's page sends the browser after a sign-in: to a server on this computer.

Whoever has the browser on another device pastes the address at which it ended.
"""

from __future__ import annotations

import os
import re
import secrets
import select
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Self
from urllib.parse import parse_qs, urlsplit

from council_vault.errors import VaultUnavailable
from council_vault.vault.drive_refusals import SIGN_IN_AGAIN

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE = 600.0
_CODE = re.compile(r"[A-Za-z0-9/_.~%=-]+")
_PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>council-vault</title>
<body style="font-family: sans-serif; margin: 4em auto; max-width: 32em"><p>{text}</p></body></html>
"""


class Answer:
    """What Google answers to a request to sign in: a code, or a refusal.

    Args:
        code: what is exchanged for a token; empty where there is none.
        error: Google's word for why not; empty where there is a code.
    """

    def __init__(self, code: str, error: str) -> None:
        self.code = code
        self.error = error


def answer_in(text: str, state: str, *, bare: bool = False) -> Answer | None:
    """Return the answer that an address holds, ``None`` where it is not one to our request.

    Args:
        text: the address, or its query.
        state: what our request was marked with; an answer without it was made by somebody else.
        bare: whether a code alone, without an address, is taken too.
    """
    text = text.strip()
    query = parse_qs(urlsplit(text).query)
    if not query:
        return Answer(text, "") if bare and _CODE.fullmatch(text) else None
    given = query.get("state", [""])[0]
    if not secrets.compare_digest(given.encode(errors="replace"), state.encode()):
        return None
    code, error = query.get("code", [""])[0], query.get("error", [""])[0]
    return Answer(code, error) if code or error else None


class Loopback:
    """Waits for one answer.

    Use it as a context manager: the address is taken until then.

    Args:
        state: what the request is marked with.
        typed: file descriptor of what the person types or pastes; ``None`` where nobody can.
        say: tells the person something.
        patience: seconds to wait.
    """

    def __init__(
        self, state: str, typed: int | None, say: Callable[[str], None], patience: float = _PATIENCE
    ) -> None:
        self._state = state
        self._typed = typed
        self._say = say
        self._patience = patience
        self._pasted = b""
        self._answer: Answer | None = None
        self._server = HTTPServer(("127.0.0.1", 0), self._handler())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()

    @property
    def address(self) -> str:
        """Where Google's page is to send the browser."""
        return f"http://127.0.0.1:{self._server.server_port}/"

    def wait(self) -> Answer:
        """Return the answer as soon as it comes.

        Raises:
            VaultUnavailable: none has come in time.
        """
        end = time.monotonic() + self._patience
        while self._answer is None:
            left = end - time.monotonic()
            if left <= 0:
                raise VaultUnavailable("nobody has signed in", remedy=SIGN_IN_AGAIN)
            sources = [self._server.fileno(), *([] if self._typed is None else [self._typed])]
            ready, _, _ = select.select(sources, [], [], left)
            if self._server.fileno() in ready:
                self._server.handle_request()
            elif ready:
                self._take_pasted()
        return self._answer

    def _take_pasted(self) -> None:
        data = os.read(self._typed or 0, 65536)
        self._pasted += data
        if not data:
            self._typed = None  # nothing more will come from there
        *lines, self._pasted = self._pasted.split(b"\n")
        if not data and self._pasted:
            lines.append(self._pasted)
        for line in lines:
            text = line.decode(errors="replace")
            if self._answer is None and text.strip():
                self._answer = answer_in(text, self._state, bare=True)
                if self._answer is None:
                    self._say("That is not the address at which this sign-in ends. Paste all of it:")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 1.0  # browsers open connections that they may never use

            def do_GET(self) -> None:
                answer = answer_in(self.path, loopback._state)
                if answer is None:
                    self._reply(404, "This is not the address at which the sign-in ends.")
                    return
                loopback._answer = answer
                text = "You are signed in." if answer.code else "You are not signed in."
                self._reply(200, f"{text} You can close this page and go back to council-vault.")

            def _reply(self, status: int, text: str) -> None:
                page = _PAGE.format(text=text).encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(page)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_: object) -> None:
                """Say nothing: the address holds the code."""

        return Handler
