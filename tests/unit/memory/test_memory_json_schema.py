from __future__ import annotations

import json

import pytest

from council_vault.doctor.structure import violations
from council_vault.memory import vocabulary
from council_vault.memory.json_schema import memory_schema, schema_text
from council_vault.memory.paths import spelled
from council_vault.shipped import shipped
from support.memories import build_memory
from support.memory_files import REAL_DATA, document, record


def objects(schema):
    return {"Memory": schema, **schema["definitions"]}


def test_the_shipped_file_is_the_schema_of_the_typed_views():
    file = shipped("docs") / "council-memory.schema.json"
    assert file.read_text("utf-8") == schema_text(), f"council-vault schema > {file} brings it up to date"


def test_every_object_and_every_field_is_described():
    schema = memory_schema()
    for name, one in objects(schema).items():
        assert one["title"]
        assert one["description"].endswith("."), name
        for field, value in one["properties"].items():
            assert "description" in value or "$ref" in value, f"{name}.{field}"
    assert "``" not in schema_text()
    assert "\n" not in "".join(one["description"] for one in objects(schema).values())


def test_every_reference_leads_somewhere_and_no_object_is_there_for_nothing():
    schema = memory_schema()
    text = json.dumps(schema)
    used = {part.split('"')[0] for part in text.split("#/definitions/")[1:]}
    assert used == set(schema["definitions"])


def test_required_fields_are_fields_and_cannot_be_null_unless_the_format_says_so():
    nullable = {"last_vault_sync", "last_rebuilt", "routing_accuracy"}
    for name, one in objects(memory_schema()).items():
        for field in one.get("required", ()):
            kinds = one["properties"][field].get("type", ())
            assert ("null" in kinds) == (field in nullable), f"{name}.{field}"


SPECIMEN = {
    "id": "d_20260328_001",
    "timestamp": "2026-03-28T14:30:00Z",
    "query_hash": "a1b2c3d4",
    "query_summary": "Compare microservices vs monolith for early SaaS",
    "query_features": {
        "length": 52,
        "category": "architecture_decision",
        "keywords": ["compare", "tradeoffs"],
        "protocol_used": "voting",
    },
    "models_used": [
        "openai/gpt-4o",
        "anthropic/claude-sonnet-4",
        "google/gemini-2.0-flash",
        "x-ai/grok-3",
    ],
    "rankings": {
        "openai/gpt-4o": 2,
        "anthropic/claude-sonnet-4": 1,
        "google/gemini-2.0-flash": 4,
        "x-ai/grok-3": 3,
    },
    "chairman": "anthropic/claude-sonnet-4",
    "confidence": 0.82,
    "consensus_level": "strong",
    "cost_usd": 0.09,
    "latency_ms": 12400,
    "self_preference": {"anthropic/claude-sonnet-4": True},
    "deliberation_value_added": 0.65,
    "routing_decision": "deliberate",
    "routing_source": "heuristic_learning",
    "routing_confidence": 0.8,
    "vault_synced": False,
    "user_rating": None,
    "outcome": "accepted",
}
AGGREGATES = {
    "deliberations_participated": 23,
    "avg_rank": 1.8,
    "chairman_selections": 7,
    "win_rate": 0.30,
    "self_preference_rate": 0.13,
    "self_preference_count": 3,
    "category_ranks": {"architecture_decision": 2.1, "factual_lookup": 1.3, "code_implementation": 1.5},
    "best_categories": ["factual_lookup", "code_implementation"],
    "worst_categories": ["creative_writing"],
}
EXPERIMENT = {
    "experiment_id": "opt_20260328_001",
    "run_id": "run_20260328_143000",
    "variable_modified": "chairman_prompt",
    "modification_type": "sharpen",
    "description": "Name the disagreements first",
    "baseline_pass_rate": 0.68,
    "modified_pass_rate": 0.84,
    "criteria_delta": {"C1_synthesis_superiority": -0.1, "C5_budget_compliance": 0.2},
    "decision": "keep",
    "cost_usd": 0.09,
    "benchmark_count": 1,
    "benchmark_ids": ["d_20260328_001"],
}
RULE = {
    "condition": "category == 'factual_lookup'",
    "action": "single_model",
    "preferred_model": "openai/gpt-4o",
    "confidence": 0.15,
    "sample_count": 5,
    "value_score": 0.3,
}


