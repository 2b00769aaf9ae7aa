"""Keeping one memory and its vault together: looking, wanting a sync, syncing, and trying again."""

from __future__ import annotations

import logging
import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from council_vault.errors import CouncilVaultError, MemoryUnreadable, VaultUnavailable, WriteFailed
from council_vault.service import heap
from council_vault.service.lookout import Lookout
from council_vault.service.presence import Activity
from council_vault.service.schedule import (
    AT_START,
    PENDING_LONG,
    Due,
    Outlook,
    Pauses,
    Schedule,
    at_start,
    due,
)
from council_vault.service.telling import local_time, not_understood, pending_until, summary
from council_vault.service.watcher import Watcher
from council_vault.syncing.settled import settled_report

if TYPE_CHECKING:
    from council_vault.service.journal import Standing
    from council_vault.syncing.report import Report
    from council_vault.workspace import Workspace

RESCAN = 60.0
"""Seconds within which everything is noticed, even where no event tells of it."""

_POLL = 2.0  # seconds between looks where events are not to be trusted
_QUIET = 10.0  # seconds for which nobody must have written in a note
_PATIENCE = 5.0  # seconds in which a file that is half written may become whole
_LONGEST_AWAY = 900.0  # seconds between searches for a vault that is not there
_QUIET_AGAIN = Due("a note has become quiet")
_log = logging.getLogger(__name__)


class Waker(Protocol):
    """The time, and what is waited for; see `bell.Bell`."""

    def now(self) -> float:
        """Return the moment, in seconds of a clock that is never set."""

    def wait(self, seconds: float) -> bool:
        """Wait for a change, for a signal, or for so many seconds; return whether there was a change."""

    def ring(self) -> None:
        """Tell that there was a change."""


