"""A terminal for a program to talk to, with a person in front of it who reads and types."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

_PATIENCE = 30.0


class Conversation:
    """A program that runs on a terminal.

    Args:
        start: starts it, given the terminal as its standard streams.
    """

    def __init__(self, start: Callable[[int], subprocess.Popen]) -> None:
        self._terminal, side = pty.openpty()
        self._process = start(side)
        os.close(side)
        self.shown = ""

    def answer(self, question: str, reply: str) -> None:
        """Wait for a question and type a reply."""
        seen = len(self.shown)
        deadline = time.monotonic() + _PATIENCE
        while question not in self.shown[seen:]:
            if time.monotonic() > deadline or not self._look():
                raise AssertionError(f"it did not ask {question!r}, but showed:\n{self.shown}")
        os.write(self._terminal, reply.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C once it waits for an answer: Python itself can miss a signal just before that."""
        stat = Path(f"/proc/{self._process.pid}/stat")
        deadline = time.monotonic() + _PATIENCE
        while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "S":
            assert time.monotonic() < deadline
            time.sleep(0.01)
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Read what else it says; return its exit code."""
        while self._look():
            pass
        os.close(self._terminal)
        return self._process.wait(_PATIENCE)

    def _look(self) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], _PATIENCE)
        try:
            shown = os.read(self._terminal, 4096) if ready else b""
        except OSError:  # the other side is closed
            return False
        self.shown += shown.decode(errors="replace").replace("\r\n", "\n")
        return bool(shown)
