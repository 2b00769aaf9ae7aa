"""How the prompts were optimized, and what to try them on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from council_vault.learning.benchmarks import benchmarks
from council_vault.learning.optimization import optimization
from council_vault.memory.schema import Deliberation, Experiment, Memory, QueryFeatures

NOW = datetime(2026, 3, 28, 15, tzinfo=UTC)


def of(*experiments: Experiment):
    return optimization(Memory(optimization_log=experiments), NOW)


def tried(before: float | None, after: float | None, decision: str, **fields: object) -> Experiment:
    standard = {"run_id": "run_20260328_090000", "cost_usd": 0.09}
    return Experiment(
        baseline_pass_rate=before, modified_pass_rate=after, decision=decision, **{**standard, **fields}
    )


def test_no_experiments():
    found = of()
    assert (found.experiments, found.total_cost_usd, found.costs_known, found.runs) == (0, 0.0, 0, ())


def test_a_run_goes_from_its_baseline_to_the_last_change_that_was_kept():
    found = of(
        tried(0.68, 0.60, "revert"),
        tried(0.68, 0.76, "keep"),
        tried(0.76, None, "skip"),
        tried(0.76, 0.84, "keep", cost_usd=None),
        tried(0.84, 0.90, "revert"),
    )
    (run,) = found.runs
    assert (run.run_id, run.day, run.experiments) == ("run_20260328_090000", "2026-03-28", 5)
    assert (run.baseline_pass_rate, run.final_pass_rate) == (0.68, 0.84)
    assert (run.kept, run.reverted, run.skipped) == (2, 2, 1)
    assert run.cost_usd == pytest.approx(0.36)
    assert (found.experiments, found.costs_known) == (5, 4)
    assert found.total_cost_usd == pytest.approx(0.36)


@pytest.mark.parametrize(
    ("experiments", "rates"),
    [
        ([tried(0.7, 0.5, "revert")], (0.7, 0.7)),
        ([tried(None, 0.5, "revert"), tried(0.7, 0.8, "keep")], (0.7, 0.8)),
        ([tried(0.7, 0.8, "keep"), tried(0.8, 7.0, "keep")], (0.7, 0.8)),
        ([tried(0.0, 0.2, "revert")], (0.0, 0.0)),
        ([tried(None, None, "keep")], (None, None)),
    ],
)
def test_rates_that_are_missing_or_impossible(experiments, rates):
    (run,) = of(*experiments).runs
    assert (run.baseline_pass_rate, run.final_pass_rate) == rates


def test_the_newest_run_comes_first_in_whatever_order_the_file_has_them():
    old = tried(0.5, 0.6, "keep", run_id="run_20260301_120000")
    new = tried(0.6, 0.7, "keep", run_id="run_20260301_130000")
    odd = tried(0.7, 0.8, "keep", run_id="spring", timestamp="2026-03-05T10:00:00Z")
    named = tried(0.8, 0.9, "keep", run_id=None, experiment_id="opt_20260304_001")
    unknown = tried(0.4, 0.5, "keep", run_id="whenever")
    for order in permutations([old, new, odd, named, unknown]):
        runs = of(*order).runs
        assert [run.run_id for run in runs] == ["spring", None, new.run_id, old.run_id, "whenever"]
        assert [run.day for run in runs] == ["2026-03-05", "2026-03-04", "2026-03-01", "2026-03-01", None]


def test_experiments_of_a_run_go_by_their_time():
    later = tried(0.8, 0.9, "keep", timestamp="2026-03-28T10:00:00Z")
    earlier = tried(0.6, 0.8, "keep", timestamp="2026-03-28T09:00:00Z")
    (run,) = of(later, earlier).runs
    assert (run.baseline_pass_rate, run.final_pass_rate) == (0.6, 0.9)


@pytest.mark.parametrize("run_id", ["run_20260230_090000", "run_20260328_250000", "run_2026", ""])
def test_a_run_whose_id_is_no_time_has_no_day(run_id):
    assert of(tried(0.1, 0.2, "keep", run_id=run_id)).runs[0].day is None


# What to try prompts on


def rated(number: int, rating: str | None, category: str = "x", **fields: object) -> Deliberation:
    standard: dict[str, object] = {
        "id": f"d_20260328_{number:03d}",
        "timestamp": f"2026-03-{1 + number // 24:02d}T{number % 24:02d}:00:00Z",
        "query_summary": f"Question {number}",
        "models_used": ("a", "b"),
    }
    return Deliberation(
        user_rating=rating, query_features=QueryFeatures(category=category), **{**standard, **fields}
    )


def chosen(*records: Deliberation) -> list[str]:
    found = benchmarks(Memory(deliberations=records), NOW)
    return [str(one.id)[-3:] for one in found.benchmarks]


def lacking(*records: Deliberation) -> tuple[str, ...]:
    return benchmarks(Memory(deliberations=records), NOW).lacking


def test_five_at_most_the_newest_and_every_category_in_turn():
    records = [rated(number, "positive", "xyz"[number % 3]) for number in range(1, 31)]
    records[4] = rated(5, "negative", "z")  # far from being the newest
    assert chosen(*records) == ["030", "028", "027", "025", "005"]
    assert lacking(*records) == ()


def test_a_positive_and_a_negative_one_from_different_categories_if_there_are():
    records = [
        rated(1, "positive", "x"), rated(2, "negative", "y"), rated(3, "negative", "x"),
        *(rated(number, None, "x") for number in range(10, 14)),
    ]  # fmt: skip
    assert chosen(*records) == ["003", "002", "001"]
    picks = [*records, *(rated(number, "neutral", "x") for number in range(20, 30))]
    assert "002" in chosen(*picks)
    assert "003" not in chosen(*picks)


def test_only_the_three_largest_categories_count():
    largest = [rated(number, None, "xyz"[number % 3]) for number in range(9)]
    small = [rated(number, "positive", "w") for number in (20, 21)]
    assert chosen(*largest, *small) == []
    assert "001" in chosen(*largest[2:], *largest[:1], rated(1, "neutral", "y"), *small)


def test_neither_single_answers_nor_what_has_no_id_nor_odd_ratings():
    assert (
        chosen(
            rated(1, "positive", models_used=("a",)),
            rated(2, "negative", id=None),
            rated(3, "splendid"),
            rated(4, None),
        )
        == []
    )


def test_what_says_what_was_asked_comes_before_what_does_not():
    bare = [rated(number, "positive", query_summary=None) for number in range(10, 15)]
    assert chosen(*bare, rated(1, "positive"), rated(2, "negative")) == ["014", "013", "012", "002", "001"]


@pytest.mark.parametrize(
    ("ratings", "missing"),
    [
        ([], ("3 rated", "one that is rated positive", "one that is rated negative")),
        (["positive", "negative"], ("3 rated",)),
        (["positive"] * 3, ("one that is rated negative",)),
        (["negative", "neutral", "negative"], ("one that is rated positive",)),
        (["negative", "neutral", "positive"], ()),
    ],
)
def test_it_says_what_is_missing(ratings, missing):
    said = lacking(*(rated(number, rating) for number, rating in enumerate(ratings)))
    assert len(said) == len(missing)
    assert all(one.startswith(words) for one, words in zip(said, missing, strict=True))


def test_the_order_in_the_file_makes_no_difference():
    records = [
        rated(number, ("positive", "negative", None)[number % 3], "xy"[number % 2]) for number in range(6)
    ]
    assert len({tuple(chosen(*order)) for order in permutations(records)}) == 1


def test_thousands_of_records_and_many_categories():
    start = datetime(2026, 1, 1, tzinfo=UTC)
    records = [
        rated(number, "positive", f"c{number % 30}", timestamp=(start + timedelta(hours=number)).isoformat())
        for number in range(2000)
    ]
    assert len(chosen(*records)) == 5
