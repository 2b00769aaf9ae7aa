"""Aggregates kept with every council, against figures worked out by hand and against counting all over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning.completion import completed, is_complete, ranked_in
from council_vault.learning.performance import recomputed, with_record
from council_vault.learning.tallies import Tally
from council_vault.memory.schema import (
    Archived,
    ArchivedCategory,
    ArchivedModel,
    ArchivedSize,
    Deliberation,
    Memory,
    ModelPerformance,
    QueryFeatures,
    Sum,
)
from support.learned_records import differences, learned_records, memory_of
from support.memories import build_memory
from support.memory_files import document

if TYPE_CHECKING:
    from collections.abc import Iterable

FIELDS = [
    "deliberations_participated",
    "avg_rank",
    "rank_square_sum",
    "chairman_selections",
    "win_rate",
    "self_preference_rate",
    "self_preference_count",
    "self_preference_tested",
    "category_ranks",
    "category_counts",
    "best_categories",
    "worst_categories",
]


def council(category: str = "other", **ranks: float) -> Deliberation:
    return Deliberation(
        models_used=tuple(ranks),
        rankings=ranks,
        chairman=min(ranks, key=ranks.__getitem__),
        query_features=QueryFeatures(category=category),
    )


def logged(records: Iterable[Deliberation], tested: Iterable[str] = ("a", "b"), **stored: Any) -> Memory:
    """Return a memory to which records were logged one by one, on top of what was stored before."""
    memory = Memory(**stored)
    for record in records:
        changed = with_record(memory, record, frozenset(tested) & {*record.rankings})
        views = {model: msgspec.convert(values, ModelPerformance) for model, values in changed.items()}
        memory = Memory(
            deliberations=(*memory.deliberations, record),
            model_performance={**memory.model_performance, **views},
            archived=memory.archived,
        )
    return memory


def stored(**fields: Any) -> Memory:
    return Memory(model_performance={"a": ModelPerformance(**fields)})


def test_aggregates_worked_out_by_hand() -> None:
    first = council("code", a=1, b=2)
    second = msgspec.structs.replace(council("code", a=2, b=1), self_preference={"a": True})
    third = council("facts", b=1, c=2, a=4)
    memory = logged([first, second])
    changed = with_record(memory, third, {"a", "c"})
    assert list(changed) == ["b", "c", "a"]
    assert changed["a"] == {
        "deliberations_participated": 3,
        "avg_rank": pytest.approx(7 / 3),
        "rank_square_sum": 21.0,
        "chairman_selections": 1,
        "win_rate": pytest.approx(1 / 3),
        "self_preference_rate": pytest.approx(1 / 3),
        "self_preference_count": 1,
        "self_preference_tested": 3,
        "category_ranks": {"code": 1.5, "facts": 4.0},
        "category_counts": {"code": 2, "facts": 1},
        "best_categories": ["code"],
        "worst_categories": ["facts"],
    }
    assert list(changed["a"]) == FIELDS
    assert changed["c"]["self_preference_rate"] == 0.0


def test_a_single_answer_changes_nothing() -> None:
    single = Deliberation(models_used=("a",), chairman="a", routing_decision="single_model")
    assert with_record(logged([council(a=1, b=2)]), single, {"a"}) == {}


def test_a_chairman_from_outside_gets_nothing() -> None:
    record = msgspec.structs.replace(council(a=1, b=2), chairman="z")
    changed = with_record(Memory(), record, ())
    assert list(changed) == ["a", "b"]
    assert [values["chairman_selections"] for values in changed.values()] == [0, 0]


def test_never_tested_is_not_never_biased() -> None:
    changed = with_record(Memory(), council(a=1, b=2), {"b"})
    assert changed["a"]["self_preference_tested"] == 0
    assert changed["a"]["self_preference_rate"] is None
    assert changed["b"]["self_preference_rate"] == 0.0


def test_a_council_that_nobody_ranked_counts_for_taking_part_alone() -> None:
    unranked = Deliberation(models_used=("a", "b"), chairman="b")
    (changed, _) = with_record(Memory(), unranked, ()).values()
    assert changed["deliberations_participated"] == 1
    assert changed["avg_rank"] is None
    assert changed["category_counts"] == {}
    assert changed["win_rate"] == 0.0
    later = with_record(logged([unranked] * 3, ()), council(a=3, b=1), {"a"})["a"]
    assert later["deliberations_participated"] == 4
    assert (later["avg_rank"], later["rank_square_sum"]) == (3.0, 9.0)
    assert later["category_counts"] == {"other": 1}
    assert later["self_preference_tested"] == 1


@pytest.mark.parametrize(
    ("rank", "best", "worst"), [(1.5, True, False), (1.6, False, False), (3.5, False, True)]
)
def test_the_lines_of_the_best_and_the_worst_categories(rank: float, best: bool, worst: bool) -> None:
    changed = with_record(Memory(), council(a=rank, b=9), ())["a"]
    assert changed["best_categories"] == (["other"] if best else [])
    assert changed["worst_categories"] == (["other"] if worst else [])


def test_categories_are_listed_by_name() -> None:
    changed = with_record(
        logged([council("z", a=1, b=2), council("m", a=1, b=2)]), council("b", a=1, b=2), ()
    )
    assert changed["a"]["best_categories"] == ["b", "m", "z"]


@pytest.mark.parametrize("gone", [*FIELDS, "all of ours", "everything"])
def test_what_an_agent_left_out_is_taken_from_the_records(gone: str) -> None:
    records = [council("code", a=1, b=2), council("code", a=3, b=1), council("facts", a=2, b=1)]
    memory = logged(records)
    whole = memory.model_performance["a"]
    names = {
        "all of ours": ["rank_square_sum", "category_counts", "self_preference_tested"],
        "everything": FIELDS,
    }
    default = ModelPerformance()
    without = {name: getattr(default, name) for name in names.get(gone, [gone])}
    damaged = Memory(
        deliberations=memory.deliberations,
        model_performance={**memory.model_performance, "a": msgspec.structs.replace(whole, **without)},
    )
    added = council("facts", a=4, b=1)
    assert not differences(with_record(damaged, added, {"a"}), with_record(memory, added, {"a"}))


def test_what_can_be_understood_stands_although_the_records_say_something_else() -> None:
    records = (council(a=1, b=2), council(a=1, b=2))
    memory = Memory(
        deliberations=records,
        model_performance={
            "a": ModelPerformance(
                deliberations_participated=2, avg_rank=1.5, rank_square_sum=7.0, chairman_selections=1
            )
        },
    )
    changed = with_record(memory, council(a=3, b=1), ())["a"]
    assert changed["avg_rank"] == pytest.approx(2.0)  # (2 × 1.5 + 3) / 3
    assert changed["rank_square_sum"] == 16.0
    assert changed["chairman_selections"] == 1


def test_numbers_that_are_stored_stand() -> None:
    memory = Memory(
        deliberations=(council(a=1, b=2), council("code", a=1, b=2)),
        model_performance={
            "a": ModelPerformance(
                deliberations_participated=2,
                avg_rank=1.0,
                category_ranks={"other": 1.0},
                category_counts={"other": 5},
            )
        },
    )
    changed = with_record(memory, council(a=1, b=2), ())["a"]
    assert changed["category_counts"] == {"other": 6, "code": 1}


def test_a_first_rank_is_the_whole_mean_whatever_went_before() -> None:
    changed = with_record(stored(deliberations_participated=9), council(a=2, b=1), ())["a"]
    assert (changed["deliberations_participated"], changed["avg_rank"]) == (10, 2.0)
    assert changed["rank_square_sum"] == 4.0
    assert changed["category_counts"] == {"other": 1}


def test_a_mean_that_is_not_stored_is_that_of_the_records_there_are() -> None:
    memory = Memory(
        deliberations=(council(a=1, b=2), council(a=3, b=2)),
        model_performance={"a": ModelPerformance(deliberations_participated=9)},
    )
    changed = with_record(memory, council(a=2, b=1), ())["a"]
    assert (changed["deliberations_participated"], changed["avg_rank"]) == (10, 2.0)
    assert (changed["rank_square_sum"], changed["category_counts"]) == (14.0, {"other": 3})


def test_where_records_are_gone_the_numbers_that_cannot_be_known_stay_unknown() -> None:
    memory = Memory(
        deliberations=(council("code", a=2, b=1),),
        model_performance={
            "a": ModelPerformance(
                deliberations_participated=9,
                avg_rank=2.0,
                chairman_selections=3,
                self_preference_rate=1 / 3,
                self_preference_count=3,
                category_ranks={"code": 2.5, "facts": 1.0},
            )
        },
    )
    changed = with_record(memory, msgspec.structs.replace(council("code", a=1, b=2), chairman="a"), {"a"})[
        "a"
    ]
    assert changed["avg_rank"] == pytest.approx(1.9)  # over all deliberations, as an agent reckons
    assert changed["win_rate"] == pytest.approx(0.4)
    assert changed["rank_square_sum"] is None
    assert changed["category_counts"] == {}
    assert changed["category_ranks"] == {"code": 1.75, "facts": 1.0}  # one rank in the file, one more
    assert changed["self_preference_rate"] == pytest.approx(3 / 10)


def test_a_mean_of_which_nothing_else_is_known_weighs_as_one_rank() -> None:
    changed = with_record(
        stored(deliberations_participated=3, avg_rank=2.0, category_ranks={"other": 2.0}),
        council(a=1, b=2),
        (),
    )["a"]
    assert changed["category_ranks"] == {"other": 1.5}


def test_impossible_figures_are_no_figures() -> None:
    memory = stored(
        deliberations_participated=4,
        avg_rank=-3.0,
        chairman_selections=-2,
        self_preference_count=-1,
        self_preference_tested=-5,
        category_ranks={"other": 1e9, "code": 2.0},
        category_counts={"other": -4, "code": 4},
    )
    changed = with_record(memory, council(a=1, b=2), {"a"})["a"]
    assert changed["avg_rank"] == pytest.approx((4 * 2.0 + 1) / 5)  # what its categories say
    assert changed["chairman_selections"] == 1
    assert (changed["self_preference_count"], changed["self_preference_tested"]) == (0, 1)
    assert changed["category_ranks"] == {"other": 1.0, "code": 2.0}
    assert changed["category_counts"] == {"code": 4, "other": 1}


def test_complete_aggregates_go_on_without_a_look_at_the_records() -> None:
    memory = logged([council(a=1, b=2)])
    with_agents_own = Memory(
        deliberations=(
            *memory.deliberations,
            council("code", a=4, b=1),
        ),  # logged by hand, aggregates forgotten
        model_performance=memory.model_performance,
    )
    added = council("code", a=1, b=2)
    assert with_record(with_agents_own, added, ()) == with_record(memory, added, ())
    assert "council_vault.learning.tallies.tallies" not in with_agents_own.__dict__


@pytest.mark.parametrize(
    "fields",
    [
        {"deliberations_participated": 0},
        {"avg_rank": None},
        {"avg_rank": -1.0},
        {"rank_square_sum": None},
        {"self_preference_tested": None},
        {"category_counts": {}},
        {"category_counts": {"other": 0}},
        {"category_ranks": {"other": 1e9}},
        {"category_ranks": {"code": 1.0}},
        {"chairman_selections": 0},
        {"win_rate": None},
        {"self_preference_count": 1},
    ],
)
def test_what_is_not_complete(fields: dict[str, Any]) -> None:
    whole = logged([council(a=1, b=2)]).model_performance["a"]
    assert is_complete(whole)
    assert not is_complete(msgspec.structs.replace(whole, **fields))


def test_how_many_deliberations_a_rank_is_the_mean_of() -> None:
    assert ranked_in(ModelPerformance(deliberations_participated=5)) == 0
    assert ranked_in(ModelPerformance(deliberations_participated=5, avg_rank=2.0)) == 5
    assert ranked_in(ModelPerformance(deliberations_participated=-5, avg_rank=2.0)) == 0
    counted = ModelPerformance(deliberations_participated=5, avg_rank=2.0, category_counts={"x": 1, "y": 2})
    assert ranked_in(counted) == 3


def test_nothing_is_made_up_where_there_is_nothing() -> None:
    assert completed(ModelPerformance(), Tally()) == ModelPerformance(rank_square_sum=0.0)


def test_recomputed_says_what_the_records_say_whatever_is_stored() -> None:
    whole = build_memory(80, 5, seed=9)
    expected = whole["model_performance"]
    for values in expected.values():
        values["best_categories"].sort()
        values["worst_categories"].sort()
    damaged = {model: {"avg_rank": 9.0, "self_preference_tested": None} for model in expected}
    for performance in (expected, damaged, {}):
        found = recomputed(memory_of({**whole, "model_performance": performance}))
        assert list(found) == sorted(expected)
        assert not differences(found, dict(sorted(expected.items())))


def test_recomputed_counts_what_was_removed() -> None:
    archived = Archived(
        count=3,
        categories={"other": ArchivedCategory(count=3, deliberated=2, ranks={"a": Sum(sum=3.0, count=2)})},
        models={
            "a": ArchivedModel(deliberations=2, chaired=1, self_preferred=1, rank_square_sum=5.0),
            "none": ArchivedModel(),
        },
    )
    found = recomputed(Memory(deliberations=(council(a=3, b=1),), archived=archived))
    assert list(found) == ["a", "b"]
    assert found["a"]["deliberations_participated"] == 3
    assert (found["a"]["avg_rank"], found["a"]["rank_square_sum"]) == (2.0, 14.0)
    assert found["a"]["category_counts"] == {"other": 3}
    assert found["a"]["self_preference_count"] == 1


@pytest.mark.parametrize(
    ("archived", "possible"),
    [
        (Archived(count=2), False),
        (Archived(count=2, categories={"x": ArchivedCategory(count=2, deliberated=1)}), False),
        (Archived(count=2, categories={"x": ArchivedCategory(count=2)}), True),  # single answers
        (Archived(count=2, sizes={"0": ArchivedSize(count=2)}), True),  # nobody knows whose councils
        (Archived(count=2, sizes={"0": ArchivedSize(count=1)}), False),
        (Archived(), True),
    ],
)
def test_what_was_removed_without_its_models_cannot_be_recomputed(archived: Archived, possible: bool) -> None:
    assert (recomputed(Memory(archived=archived)) is not None) is possible


def test_sums_of_removed_ranks_that_cannot_be_do_not_count() -> None:
    ranks = {"a": Sum(sum=3.0, count=0), "b": Sum(sum=-3.0, count=2), "c": Sum(sum=4.0, count=2)}
    archived = Archived(count=2, categories={"x": ArchivedCategory(count=2, deliberated=2, ranks=ranks)})
    found = recomputed(
        Memory(archived=msgspec.structs.replace(archived, models={"z": ArchivedModel(deliberations=1)}))
    )
    assert list(found) == ["c", "z"]
    assert found["c"]["deliberations_participated"] == 2


@settings(max_examples=60, deadline=None)
@given(records=learned_records(14), data=st.data())
def test_running_aggregates_are_those_counted_all_over(
    records: list[dict[str, Any]], data: st.DataObject
) -> None:
    views = memory_of(document(*records)).deliberations
    memory = Memory()
    for record in views:
        tested = data.draw(st.sets(st.sampled_from(sorted(record.rankings) or ["a"])))
        changed = with_record(memory, record, tested)
        performance = {model: msgspec.convert(values, ModelPerformance) for model, values in changed.items()}
        memory = Memory(
            deliberations=(*memory.deliberations, record),
            model_performance={**memory.model_performance, **performance},
        )
    running = msgspec.to_builtins(dict(sorted(memory.model_performance.items())))
    assert not differences(running, recomputed(memory))
