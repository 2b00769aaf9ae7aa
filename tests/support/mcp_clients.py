"""Clients of `council-vault mcp`: the SDK's own, and one that sees every byte."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client

from support.program import SOURCE

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Awaitable, Callable, Iterator

    from support.program import Program

VERSION = "2025-06-18"


def server(*arguments: object) -> StdioServerParameters:
    """Return how an agent's program starts the server; ``arguments`` stand before the command."""
    path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "council_vault.cli.main", *map(str, arguments), "mcp"],
        env=os.environ | {"PYTHONPATH": path},
    )


def with_client(talk: Callable[[ClientSession], Awaitable[Any]], *arguments: object) -> Any:
    """Start the server, and talk to it; return what that returns.

    Args:
        talk: takes the session.
        arguments: what stands before the command.
    """

    async def run() -> Any:
        async with stdio_client(server(*arguments)) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await talk(session)

    return anyio.run(run)


def called(name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the parameters of a call."""
    return {"name": name, "arguments": arguments or {}}


class RawClient:
    """Speaks with a server line by line, and keeps every line that comes.

    Args:
        process: the server, with pipes for standard input and output.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[bytes] = []
        self._last = 0
        self.ask(
            "initialize", protocolVersion=VERSION, capabilities={}, clientInfo={"name": "t", "version": "0"}
        )
        self.tell("notifications/initialized")

    def send(self, line: bytes) -> None:
        """Send a line as it is."""
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def tell(self, method: str, **parameters: Any) -> None:
        """Send a notification."""
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters}).encode())

    def begin(self, method: str, **parameters: Any) -> int:
        """Send a request; return its id."""
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": parameters}
        self.send(json.dumps(message).encode())
        return self._last

    def receive(self) -> dict[str, Any]:
        """Return the next message."""
        line = self.process.stdout.readline()
        assert line, "the server has closed its end"
        self.lines.append(line)
        return json.loads(line)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a request; return the answer, which is the next message."""
        number = self.begin(method, **parameters)
        answer = self.receive()
        assert answer["id"] == number
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result."""
        return self.ask("tools/call", **called(tool, arguments))["result"]

    def close(self) -> tuple[int, bytes]:
        """Close this end; return the server's exit code and the rest of what it says on standard error."""
        rest, said = self.process.communicate(timeout=60)
        self.lines += rest.splitlines(keepends=True)
        return self.process.returncode, said


@contextmanager
def raw_client(program: Program, *arguments: object, **options: Any) -> Iterator[RawClient]:
    """Start the server and yield a client of it."""
    import subprocess  # noqa: PLC0415 - a name for type checkers above

    with program.start(*arguments, "mcp", stdin=subprocess.PIPE, **options) as process:
        try:
            yield RawClient(process)
        finally:
            process.kill()
