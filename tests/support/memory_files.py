"""Memory files to test with: records, documents, and strategies that write them in many styles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

REAL_DATA = Path(__file__).resolve().parents[2].parent / "shared" / "council-data"


def record(number: int = 1, day: str = "20260328", **fields: Any) -> dict[str, Any]:
    """Return a whole record; fields given replace its own, `...` leaves one out."""
    whole = {
        "id": f"d_{day}_{number:03d}",
        "timestamp": f"{day[:4]}-{day[4:6]}-{day[6:]}T14:{number % 60:02d}:00Z",
        "query_hash": f"{number:08x}",
        "query_summary": "Compare microservices vs monolith for early SaaS",
        "query_features": {
            "length": 52,
            "category": "architecture_decision",
            "keywords": ["compare"],
            "protocol_used": "voting",
        },
        "models_used": ["openai/gpt-4o", "anthropic/claude-sonnet-4"],
        "rankings": {"openai/gpt-4o": 2, "anthropic/claude-sonnet-4": 1},
        "chairman": "anthropic/claude-sonnet-4",
        "confidence": 0.87,
        "consensus_level": "strong",
        "cost_usd": 0.09,
        "latency_ms": 4200,
        "self_preference": {"openai/gpt-4o": True},
        "deliberation_value_added": 0.42,
        "routing_decision": "deliberate",
        "routing_source": "learned",
        "routing_confidence": 0.91,
        "vault_synced": False,
        "user_rating": None,
        "outcome": "accepted",
    }
    whole |= fields
    return {name: value for name, value in whole.items() if value is not ...}


def document(*records: Any, **fields: Any) -> dict[str, Any]:
    """Return a whole memory of version 1.3 with these records; fields as in `record`."""
    whole = {
        "version": "1.3",
        "created": "2026-03-01T00:00:00Z",
        "last_updated": "2026-03-28T15:00:00Z",
        "last_vault_sync": None,
        "deliberations": list(records),
        "routing_model": {"last_rebuilt": None, "sample_size": 0, "routing_accuracy": None, "rules": []},
        "model_performance": {"openai/gpt-4o": {"deliberations_participated": 3, "avg_rank": 1.8}},
        "optimization_log": [],
    }
    whole |= fields
    return {name: value for name, value in whole.items() if value is not ...}


def dump(value: Any, **style: Any) -> bytes:
    """Write a document, with two spaces of indentation unless told otherwise."""
    return json.dumps(value, **{"indent": 2, **style}).encode(errors="surrogatepass")


STYLES: tuple[dict[str, Any], ...] = (
    {"indent": 2},
    {"indent": 4, "ensure_ascii": False},
    {"indent": None},
    {"indent": None, "separators": (",", ":")},
    {"indent": "\t", "separators": (" ,", " : ")},
    {"indent": 0},
)

_words = st.sampled_from(
    [
        '"vault_synced": false',
        '{"id": "d_20260328_001", "vault_synced": false}',
        "vault_synced",
        '\\"user_rating\\"',
        "d_20260328_001",
        "], {",
        "\\",
        "ünï 🏛️",
        "a\nb\r\t",
        "",
    ]
)
texts = _words | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
names = (
    st.sampled_from(["vault_synced", "id", "user_rating", "outcome", "x", "deliberations", "last_vault_sync"])
    | texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
ids = st.integers(1, 9).map(lambda number: f"d_20260328_{number:03d}") | st.sampled_from(
    ["d_20260328_1", "d_20260230_001", "x", "d_20260328_0011"]
)
records = st.builds(
    lambda known, odd, order: dict(order.sample(sorted((odd | known).items()), len(odd | known))),
    st.fixed_dictionaries(
        {"id": ids},
        optional={
            "vault_synced": st.booleans() | scalars,
            "user_rating": st.none() | st.sampled_from(["positive", "meh"]) | values,
            "outcome": st.sampled_from(["accepted", "unknown"]) | values,
            "query_summary": texts,
        },
    ),
    st.dictionaries(texts, values, max_size=3),
    st.randoms(use_true_random=False),
)
documents = st.fixed_dictionaries(
    {"deliberations": st.lists(records | values, max_size=5)},
    optional={
        "version": st.sampled_from(["1.0", "1.3", "2.0", 1.3]) | values,
        "last_vault_sync": st.none() | texts,
        "vault_sync_note": st.none() | texts,
        "last_updated": texts,
        "model_performance": st.dictionaries(texts, values, max_size=2) | values,
        "routing_model": values,
        "extra": values,
    },
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Return a memory file's bytes in one of many styles and encodings."""
    style = draw(st.sampled_from(STYLES))
    text = json.dumps(draw(documents), **style)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    text = draw(st.sampled_from(["", "\n", "  "])) + text + draw(st.sampled_from(["", "\n", "\r\n\n"]))
    codec = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"]))
    mark = "\ufeff" if codec.startswith("utf-16") else ""
    return (mark + text).encode(codec)
