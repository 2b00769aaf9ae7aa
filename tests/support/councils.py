"""Log input as a council hands it over, complete and right unless a test wants it otherwise."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.learning.log_input import read_log_input
from council_vault.learning.record import build_record, draft_record
from council_vault.memory.schema import Deliberation, Memory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOW = datetime(2026, 3, 28, 14, 30, tzinfo=UTC)
GPT, CLAUDE, GEMINI, GROK = COUNCIL = (
    "openai/gpt-4o",
    "anthropic/claude-sonnet-4",
    "google/gemini-2.0-flash",
    "x-ai/grok-3",
)
QUERY = "Compare the tradeoffs of microservices and a monolith for early SaaS companies"
ANSWERS = {
    GPT: "Start with a monolith. Extract services when teams collide.",
    CLAUDE: "Begin with a modular monolith. Boundaries matter more than deployment.",
    GEMINI: "Kubernetes pays off at scale. Costs rise with every network hop.",
    GROK: "Ship quickly. Rewrite later if the market wants it.",
}
SYNTHESIS = "Begin with a modular monolith. Costs rise with every network hop. Ship quickly."


def log_input(without: Sequence[str] = (), **changes: object) -> dict[str, Any]:
    """Return a complete log input with some fields changed or left out."""
    whole = {
        "query_text": QUERY,
        "models_used": list(COUNCIL),
        "stage1_responses": dict(ANSWERS),
        "rankings": {GPT: 2, CLAUDE: 1, GEMINI: 4, GROK: 3},
        "chairman": CLAUDE,
        "confidence": 0.82,
        "consensus_level": "strong",
        "protocol_used": "voting",
        "cost_usd": 0.09,
        "latency_ms": 12400,
        "reviewer_rankings_raw": {
            GPT: [CLAUDE, GPT, GROK, GEMINI],
            CLAUDE: [CLAUDE, GPT, GROK, GEMINI],
            GEMINI: [CLAUDE, GPT, GEMINI, GROK],
            GROK: [CLAUDE, GPT, GROK, GEMINI],
        },
        "synthesis_text": SYNTHESIS,
        "top_individual_response": ANSWERS[CLAUDE],
        "routing_decision": {
            "decision": "deliberate",
            "routing_source": "heuristic_learning",
            "confidence": 0.8,
        },
        "vault_context_loaded": True,
        **changes,
    }
    return {name: value for name, value in whole.items() if name not in without}


def single(**changes: object) -> dict[str, Any]:
    """Return the log input of a single model's answer."""
    return {
        "query_text": QUERY,
        "models_used": [GPT],
        "cost_usd": 0.004,
        "latency_ms": 2000,
        "routing_decision": {"decision": "single_model", "routing_source": "learned", "confidence": 0.9},
        **changes,
    }


def record_of(
    document: Mapping[str, Any], before: Sequence[Deliberation] = (), now: datetime = NOW
) -> dict[str, Any]:
    """Return the record that a log input gives."""
    return build_record(draft_record(read_log_input(document), now), Memory(deliberations=tuple(before)))


def logged(*documents: Mapping[str, Any], now: datetime = NOW) -> list[Deliberation]:
    """Return the records of log inputs that came one after the other, as views."""
    records: list[Deliberation] = []
    for document in documents:
        records.append(msgspec.convert(record_of(document, records, now), Deliberation))
    return records
