"""Whole memories for tests and benchmarks: seeded, of any size, and consistent in themselves.

The arithmetic is done here a second time, plainly and on purpose: it is what the product is checked against.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any

START = datetime(2025, 12, 7, 9, 0, tzinfo=UTC)
MODELS = (
    "anthropic/claude-sonnet-4",
    "openai/gpt-4.1",
    "google/gemini-2.5-pro-preview",
    "x-ai/grok-3",
    "deepseek/deepseek-r1",
    "mistralai/mistral-large-2407",
    "qwen/qwen3-32b",
    "meta-llama/llama-3.3-70b-instruct:free",
    "us.amazon.nova-premier-v1:0",
    "cohere/command-a",
    "Claude Opus 4.6",
    "moonshotai/kimi-k2",
)
SUMMARIES = {
    "architecture_decision": (
        "Monolith first for a two-person team",
        "Event sourcing for a ledger: yes or no",
        "Outbox or change data capture for order events",
        "RBAC for a multi-tenant SaaS",
        "Compare SQLite | Postgres for an edge cache",
    ),
    "compliance_security": (
        "Audit trail retention under GDPR and SOX",
        "Zero-trust access for a small remote team",
        "CMMC level 2 scope for a contractor laptop fleet",
        "Secrets in CI: vault or OIDC",
    ),
    "code_implementation": (
        "Retry storm after a cache failover",
        "Debug asyncio deadlock in websocket pool",
        "Type-safe feature flags in Python",
        "Rewrite cron jobs as a queue worker",
    ),
    "strategy_business": (
        "Price tiers for an API product: seats or usage",
        "Enter the German market before or after SOC 2",
        "Grow by partners or by direct sales",
        "Open-source the core or not",
    ),
    "creative_writing": (
        "Launch e-mail for the beta",
        "Tagline for a developer tool",
        "Conference talk abstract on councils",
        "Blog post outline on agent memory",
    ),
    "factual_lookup": (
        "How does a Bloom filter work",
        "What is a vector clock",
        "Explain Raft leader election",
        "Define eventual consistency",
    ),
    "other": (
        "Pick a note-taking workflow for a team",
        "Plan a week of dinners",
        "Morning routine for shift workers",
    ),
}
_KEYWORDS = {
    "architecture_decision": ["compare", "trade-offs"],
    "compliance_security": ["compliance", "audit"],
    "code_implementation": ["code", "debug"],
    "strategy_business": ["strategy", "pricing"],
    "creative_writing": ["write", "draft"],
    "factual_lookup": ["what is"],
    "other": [],
}
# How much deliberating is worth in each category, so that there are rules of both kinds and undecided ones.
_WORTH = {
    "architecture_decision": 0.75,
    "compliance_security": 0.7,
    "strategy_business": 0.62,
    "other": 0.4,
    "factual_lookup": 0.15,
    "code_implementation": 0.12,
    "creative_writing": 0.05,
}
_SINGLE = {"factual_lookup": 0.35, "code_implementation": 0.15}


def build_memory(records: int, models: int, seed: int, rated: float = 0.45) -> dict[str, Any]:
    """Return a complete memory document of schema 1.3, nothing of it in the vault yet.

    Args:
        records: how many deliberations; their aggregates and, from 20 on, routing rules go with them.
        models: how many models there are to choose councils from, at least 1.
        seed: the same seed gives the same document.
        rated: the share of deliberations that the person has rated.
    """
    dice = random.Random(seed)
    names = [*MODELS, *(f"lab-{number % 7}/model-{number}" for number in range(len(MODELS), models))][:models]
    a_day = max(3, -(-records // 160))
    pause = max(1, 300 // max(1, records))
    deliberations: list[dict[str, Any]] = []
    day, number = START, 0
    for place in range(records):
        if place and (number >= a_day or dice.random() < 1 / a_day):
            day, number = day + timedelta(days=dice.randint(1, 2 * pause - 1)), 0
        number += 1
        when = day + timedelta(seconds=number * (40_000 // a_day))
        deliberations.append(_record(dice, names, when, number, place, rated))
    rebuilt = records // 10 * 10 if records >= 20 else 0
    last = deliberations[-1]["timestamp"] if deliberations else _stamp(START)
    return {
        "version": "1.3",
        "created": _stamp(START),
        "last_updated": last,
        "last_vault_sync": None,
        "vault_sync_note": None,
        "deliberations": deliberations,
        "routing_model": _routing_model(deliberations[:rebuilt]),
        "model_performance": model_performance(deliberations),
        "optimization_log": [],
    }


def _stamp(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def _record(
    dice: random.Random, names: list[str], when: datetime, number: int, place: int, rated: float
) -> dict[str, Any]:
    category = dice.choices(list(SUMMARIES), weights=[10, 9, 9, 7, 5, 8, 12])[0]
    summary = dice.choice(SUMMARIES[category])
    learned = place >= 20
    single = len(names) == 1 or dice.random() < _SINGLE.get(category, 0)
    explicit = not single and dice.random() < 0.1
    council = [dice.choice(names[:2])] if single else _council(dice, names)
    rankings = {} if single else _rankings(dice, names, council, category)
    best = min(rankings.values(), default=1)
    chairman = dice.choice([model for model in council if rankings.get(model, 1) == best])
    worth = _WORTH[category]
    confidence = round(min(0.99, max(0.05, dice.gauss(0.4 + 0.4 * worth, 0.1))), 2)
    rating = None
    if dice.random() < rated:
        rating = dice.choices(
            ["positive", "neutral", "negative"], weights=[0.3 + worth, 0.3, 0.6 - worth / 2]
        )[0]
    return {
        "id": f"d_{when:%Y%m%d}_{number:03d}",
        "timestamp": _stamp(when),
        "query_hash": hashlib.sha256(f"{summary} {place}".encode()).hexdigest()[:8],
        "query_summary": summary,
        "query_features": {
            "length": len(summary) * dice.randint(1, 4),
            "category": category,
            "keywords": _KEYWORDS[category],
            "protocol_used": "consensus" if category == "compliance_security" else "voting",
        },
        "models_used": council,
        "rankings": rankings,
        "chairman": chairman,
        "confidence": None if single else confidence,
        "consensus_level": None if single else _consensus(confidence),
        "cost_usd": round(
            len(council) * dice.uniform(0.018, 0.03) if not single else dice.uniform(0.003, 0.009), 4
        ),
        "latency_ms": dice.randint(1_500, 4_000) if single else dice.randint(9_000, 30_000),
        "self_preference": {
            model: True for model in rankings if rankings[model] >= 3 and dice.random() < 0.12
        },
        "deliberation_value_added": None if single else round(min(1, max(0, dice.gauss(worth, 0.12))), 2),
        "ranking_spread": None if single else round(dice.uniform(0.2, 0.9), 2),
        "routing_decision": "explicit_command" if explicit else "single_model" if single else "deliberate",
        "routing_source": "explicit_command" if explicit else "learned" if learned else "heuristic_learning",
        "routing_confidence": 1.0 if explicit else round(dice.uniform(0.5, 0.95), 2),
        "vault_synced": False,
        "user_rating": rating,
        "outcome": {"positive": "accepted", "negative": "rejected"}.get(rating or "", "accepted"),
    }


def _council(dice: random.Random, names: list[str]) -> list[str]:
    size = min(len(names), dice.choices([2, 4, 6], weights=[2, 7, 1])[0])
    core = names[:4] if dice.random() < 0.75 else names
    return dice.sample(core if len(core) >= size else names, size)


def _rankings(dice: random.Random, names: list[str], council: list[str], category: str) -> dict[str, int]:
    """Ranks by a hidden skill that depends on the category, now and then with two models tied."""
    taste = len(category)
    skill = {
        model: names.index(model) % 9 * 0.4 + (names.index(model) + taste) % 3 * 0.35 + dice.gauss(0, 0.5)
        for model in council
    }
    order = sorted(council, key=skill.__getitem__)
    ranks = {model: place for place, model in enumerate(order, start=1)}
    if len(order) > 2 and dice.random() < 0.08:
        ranks[order[-1]] = ranks[order[-2]]
    return ranks


def _consensus(confidence: float) -> str:
    return next(
        word
        for bound, word in ((0.75, "strong"), (0.6, "moderate"), (0.45, "weak"), (0, "split"))
        if confidence >= bound
    )


def _is_council(record: dict[str, Any]) -> bool:
    return len(record["models_used"]) > 1


def model_performance(deliberations: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the aggregates of records that rank every model of their council."""
    councils = [record for record in deliberations if _is_council(record)]
    performance: dict[str, dict[str, Any]] = {}
    for model in dict.fromkeys(model for record in councils for model in record["models_used"]):
        own = [record for record in councils if model in record["models_used"]]
        ranks = [record["rankings"][model] for record in own]
        by_category = defaultdict(list)
        for record in own:
            by_category[record["query_features"]["category"]].append(record["rankings"][model])
        category_ranks = {category: fmean(places) for category, places in by_category.items()}
        chaired = sum(record["chairman"] == model for record in own)
        biased = sum(model in record["self_preference"] for record in own)
        performance[model] = {
            "deliberations_participated": len(own),
            "avg_rank": fmean(ranks),
            "rank_square_sum": sum(rank * rank for rank in ranks),
            "chairman_selections": chaired,
            "win_rate": chaired / len(own),
            "self_preference_rate": biased / len(own),
            "self_preference_count": biased,
            "self_preference_tested": len(own),
            "category_ranks": category_ranks,
            "category_counts": {category: len(places) for category, places in by_category.items()},
            "best_categories": [category for category, rank in category_ranks.items() if rank <= 1.5],
            "worst_categories": [category for category, rank in category_ranks.items() if rank >= 3.5],
        }
    return performance


