"""The HTTP server: reads requests, lets things go wrong where that is asked for, and sends replies."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from support.drive_emulator.replies import DriveError, Reply
from support.drive_emulator.requests import Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.drive_emulator.faults import Fault, Schedule

FORM = "application/x-www-form-urlencoded"


class Server(ThreadingHTTPServer):
    """A server on the loopback, with a thread for each connection.

    Args:
        port: 0 for any that is free.
        schedule: what goes wrong when.

    Attributes:
        answer: carries out a request; given once there is somebody who can.
        log: all requests, in the order in which they were read.
        errors: what the emulator itself did wrong; a test must find none.
    """

    daemon_threads = False
    block_on_close = True
    request_queue_size = 64

    def __init__(self, port: int, schedule: Schedule) -> None:
        self.schedule = schedule
        self.answer: Callable[[Request], Reply] = lambda _: Reply(503)
        self.log: list[Request] = []
        self.errors: list[BaseException] = []
        self._count = 0
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), Handler)

    def record(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Request:
        """Number a request and put it in the log, without its body."""
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if override := headers.get("x-http-method-override"):
            method = override.upper()
            if headers.get("content-type") == FORM:
                query |= dict(parse_qsl(body.decode(), keep_blank_values=True))
        with self._lock:
            self._count += 1
            seen = (self._count, method, parts.path, query, len(body), headers)
            self.log.append(Request(*seen, b""))
            return Request(*seen, body)

    def close(self) -> None:
        """Stop, with whatever is still under way."""
        self.schedule.reset()
        self.shutdown()
        self.drop_connections()
        self.server_close()

    def drop_connections(self) -> None:
        """Close what clients keep open."""
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def process_request(self, request: socket.socket, client_address: object) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, *_: object) -> None:
        """Keep an error for the test; a client that hangs up is none, and was dealt with before."""
        self.errors.append(sys.exception() or RuntimeError("unknown"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "DriveEmulator"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Server

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, *_: object) -> None:
        """Say nothing: requests are kept in the log of the server."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = self.server.record(self.command, self.path, headers, body)
        actions, fault, released = self.server.schedule.due(request)
        try:
            for act in actions:
                act()
        except Exception as error:  # noqa: BLE001 - the test shall hear of it, whatever it is
            self._send(self._own_failure(error))
            return
        reply = self._carry_out(request) if fault is None or fault.effect else Reply()
        if fault is None:
            self._send(reply)
        else:
            self._go_wrong(fault, reply, released)

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Serve every method alike."""
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def _carry_out(self, request: Request) -> Reply:
        try:
            return self.server.answer(request)
        except DriveError as error:
            return error.reply()
        except Exception as error:  # noqa: BLE001 - the test shall hear of it, whatever it is
            return self._own_failure(error)

    def _own_failure(self, error: Exception) -> Reply:
        self.server.errors.append(error)
        return DriveError(500, "internalError", f"The emulator failed: {error!r}").reply()

    def _go_wrong(self, fault: Fault, reply: Reply, released: threading.Event) -> None:
        if fault.hang:
            released.wait(fault.hang)
        if fault.hang or fault.drop:
            self.close_connection = True
            return
        reply = fault.reply or reply
        if fault.cut < 1:
            self.close_connection = True
            self._send(reply, reply.body[: int(len(reply.body) * fault.cut)])
        elif fault.pause:
            self._send(reply, b"")
            for place in range(len(reply.body)):
                if released.wait(fault.pause):
                    self.close_connection = True
                    return
                self.wfile.write(reply.body[place : place + 1])
                self.wfile.flush()
        else:
            self._send(reply)

    def _send(self, reply: Reply, body: bytes | None = None) -> None:
        """Send a reply; ``body`` is what is really sent of it now."""
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body if body is None else body)
        self.wfile.flush()
