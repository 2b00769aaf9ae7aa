"""The rows of the ledger's index, which are times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from council_vault.briefing.ledger.index import LAST_ROW, row_at, time_at


@pytest.mark.parametrize(
    "time",
    [
        datetime(2026, 6, 14, 1, 20, 0, 1, tzinfo=UTC),
        datetime(1969, 12, 31, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
    ],
)
def test_a_row_is_a_time_to_the_microsecond(time):
    assert time_at(row_at(time)) == time


def test_without_a_time_it_comes_before_all_others():
    assert (
        row_at(None)
        < row_at(datetime(1, 1, 1, tzinfo=UTC))
        < row_at(datetime.max.replace(tzinfo=UTC))
        < LAST_ROW
    )


@pytest.mark.parametrize("row", [LAST_ROW, -LAST_ROW, row_at(None)])
def test_a_row_that_is_no_time(row):
    assert time_at(row) is None
