"""What stands in a ledger, and what can be looked at again; any council's ledger will do."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime  # noqa: TC003 (msgspec reads the annotations)
from typing import TYPE_CHECKING

import msgspec

from council_vault.briefing.ledger import values
from council_vault.briefing.ledger.files import open_to_read, reading
from council_vault.briefing.ledger.given import HORIZONS
from council_vault.briefing.ledger.tables import Tables
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class ListedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session as it is listed: ``graded`` of its ``predictions`` have an outcome, accuracy is in 0..1."""

    id: str
    time: datetime | None
    directive: str
    verdict: str
    predictions: int
    graded: int
    accuracy: float | None


class DuePrediction(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction that can be looked at: since when, and after how many days that was to be."""

    id: str
    session: str
    agent: str
    statement: str
    since: datetime
    horizon_days: int


def listed(path: Path, limit: int) -> tuple[ListedSession, ...]:
    """Return the newest sessions of a ledger, the newest first.

    Raises:
        LedgerUnreadable: it cannot be read.
    """
    with closing(open_to_read(path)) as connection, reading(path):
        sessions = Tables(connection).newest_sessions(limit)
    return tuple(
        ListedSession(
            id=session.id,
            time=session.time,
            directive=session.directive,
            verdict=session.verdict,
            predictions=len(session.predictions),
            graded=sum(prediction.grade is not None for prediction in session.predictions),
            accuracy=session.accuracy,
        )
        for session in sessions
    )


def due(path: Path, now: datetime) -> tuple[DuePrediction, ...]:
    """Return the pending predictions of a ledger whose first horizon has passed, the longest due first.

    Raises:
        LedgerUnreadable: it cannot be read.
    """
    with closing(open_to_read(path)) as connection, reading(path):
        found = list(_due(Tables(connection), now))
    return tuple(sorted(found, key=lambda one: (one.since, one.id)))


def _due(tables: Tables, now: datetime) -> Iterator[DuePrediction]:
    for row in tables.pending():
        horizons = ((moment(row.get(f"due_{days}")), days) for days in HORIZONS)
        passed = [(since, days) for since, days in horizons if since is not None and since <= now]
        if passed:
            since, days = min(passed)
            yield DuePrediction(
                id=values.text(row.get("id")),
                session=values.text(row.get("session_id")),
                agent=values.text(row.get("agent")),
                statement=values.text(row.get("statement")),
                since=since,
                horizon_days=days,
            )
