"""Records of any kind for property tests of what is learned from them, and how far two memories agree."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from hypothesis import strategies as st

from council_vault.learning import performance, rebuild, stats
from council_vault.learning.prices import estimated_cost
from council_vault.learning.spending import spending
from council_vault.learning.standings import category_samples, standings
from council_vault.learning.summary import summary
from council_vault.memory.decoding import decode
from support.memory_files import dump

if TYPE_CHECKING:
    from council_vault.memory.schema import Memory

NOW = datetime(2026, 6, 30, 23, tzinfo=UTC)
_FIRST = datetime(2026, 3, 30, tzinfo=UTC)

models = st.sampled_from(["lab/a", "lab/b", "c:free", "d", "é"])
shares = st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.31, 0.5, 0.82, 1.0])
_odd_shares = shares | st.sampled_from([None, 65.0, -0.1])
_ranks = st.sampled_from([1, 2, 2, 3, 1.5, 2.25, -1, 1e9])


@st.composite
def learned_records(draw: st.DrawFn, size: int, *, odd: bool = True) -> list[dict[str, Any]]:
    """Return at most so many records with ids of their own, in the order of their times or not.

    Single answers cost less than any council. With ``odd``, some fields are missing or cannot be.
    """
    records: list[dict[str, Any]] = []
    for hours in draw(st.lists(st.integers(0, 90 * 24), max_size=size)):
        records.append(_record(draw, len(records), hours, odd=odd))
        if records[1:] and draw(st.booleans()):
            records[-1]["repeat_of"] = draw(st.sampled_from([one["id"] for one in records]))
    return records


def _record(draw: st.DrawFn, place: int, hours: int, *, odd: bool) -> dict[str, Any]:
    single = draw(st.integers(0, 3)) == 0
    members = draw(st.lists(models, min_size=1 if single else 2, max_size=1 if single else 4, unique=True))
    ranked = [] if single else draw(st.lists(st.sampled_from(members), unique=True))
    when = _FIRST + timedelta(hours=hours)
    share = _odd_shares if odd else shares
    record = {
        "id": f"d_{when:%Y%m%d}_{place + 1:03d}",
        "timestamp": when.isoformat(),
        "query_hash": f"{place:08x}",
        "query_summary": f"Question {place}",
        "query_features": {
            "length": 40,
            "category": draw(st.sampled_from(["x", "y", "it's"])),
            "keywords": [],
        },
        "models_used": members,
        "rankings": {model: draw(_ranks if odd else st.sampled_from([1, 2, 3, 1.5])) for model in ranked},
        "chairman": draw(st.sampled_from([*members, "stranger", None])),
        "confidence": draw(share),
        "cost_usd": draw(st.sampled_from([0.001, 0.01] if single else [0.05, 0.09, 0.2])),
        "latency_ms": draw(st.sampled_from([4000, 12400])),
        "self_preference": {model: draw(st.booleans()) for model in ranked},
        "deliberation_value_added": None if single else draw(share),
        "routing_decision": "single_model" if single else "deliberate",
        "routing_source": draw(st.sampled_from(["learned", "heuristic_learning", "explicit_command"])),
        "vault_synced": draw(st.sampled_from([True, True, True, False])),
        "user_rating": draw(st.sampled_from([None, "positive", "negative", "neutral"])),
        "outcome": "accepted",
        "theirs": [place],
    }
    if draw(st.booleans()):
        record["stage_costs"] = {"collect": 0.01, "review": 0.005}
    if odd and draw(st.integers(0, 4)) == 0:
        name = draw(st.sampled_from(sorted(record.keys() - {"id", "vault_synced"})))
        record[name] = draw(st.sampled_from([None, "?"]))
        if name == "models_used":  # by its ranks it may be a single answer, as dear as a council
            record["cost_usd"] = None
    return record


def memory_of(document: dict[str, Any]) -> Memory:
    """Return the views of a document, as they are read from a file."""
    return decode(dump(document)).memory


def every_statistic(memory: Memory) -> dict[str, Any]:
    """Return all that is counted over a memory and that compaction must not change.

    The strength of rules is left out: it rests on the records in the file by design. So is what is shown of
    the last records themselves, and what of them is still to be written to the vault.
    """
    now = max([NOW, *(datetime.combine(day, datetime.min.time(), UTC) for day in stats.days(memory) if day)])
    standing = standings(memory)
    told = msgspec.to_builtins(summary(memory, "learned", now))
    return {
        "totals": msgspec.to_builtins(stats.totals(memory)),
        "newest day": str(stats.newest_day(memory)),
        "decisions": msgspec.to_builtins(stats.decisions(memory)),
        "savings": msgspec.to_builtins(stats.savings(memory)),
        "categories": {
            category: [known.count, known.samples, known.score]
            for category, known in sorted(stats.categories(memory).items())
        },
        "rules": [msgspec.to_builtins(rule) | {"strength": None} for rule in rebuild.rules(memory)],
        "performance": performance.recomputed(memory),
        "standings": [msgspec.to_builtins(one) for one in sorted(standing, key=lambda one: one.model)],
        "category samples": category_samples(memory, standing),
        "estimated costs": [estimated_cost(memory, size) for size in range(1, 7)],
        "spending": msgspec.to_builtins(spending(memory, 10.0, now)),
        "summary": {name: told[name] for name in told if name not in {"archived", "vault_sync", "history"}},
    }


def differences(one: object, other: object, where: str = "") -> list[str]:
    """Return where two values differ, numbers by more than sums in another order do."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return [f"{where}: {sorted(map(str, one))} is not {sorted(map(str, other))}"]
        return [found for key in one for found in differences(one[key], other[key], f"{where}.{key}")]
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [found for place, pair in pairs for found in differences(*pair, f"{where}[{place}]")]
    if isinstance(one, float) or isinstance(other, float):
        if one is None or other is None:
            return [f"{where}: {one} is not {other}"]
        near = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
        return [] if near else [f"{where}: {one} is not {other}"]
    return [] if one == other else [f"{where}: {one} is not {other}"]


def in_parts(records: list[dict[str, Any]], sizes: list[int]) -> list[list[dict[str, Any]]]:
    """Return records in parts of these sizes, and what is left over in one more."""
    rest = iter(records)
    return [*(list(islice(rest, size)) for size in sizes), list(rest)]
