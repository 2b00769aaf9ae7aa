"""Standard input and output, kept for the protocol alone."""

from __future__ import annotations

import io
import os
import re
import select
import sys

_STDIN, _STDOUT, _STDERR = range(3)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\."
)
_REPLACEMENT = r"\ufffd"


def take_wire() -> Wire:
    """Take standard input and output from everybody else for the rest of the program's life.

    Whatever a library prints then goes to standard error, and who reads standard input finds it empty.
    """
    received, sent = os.dup(_STDIN), os.dup(_STDOUT)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, _STDIN)
    os.dup2(nowhere if sys.stderr is None else _STDERR, _STDOUT)
    os.close(nowhere)
    return Wire(received, sent)


class Wire:
    """What is ``received`` from a client, and ``sent`` to it: lines of UTF-8.

    Args:
        source: the file that is read.
        sink: the file that is written.
    """

    def __init__(self, source: int, sink: int) -> None:
        stopped, self._stop = os.pipe()
        readable = io.BufferedReader(_UntilStopped(source, stopped))
        self.received = _Lines(readable, "utf-8", errors="replace")
        self.sent = os.fdopen(sink, "w", encoding="utf-8", newline="\n")

    def stop(self) -> None:
        """Let what is received end here, whoever waits for more of it."""
        os.write(self._stop, b"\0")


class _Lines(io.TextIOWrapper):
    """Lines of JSON, without what the SDK cannot read: it would drop the line, and never answer.

    That is half a surrogate pair, as where a text was cut within an emoji.
    """

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # as that of the base class
        line = super().readline(size)
        return _ESCAPE.sub(_whole, line) if _SURROGATE.search(line) else line


def _whole(escape: re.Match[str]) -> str:
    return _REPLACEMENT if escape["half"] else escape[0]


class _UntilStopped(io.RawIOBase):
    """A file that ends when there is something in another one."""

    def __init__(self, source: int, stopped: int) -> None:
        self._source = source
        self._stopped = stopped

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        ready, _, _ = select.select([self._source, self._stopped], [], [])
        if self._stopped in ready:
            return 0
        data = os.read(self._source, len(buffer))
        buffer[: len(data)] = data
        return len(data)
