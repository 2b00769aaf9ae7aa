from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.memory.times import calendar_day, moment, stamp

DAY = date(2026, 3, 28)
AT = datetime(2026, 3, 28, 9, 5, 28, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "when"),
    [
        ("2026-03-28T09:05:28Z", AT),
        ("2026-03-28T09:05:28.1Z", AT.replace(microsecond=100_000)),
        ("2026-03-28T09:05:28.123456789Z", AT.replace(microsecond=123_456)),
        ("2026-03-28T09:05:28,5Z", AT.replace(microsecond=500_000)),
        ("2026-03-28T09:05:28+0530", AT - timedelta(hours=5, minutes=30)),
        ("2026-03-28T09:05:28+05:30", AT - timedelta(hours=5, minutes=30)),
        ("2026-03-28T09:05:28-06", AT + timedelta(hours=6)),
        ("2026-03-28T09:05:28−06:00", AT + timedelta(hours=6)),
        ("2026-03-28 09:05:28", AT),
        ("2026-03-28t09:05:28z", AT),
        ("2026-03-28 09:05:28 UTC", AT),
        ("2026-03-28T09:05:28+01:00[Europe/Berlin]", AT - timedelta(hours=1)),
        ("2026-03-28T09:05", AT.replace(second=0)),
        ("20260328T090528Z", AT),
        ("2026-03-28", AT.replace(hour=0, minute=0, second=0)),
        ("2026/3/28", AT.replace(hour=0, minute=0, second=0)),
        ("20260328", AT.replace(hour=0, minute=0, second=0)),
        ("2026-03-28T24:00:00", datetime(2026, 3, 29, tzinfo=UTC)),
        ("2026-03-28T09:05:60Z", AT.replace(minute=6, second=0)),
        ("28 Mar 2026", AT.replace(hour=0, minute=0, second=0)),
        ("Sat, 28 Mar 2026 09:05:28 GMT", AT),
        ("March 28, 2026", AT.replace(hour=0, minute=0, second=0)),
        ("  2026-03-28T09:05:28Z\n", AT),
        (1774688728, AT),
        (1774688728123, AT.replace(microsecond=123_000)),
        (1774688728.5, AT.replace(microsecond=500_000)),
        ("1774688728", AT),
    ],
)
def test_every_form_gives_the_written_day_and_the_moment(value: object, when: datetime) -> None:
    assert calendar_day(value) == DAY
    assert moment(value) == when
    assert moment(value).tzinfo is UTC


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "   ",
        "yesterday",
        "2026-02-30",
        "2026-13-01T00:00:00Z",
        "2026-03-28T25:00:00Z",
        "2026-03-28T24:00:01Z",
        "2026-03-28T09:61:00Z",
        "2026-03-28T09:05:61Z",
        "2026-03-28T09:05:28+99:00",
        "28 Foo 2026",
        "9999-12-31T24:00:00Z",
        "2026-03-28 (about)",
        "d_20260328_001",
        "\ud800",
        True,
        float("nan"),
        float("inf"),
        -1,
        0,
        20260328,
        1e300,
        10**400,
        [],
        {"seconds": 1774688728},
    ],
)
def test_what_is_no_time_is_unknown_and_never_today(value: object) -> None:
    assert calendar_day(value) is None
    assert moment(value) is None


def test_the_day_is_the_one_written_not_the_one_in_utc() -> None:
    assert calendar_day("2026-03-28T23:30:00-08:00") == DAY
    assert moment("2026-03-28T23:30:00-08:00").date() == date(2026, 3, 29)


def test_naive_and_aware_times_can_be_ordered() -> None:
    assert sorted([moment("2026-03-28T10:00:00+02:00"), moment("2026-03-28T09:00:00"), moment(1774688728)])


def test_our_own_stamp_is_utc_in_whole_seconds() -> None:
    berlin = timezone(timedelta(hours=2))
    assert stamp(datetime(2026, 3, 28, 11, 5, 28, 999, tzinfo=berlin)) == "2026-03-28T09:05:28Z"


@given(st.text() | st.floats() | st.integers())
def test_nothing_crashes_the_reading_of_a_time(value: object) -> None:
    assert (calendar_day(value) is None) == (moment(value) is None)


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_python_writes_is_read_back(when: datetime) -> None:
    assert moment(when.isoformat()) == when
    assert moment(stamp(when)) == when.replace(microsecond=0)
