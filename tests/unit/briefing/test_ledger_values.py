"""Rows that other councils have written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from council_vault.briefing.ledger import values


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", "a"),
        (5, "5"),
        (1.5, "1.5"),
        (b"caf\xc3\xa9", "café"),
        (b"\xff", "\ufffd"),
        (None, ""),
        (True, ""),
        ([], ""),
    ],
)
def test_text(value, expected):
    assert values.text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.5, 0.5), ("0.5", 0.5), (1, 1.0), (0, 0.0), ("high", None), (1.01, None), (-0.1, None), (None, None)],
)
def test_share(value, expected):
    assert values.share(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('["A", " B ", "A", ""]', ("A", "B")),
        (b'["A"]', ("A",)),
        ('[{"name": "A"}, {"role": "B"}, 7, null]', ("A", "7")),
        ('{"name": "A"}', ("A",)),
        ('"A"', ("A",)),
        ("A, B", ("A", "B")),
        ('["A", "B"', ()),
        ("{broken", ()),
        ("[" * 100_000, ()),
        ("9" * 5000, ("9" * 5000,)),
        ("", ()),
        (None, ()),
        (5, ("5",)),
    ],
)
def test_names(value, expected):
    assert values.names(value) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"ts": 1781400000.0}, datetime(2026, 6, 14, 1, 20, tzinfo=UTC)),
        ({"ts": "2026-06-14T01:20:00Z"}, datetime(2026, 6, 14, 1, 20, tzinfo=UTC)),
        ({"ts": 1781400000000}, datetime(2026, 6, 14, 1, 20, tzinfo=UTC)),
        ({"ts": None, "created_at": "2026-06-14"}, datetime(2026, 6, 14, tzinfo=UTC)),
        ({"ts": "soon"}, None),
        ({}, None),
    ],
)
def test_when(row, expected):
    assert values.when(row) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("correct", "correct"),
        (" Incorrect ", "incorrect"),
        ("PARTIAL", "partial"),
        ("won", "pending"),
        (None, "pending"),
    ],
)
def test_status(status, expected):
    assert values.prediction_of({"status": status}).status == expected


def test_rows_that_say_nothing():
    session, prediction = values.session_of({}, ()), values.prediction_of({})

    assert (session.id, session.time, session.confidence, session.participants) == ("", None, None, ())
    assert (prediction.id, prediction.agent, prediction.grade) == ("", "", None)


@pytest.mark.parametrize(
    ("row", "skill", "calibration"),
    [
        ({"alpha": 3.0, "beta": 1.0, "brier_n": 2, "calibration": 0.9}, 0.75, 0.9),
        ({"alpha": 3.0, "beta": 1.0, "brier_n": 0, "calibration": 0.9}, 0.75, None),
        ({"alpha": 3.0, "beta": 1.0, "calibration": 0.9}, 0.75, 0.9),
        ({"alpha": 3.0, "beta": 1.0, "brier_sum": 0.5, "brier_n": 2}, 0.75, 0.75),
        ({"alpha": 3.0, "beta": 1.0, "brier_sum": 5, "brier_n": 2}, 0.75, None),
        ({"alpha": "3", "beta": None, "calibration": "good"}, 0.75, None),
        ({"alpha": -3.0}, 0.5, None),
        ({"wins": 6, "losses": 1, "draws": 2}, 8 / 11, None),
        ({"wins": 6, "losses": 1, "alpha": 1.0, "beta": 3.0}, 0.25, None),
        ({}, 0.5, None),
    ],
)
def test_reputation(row, skill, calibration):
    reputation = values.reputation_of({"agent": "A"} | row)

    assert (reputation.agent, reputation.skill, reputation.calibration) == ("A", skill, calibration)