def test_what_the_format_gives_as_examples_is_as_the_schema_says():
    whole = document(
        SPECIMEN,
        model_performance={"openai/gpt-4o": AGGREGATES},
        optimization_log=[EXPERIMENT],
        routing_model={
            "last_rebuilt": "2026-03-28T14:30:00Z",
            "sample_size": 20,
            "routing_accuracy": 0.9,
            "rules": [RULE],
        },
    )
    assert list(violations(whole)) == []
    empty = document(model_performance={})
    assert list(violations(empty)) == []


@pytest.mark.parametrize("size", [0, 25, 120])
def test_whole_memories_are_as_the_schema_says(size):
    assert list(violations(build_memory(size, 6, size))) == []


def test_a_real_memory_is_as_the_schema_says():
    file = REAL_DATA / "council-memory.json"
    if not file.exists():
        pytest.skip(f"{REAL_DATA} is not here")
    assert list(violations(json.loads(file.read_text("utf-8")))) == []


def test_a_summary_and_an_answer_by_one_model_are_as_the_schema_says():
    summary = record(query_summary=..., query_hash=..., query_features={"category": "other"})
    answer = record(
        2,
        models_used=["openai/gpt-4o"],
        rankings={},
        deliberation_value_added=None,
        consensus_level=None,
        confidence=None,
        vault_synced=...,
    )
    assert list(violations(document(summary, answer))) == []


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ("consensus_level", vocabulary.CONSENSUS_LEVELS),
        ("routing_decision", vocabulary.ROUTING_DECISIONS),
        ("routing_source", vocabulary.ROUTING_SOURCES),
        ("user_rating", vocabulary.RATINGS),
        ("outcome", vocabulary.OUTCOMES),
    ],
)
def test_the_words_of_a_field_are_allowed_and_no_others(fields, word):
    assert list(violations(document(*(record(1, **{fields: one}) for one in word)))) == []
    (found,) = violations(document(record(1, **{fields: "so-so"})))
    assert found.where == f"deliberations[0].{fields}"
    assert all(one in found.what for one in word)


def test_unknown_fields_are_allowed_everywhere():
    whole = json.loads(json.dumps(build_memory(25, 6, 1)))

    def add(value):
        if isinstance(value, dict):
            for one in list(value.values()):
                add(one)
            if set(value) & {"version", "id", "category", "sample_size", "condition", "avg_rank"}:
                value["x_of_mine"] = {"a": [1]}
        elif isinstance(value, list):
            for one in value:
                add(one)

    add(whole)
    assert json.dumps(whole).count("x_of_mine") > 50
    assert list(violations(whole)) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("last_updated",), "last_updated"),
        (("deliberations", 17, "confidence"), "deliberations[17].confidence"),
        (("deliberations", 1, "rankings", "a/b.c"), 'deliberations[1].rankings["a/b.c"]'),
        (("deliberations", 1, "query_features", "length"), "deliberations[1].query_features.length"),
        (("deliberations", 1, "stage_costs", "review"), "deliberations[1].stage_costs.review"),
        (
            ("model_performance", 'x"y', "category_ranks", "other"),
            'model_performance["x\\"y"].category_ranks["other"]',
        ),
        (("routing_model", "rules", 2, "action"), "routing_model.rules[2].action"),
        (("archived", "categories", "other", "cost", "sum"), 'archived.categories["other"].cost.sum'),
        (("mine", "own", 3), 'mine["own"][3]'),
        ((), ""),
    ],
)
def test_places_are_spelled_as_reading_spells_them(path, text):
    assert spelled(path) == text


def test_a_word_is_known_in_another_case_or_with_other_separators():
    assert vocabulary.as_meant("Single-Model ", vocabulary.ROUTING_DECISIONS) == "single_model"
    assert vocabulary.as_meant("ARCHITECTURE decision", vocabulary.CATEGORIES) == "architecture_decision"
    assert vocabulary.as_meant("singlemodel", vocabulary.ROUTING_DECISIONS) is None
