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
    identity,
    identity_of,
    open_to_read,
    read_whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE = 5.0
"""Seconds to wait for somebody who has a file open for writing."""

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

        A part is deleted. Another one, once nobody has it open for writing: it holds what was read, or ours:
        it is deleted; ours still stands at the path: it goes back; else it is kept.

        Raises:
            OSError: it cannot be read or changed.
        """
        if leftover.read is None or leftover.ours is None:
            leftover.path.unlink(missing_ok=True)
            return Outcome.DELETED
        file = os.open(leftover.path, READ_ONLY)
        try:
            if not _is_quiet(file, leftover.path):
                return Outcome.LEFT
            content = read_whole(file)
            outcome = Outcome.DELETED
            if short(content) not in {leftover.read, leftover.ours}:
                standing = _standing(path, leftover.ours)
                if standing is not None and self.put_back(leftover, path, standing):
                    return Outcome.PUT_BACK
                self._keep(path, content)
                outcome = Outcome.KEPT
            self._observe("leftover-settled")
            leftover.path.unlink(missing_ok=True)
            return outcome
        finally:
            os.close(file)

    def put_back(self, displaced: Leftover, path: Path, ours: Identity) -> bool:
        """Give a displaced file its name back, if ours still stands there; ``False`` if not.

        It goes back at once, before anything is read: every moment in which it is hidden, others build on
        ours. Whatever else comes out meanwhile was put there by somebody else, and goes in again.

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
            while _given(displaced.path, path):
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
        if identity(displaced.path) in {ours, None}:
            displaced.path.unlink(missing_ok=True)
        else:  # somebody replaced it between our two steps; somebody else may still write into it
            self.settle(displaced, path)
        return True


def _given(displaced: Path, path: Path) -> bool:
    """Put the displaced file under its name; say whether something came out that must be looked at."""
    try:
        if system.exchange(displaced, path):
            return True
    except FileNotFoundError:  # somebody deleted the file: what is displaced is not wanted there any more
        return False
    displaced.replace(path)
    return False


def _standing(path: Path, ours: str) -> Identity | None:
    """Return which file stands at the path, if its content is ours."""
    try:
        file = open_to_read(path)
    except FileNotFoundError:
        return None
    try:
        return identity_of(file) if short(read_whole(file)) == ours else None
    finally:
        os.close(file)


def _is_quiet(file: int, path: Path) -> bool:
    lease = lease_when_quiet(file, path, PATIENCE)
    if lease is system.Lease.UNAVAILABLE:  # the change time is when it was displaced, or written to since
        age = time.time() - os.fstat(file).st_ctime
        time.sleep(min(max(GRACE_WITHOUT_LEASES - age, 0.0), GRACE_WITHOUT_LEASES))
    return lease is not system.Lease.REFUSED