class Keeper:
    """Keeps them together, one step at a time.

    Args:
        workspace: where they are.
        waker: tells the time, and is rung at changes.
        standing: says what goes wrong.
    """

    def __init__(self, workspace: Workspace, waker: Waker, standing: Standing) -> None:
        self._workspace = workspace
        self._settings = workspace.settings.sync
        self._waker = waker
        self._standing = standing
        self._watcher = Watcher(workspace.memory_path, waker.ring, mode=self._settings.watch)
        self._lookout = Lookout(workspace)
        self._schedule = Schedule()
        self._outlook = self._attempted = Outlook()
        self._wanted: Due | None = None
        self._has_looked = False
        self._blind_since: float | None = -math.inf
        self._vault_is_away = False
        self._looking = Pauses(_PATIENCE / 16, RESCAN)
        self._syncing = Pauses(1.0, RESCAN)
        self._finding = Pauses(5.0, _LONGEST_AWAY)
        self._troubles: dict[str, str] = {}
        self._synced = self._did = self._did_at = self._again_at = self._flush_at = ""

    def start(self) -> None:
        """Begin to watch; the first look is due at once, so that nothing is missed in between."""
        self._watcher.start()
        self._schedule.rescan_at = self._waker.now()

    def stop(self) -> None:
        """Cease to watch."""
        self._watcher.stop()

    def heard(self) -> None:
        """Take note of a change of the memory file."""
        self._schedule.heard(self._waker.now(), self._settings.debounce)

    def ask(self, for_what: Due) -> None:
        """Want a sync now, whatever has been tried before."""
        self._attempted = Outlook()
        self._want(for_what)

    @property
    def next(self) -> float:
        """The moment of the next step."""
        waits = self._wanted is None or self._blind_since is not None
        return self._schedule.next_but_sync if waits else self._schedule.next

    def step(self) -> None:
        """Do the one thing that it is time for, if there is one.

        Raises:
            WriteFailed: the program's own state cannot be read.
        """
        now = self._waker.now()
        if now >= self._schedule.rescan_at:
            self._schedule.rescan_at = now + RESCAN
            self._look(thorough=True)
            if self._vault_is_away and self._lookout.sees_vault():
                self._schedule.sync_at = now
        elif now >= self._schedule.look_at:
            self._look(thorough=False)
        elif now >= self._schedule.flush_at:
            self._flush_within(self._settings.flush_after)
            self._want(PENDING_LONG)
        elif self._wanted and now >= self._schedule.sync_at and self._blind_since is None:
            self._sync(self._wanted)

    def activity(self) -> Activity:
        """Return what is being done, but for what only the process knows."""
        troubles = tuple(self._troubles.values())
        return Activity(
            summary=summary(self._outlook, self._synced, troubles),
            did=self._did,
            did_at=self._did_at,
            waiting=self._waiting(),
            troubles=troubles,
        )

    # Looking

    def _look(self, *, thorough: bool) -> None:
        self._watcher.check()
        silent = self._watcher.trouble
        if self._settings.watch != "poll":
            self._note("watching", silent and f"looking every {_POLL:.0f} s instead of watching: {silent}")
        until_next = _POLL if silent else math.inf
        now = self._waker.now()
        try:
            outlook = self._lookout.look(thorough=thorough)
        except (MemoryUnreadable, WriteFailed) as error:
            pause = min(until_next, self._looking.next())
            self._schedule.looked(now, min(pause, self._see_nothing(error, now)))
        else:
            self._schedule.looked(now, until_next)
            self._looking.reset()
            self._see(outlook, now)

    def _see_nothing(self, error: CouncilVaultError, now: float) -> float:
        """Return the seconds after which it will be a trouble, if nothing changes."""
        if self._blind_since is None:
            self._blind_since = now
        patience = self._blind_since + _PATIENCE - now
        if patience > 0 and isinstance(error, MemoryUnreadable):
            return patience
        self._note("memory", str(error))
        return math.inf

    def _see(self, outlook: Outlook, now: float) -> None:
        if self._blind_since is not None:
            self._blind_since = None
            self._note("memory", None)
            self._schedule.sync_at = now
        self._outlook = outlook
        every = self._settings.every
        if not self._has_looked:
            self._has_looked = True
            wanted = at_start(outlook, every)
            self._flush_within(max(0.0, self._settings.flush_after - self._lookout.pending_for()))
        else:
            wanted = due(outlook, self._attempted, every)
        if not outlook.pending:
            self._schedule.flush_at = math.inf
        elif self._schedule.flush_at == math.inf:
            self._flush_within(self._settings.flush_after)
        if wanted:
            self._want(wanted)

    # Syncing

    def _want(self, wanted: Due) -> None:
        self._wanted = self._wanted.joined_by(wanted) if self._wanted else wanted
        self._schedule.sync_at = self._waker.now()

    def _sync(self, wanted: Due) -> None:
        self._attempted = self._outlook
        try:
            settled = settled_report(self._workspace) if wanted is AT_START else None
            report = settled or _sync(self._workspace, wanted)
        except VaultUnavailable as error:
            self._vault_is_away = True
            self._note("vault", str(error))
            self._again_in(self._finding.next())
        except CouncilVaultError as error:
            self._note("sync", str(error))
            self._again_in(self._syncing.next())
        else:
            self._account_for(report, wanted)
            self._lookout.after_sync()
            self._look(thorough=True)
            heap.give_back()

    def _account_for(self, report: Report, wanted: Due) -> None:
        """Say what a sync did, and see to what it could not do."""
        self._vault_is_away = False
        self._finding.reset()
        self._note("vault", None)
        self._note("sync", report.failure)
        self._note("fields", not_understood(len(report.problems)))
        self._note("notes", "; ".join(report.reasons))
        for message in report.messages:
            _log.warning("%s", message)
        if report.changed:
            self._did, self._did_at = report.sentence, local_time()
            _log.info("%s Because %s.", report.sentence, wanted.reason)
        if report.failure or any(note.outcome == "failed" for note in report.notes):
            self._again_in(self._syncing.next())
            return
        self._synced = local_time()
        self._syncing.reset()
        if any(note.outcome == "later" and note.reason for note in report.notes):
            self._wanted = _QUIET_AGAIN
            self._again_in(_QUIET)
        else:
            self._wanted, self._schedule.sync_at = None, math.inf

    def _again_in(self, seconds: float) -> None:
        self._schedule.sync_at = self._waker.now() + seconds
        self._again_at = local_time(seconds)

    def _flush_within(self, seconds: float) -> None:
        self._schedule.flush_at = self._waker.now() + seconds
        self._flush_at = local_time(seconds)

    # Saying

    def _note(self, key: str, trouble: str | None) -> None:
        """Take note of what is wrong, or of nothing being wrong any more."""
        if trouble:
            self._troubles[key] = trouble
            self._standing.trouble(key, trouble)
        else:
            self._troubles.pop(key, None)
            self._standing.well(key)

    def _waiting(self) -> str:
        if self._blind_since is not None:
            return "waiting for a memory file that can be read"
        if self._wanted and self._schedule.sync_at > self._waker.now():
            return f"trying again at {self._again_at}, because {self._wanted.reason}"
        return pending_until(self._outlook, self._settings.every, self._flush_at)


def _sync(workspace: Workspace, wanted: Due) -> Report:
    # Many a daemon never gets here, and does without the memory that these take.
    from council_vault.sync import Options, sync  # noqa: PLC0415 - see above

    options = Options(only_log=wanted.only_log, quiet_for=_QUIET, reason=f"because {wanted.reason}")
    return sync(workspace, options, datetime.now(UTC))
