"""Typed, frozen views of the memory: what council-memory.json (schema 1.3) says.

The views show what could be understood: a field that is missing or wrong is ``None`` (or empty) and named in
`Problem`; unknown fields are not shown. They are for reading only: the file is never written from them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping  # noqa: TC003 (msgspec reads the annotations when it decodes)

import msgspec

from council_vault.memory.numbers import Count  # noqa: TC001 (likewise)

CURRENT_VERSION = (1, 3)


class Problem(msgspec.Struct, frozen=True):
    """Something in the memory that could not be understood.

    ``where`` is a path such as ``deliberations[17].confidence``; ``what`` is half a sentence.
    """

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class QueryFeatures(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is kept of a query: never the query itself. ``length`` in characters."""

    length: Count | None = None
    category: str | None = None
    keywords: tuple[str, ...] = ()
    protocol_used: str | None = None


class StageCosts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the stages of a deliberation cost, in USD."""

    collect: float | None = None
    review: float | None = None
    synthesize: float | None = None


class Deliberation(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One record. Cost in USD, latency in milliseconds; confidence, value, spread in 0..1; rank 1 is best."""

    id: str | None = None
    timestamp: str | int | float | None = None
    query_hash: str | None = None
    query_summary: str | None = None
    query_features: QueryFeatures = QueryFeatures()
    models_used: tuple[str, ...] = ()
    rankings: Mapping[str, float] = {}
    chairman: str | None = None
    confidence: float | None = None
    consensus_level: str | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    self_preference: Mapping[str, bool] = {}
    deliberation_value_added: float | None = None
    ranking_spread: float | None = None
    routing_decision: str | None = None
    routing_source: str | None = None
    routing_confidence: float | None = None
    vault_synced: bool = False
    user_rating: str | None = None
    outcome: str | None = None
    repeat_of: str | None = None
    stage_costs: StageCosts | None = None

    @property
    def category(self) -> str:
        """The query's category; ``other`` where none is given."""
        return self.query_features.category or "other"


