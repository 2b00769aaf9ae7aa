"""What stood under a name before ours, kept aside until nobody can still be writing into it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from council_vault.files.recovery import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from council_vault.files.names import Leftover
    from council_vault.files.reading import Pin
    from council_vault.files.recovery import Recovery
    from council_vault.files.source import Source

_POLL = 0.001
_POLL_WITHOUT_LEASES = 0.05


class Displaced:
    """One replacement that has been made and may still have to be taken back.

    Args:
        path: the real file.
        aside: the displaced file, ``None`` where nothing was displaced or nothing of it could be kept.
        ours: the file that stands at the path since, ``None`` where nothing was displaced.
        leased: the displaced file, open under a lease; ``None`` where there is none.
        grace: seconds from now for which it must be kept.
    """

    def __init__(
        self,
        path: Path,
        aside: Leftover | None,
        ours: Pin | None,
        *,
        leased: Source | None = None,
        grace: float = 0.0,
    ) -> None:
        self._path = path
        self._aside = aside
        self._ours = ours
        self._leased = leased
        self._due = time.monotonic() + grace
        self._seen = self._state()

    def pause(self) -> float:
        """Return the seconds until it should be looked at again, 0 when it is due."""
        poll = _POLL if self._leased is not None else _POLL_WITHOUT_LEASES
        return max(min(self._due - time.monotonic(), poll), 0.0)

    def settled(self, recovery: Recovery) -> bool | None:
        """Look at the displaced file, and let go of it when it is due.

        Returns:
            ``True``: our replacement stands. ``False``: it was taken back. ``None``: it is not due yet.

        Raises:
            OSError: the file cannot be looked at, put back or deleted.
        """
        if self._aside is None:
            self._close()
            return True
        is_due = time.monotonic() >= self._due
        if self._state() != self._seen or (self._leased is not None and not self._leased.lease_holds()):
            self.take_back(recovery)
            return False
        if not is_due:
            return None
        leased = self._leased is not None
        self._close()
        if leased:
            self._aside.path.unlink(missing_ok=True)
            return True
        return recovery.settle(self._aside, self._path) is Outcome.DELETED

    def take_back(self, recovery: Recovery) -> None:
        """Give the displaced file its name back, or settle it by the rule where ours does not stand there.

        Raises:
            OSError: that is not possible now; it stays beside for whoever comes next.
        """
        try:
            if self._aside is not None and self._ours is not None:
                recovery.put_back(self._aside, self._path, self._ours.identity)
        finally:
            self._close()  # whoever waited for the lease goes on, and writes where the name leads
        if self._aside is not None and self._aside.path.exists():
            recovery.settle(self._aside, self._path)

    def _close(self) -> None:
        for held in (self._leased, self._ours):
            if held is not None:
                held.close()

    def _state(self) -> tuple[int, int] | None:
        if self._aside is None or self._leased is not None:
            return None
        found = self._aside.path.stat()
        return found.st_size, found.st_mtime_ns
