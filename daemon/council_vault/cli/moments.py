"""Points in time as a person reads them: their own clock, and how long ago."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from council_vault.memory.times import moment

if TYPE_CHECKING:
    from datetime import datetime

_UNKNOWN = "—"
_UNITS = {
    "y": timedelta(days=365),
    "mo": timedelta(days=30),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
}


def local_time(when: datetime) -> str:
    """Return a moment as the person's own time, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"


def ago(when: datetime | None, now: datetime) -> str:
    """Return how long ago something was: ``2m ago``, ``3d ago``; ``in 2h`` where a clock is ahead."""
    if when is None:
        return _UNKNOWN
    passed = abs(now - when)
    unit = next((unit for unit in _UNITS if passed >= _UNITS[unit]), None)
    if unit is None:
        return "just now"
    span = f"{passed // _UNITS[unit]}{unit}"
    return f"{span} ago" if when < now else f"in {span}"


def told(value: object, now: datetime) -> str:
    """Return a timestamp of a memory file or of the state in both ways; as it is, if it is none."""
    when = moment(value)
    return str(value) if when is None else f"{local_time(when)} ({ago(when, now)})"
