"""What there is to say of the fields of a memory file beyond their types: meaning, unit, range, words.

Every table is by the name of the view in `council_vault.memory.schema`. The descriptions go into the JSON
Schema, which is the file's documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from council_vault.memory import vocabulary
from council_vault.memory.schema import CURRENT_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Note = dict[str, Any]

_ID = "^d_[0-9]{8}_[0-9]{3,9}$"
_TIME = "2026-03-28T14:30:00Z"

# Title and description of views whose own docstrings speak to readers of the program.
_MEMORY = (
    "council-memory.json: what an LLM council has learned from its deliberations. Fields that are not "
    "described here are allowed everywhere and are kept."
)
_DELIBERATION = (
    "The record of one deliberation, or of one answer by a single model. A record that compaction has "
    "shortened lacks query_hash, query_summary, and the query's length and keywords."
)
TITLES: Mapping[str, tuple[str, str]] = {
    "Memory": ("Council memory 1.3", _MEMORY),
    "Deliberation": ("Deliberation", _DELIBERATION),
    "QueryFeatures": ("Query features", "What is kept of a query: never the query itself."),
    "ModelPerformance": (
        "Model performance",
        "Aggregates of one model over the deliberations of several models that it took part in.",
    ),
    "RoutingRule": ("Routing rule", "What to do with queries of one category."),
}

REQUIRED: Mapping[str, Sequence[str]] = {
    "Memory": (
        "version",
        "created",
        "last_updated",
        "last_vault_sync",
        "deliberations",
        "routing_model",
        "model_performance",
        "optimization_log",
    ),
    "Deliberation": ("id", "timestamp", "query_features", "models_used", "rankings"),
    "QueryFeatures": ("category",),
    "RoutingModel": ("last_rebuilt", "sample_size", "routing_accuracy", "rules"),
    "RoutingRule": ("condition", "action"),
    "ModelPerformance": ("deliberations_participated",),
    "Experiment": ("experiment_id", "decision"),
    "Archived": ("count",),
}


def _about(description: str, **more: object) -> Note:
    return {"description": description, **more}


def _share(description: str) -> Note:
    return _about(description, minimum=0, maximum=1)


def _at_least(least: int, description: str) -> Note:
    return _about(description, minimum=least)


def _one_of(words: Sequence[str], description: str, *, required: bool = False) -> Note:
    return _about(description, enum=[*words] if required else [*words, None])


def _time(description: str, *, nullable: bool = False) -> Note:
    kinds = ["string", "number", *(["null"] if nullable else [])]
    return _about(description, type=kinds, examples=[_TIME])


def _each(description: str, **rule: object) -> Note:
    return _about(description, additionalProperties=rule)


_SUM = "their sum, and of how many it is"

FIELDS: Mapping[str, Mapping[str, Note]] = {
    "Memory": {
        "version": _about(
            "Version of the schema.", type="string", enum=[".".join(map(str, CURRENT_VERSION))]
        ),
        "created": _time("When the memory was begun; UTC."),
        "last_updated": _time("When anything but vault flags was last changed; UTC."),
        "last_vault_sync": _time(
            "When the notes were last brought up to date; null: never, or no vault could be found.",
            nullable=True,
        ),
        "vault_sync_note": _about("Why the last sync did not happen, such as vault_unavailable; else null."),
        "deliberations": _about("One record for each deliberation, in order of time."),
        "model_performance": _about("Aggregates by model id."),
        "optimization_log": _about("Experiments with the council's prompts, in order of time."),
    },
    "Deliberation": {
        "id": _about(
            "The day in UTC and the number of the deliberation on that day. No two records share one.",
            pattern=_ID,
            examples=["d_20260328_001"],
        ),
        "timestamp": _time("When the deliberation ended; UTC."),
        "query_hash": _about("The first 8 hexadecimal digits of the SHA-256 of the query in UTF-8."),
        "query_summary": _about("The query in other words, below 80 characters."),
        "models_used": _about("Ids of the models that were asked.", uniqueItems=True),
        "rankings": _each(
            "Rank of each model's answer by its peers, 1 is best; ties and fractions are allowed. "
            "Models without an answer are left out; empty where there were no reviews.",
            type="number",
            minimum=1,
        ),
        "chairman": _about("Id of the model that wrote the synthesis; it need not be one of the council."),
        "confidence": _share("How sure the council was."),
        "consensus_level": _one_of(vocabulary.CONSENSUS_LEVELS, "How far the reviewers agreed."),
        "cost_usd": _at_least(0, "What it cost, in USD; null: unknown."),
        "latency_ms": _at_least(0, "How long it took, in milliseconds; null: unknown."),
        "self_preference": _about(
            "The models that ranked their own answer at least two places better than their peers did: true."
        ),
        "deliberation_value_added": _share(
            "What the synthesis adds to the best single answer; null for an answer by a single model, and "
            "where it is unknown."
        ),
        "ranking_spread": _share("How far the answers were apart, as a share of how far they can be."),
        "routing_decision": _one_of(vocabulary.ROUTING_DECISIONS, "What was done with the query."),
        "routing_source": _one_of(vocabulary.ROUTING_SOURCES, "By what it was decided."),
        "routing_confidence": _share("How sure the router was."),
        "vault_synced": _about(
            "Whether the deliberation's row stands in the vault's log; missing means it does not."
        ),
        "user_rating": _one_of(vocabulary.RATINGS, "What the person thought of the result; null: unrated."),
        "outcome": _one_of(
            vocabulary.OUTCOMES,
            "What became of the result: accepted if rated positive, rejected if negative.",
        ),
        "repeat_of": _about("Id of the earlier record that answered the same query."),
        "stage_costs": _about("What the stages cost."),
    },
    "QueryFeatures": {
        "length": _at_least(0, "Characters of the query."),
        "category": _about(
            "What kind of query it is. Others than these count by themselves.",
            examples=[*vocabulary.CATEGORIES],
        ),
        "keywords": _about("Signal words found in the query."),
        "protocol_used": _one_of(vocabulary.PROTOCOLS, "How the council came to its result."),
    },
    "StageCosts": {
        "collect": _at_least(0, "Asking the models, in USD."),
        "review": _at_least(0, "The reviews, in USD."),
        "synthesize": _at_least(0, "The synthesis, in USD."),
    },
    "RoutingModel": {
        "last_rebuilt": _time("When the rules were last made; null: never.", nullable=True),
        "sample_size": _at_least(0, "How many deliberations there were then."),
        "routing_accuracy": _about(
            "Share of the router's own decisions that were right; null: it took none.",
            type=["number", "null"],
            minimum=0,
            maximum=1,
        ),
        "rules": _about("At most one for each category."),
    },
    "RoutingRule": {
        "condition": _about(
            "The category that the rule is for.",
            pattern="^\\s*category\\s*==\\s*('[^']+'|\"[^\"]+\")\\s*$",
            examples=["category == 'factual_lookup'"],
        ),
        "action": _one_of(
            vocabulary.ACTIONS,
            "deliberate where the value score is above 0.6, single_model where it is below 0.4.",
            required=True,
        ),
        "preferred_model": _about("Id of the model to ask, for single_model; null where none is known."),
        "confidence": _share("How common the category is times its value score times two, at most 0.95."),
        "sample_count": _at_least(0, "How many deliberations the value score rests on."),
        "value_score": _share("How much deliberating is worth in this category."),
        "strength": _share("How sure it is that the value score lies on the rule's side of its line."),
    },
    "ModelPerformance": {
        "deliberations_participated": _at_least(0, "Deliberations of several models that it took part in."),
        "avg_rank": _at_least(1, "Mean of its ranks; null where it was never ranked."),
        "rank_square_sum": _at_least(0, "Sum of the squares of its ranks."),
        "chairman_selections": _at_least(0, "How often it was chairman of a deliberation it took part in."),
        "win_rate": _share("chairman_selections / deliberations_participated."),
        "self_preference_rate": _share("self_preference_count / self_preference_tested."),
        "self_preference_count": _at_least(0, "How often it preferred its own answer."),
        "self_preference_tested": _at_least(0, "How often it ranked its own answer among the others."),
        "category_ranks": _each("Mean of its ranks by category.", type="number", minimum=1),
        "category_counts": _each("How many ranks each mean is of.", type="integer", minimum=0),
        "best_categories": _about("Categories in which its mean rank is 1.5 or better."),
        "worst_categories": _about("Categories in which its mean rank is 3.5 or worse."),
    },
    "Experiment": {
        "experiment_id": _about("opt_, the day, and the number on that day.", examples=["opt_20260328_001"]),
        "run_id": _about("The run of experiments that it belongs to.", examples=["run_20260328_143000"]),
        "timestamp": _time("When it was logged; UTC.", nullable=True),
        "variable_modified": _about("Which variable of the prompts was changed."),
        "modification_type": _one_of(vocabulary.MODIFICATIONS, "How it was changed."),
        "description": _about("The change in words."),
        "baseline_pass_rate": _share("Pass rate before."),
        "modified_pass_rate": _share("Pass rate after."),
        "criteria_delta": _each(
            f"Change in pass rate of each criterion: {', '.join(vocabulary.CRITERIA)}.",
            type="number",
            minimum=-1,
            maximum=1,
        ),
        "decision": _one_of(vocabulary.EXPERIMENT_DECISIONS, "What was done with the change.", required=True),
        "cost_usd": _at_least(0, "What the experiment cost, in USD."),
        "benchmark_count": _at_least(0, "How many benchmark queries were used."),
        "benchmark_ids": _about("Ids of the records that served as benchmarks."),
    },
    "Archived": {
        "count": _at_least(0, "How many records were removed."),
        "first_day": _about("The day of the oldest of them.", examples=["2026-03-28"]),
        "newest": _time("The time of the newest of them.", nullable=True),
        "highest_id": _about(
            "The newest day and the highest number in their ids, as an id. No new record gets one of theirs.",
            pattern=_ID,
            examples=["d_20260328_012"],
        ),
        "cost": _about(f"Costs in USD: {_SUM}."),
        "latency": _about(f"Latencies in milliseconds: {_SUM}."),
        "confidence": _about(f"Confidences: {_SUM}."),
        "ratings": _each("Ratings by their word.", type="integer", minimum=0),
        "sizes": _about("By the number of models."),
        "months": _about("Costs in USD by month in UTC, such as 2026-03."),
        "days": _about("Costs in USD of the newest day in UTC."),
        "stages": _about("What the stages cost, in USD."),
        "decisions": _about("How often the router was right."),
        "categories": _about("By category."),
        "models": _about("By model id."),
    },
    "ArchivedSize": {"count": _at_least(0, "How many."), "cost": _about(f"Costs in USD: {_SUM}.")},
    "ArchivedStages": {
        "collect": _at_least(0, "Asking the models, in USD."),
        "review": _at_least(0, "The reviews, in USD."),
        "synthesize": _at_least(0, "The synthesis, in USD."),
    },
    "ArchivedDecisions": {
        "hits": _at_least(0, "Right decisions."),
        "misses": _at_least(0, "Single answers where deliberating would have been worth it."),
        "wastes": _at_least(0, "Deliberations that added next to nothing."),
    },
    "ArchivedCategory": {
        "count": _at_least(0, "All records of the category."),
        "deliberated": _at_least(0, "The deliberations of several models among them."),
        "cost": _about(f"Costs of those in USD: {_SUM}."),
        "answer_cost": _about(f"Costs of the answers by a single model in USD: {_SUM}."),
        "value": _about(f"Values added: {_SUM}."),
        "confidence": _about(f"Confidences: {_SUM}."),
        "spread": _about(f"Ranking spreads: {_SUM}."),
        "rated": _at_least(0, "How many were rated."),
        "positive": _at_least(0, "How many of these positively."),
        "chairmen": _each("How often each model was chairman.", type="integer", minimum=0),
        "ranked": _at_least(0, "The deliberations of several models whose answers were ranked."),
        "ranks": _about(f"Ranks by model id: {_SUM}."),
    },
    "ArchivedModel": {
        "deliberations": _at_least(0, "Deliberations of several models that it took part in."),
        "chaired": _at_least(0, "How often it was chairman of one."),
        "self_preferred": _at_least(0, "How often it preferred its own answer."),
        "rank_square_sum": _at_least(0, "Sum of the squares of its ranks."),
        "outranked": _at_least(0, "Answers of others that were ranked below its own; a tie counts one half."),
        "peers": _at_least(0, "Answers of others that were ranked with its own."),
    },
    "Sum": {
        "sum": _about("The sum."),
        "count": _at_least(0, "Of how many values."),
    },
}
