"""What councils hand over to ``log``: seeded, of any number, no two alike."""

from __future__ import annotations

import random
from typing import Any

MODELS = ("openai/gpt-4o", "anthropic/claude-sonnet-4", "google/gemini-2.0-flash", "x-ai/grok-3")
_QUERIES = (
    "Compare the tradeoffs of {a} and {b} for team {n}",
    "What is {a}, seen from {b}, in case {n}?",
    "Implement a function that maps {a} to {b}, version {n}",
    "Which strategy brings {a} to the {b} market in year {n}?",
    "Draft a blog post on {a} and {b}, part {n}",
    "Does an audit of {a} need {b} by section {n}?",
    "Plan {a} after {b} on day {n}",
)
_THINGS = ("queues", "caches", "ledgers", "gardens", "bridges", "kettles", "maps", "tunnels")


def deliberation(number: int = 1, models: int = 4, **fields: Any) -> dict[str, Any]:
    """Return log input of a council; fields given replace its own, `...` leaves one out."""
    dice = random.Random(number)
    members = list(MODELS[:models])
    things = dice.sample(_THINGS, 2)
    query = dice.choice(_QUERIES).format(a=things[0], b=things[1], n=number)
    responses = {
        model: f"Answer {place} of case {number} prefers {dice.choice(_THINGS)} over everything. "
        f"It also weighs the {dice.choice(_THINGS)} against the {dice.choice(_THINGS)}."
        for place, model in enumerate(members)
    }
    order = dice.sample(members, len(members))
    ballots = {model: dice.sample(members, len(members)) for model in members}
    whole = {
        "query_text": query,
        "models_used": members,
        "stage1_responses": responses,
        "rankings": {model: place for place, model in enumerate(order, 1)},
        "reviewer_rankings_raw": ballots,
        "chairman": order[0],
        "confidence": round(dice.uniform(0.4, 0.95), 2),
        "consensus_level": dice.choice(["strong", "moderate", "weak", "split"]),
        "protocol_used": "voting",
        "cost_usd": round(dice.uniform(0.02, 0.2), 4),
        "latency_ms": dice.randint(4000, 20000),
        "synthesis_text": f"{responses[order[0]]} However, the panel of case {number} disagrees on "
        f"{dice.choice(_THINGS)}. A third view of {dice.choice(_THINGS)} was added by the chairman.",
        "top_individual_response": responses[order[0]],
        "routing_decision": {
            "decision": "deliberate",
            "routing_source": "heuristic_learning",
            "confidence": 0.8,
        },
        "vault_context_loaded": False,
    }
    whole |= fields
    return {name: value for name, value in whole.items() if value is not ...}


def answer(number: int = 1, **fields: Any) -> dict[str, Any]:
    """Return log input of a single model's answer to the same query as the deliberation of that number."""
    whole = deliberation(number)
    kept = ("query_text", "protocol_used", "cost_usd", "latency_ms")
    first = {"models_used": [MODELS[0]], "routing_decision": "single_model"}
    return {name: whole[name] for name in kept} | first | fields
