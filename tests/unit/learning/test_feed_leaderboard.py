"""The places of models, and the best of each category."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from council_vault.learning.leaderboard import Best, leaderboard
from council_vault.memory.schema import Deliberation, Memory, ModelPerformance, QueryFeatures

NOW = datetime(2026, 3, 28, 15, tzinfo=UTC)


def board(*records: Deliberation, **stored: ModelPerformance):
    return leaderboard(Memory(deliberations=records, model_performance=stored), NOW)


def ranked(*models: str, category: str = "other", **fields: object) -> Deliberation:
    """A council whose ranks are the order of its models; the first is chairman."""
    ranks = {model: float(place) for place, model in enumerate(models, start=1)}
    features = QueryFeatures(category=category)
    return Deliberation(
        models_used=models, rankings=ranks, chairman=models[0], query_features=features, **fields
    )


def test_no_models():
    found = board()
    assert (found.models, found.best_by_category) == ((), ())


def test_a_mean_comes_with_its_n_and_error():
    a, b = board(*[ranked("a", "b")] * 3, *[ranked("b", "a")] * 2).models
    assert (a.model, a.ranked, a.rank_count, a.avg_rank) == ("a", True, 5, pytest.approx(1.4))
    assert a.rank_error == pytest.approx(0.2449489743)  # √(0.3 / 5)
    assert (a.deliberations_participated, a.chairman_selections, a.win_rate) == (5, 3, 0.6)
    assert a.peers_outranked == pytest.approx(0.6)
    assert b.avg_rank == pytest.approx(1.6)


def test_models_with_too_few_deliberations_come_last_however_good():
    records = [*[ranked("b", "a")] * 5, *[ranked("new", "newer")] * 2, ranked("newest", "new")]
    assert [(one.model, one.ranked) for one in board(*records).models] == [
        ("b", True), ("a", True), ("new", False), ("newer", False), ("newest", False)
    ]  # fmt: skip


def test_the_memory_files_own_figures_are_shown_as_they_are():
    stored = ModelPerformance(
        deliberations_participated=23, avg_rank=1.8, chairman_selections=7, win_rate=0.30,
        self_preference_rate=0.13, self_preference_count=3,
        category_ranks={"architecture_decision": 2.1, "factual_lookup": 1.3},
        category_counts={"architecture_decision": 20, "factual_lookup": 3},
    )  # fmt: skip
    (shown,) = board(a=stored).models
    for name in (
        "deliberations_participated", "avg_rank", "chairman_selections", "win_rate",
        "self_preference_rate", "self_preference_count", "category_ranks", "category_counts",
    ):  # fmt: skip
        assert getattr(shown, name) == getattr(stored, name)
    assert shown.peers_outranked is None


def test_self_preference_that_was_never_tested_is_unknown():
    never = ModelPerformance(deliberations_participated=9, self_preference_rate=0.0, self_preference_tested=0)
    assert board(a=never).models[0].self_preference_rate is None


def test_the_best_of_a_category_is_ranked_and_was_there_three_times():
    found = board(
        *[ranked("a", "b", category="x")] * 3, *[ranked("b", "a", category="y")] * 4,
        *[ranked("a", "b", category="z")] * 2, *[ranked("new", "a", category="y")] * 3,
    )  # fmt: skip
    assert found.best_by_category == (
        Best(category="y", model="b", avg_rank=1.0, rank_count=4),
        Best(category="x", model="a", avg_rank=1.0, rank_count=3),
    )


def test_of_equals_the_one_with_more_deliberations_is_best():
    found = board(*[ranked("b", "x", category="y")] * 5, *[ranked("a", "x", category="y")] * 6)
    assert found.best_by_category[0].model == "a"
    found = board(*[ranked("b", "x", category="y")] * 5, *[ranked("a", "x", category="y")] * 5)
    assert found.best_by_category[0].model == "a"  # by name, so that it is always the same one
