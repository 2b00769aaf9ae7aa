"""The ledger: deliberations with their predictions, kept, and what came of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.briefing.cases import Reputation  # noqa: TC001 - msgspec reads the annotations
from council_vault.briefing.ledger.files import open_to_read
from council_vault.briefing.ledger.given import read_session
from council_vault.briefing.ledger.store import Ledger, Outcome
from council_vault.settings import absolute

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from council_vault.workspace import Workspace


class KeptPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction as it is kept; its ``id`` is what an outcome is told by."""

    id: str
    agent: str
    statement: str


class Added(msgspec.Struct, frozen=True, kw_only=True):
    """What came of adding a session; ``already`` is whether it was there before, and nothing was added."""

    id: str
    already: bool
    predictions: tuple[KeptPrediction, ...]


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction with its outcome, and the reputations that followed, the predictor's first.

    ``already`` is whether it had that outcome before, and nothing was changed.
    """

    id: str
    outcome: Outcome
    already: bool
    reputations: tuple[Reputation, ...]


def ledger_path(workspace: Workspace, ledger: str | None) -> Path:
    """Return where the ledger is, or shall be: as named on the command line, else by the settings.

    Raises:
        SettingsError: it can be no path.
    """
    return absolute(ledger) if ledger else workspace.settings.ledger_path


def add(path: Path, document: object, now: datetime) -> Added:
    """Keep a session with its predictions; the ledger is made if it is missing.

    Args:
        path: the ledger.
        document: the session, as JSON has it.
        now: the time.

    Raises:
        InputError: the session cannot be understood, or another one has its id.
        LedgerUnreadable: the ledger cannot be used.
    """
    session = read_session(document, now)
    with Ledger.open(path) as ledger:
        new = ledger.add(session, now)
    predictions = (given.prediction for given in session.predictions)
    return Added(
        id=session.id,
        already=not new,
        predictions=tuple(
            KeptPrediction(id=one.id, agent=one.agent, statement=one.statement) for one in predictions
        ),
    )


def resolve(path: Path, prediction_id: str, outcome: Outcome, now: datetime) -> Resolved:
    """Set what came of a prediction; the reputation of those who took part follows.

    Raises:
        InputError: there is no such prediction, or it has another outcome.
        LedgerUnreadable: there is no ledger, or it cannot be used.
    """
    open_to_read(path).close()  # a ledger that is not there is not made for this
    with Ledger.open(path) as ledger:
        reputations = ledger.resolve(prediction_id, outcome, now)
    return Resolved(id=prediction_id, outcome=outcome, already=not reputations, reputations=reputations)
