"""A process that adds sessions to a ledger and says which it has kept; it can be killed at any moment.

Arguments: the ledger, a name that its sessions begin with, and how many there are.
"""

from __future__ import annotations

import sys
from pathlib import Path

from council_vault.briefing.ledger.given import read_session
from council_vault.briefing.ledger.store import Ledger
from support.past_sessions import NOW, days_ago


def document(name, number):
    """Return a session with two predictions; every second one stands on the same ground."""
    id_ = f"{name}_{number}"
    return {
        "id": id_,
        "ts": days_ago(number % 7).timestamp(),
        "directive": "Raise the leverage" if number % 2 else f"Raise the leverage of {id_} with {id_}s",
        "verdict": f"Verdict {id_}",
        "participants": ["Analyst", "Skeptic"],
        "predictions": [
            {"id": f"{id_}_{place}", "agent": "Forecaster", "statement": "up", "confidence": 0.75}
            for place in range(2)
        ],
    }


def _add(path, name, count):
    for number in range(count):
        with Ledger.open(path) as ledger:
            ledger.add(read_session(document(name, number), NOW), NOW)
            print("added", f"{name}_{number}", flush=True)
            ledger.resolve(f"{name}_{number}_0", "correct", NOW)
            print("resolved", f"{name}_{number}_0", flush=True)


if __name__ == "__main__":
    _add(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
