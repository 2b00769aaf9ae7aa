"""HTTP for Drive: a limit for every silence and for every whole answer.

The library counts its timeout anew with every receive, so a server that sends a byte now and then would hold
a request for ever.
"""

from __future__ import annotations

import functools
import http.client
import io
import time
from typing import TYPE_CHECKING, Protocol

import httplib2

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from _typeshed import WriteableBuffer as Buffer


class _Connection(Protocol):
    response_class: Callable[..., http.client.HTTPResponse]


class BoundedHttp(httplib2.Http):  # type: ignore[misc] # the library has no types
    """The library's HTTP client; every answer must be complete in time.

    Args:
        silence: seconds of silence before a connection is given up.
        whole: seconds for an answer from its request on.
    """

    def __init__(self, silence: float, whole: float) -> None:
        super().__init__(timeout=silence)
        self.redirect_codes -= {308}  # in an upload by parts this means: go on
        self._whole = whole

    def _conn_request(self, conn: _Connection, *request: object) -> tuple[object, bytes]:
        """Send a request over a connection, as the library does for each attempt of its own."""
        end = time.monotonic() + self._whole
        conn.response_class = functools.partial(_answer, end)
        answered: tuple[object, bytes] = super()._conn_request(conn, *request)
        return answered


def _answer(end: float, sock: socket.socket, *args: object, **options: object) -> http.client.HTTPResponse:
    """Return a response that is read from a socket until a time at most."""
    bounded: object = _BoundedSocket(sock, end)
    return http.client.HTTPResponse(bounded, *args, **options)  # type: ignore[arg-type] # it is duck-typed


class _BoundedSocket:
    """As much of a socket as a response uses."""

    def __init__(self, sock: socket.socket, end: float) -> None:
        self._sock = sock
        self._end = end

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedReader(self._sock, self._end))


class _BoundedReader(io.RawIOBase):
    """Reads from a socket, with ever less time to wait."""

    def __init__(self, sock: socket.socket, end: float) -> None:
        super().__init__()
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)  # keeps the socket open until it is closed itself
        self._silence = sock.gettimeout()
        self._end = end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer takes too long")
        self._sock.settimeout(left if self._silence is None else min(self._silence, left))
        return self._file.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._sock.settimeout(self._silence)
            self._file.close()
        super().close()
