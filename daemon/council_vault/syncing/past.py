"""What the history says of a sync."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from council_vault.history import PastSync

if TYPE_CHECKING:
    from council_vault.errors import CouncilVaultError
    from council_vault.syncing.report import Report


class Occasion:
    """A sync that begins now.

    Args:
        at: the time that is given to what it does, in UTC.
        reason: why it is made.
    """

    def __init__(self, at: str, reason: str) -> None:
        self._at = at
        self._reason = reason
        self._began = time.monotonic()

    def done(self, report: Report) -> PastSync | None:
        """Return what is kept of the sync; ``None`` where it had nothing to do."""
        if not (report.changed or report.failed):
            return None
        return PastSync(
            at=self._at,
            reason=self._reason,
            seconds=self._seconds,
            vault=report.vault,
            did=report.sentence,
            notes=tuple(note.kind for note in report.notes if note.outcome == "written"),
            entries=report.entries,
            rows_back=report.rows_back,
            ratings=report.ratings,
            flagged=report.flagged,
            pending=report.pending,
            troubles=(*report.reasons, *filter(None, [report.failure])),
        )

    def failed(self, error: CouncilVaultError) -> PastSync:
        """Return what is kept of the sync when an error has ended it."""
        return PastSync(at=self._at, reason=self._reason, seconds=self._seconds, troubles=(str(error),))

    @property
    def _seconds(self) -> float:
        return round(time.monotonic() - self._began, 4)
