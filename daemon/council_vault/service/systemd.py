"""Tells systemd how the service is: the protocol of sd_notify(3), one datagram for each message."""

from __future__ import annotations

import logging
import os
import socket
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATIENCE = 1.0
_log = logging.getLogger(__name__)


class Notifier:
    """Speaks to the service manager that started the program; without one, says nothing.

    Nothing is raised: a manager that does not hear acts by the unit's time limits.

    Args:
        environment: the program's, with what systemd put there.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._address = _address(environment.get("NOTIFY_SOCKET", ""))
        self._watchdog_seconds = _watchdog_seconds(environment)

    @property
    def watchdog_seconds(self) -> float | None:
        """Seconds within which ``watchdog`` must be called again; ``None``: nobody waits for it."""
        return self._watchdog_seconds

    def ready(self, status: str) -> None:
        """Say that the service is up, or that reloading is done, and how it is."""
        self._send("READY=1", _status(status))

    def status(self, text: str) -> None:
        """Say in one line how the service is."""
        self._send(_status(text))

    def reloading(self) -> None:
        """Say that the settings are being read again; ``ready`` ends it."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """Say that the service is about to end."""
        self._send("STOPPING=1")

    def watchdog(self) -> None:
        """Say that the service is alive."""
        self._send("WATCHDOG=1")

    def _send(self, *assignments: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.settimeout(_PATIENCE)
                manager.connect(self._address)
                manager.sendall("\n".join(assignments).encode(errors="replace"))
        except OSError as error:
            _log.debug("The service manager does not hear %s: %s", assignments[0], error)


def _address(notify_socket: str) -> str:
    """Return what to connect to; ``@`` stands for the zero byte of an abstract address."""
    return f"\0{notify_socket[1:]}" if notify_socket.startswith("@") else notify_socket


def _status(text: str) -> str:
    return f"STATUS={' '.join(text.split())}"


def _watchdog_seconds(environment: Mapping[str, str]) -> float | None:
    """Read sd_watchdog_enabled(3)'s variables; they may be meant for a parent of ours."""
    try:
        seconds = int(environment["WATCHDOG_USEC"]) / 1_000_000
        meant = int(environment.get("WATCHDOG_PID", os.getpid()))
    except (KeyError, ValueError):
        return None
    return seconds if seconds > 0 and meant == os.getpid() else None
