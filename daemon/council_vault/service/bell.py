"""What wakes the daemon: changes that the watcher hears, in a thread of its own, signals, and the time."""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

GRACE = 4.0
"""Seconds for which a stop waits for what is under way."""

_CHANGE = b"\0"  # no signal has this number
_log = logging.getLogger(__name__)


class Waker(Protocol):
    """The time, and what is waited for; a `Bell`, but for made-up time."""

    def now(self) -> float:
        """Return the moment, in seconds of a clock that is never set."""

    def wait(self, seconds: float) -> bool:
        """Wait for a change, for a signal, or for so many seconds; return whether there was a change."""

    def ring(self) -> None:
        """Tell that there was a change."""


class Bell:
    """Rings from any thread; waited for by one."""

    def __init__(self) -> None:
        self._waiting, self._ringing = socket.socketpair()
        for end in (self._waiting, self._ringing):
            end.settimeout(0.0)

    def ring(self) -> None:
        """Tell that there was a change."""
        with suppress(OSError):  # rung often enough already, or nobody waits any more
            self._ringing.send(_CHANGE)

    def now(self) -> float:
        """Return the moment, in seconds of a clock that is never set."""
        return time.monotonic()

    def wait(self, seconds: float) -> bool:
        """Wait for a change, for a signal, or for so many seconds; return whether there was a change."""
        select.select([self._waiting], [], [], max(seconds, 0.0))
        heard = b""
        with suppress(BlockingIOError):
            while heard := heard + self._waiting.recv(4096):
                pass
        return _CHANGE in heard

    def fileno(self) -> int:
        """Return where signals ring."""
        return self._ringing.fileno()

    def close(self) -> None:
        """Let nobody ring any more."""
        self._waiting.close()
        self._ringing.close()


class Orders:
    """What the daemon was told by signals: ``stop``, or ``reload`` its settings."""

    def __init__(self) -> None:
        self.stop = False
        self.reload = False


@contextmanager
def orders_by_signal(bell: Bell) -> Iterator[Orders]:
    """Take orders by signals, each of which wakes whoever waits for the bell.

    SIGTERM and SIGINT stop; SIGHUP, where there is one, reloads. Once told to stop, the program ends within
    ``GRACE`` seconds even if what is under way does not: every write here may be cut off at any moment, and
    is settled by the next start.
    """
    orders = Orders()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if not orders.stop:
            orders.stop = True
            leave_in_time()

    def reload(_signal: int, _frame: FrameType | None) -> None:
        orders.reload = True

    handlers = {signal.SIGTERM: stop, signal.SIGINT: stop}
    if hasattr(signal, "SIGHUP"):
        handlers[signal.SIGHUP] = reload
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    woken = signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)
    try:
        yield orders
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_in_time() -> None:
    """See to it that the program ends within ``GRACE`` seconds, even if what is under way does not."""
    deadline = threading.Timer(GRACE, _leave)
    deadline.daemon = True
    deadline.start()


def _leave() -> None:
    _log.warning("What was under way takes too long; the next start settles it.")
    logging.shutdown()
    os._exit(0)
