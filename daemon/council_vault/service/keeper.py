"""Keeping one memory and its vault together: looking, wanting a sync, syncing, and trying again.

What may need Google Drive is sent on an errand, one at a time; all else goes on meanwhile.
"""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from council_vault.errors import CouncilVaultError, MemoryUnreadable, VaultUnavailable, WriteFailed
from council_vault.service import heap
from council_vault.service.errands import Errand
from council_vault.service.lookout import Lookout
from council_vault.service.note_lookout import NoteLookout
from council_vault.service.presence import Activity
from council_vault.service.schedule import (
    PENDING_LONG,
    Due,
    Outlook,
    Pauses,
    Schedule,
    at_start,
    due,
)
from council_vault.service.sync_for import sync_for
from council_vault.service.telling import local_time, not_understood, pending_until, summary
from council_vault.service.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from council_vault.service.bell import Waker
    from council_vault.service.errands import Errands
    from council_vault.service.journal import Standing
    from council_vault.service.note_lookout import ChangedNotes
    from council_vault.syncing.report import Report
    from council_vault.workspace import Workspace

RESCAN = 60.0
"""Seconds within which everything is noticed, even where no event tells of it."""

_POLL = 2.0  # seconds between looks where events are not to be trusted
_QUIET = 10.0  # seconds for which nobody must have written in a note
_PATIENCE = 5.0  # seconds in which a file that is half written may become whole
_LONGEST_AWAY = 900.0  # seconds between searches for a vault that is not there
_QUIET_AGAIN = Due("notes were left for later")
_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class Keeper:
    """Keeps them together, one step at a time.

    Args:
        workspace: where they are.
        waker: tells the time, and is rung at changes.
        standing: says what goes wrong.
        errands: does what may need Drive.
    """

    def __init__(self, workspace: Workspace, waker: Waker, standing: Standing, errands: Errands) -> None:
        self._workspace = workspace
        self._settings = workspace.settings.sync
        self._waker = waker
        self._standing = standing
        self._errands = errands
        self._errand: Errand[Any] | None = None
        self._watcher = Watcher(workspace.memory_path, waker.ring, mode=self._settings.watch)
        self._lookout = Lookout(workspace)
        self._note_lookout = NoteLookout(workspace)
        self._notes: ChangedNotes = frozenset()
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
        return self._schedule.next if self._can_sync else self._schedule.next_but_sync

    @property
    def _can_sync(self) -> bool:
        """Whether a sync is wanted, and nothing but its moment is waited for."""
        return self._wanted is not None and self._blind_since is None and self._errand is None

    def step(self) -> None:
        """Do the one thing that it is time for, if there is one.

        Raises:
            WriteFailed: the program's own state cannot be read.
        """
        now = self._waker.now()
        if self._errand is not None and self._errand.is_done:
            errand, self._errand = self._errand, None
            errand.take()
        elif now >= self._schedule.rescan_at:
            self._schedule.rescan_at = now + RESCAN
            self._look(thorough=True)
        elif now >= self._schedule.look_at:
            self._look(thorough=False)
        elif now >= self._schedule.flush_at:
            self._flush_within(self._settings.flush_after)
            self._want(PENDING_LONG)
        elif self._wanted and self._can_sync and now >= self._schedule.sync_at:
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
            if thorough and self._errand is None:
                self._send(partial(self._note_lookout.look, self._lookout.facts), self._take_notes)
            self._see(msgspec.structs.replace(outlook, notes=self._notes), now)

    def _take_notes(self, result: Callable[[], ChangedNotes | None]) -> None:
        """Take what was seen of the notes; a vault that is there again is synced with at once."""
        was_away, notes = self._vault_is_away, result()
        self._vault_is_away = notes is None
        self._notes = notes or frozenset()
        if was_away and not self._vault_is_away:
            self._schedule.sync_at = self._waker.now()

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
        self._send(partial(sync_for, self._workspace, wanted, _QUIET), partial(self._take_sync, wanted))

    def _send(self, work: Callable[[], _Result], take: Callable[[Callable[[], _Result]], None]) -> None:
        """Have something done, and give what comes of it to who takes it: at once, if it needs no Drive."""
        if self._workspace.may_need_drive(self._lookout.facts.pin):
            self._errand = Errand(work, take)
            self._errands.send(self._errand)
        else:
            take(work)

    def _take_sync(self, wanted: Due, result: Callable[[], Report]) -> None:
        try:
            report = result()
        except VaultUnavailable as error:
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
