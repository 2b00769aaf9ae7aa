"""How large a memory file grows, deliberation after deliberation of four models.

    python -m pytest tests/torture/test_torture_file_size.py -s [--full]

prints the size at 500, 1 000 and 5 000 logged records, and the largest that it ever had.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from council_vault.learning.log_input import read_log_input
from council_vault.learning.record import draft_record
from council_vault.memory import canonical
from council_vault.memory.file import MemoryContent
from council_vault.memory.migrations import empty_routing_model
from council_vault.operations.log import add
from support.deliberations import deliberation
from support.learned_records import differences, every_statistic
from support.memories import MODELS
from support.syncing import Road

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.torture

LARGEST = 400_000
TOLD = (500, 1000, 5000)


def usual(number: int) -> dict[str, Any]:
    """Return what a council of the pattern memory's own example hands over."""
    return deliberation(number)


def long_winded(number: int) -> dict[str, Any]:
    """Return what changing councils with long ids, long summaries and stage costs hand over."""
    given = deliberation(number)
    others = dict(zip(given["models_used"], (MODELS[(number + step) % 12] for step in range(4)), strict=True))

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {others.get(name, name): renamed(one) for name, one in value.items()}
        return [renamed(one) for one in value] if isinstance(value, list) else others.get(str(value), value)

    return {
        **{name: renamed(value) for name, value in given.items()},
        "query_summary": f"{number} weighed from every side that anybody in the team could think of at all",
        "cost_usd": 0.1937,
        "stage_costs": {"collect": 0.0791, "review": 0.0688, "synthesize": 0.0458},
    }


@pytest.mark.parametrize("kind", [usual, long_winded], ids=lambda kind: kind.__name__)
def test_the_file_stays_below_400_000_bytes(tmp_path: Path, full: bool, kind: Any) -> None:
    workspace = Road(tmp_path).workspace()
    document: dict[str, Any] = {
        "version": "1.3",
        "created": "2026-03-28T12:00:00Z",
        "deliberations": [],
        "routing_model": empty_routing_model(),
        "model_performance": {},
        "optimization_log": [],
    }
    uncompacted: list[Any] = []
    now = datetime(2026, 3, 28, 12, tzinfo=UTC)
    number, largest = 0, 0
    content = MemoryContent(canonical.render(document))
    while number < (5000 if full else 1000):
        for count in (9, 1):  # the size is at its largest before the tenth, which rebuilds the rules
            drafts = [
                draft_record(
                    read_log_input(
                        kind(number + place) | {"timestamp": (now + timedelta(hours=place)).isoformat()}
                    ),
                    now + timedelta(hours=place),
                )
                for place in range(1, count + 1)
            ]
            number, now = number + count, now + timedelta(hours=count)
            document = canonical.parse(content.data)
            added = add(document, content.memory, drafts, workspace, now)
            uncompacted += (entry.record for entry in added.entries)
            for entry in added.entries:
                entry.record["vault_synced"] = True
            content = MemoryContent(canonical.render(document))
            largest = max(largest, len(content.data))
        if number in TOLD:
            kept = document["deliberations"]
            summaries = sum("query_summary" not in record for record in kept)
            print(
                f"{kind.__name__}, {number}: {len(content.data)} bytes, {len(kept) - summaries} in full, ",
                end="",
            )
            print(f"{summaries} summaries, {number - len(kept)} removed; at most {largest} bytes so far")
    assert largest < LARGEST
    assert len(document["deliberations"]) > 400
    whole = canonical.render({**document, "deliberations": uncompacted, "archived": {}})
    kept = {name: value for name, value in every_statistic(content.memory).items() if name != "rules"}
    assert not differences(kept, {name: every_statistic(MemoryContent(whole).memory)[name] for name in kept})
