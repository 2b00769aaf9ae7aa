"""Aggregates of the models, kept in ``model_performance`` with every council that is logged.

They are kept unrounded. An average rank is over the deliberations that ranked the model, which are those that
``category_counts`` add up to; the rate of self-preference is over the reviews in which it ranked itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.learning.completion import completed, is_complete, ranked_in
from council_vault.learning.routing import share
from council_vault.learning.tallies import Tally, tallies, tallies_of
from council_vault.memory.schema import ArchivedSize, ModelPerformance

if TYPE_CHECKING:
    from collections.abc import Collection

    from council_vault.memory.schema import Deliberation, Memory

BEST_UP_TO = 1.5
WORST_FROM = 3.5


def with_record(memory: Memory, record: Deliberation, tested: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the new aggregates of each model of a council whose record is about to join the memory.

    A single-model answer changes none. What an agent kept without the fields that a running mean needs is
    first completed from the records; see `completed`.

    Args:
        memory: the memory without the record.
        record: what is about to be logged.
        tested: the reviewers that ranked themselves.

    Returns:
        By model, every field that we keep, in the order of the schema.
    """
    grown = {}
    for model, added in tallies_of(record).items():
        stored = memory.model_performance.get(model, ModelPerformance())
        tally = None if is_complete(stored) else tallies(memory).get(model)
        known = completed(stored, tally or Tally())
        grown[model] = _document(_with_council(known, tally or Tally(), added, tested=model in tested))
    return grown


def recomputed(memory: Memory) -> dict[str, dict[str, Any]] | None:
    """Return the aggregates of every model as its records give them, in the order of their names.

    Records do not tell how often a model was tested for self-preference: what is stored of that stands, else
    each deliberation that ranked it counts as a test. Records that compaction removed go on counting.

    Returns:
        By model, every field that we keep; ``None`` where `Archived` does not have the models of removed
        records.
    """
    archived = memory.archived
    answers = sum(one.count - one.deliberated for one in archived.categories.values())
    nameless = archived.sizes.get("0", ArchivedSize()).count
    if archived.count > answers + nameless and not archived.models:
        return None
    found = {}
    for model, tally in sorted(tallies(memory).items()):
        stored = memory.model_performance.get(model, ModelPerformance())
        tests = ModelPerformance(self_preference_tested=stored.self_preference_tested)
        found[model] = _document(completed(tests, tally))
    return found


def _with_council(known: ModelPerformance, tally: Tally, added: Tally, *, tested: bool) -> ModelPerformance:
    """Add one council to completed aggregates; ``tally`` is what the records before it say."""
    councils = known.deliberations_participated
    tests = councils if known.self_preference_tested is None else max(0, known.self_preference_tested)
    ranked = ranked_in(known)
    counts_known = bool(known.category_counts) or not ranked
    ranks, counts = dict(known.category_ranks), dict(known.category_counts)
    for category, (rank, one) in added.categories.items():
        before = counts.get(category) or tally.categories.get(category, (0.0, int(category in ranks)))[1]
        ranks[category] = (ranks.get(category, 0.0) * before + rank) / (before + one)
        if counts_known:
            counts[category] = before + one
    squares = known.rank_square_sum
    return msgspec.structs.replace(
        known,
        deliberations_participated=councils + added.councils,
        avg_rank=_mean(known.avg_rank, ranked, added),
        rank_square_sum=None if squares is None else squares + added.square_sum,
        chairman_selections=known.chairman_selections + added.chaired,
        self_preference_count=known.self_preference_count + added.biased,
        self_preference_tested=tests + tested,
        category_ranks=ranks,
        category_counts=counts,
    )


def _mean(mean: float | None, count: int, added: Tally) -> float | None:
    """Return an average rank that goes on with the ranks added."""
    if not added.ranks:
        return mean
    return ((mean or 0.0) * count + added.rank_sum) / (count + added.ranks)


def _document(aggregates: ModelPerformance) -> dict[str, Any]:
    """Return completed aggregates as they are written, with what follows from them."""
    councils, tests = aggregates.deliberations_participated, aggregates.self_preference_tested
    ranks = aggregates.category_ranks
    document: dict[str, Any] = msgspec.to_builtins(aggregates)
    return document | {
        "win_rate": share(aggregates.chairman_selections / councils) if councils else None,
        "self_preference_rate": share(aggregates.self_preference_count / tests) if tests else None,
        "best_categories": sorted(category for category, rank in ranks.items() if rank <= BEST_UP_TO),
        "worst_categories": sorted(category for category, rank in ranks.items() if rank >= WORST_FROM),
    }
