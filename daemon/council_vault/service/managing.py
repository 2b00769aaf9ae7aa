"""The service as the system's own manager of services knows it, whichever that is."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime  # noqa: TC003 - msgspec reads the annotations
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.service.installation import Installation
    from council_vault.service.plan import Plan

_UP = frozenset({"active", "reloading", "activating", "running"})
_WELL = frozenset({"active", "reloading", "running", "inactive", "deactivating"})
_WORDS = "`council-vault service install` wrote this"
_MARK = re.compile(rf"^.*{_WORDS}, (?P<digest>[0-9a-f]{{16}})\..*\n", re.MULTILINE)


class ServiceState(msgspec.Struct, frozen=True, kw_only=True):
    """How a service is.

    Attributes:
        manager: what it is managed by: ``systemd`` or ``launchd``.
        name: what it is called there.
        installed: whether the manager knows it.
        file: where it is described; empty where it is not.
        starts: the command that it starts, as the file has it.
        enabled: whether it starts by itself at the next login.
        state: how it is, in the manager's word.
        result: how it last ended, likewise; empty where it has not, or all was well.
        process: of the daemon; 0 where it does not run.
        since: when it began to run, in UTC, if that is known.
        lingers: whether it goes on after the person has logged out, if that is known.
    """

    manager: str
    name: str
    installed: bool = False
    file: str = ""
    starts: str = ""
    enabled: bool = False
    state: str = ""
    result: str = ""
    process: int = 0
    since: datetime | None = None
    lingers: bool | None = None

    @property
    def runs(self) -> bool:
        """Whether it is up, or on its way."""
        return self.state in _UP

    @property
    def crashed(self) -> bool:
        """Whether it ended by itself, for good or until it is started again in a moment."""
        return bool(self.result) and self.state not in _WELL


class ServiceManager(Protocol):
    """A system's manager of services; ``environment`` is what its commands are run in."""

    environment: Mapping[str, str]

    def state(self) -> ServiceState:
        """Return how the service is."""

    def installing(self, installation: Installation) -> Plan:
        """Return how to install and start it, or to bring it up to date."""

    def uninstalling(self) -> Plan:
        """Return how to stop and remove it; no steps where there is nothing to remove."""

    def log_command(self, lines: int, *, follow: bool) -> tuple[str, ...]:
        """Return the command that shows what it has said."""


def marked(text: str, before: str, mark: str) -> str:
    """Return the text of a service with a line that tells later whether anybody has changed it.

    Args:
        text: the file.
        before: the line that the mark is to stand before.
        mark: the line, with ``{}`` for the words that tell.
    """
    line = mark.format(f"{_WORDS}, {_digest(text)}.")
    return text.replace(before, f"{line}\n{before}", 1)


def is_untouched(text: str) -> bool:
    """Whether a file is just as this program wrote it, in this version or another."""
    found = _MARK.search(text)
    if found is None:
        return False
    return _digest(text[: found.start()] + text[found.end() :]) == found["digest"]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
