"""A model behind an OpenAI-compatible API over HTTP: it keeps what it was asked, and answers as told."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Answer = Callable[[dict[str, Any]], dict[str, Any]]


class Stub:
    """The API, as those see it who ask, and what they have asked, in order.

    Args:
        server: answers in a thread of its own.
    """

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.address = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
        self.asked: list[dict[str, Any]] = []

    def ask(self, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        """Ask as a client does; return the message that it answers."""
        body = json.dumps({"model": "stub", "messages": messages, **more}).encode()
        request = Request(
            self.address, body, {"Content-Type": "application/json", "Authorization": "Bearer none"}
        )
        with urlopen(request, timeout=30) as response:
            return json.load(response)["choices"][0]["message"]


def says(text: str) -> dict[str, Any]:
    """Return a message that says something."""
    return {"role": "assistant", "content": text}


def calls(tool: str) -> dict[str, Any]:
    """Return a message that wants a tool to be run."""
    call = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@contextmanager
def openai_stub(answer: Answer = lambda _asked: says("Noted.")) -> Iterator[Stub]:
    """Serve the API on a free port.

    Args:
        answer: makes the message that answers a request, which it is given whole.
    """
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                stub.asked.append(asked)
            choice = {"index": 0, "message": answer(asked), "finish_reason": "stop"}
            body = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
            self.send_response(200 if self.path == "/v1/chat/completions" else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_said: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        stub = Stub(server)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join()
