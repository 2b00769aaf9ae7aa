"""Points in time as memory files write them: by many hands, in many forms.

Two questions are asked of a timestamp. *Which day is it?* is answered as written, without conversion, so that
travelling changes no note. *Which came first?* is answered in UTC; a time without a zone counts as UTC.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta

from council_vault.memory.ids import RecordId, parse_id

_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
_ZONE = r"(?P<zone>z|utc|gmt|[+\-−]\d{2}(?::?\d{2})?)?(?:\s*\[[^\]]*\])?"
_TIME = rf"(?:(?:t|,?\s+){_CLOCK}\s*{_ZONE})?"
_MONTH = r"(?P<word>[a-z]{3})[a-z]*\.?"
_FORMS = tuple(
    re.compile(form + _TIME, re.ASCII | re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})",
        rf"(?:[a-z]+,?\s+)?(?P<day>\d{{1,2}})\s+{_MONTH},?\s+(?P<year>\d{{4}})",
        rf"(?:[a-z]+,?\s+)?{_MONTH}\s+(?P<day>\d{{1,2}}),?\s+(?P<year>\d{{4}})",
    )
)
_BASIC = re.compile(
    r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
    rf"(?:t(?P<hour>\d{{2}})(?P<minute>\d{{2}})(?:(?P<second>\d{{2}})(?:[.,](?P<fraction>\d+))?)?{_ZONE})?",
    re.ASCII | re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{9,14}(?:\.\d+)?", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIRST_SECOND, _FIRST_MILLISECOND, _END = (
    1e8,
    1e11,
    1e14,
)  # 1973, and where seconds end and milliseconds begin
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def calendar_day(value: object) -> date | None:
    """Return the calendar day that is written in a timestamp; ``None`` where there is none.

    A number is seconds or milliseconds since 1970 and gives its UTC day.
    """
    return _day_and_moment(value)[0]


def moment(value: object) -> datetime | None:
    """Return a timestamp as an aware time in UTC, for ordering; ``None`` where it cannot be understood."""
    return _day_and_moment(value)[1]


def age(id_: object, time: object) -> tuple[datetime, RecordId]:
    """Return what records are ordered by: their time, else the day in their id; then the id."""
    own = parse_id(id_)
    day = datetime(own.day.year, own.day.month, own.day.day, tzinfo=UTC) if own else _LONG_AGO
    return moment(time) or day, own or RecordId(date.min, 0)


def stamp(now: datetime) -> str:
    """Return an aware time as we write it: UTC, whole seconds, ``2026-03-28T14:30:00Z``."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _day_and_moment(value: object) -> tuple[date | None, datetime | None]:
    if isinstance(value, bool):
        return None, None
    if isinstance(value, (int, float)):
        return _since_1970(value)
    if not isinstance(value, str):
        return None, None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _since_1970(float(text))
    for form in (*_FORMS, _BASIC):
        match = form.fullmatch(text)
        if match is not None:
            return _written(match.groupdict())
    return None, None


def _since_1970(number: float) -> tuple[date | None, datetime | None]:
    if not (_FIRST_SECOND <= number < _END and math.isfinite(number)):
        return None, None
    seconds = number / 1000 if number >= _FIRST_MILLISECOND else number
    when = datetime.fromtimestamp(seconds, UTC)
    return when.date(), when


def _written(parts: dict[str, str | None]) -> tuple[date | None, datetime | None]:
    """Put the parts together; a leap second and 24:00 are the start of the next minute and day."""

    def number(name: str) -> int:
        return int(parts.get(name) or 0)

    word = (parts.get("word") or "").lower()
    try:
        month = _MONTHS.index(word) + 1 if word else number("month")
        day = date(number("year"), month, number("day"))
        hour, minute, second = number("hour"), number("minute"), number("second")
        if minute > 59 or second > 60 or hour * 3600 + minute * 60 + second > 86400:
            return None, None
        clock = timedelta(
            hours=hour,
            minutes=minute,
            seconds=second,
            microseconds=int((parts.get("fraction") or "0")[:6].ljust(6, "0")),
        )
        when = datetime(day.year, day.month, day.day, tzinfo=UTC) + clock - _offset(parts.get("zone"))
    except (ValueError, OverflowError):
        return None, None
    return day, when


def _offset(zone: str | None) -> timedelta:
    """Return how far a zone such as ``+0530`` is ahead of UTC."""
    if zone is None or zone[0] not in "+-−":
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    ahead = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    if ahead >= timedelta(days=1):
        raise ValueError(zone)
    return ahead if zone[0] == "+" else -ahead
