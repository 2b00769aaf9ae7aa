"""An ear for a watcher: counts what it is told, and waits for it with a deadline."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

from council_vault.service.watcher import Watcher

DEADLINE = 10.0


class Ear:
    """Is told of changes, as a daemon is."""

    def __init__(self):
        self.heard = 0
        self.failure = None
        self._told = threading.Condition()

    def __call__(self):
        with self._told:
            self.heard += 1
            self._told.notify_all()
        if self.failure is not None:
            raise self.failure

    def waits(self, more=1):
        """Wait until it has been told so many times since the last waiting, and forget them."""
        with self._told:
            told = self._told.wait_for(lambda: self.heard >= more, DEADLINE)
            count, self.heard = self.heard, 0
        assert told, "nothing was heard"
        return count


def until(condition):
    """Wait until something holds."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.002)


@contextmanager
def watching(file, **options):
    """Watch a file; yield the watcher and the ear it tells."""
    ear = Ear()
    watcher = Watcher(file, ear, **options)
    watcher.start()
    try:
        yield watcher, ear
    finally:
        watcher.stop()
