"""What a service says: one line at a time, and a lasting problem not over and over."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

# Seconds between one saying of a lasting problem and the next; the last pause repeats.
PAUSES = (60.0, 300.0, 1800.0, 7200.0, 21600.0)
# Seconds for which a problem must have been over to count as a new one when it comes back.
CALM = 1800.0

# The levels of syslog, by which `journalctl --priority` sorts.
_SYSLOG = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
_DEBUG = 7


def log_to_stderr(
    environment: Mapping[str, str], *, verbose: bool = False, stream: TextIO | None = None
) -> None:
    """Send the log to standard error, in the form that the journal or a person reads.

    Args:
        environment: the program's, where systemd says whether standard error is the journal.
        verbose: whether to say everything.
        stream: another place than standard error.
    """
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Journal() if _is_journal(stream, environment) else _Terminal())
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if verbose else logging.INFO, force=True)
    # It calls it an error when a watch is ended while an event is under way; what matters, the watcher finds.
    logging.getLogger("watchdog").setLevel(logging.CRITICAL)
    logging.getLogger("filelock").setLevel(logging.WARNING)  # it tells of every lock


class _Journal(logging.Formatter):
    """Puts sd-daemon(3)'s level before every line, tracebacks included; the journal knows the time."""

    def format(self, record: logging.LogRecord) -> str:
        level = next((number for least, number in _SYSLOG if record.levelno >= least), _DEBUG)
        return "\n".join(f"<{level}>{line}" for line in super().format(record).splitlines() or [""])


class _Terminal(logging.Formatter):
    """Puts time and level before a message."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%d %H:%M:%S")


def _is_journal(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether the stream is the one that ``JOURNAL_STREAM`` names by device and inode, and not redirected."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # a stream without a file
        return False
    return environment.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


class Standing:
    """Says a lasting problem once, then at growing intervals, and when it is over.

    A problem that comes and goes counts as one that lasts.

    Args:
        clock: seconds that never go back, such as ``time.monotonic``.
        log: where to say it.
    """

    def __init__(self, clock: Callable[[], float], log: logging.Logger) -> None:
        self._clock = clock
        self._log = log
        self._problems: dict[str, _Problem] = {}

    def trouble(self, key: str, message: str) -> None:
        """Note that a problem is there; call it each time that it is met.

        Args:
            key: which problem it is.
            message: what to say of it; it may differ from time to time.
        """
        now = self._clock()
        self._problems = {name: met for name, met in self._problems.items() if not met.is_past(now)}
        problem = self._problems.get(key)
        if problem is None:
            self._problems[key] = _Problem(message, began=now, said=now)
            self._log.warning("%s", message)
            return
        problem.message, problem.ended = message, None
        if now - problem.said >= PAUSES[min(problem.repeats, len(PAUSES) - 1)]:
            problem.said, problem.repeats, problem.announced = now, problem.repeats + 1, True
            self._log.warning("Still, after %s: %s", _duration(now - problem.began), message)

    def well(self, key: str) -> None:
        """Note that a problem is not there; may be called when there never was one."""
        problem = self._problems.get(key)
        if problem is None or problem.ended is not None:
            return
        now = self._clock()
        problem.ended = now
        if problem.announced:
            problem.announced = False
            self._log.info("Recovered, after %s: %s", _duration(now - problem.began), problem.message)


class _Problem(msgspec.Struct):
    """A problem: when it began, was last said and ended, and whether the present episode was announced."""

    message: str
    began: float
    said: float
    ended: float | None = None
    repeats: int = 0
    announced: bool = True

    def is_past(self, now: float) -> bool:
        """Whether it has been over for so long that it will be a new one when it comes back."""
        return self.ended is not None and now - self.ended >= CALM


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
