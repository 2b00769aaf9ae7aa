"""Standard input and output, kept for the protocol alone."""

from __future__ import annotations

import io
import os
import select
import sys
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from council_vault.service.bell import Bell, Orders

_STDIN, _STDOUT, _STDERR = range(3)


class Wire(NamedTuple):
    """What is read from and written to the client, line by line."""

    received: TextIO
    sent: TextIO


@contextmanager
def wire(bell: Bell, orders: Orders) -> Iterator[Wire]:
    """Take standard input and output from everybody else for the rest of the program's life.

    Whatever a library prints then goes to standard error, and what reads standard input finds it empty.

    Args:
        bell: rings when there are orders.
        orders: once they say stop, what is received has an end.
    """
    received, sent = os.dup(_STDIN), os.dup(_STDOUT)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, _STDIN)
    os.dup2(nowhere if sys.stderr is None else _STDERR, _STDOUT)
    os.close(nowhere)
    with redirect_stdout(sys.stderr):
        yield Wire(
            received=io.TextIOWrapper(
                io.BufferedReader(_UntilTold(received, bell, orders)), "utf-8", errors="replace"
            ),
            sent=os.fdopen(sent, "w", encoding="utf-8", newline="\n"),
        )


class _UntilTold(io.RawIOBase):
    """A file that also ends when the program is told to stop."""

    def __init__(self, source: int, bell: Bell, orders: Orders) -> None:
        self._source = source
        self._bell = bell
        self._orders = orders

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._orders.stop:
            ready, _, _ = select.select([self._source, self._bell.hearing], [], [])
            if self._source in ready and not self._orders.stop:
                data = os.read(self._source, len(buffer))
                buffer[: len(data)] = data
                return len(data)
            self._bell.wait(0)
        return 0
