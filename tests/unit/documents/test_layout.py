"""The three notes, byte for byte, for memories whose figures are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from council_vault.memory.schema import (
    Archived,
    ArchivedCategory,
    ArchivedDecisions,
    Deliberation,
    Memory,
    ModelPerformance,
    QueryFeatures,
    RoutingModel,
    RoutingRule,
    Sum,
)
from council_vault.notes.documents import DraftSettings, draft
from council_vault.notes.templates import Templates
from support.documents import LINKS, drafted, memory_of
from support.memories import build_memory

EXPECTED = Path(__file__).parent / "expected"
SETTINGS = DraftSettings(stamp="m-20251207T112104Z", links=LINKS)
LEADERS = ("anthropic/claude-sonnet-4", "openai/gpt-4.1", "google/gemini-2.5-pro-preview", "x-ai/grok-3")
# 50 councils of the leaders: above how many others each answer was ranked, and how often that happened.
OUTRANKED = {
    (2, 1, 3, 0): 9,
    (3, 1, 2, 0): 8,
    (3, 2, 1, 0): 8,
    (1, 3, 2, 0): 6,
    (2, 3, 1, 0): 5,
    (2, 3, 0, 1): 4,
    (3, 1, 0, 2): 3,
    (1, 2, 3, 0): 3,
    (2, 0, 3, 1): 3,
    (0, 3, 2, 1): 1,
}
COUNTS = {
    "architecture_decision": 9,
    "code_implementation": 9,
    "compliance_security": 8,
    "strategy_business": 7,
    "creative_writing": 5,
    "factual_lookup": 4,
    "other": 8,
}
CATEGORY_RANKS = {
    "architecture_decision": (1.3, 2.1, 2.8, 3.8),
    "code_implementation": (2.0, 1.3, 3.4, 3.3),
    "compliance_security": (1.4, 2.2, 2.4, 4.0),
    "strategy_business": (1.6, 2.2, 2.5, 3.7),
    "creative_writing": (2.1, 1.2, 2.7, 4.0),
    "factual_lookup": (2.2, 1.2, 2.8, 3.8),
    "other": (2.3, 2.1, 1.8, 3.8),
}
OTHERS = {
    "qwen/qwen3-32b": (1.3333, 3),
    "google/gemma-2-9b-it": (2.0, 3),
    "meta-llama/llama-3.1-8b-instruct": (2.0, 3),
    "qwen/qwen-2.5-7b-instruct": (2.0, 3),
    "llama-3.3-70b-versatile": (2.3333, 3),
    "openai/gpt-5.1": (1.0, 2),
    "llama-3.1-8b-instant": (1.5, 2),
    "google/gemini-3-pro-preview": (2.5, 2),
    "x-ai/grok-4": (2.5, 2),
    "anthropic/claude-sonnet-4.5": (4.0, 2),
    "Claude Opus 4.6": (1.0, 1),
    "meta-llama/llama-3.2-3b-instruct:free": (1.0, 1),
    "mistral.mistral-large-2407-v1:0": (1.0, 1),
    "nousresearch/hermes-3-llama-3.1-405b:free": (1.0, 1),
    "GPT-5.3-Codex": (2.0, 1),
    "us.anthropic.claude-opus-4-5-20251101-v1:0": (2.0, 1),
    "Gemini-3.1-Pro": (3.0, 1),
    "us.deepseek.r1-v1:0": (3.0, 1),
    "Grok 4": (4.0, 1),
    "us.amazon.nova-premier-v1:0": (4.0, 1),
}


def expected(name: str) -> str:
    return (EXPECTED / f"{name}.md").read_text(encoding="utf-8")


def leading() -> Memory:
    categories = iter(category for category, count in COUNTS.items() for _ in range(count))
    councils = [
        Deliberation(
            query_features=QueryFeatures(category=next(categories)),
            models_used=LEADERS,
            rankings={model: 4.0 - below for model, below in zip(LEADERS, outranked, strict=True)},
            timestamp="2026-05-14T09:00:00Z",
        )
        for outranked, times in OUTRANKED.items()
        for _ in range(times)
    ]
    chaired, ranks = (19, 16, 15, 0), (1.84, 2.2, 2.24, 3.72)
    performance = {
        model: ModelPerformance(
            deliberations_participated=50,
            avg_rank=ranks[place],
            chairman_selections=chaired[place],
            win_rate=chaired[place] / 50,
            self_preference_rate=(0.02, 0.04, 0.0, 0.12)[place],
            self_preference_count=(1, 2, 0, 6)[place],
            category_ranks={category: means[place] for category, means in CATEGORY_RANKS.items()},
            category_counts=COUNTS,
        )
        for place, model in enumerate(LEADERS)
    }
    for model, (rank, count) in OTHERS.items():
        performance[model] = ModelPerformance(
            deliberations_participated=count,
            avg_rank=rank,
            self_preference_rate=1 / 3 if model == "meta-llama/llama-3.1-8b-instruct" else 0.0,
        )
    earlier = Deliberation(timestamp="2025-12-07T11:21:04Z")
    return Memory(deliberations=(*[earlier] * 14, *councils), model_performance=performance)


def rules() -> Memory:
    def rule(category: str, value: float, count: int, strength: float, confidence: float) -> RoutingRule:
        single = value < 0.4
        return RoutingRule(
            condition=f"category == '{category}'",
            action="single_model" if single else "deliberate",
            preferred_model="openai/gpt-4.1" if single else None,
            value_score=value,
            sample_count=count,
            strength=strength,
            confidence=confidence,
        )

    def record(**fields: object) -> Deliberation:
        features = QueryFeatures(category="factual_lookup")
        return Deliberation(query_features=features, timestamp="2026-05-12T09:00:00Z", **fields)

    single = {"models_used": ("a",), "routing_decision": "single_model", "routing_source": "explicit_command"}
    return Memory(
        deliberations=(
            record(models_used=LEADERS, cost_usd=0.066),
            record(**single, cost_usd=0.005),
            record(**single, cost_usd=0.007),
            record(**single, cost_usd=0.006),
        ),
        routing_model=RoutingModel(
            last_rebuilt="2026-05-14T10:00:00Z",
            sample_size=60,
            routing_accuracy=0.5,
            rules=(
                rule("creative_writing", 0.22, 5, 0.97, 0.03),
                rule("architecture_decision", 0.69, 10, 0.93, 0.21),
                rule("compliance_security", 0.67, 9, 0.86, 0.19),
                rule("strategy_business", 0.62, 7, 0.62, 0.14),
                rule("code_implementation", 0.33, 9, 0.86, 0.09),
                rule("factual_lookup", 0.38, 8, 0.64, 0.09),
            ),
        ),
        archived=Archived(
            count=60,
            decisions=ArchivedDecisions(hits=41, wastes=2),
            categories={
                "other": ArchivedCategory(
                    count=12,
                    deliberated=12,
                    value=Sum(sum=4.8, count=12),  # 0.35 × 0.4
                    confidence=Sum(sum=6.0, count=12),  # 0.20 × 0.5
                    spread=Sum(sum=6.0, count=12),  # 0.10 × 0.5
                    rated=4,
                    positive=2,  # 0.25 × 0.5
                    chairmen={"a": 9, "b": 3},  # 0.10 × 0.25
                )
            },
        ),
    )


def log() -> Memory:
    words = ["positive"] * 18 + ["neutral"] * 5 + ["negative"] * 5
    ratings = [*words, *[None] * 36]
    return Memory(
        deliberations=tuple(
            Deliberation(timestamp=f"2026-05-{1 + place % 14:02d}", cost_usd=4.9 / 64, user_rating=rating)
            for place, rating in enumerate(ratings)
        )
    )


def test_performance_note_with_a_leader() -> None:
    assert draft("performance", leading(), SETTINGS, Templates(None)) == expected("leading")


def test_routing_note_with_rules() -> None:
    assert draft("routing", rules(), SETTINGS, Templates(None)) == expected("rules")


def test_log_note_without_its_table() -> None:
    assert draft("log", log(), SETTINGS, Templates(None)) == expected("log")


@pytest.mark.parametrize("kind", ["performance", "routing", "log"])
@pytest.mark.parametrize(
    ("name", "records", "models"), [("empty", 0, 1), ("one", 1, 4), ("learning", 18, 24), ("many", 500, 60)]
)
def test_notes_of_whole_memories(kind: str, name: str, records: int, models: int) -> None:
    memory = memory_of(build_memory(records, models, seed=7))
    assert drafted(kind, memory) == expected(f"{name}-{kind}")


def test_drafting_again_gives_the_same_note() -> None:
    document = build_memory(60, 12, seed=4)
    again = dict(reversed(document.items()))
    again["model_performance"] = dict(reversed(document["model_performance"].items()))
    for kind in ("performance", "routing", "log"):
        assert drafted(kind, memory_of(document)) == drafted(kind, memory_of(again))