def category_score(records: list[dict[str, Any]]) -> float:
    """Return the value score of one category's deliberated records that have a value."""
    ratings = [record["user_rating"] for record in records if record["user_rating"]]
    chairmen = Counter(record["chairman"] for record in records)
    return (
        0.35 * fmean(record["deliberation_value_added"] for record in records)
        + 0.25 * (ratings.count("positive") / len(ratings) if ratings else 0.5)
        + 0.20 * fmean(record["confidence"] for record in records)
        + 0.10 * (1 - fmean(record["ranking_spread"] for record in records))
        + 0.10 * (1 - max(chairmen.values()) / len(records))
    )


def _routing_model(deliberations: list[dict[str, Any]]) -> dict[str, Any]:
    if not deliberations:
        return {"last_rebuilt": None, "sample_size": 0, "routing_accuracy": None, "rules": []}
    rules = []
    for category in SUMMARIES:
        records = [
            record
            for record in deliberations
            if _is_council(record) and record["query_features"]["category"] == category
        ]
        score = category_score(records) if len(records) >= 3 else 0.5
        if 0.4 <= score <= 0.6:
            continue
        rules.append(
            {
                "condition": f"category == '{category}'",
                "action": "deliberate" if score > 0.6 else "single_model",
                "preferred_model": None if score > 0.6 else _preferred(records),
                "confidence": min(0.95, len(records) / len(deliberations) * score * 2),
                "sample_count": len(records),
                "value_score": score,
            }
        )
    decided = [record for record in deliberations if record["routing_source"] != "explicit_command"]
    wrong = [record for record in decided if _is_wrong(record)]
    return {
        "last_rebuilt": deliberations[-1]["timestamp"],
        "sample_size": len(deliberations),
        "routing_accuracy": 1 - len(wrong) / len(decided) if decided else None,
        "rules": rules,
    }


def _preferred(records: list[dict[str, Any]]) -> str | None:
    ranks = defaultdict(list)
    for record in records:
        for model, rank in record["rankings"].items():
            ranks[model].append(rank)
    means = {model: fmean(places) for model, places in ranks.items() if len(places) >= 3}
    return min(means, key=means.__getitem__, default=None)


def _is_wrong(record: dict[str, Any]) -> bool:
    if _is_council(record):
        return record["deliberation_value_added"] < 0.1
    return record["user_rating"] == "negative"
