"""How long a request to Drive is repeated, and how long the pauses are."""

from __future__ import annotations

import random
import time
from collections.abc import Callable  # noqa: TC003 - msgspec reads the annotations
from typing import TypeVar

import msgspec

from council_vault.vault.drive_refusals import Passing

_Result = TypeVar("_Result")


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """Repeats what fails for a reason that passes, after pauses that double, drawn from their upper half.

    Where Drive says how long to wait, that is waited; where this is longer than there is time, nothing is.

    The daemon, which comes back by itself, has less of it than a person who waits.

    Attributes:
        total: seconds from the beginning of the first attempt to the beginning of the last.
        longest: seconds of one pause, where Drive does not ask for more.
        silence: seconds without a single byte after which a connection counts as dead.
        whole: seconds from a request on in which its answer must be complete.
        sleep: waits for so many seconds.
        clock: tells the time.
        lot: draws a number from 0 to 1.
    """

    total: float = 60.0
    longest: float = 16.0
    silence: float = 30.0
    whole: float = 120.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    lot: Callable[[], float] = random.random

    def see_through(self, attempt: Callable[[], _Result]) -> _Result:
        """Return what an attempt returns in the end.

        Raises:
            VaultUnavailable: there is no more time to repeat it.
        """
        end = self.clock() + self.total
        pause = 1.0
        while True:
            try:
                return attempt()
            except Passing as trouble:
                wait = trouble.retry_after
                if wait is None:
                    wait = pause * (1 + self.lot()) / 2
                if self.clock() + wait > end:
                    raise trouble.lasting() from None
            self.sleep(wait)
            pause = min(2 * pause, self.longest)