class RoutingRule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of the router; ``condition`` is ``category == 'X'``, ``action`` deliberate or single_model."""

    condition: str | None = None
    action: str | None = None
    preferred_model: str | None = None
    confidence: float | None = None
    sample_count: Count | None = None
    value_score: float | None = None
    strength: float | None = None


class RoutingModel(msgspec.Struct, frozen=True, kw_only=True):
    """The rules, and when and from how many records they were made; accuracy in 0..1."""

    last_rebuilt: str | int | float | None = None
    sample_size: Count = 0
    routing_accuracy: float | None = None
    rules: tuple[RoutingRule, ...] = ()


class ModelPerformance(msgspec.Struct, frozen=True, kw_only=True):
    """Aggregates of one model over its councils; rates in 0..1."""

    deliberations_participated: Count = 0
    avg_rank: float | None = None
    rank_square_sum: float | None = None
    chairman_selections: Count = 0
    win_rate: float | None = None
    self_preference_rate: float | None = None
    self_preference_count: Count = 0
    self_preference_tested: Count | None = None
    category_ranks: Mapping[str, float] = {}
    category_counts: Mapping[str, Count] = {}
    best_categories: tuple[str, ...] = ()
    worst_categories: tuple[str, ...] = ()


class Sum(msgspec.Struct, frozen=True, kw_only=True):
    """A sum and of how many values it is, so that a mean can go on."""

    sum: float = 0.0
    count: Count = 0


class ArchivedSize(msgspec.Struct, frozen=True, kw_only=True):
    """Removed deliberations of one council size: how many, and their cost in USD."""

    count: Count = 0
    cost: Sum = Sum()


class ArchivedStages(msgspec.Struct, frozen=True, kw_only=True):
    """What the stages of removed deliberations cost in USD, over those where it is known."""

    collect: float = 0.0
    review: float = 0.0
    synthesize: float = 0.0


class ArchivedDecisions(msgspec.Struct, frozen=True, kw_only=True):
    """How often the router was right, missed and wasted in removed records."""

    hits: Count = 0
    misses: Count = 0
    wastes: Count = 0


class ArchivedCategory(msgspec.Struct, frozen=True, kw_only=True):
    """What a category's removed records add to its value score, its costs and its models' ranks.

    ``count`` is of all of them, ``deliberated`` of the councils among them, with their ``cost`` in USD, and
    ``ranked`` of those whose answers were ranked; ``ranks`` are by model. ``answer_cost`` is that of the
    single-model answers. The rest is over the councils that have a value.
    """

    count: Count = 0
    deliberated: Count = 0
    cost: Sum = Sum()
    answer_cost: Sum = Sum()
    value: Sum = Sum()
    confidence: Sum = Sum()
    spread: Sum = Sum()
    rated: Count = 0
    positive: Count = 0
    chairmen: Mapping[str, Count] = {}
    ranked: Count = 0
    ranks: Mapping[str, Sum] = {}


class ArchivedModel(msgspec.Struct, frozen=True, kw_only=True):
    """What removed councils say about one of their models, its ranks by category apart.

    ``outranked`` of ``peers`` answers of others were ranked below its own, a tie counting one half;
    ``self_preferred`` is how often it favoured itself.
    """

    deliberations: Count = 0
    chaired: Count = 0
    self_preferred: Count = 0
    rank_square_sum: float = 0.0
    outranked: float = 0.0
    peers: Count = 0


class Archived(msgspec.Struct, frozen=True, kw_only=True):
    """What stays of removed records, from which every statistic is still exact.

    ``first_day`` is the calendar day of the oldest, such as ``2026-03-28``, ``newest`` the time of the newest
    as written; ``highest_id`` has the newest day and the highest number in their ids. ``sizes`` are by the
    number of models, ``months`` and ``days`` (only the newest, which can be today) have the costs in UTC.
    """

    count: Count = 0
    first_day: str | None = None
    newest: str | int | float | None = None
    highest_id: str | None = None
    cost: Sum = Sum()
    latency: Sum = Sum()
    confidence: Sum = Sum()
    ratings: Mapping[str, Count] = {}
    sizes: Mapping[str, ArchivedSize] = {}
    months: Mapping[str, Sum] = {}
    days: Mapping[str, Sum] = {}
    stages: ArchivedStages = ArchivedStages()
    decisions: ArchivedDecisions = ArchivedDecisions()
    categories: Mapping[str, ArchivedCategory] = {}
    models: Mapping[str, ArchivedModel] = {}


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment of the optimization loop; pass rates in 0..1, cost in USD.

    ``criteria_delta`` is the change in pass rate of each criterion; ``decision`` is keep, revert or skip.
    """

    experiment_id: str | None = None
    run_id: str | None = None
    timestamp: str | int | float | None = None
    variable_modified: str | None = None
    modification_type: str | None = None
    description: str | None = None
    baseline_pass_rate: float | None = None
    modified_pass_rate: float | None = None
    criteria_delta: Mapping[str, float] = {}
    decision: str | None = None
    cost_usd: float | None = None
    benchmark_count: Count | None = None
    benchmark_ids: tuple[str, ...] = ()


class Memory(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The content of a memory file, as far as it could be understood.

    ``deliberations`` holds every record that is an object, in the file's order; one whose id is missing,
    malformed or taken by an earlier record has ``id`` ``None``: it counts, but has no row and no flag.
    """

    version: tuple[int, ...] = CURRENT_VERSION
    created: str | int | float | None = None
    last_updated: str | int | float | None = None
    last_vault_sync: str | int | float | None = None
    vault_sync_note: str | None = None
    deliberations: tuple[Deliberation, ...] = ()
    routing_model: RoutingModel = RoutingModel()
    model_performance: Mapping[str, ModelPerformance] = {}
    optimization_log: tuple[Experiment, ...] = ()
    archived: Archived = Archived()

    @property
    def total(self) -> int:
        """Deliberations ever logged: those in the file and those removed by compaction."""
        return self.archived.count + len(self.deliberations)

    @functools.cached_property
    def identified(self) -> dict[str, Deliberation]:
        """The records that have a row and a flag, by id, in the file's order."""
        return {record.id: record for record in self.deliberations if record.id is not None}

    @functools.cached_property
    def pending(self) -> tuple[str, ...]:
        """Ids of the records that are not flagged as written to the vault."""
        return tuple(id_ for id_, record in self.identified.items() if not record.vault_synced)
