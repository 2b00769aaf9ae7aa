"""The daemon: keeps going, whatever happens, until it is told to stop.

One thread does everything but what may need Google Drive, and sleeps in between until the watcher, an errand
or a signal rings, or the next moment has come. What goes wrong is said once and tried again after a pause;
what is missing is waited for.
"""

from __future__ import annotations

import logging
import math
import os
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import CouncilVaultError
from council_vault.service.errands import Errands
from council_vault.service.journal import Standing
from council_vault.service.keeper import RESCAN, Keeper
from council_vault.service.presence import Presence
from council_vault.service.schedule import Due, Pauses
from council_vault.service.telling import local_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from council_vault.service.bell import Orders, Waker
    from council_vault.service.systemd import Notifier
    from council_vault.workspace import Workspace

_RELOADED = Due("the settings were read again")
_log = logging.getLogger(__name__)


class Daemon:
    """Keeps one memory and its vault together.

    Args:
        load: reads the settings and returns the workspace that they name.
        waker: tells the time, and wakes.
        orders: what was told by signals.
        notifier: tells systemd.

    Raises:
        SettingsError: the settings are wrong.
        AlreadyRunning: another daemon keeps this memory.
        WriteFailed: the program's state cannot be kept.
    """

    def __init__(
        self, load: Callable[[], Workspace], waker: Waker, orders: Orders, notifier: Notifier
    ) -> None:
        self._load = load
        self._waker = waker
        self._orders = orders
        self._notifier = notifier
        self._standing = Standing(waker.now, _log)
        self._stumbling = Pauses(1.0, RESCAN)
        self._since = local_time()
        self._said: str | None = None
        self._workspace = load()
        self._presence = Presence(self._workspace.folder, self._workspace.locks)
        self._errands = Errands(waker.ring)
        self._keeper = Keeper(self._workspace, waker, self._standing, self._errands)

    def run(self) -> None:
        """Keep them together until told to stop."""
        _log.info("Keeping %s.", self._workspace.memory_path)
        self._keeper.start()
        try:
            while not self._orders.stop:
                self._turn()
        finally:
            self._notifier.stopping()
            self._keeper.stop()
            self._errands.end()
            self._presence.end()
        _log.info("Stopped.")

    def _turn(self) -> None:
        """Do what it is time for, say how things are, and sleep."""
        try:
            if self._orders.reload:
                self._orders.reload = False
                self._reload()
            self._keeper.step()
            self._tell()
        except CouncilVaultError as error:
            self._stumble(str(error))
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not leave the vault alone for good
            _log.debug("Something unexpected went wrong.", exc_info=True)
            self._stumble(f"something unexpected went wrong: {error!r}")
        else:
            self._stumbling.reset()
            self._standing.well("unexpected")
            self._sleep_until(self._keeper.next)

    def _stumble(self, message: str) -> None:
        self._standing.trouble("unexpected", message)
        awake = self._waker.now() + self._stumbling.next()
        while self._waker.now() < awake and not self._orders.stop:
            self._sleep_until(awake)

    def _sleep_until(self, moment: float) -> None:
        ping = self._notifier.watchdog_seconds
        self._notifier.watchdog()
        seconds = min(moment - self._waker.now(), RESCAN, ping / 2 if ping else math.inf)
        if not self._orders.stop and self._waker.wait(seconds):
            self._keeper.heard()

    def _tell(self) -> None:
        """Tell systemd and whoever asks how things are, where that has changed."""
        activity = self._keeper.activity()
        if self._said is None:
            self._notifier.ready(activity.summary)
        elif self._said != activity.summary:
            self._notifier.status(activity.summary)
        self._said = activity.summary
        self._presence.tell(msgspec.structs.replace(activity, pid=os.getpid(), since=self._since))

    def _reload(self) -> None:
        """Read the settings again; the old ones stay where the new ones cannot be used."""
        self._notifier.reloading()
        self._said = None  # which ends the reloading
        try:
            workspace = self._load()
            if workspace.folder != self._workspace.folder:
                presence = Presence(workspace.folder, workspace.locks)
                self._presence.end()
                self._presence = presence
        except CouncilVaultError as error:
            _log.error("The settings could not be taken over, so the old ones stay: %s", error)
        else:
            _log.info("The settings were read again.")
            self._workspace = workspace
            self._keeper.stop()
            self._keeper = Keeper(workspace, self._waker, self._standing, self._errands)
            self._keeper.start()
        self._keeper.ask(_RELOADED)
