"""Giving back what was displaced: at once after a collision, or later, after a kill.

Nothing that somebody else wrote is ever deleted here. What goes back under its name is kept besides, if it
was hidden for a moment: who read the file in that moment builds on our content, and will overwrite theirs
without knowing it.
"""

from __future__ import annotations

import os
import time
from enum import Enum
from typing import TYPE_CHECKING

from council_vault.files import system
from council_vault.files.names import Leftover, leftovers, names_in, short, stem
from council_vault.files.protection import lease_when_quiet
from council_vault.files.reading import (
    READ_ONLY,
    Identity,
    Pin,
    identity,
    identity_of,
    read,
    read_whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE = 5.0
"""Seconds to wait for somebody who has a file open for writing."""

GRACE = 0.02
"""Seconds for which a displaced file is kept under a lease; from finding to opening it takes microseconds."""

GRACE_WITHOUT_LEASES = 5.0
"""Seconds that a displaced file is kept where nothing tells whether somebody still writes into it."""


class Outcome(Enum):
    """What became of a displaced file."""

    DELETED = "deleted"  # it held nothing that is not known
    PUT_BACK = "put back"
    KEPT = "kept"
    LEFT = "left"  # somebody still writes into it; the next one who comes looks again


class Recovery:
    """The rule by which displaced files go back, are kept, or are deleted; used under the file's lock.

    Args:
        keep: rescues a content of the file at a path; it may be one that stands there too.
        observe: is told each point that is reached, so that tests can stop or kill the process there.
    """

    def __init__(self, keep: Callable[[Path, bytes], None], observe: Callable[[str], None]) -> None:
        self._keep = keep
        self._observe = observe

    def sweep(self, path: Path) -> None:
        """Settle what killed predecessors left beside the real file ``path``.

        Raises:
            OSError: the folder cannot be read or changed.
        """
        own = stem(path.name)
        for leftover in leftovers(path.parent, names_in(path.parent)):
            if leftover.stem == own:
                self._observe("leftover-found")
                self.settle(leftover, path)

    def settle(self, leftover: Leftover, path: Path) -> Outcome:
        """Settle one file that was left or displaced: the recovery rule.

        A part is deleted. Another one, once nobody has it open for writing or may be about to: it holds what
        was read, or ours: it is deleted; ours still stands at the path: it goes back; else it is kept.

        Raises:
            OSError: it cannot be read or changed.
        """
        if leftover.read is None or leftover.ours is None:
            leftover.path.unlink(missing_ok=True)
            return Outcome.DELETED
        file = os.open(leftover.path, READ_ONLY)
        try:
            if not _becomes_quiet(file, leftover.path):
                return Outcome.LEFT
            content = read_whole(file)
        finally:
            os.close(file)
        if short(content) in {leftover.read, leftover.ours}:
            leftover.path.unlink(missing_ok=True)
            return Outcome.DELETED
        if self._gave_back(leftover, path):
            return Outcome.PUT_BACK
        self._keep(path, content)
        leftover.path.unlink(missing_ok=True)
        return Outcome.KEPT

    def put_back(self, displaced: Leftover, path: Path, ours: Identity) -> bool:
        """Give a displaced file its name back, if ours still stands there; ``False`` if not.

        It goes back at once, before anything is read: every moment in which it is hidden, others build on
        ours. Whatever else comes out meanwhile was put there by somebody else, and goes in again. What stands
        aside afterwards must be settled: it is ours, and somebody may have opened it while it could be found.

        Args:
            displaced: the file, under the name of ours.
            path: where it belongs.
            ours: the file that must stand there.

        Raises:
            OSError: the system refused.
        """
        if identity(path) != ours:
            return False
        hidden = [os.open(displaced.path, READ_ONLY)]
        try:
            self._observe("put-back-begun")
            expected = ours
            while _exchanged(displaced, path, ours):
                self._observe("put-back-done")
                out = os.open(displaced.path, READ_ONLY)
                if identity_of(out) == expected:
                    os.close(out)
                    break
                expected = identity_of(hidden[-1])
                hidden.append(out)
            for file in hidden:
                content = read_whole(file)
                if short(content) not in {displaced.read, displaced.ours}:
                    self._keep(path, content)
        finally:
            for file in hidden:
                os.close(file)
        return True

    def _gave_back(self, leftover: Leftover, path: Path) -> bool:
        """Put it back where our content still stands at the path, and settle what came out."""
        try:
            standing = Pin(path)
        except FileNotFoundError:
            return False
        try:
            is_ours = short(read(path) or b"") == leftover.ours
            if not is_ours or not self.put_back(leftover, path, standing.identity):
                return False
        finally:
            standing.close()
        if leftover.path.exists():
            self.settle(leftover, path)
        return True


def _exchanged(displaced: Leftover, path: Path, ours: Identity) -> bool:
    """Put the displaced file under its name; say whether something came out that must be looked at."""
    try:
        if system.exchange(displaced.path, path):
            return True
    except FileNotFoundError:  # somebody deleted the file: what is displaced is not wanted there any more
        return False
    if identity(path) == ours and short(read(path) or b"") == displaced.ours:
        displaced.path.replace(path)
    return False


def _becomes_quiet(file: int, path: Path) -> bool:
    """Wait until nobody writes into a displaced file, nor can have found it before it was displaced.

    A displaced file's change time is when it was displaced, or written to since.
    """
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        lease = lease_when_quiet(file, path, PATIENCE)
        if lease is system.Lease.REFUSED:
            return False
        grace = GRACE if lease is system.Lease.HELD else GRACE_WITHOUT_LEASES
        age = time.time() - os.fstat(file).st_ctime
        time.sleep(min(max(grace - age, 0.0), grace))
        if lease is system.Lease.UNAVAILABLE or system.lease_holds(file):
            return True
        system.drop_lease(file)
    return False
