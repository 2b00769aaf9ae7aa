"""Which models the router recommends, leaves out, and warns of."""

from __future__ import annotations

import pytest

from council_vault.learning.roster import BiasWarning, Roster, bias_warnings, place, roster
from council_vault.memory.schema import Deliberation, Memory, ModelPerformance, QueryFeatures


def council(*order: str, category: str = "other", biased: tuple[str, ...] = ()) -> Deliberation:
    """Return a council's record with its models best first."""
    return Deliberation(
        models_used=order,
        rankings={model: float(rank) for rank, model in enumerate(order, start=1)},
        query_features=QueryFeatures(category=category),
        self_preference=dict.fromkeys(biased, True),
    )


def memory_of(*records: Deliberation, **performance: ModelPerformance) -> Memory:
    return Memory(deliberations=records, model_performance=performance)


@pytest.mark.parametrize(
    ("rank", "answers", "expected"),
    [
        (1, 4, 1.0),
        (4, 4, 4.0),
        (2.5, 4, 2.5),
        (3.5, 4, 3.5),
        (1.3, 4, 1.3),
        (2, 2, 4.0),
        (1.1, 2, 1.3),
        (5, 6, 3.4),
        (6, 6, 4.0),
        (1.5, 6, 1.3),
        (0, 4, 1.0),  # a rank that cannot be is the nearest that can
        (9, 4, 4.0),
        (1, 1, 2.5),  # alone, a rank says nothing
    ],
)
def test_ranks_of_councils_of_different_sizes_can_be_compared(rank, answers, expected):
    assert place(rank, answers) == expected


def test_the_best_come_first():
    memory = memory_of(*[council("a", "b", "c", "d")] * 3, *[council("a", "c", "b", "d")] * 2)
    assert roster(memory, "other", ()) == Roster(models=("a", "b", "c"), excluded=("d",), chairman="a")


def test_what_is_configured_is_the_council_in_its_own_order_where_nothing_is_known():
    assert roster(Memory(), "other", ("z", "y", "z", " ", "x")).models == ("z", "y", "x")
    memory = memory_of(*[council("a", "z")] * 3)
    assert roster(memory, "other", ("z", "y")).models == ("y", "z")


def test_a_category_needs_three_ranks():
    few = memory_of(*[council("a", "b", "c", "d")] * 2)
    assert roster(few, "other", ()) == Roster(models=("a", "b", "c", "d"))
    elsewhere = [council("d", "c", "b", "a", category="x")] * 5
    assert roster(memory_of(*elsewhere), "other", ()).models == ("d", "c", "b", "a")
    assert roster(memory_of(*elsewhere), "other", ()).excluded == ()
    both = memory_of(*elsewhere, *[council("a", "b", "c", "d")] * 3)
    assert roster(both, "other", ()).models == ("a", "b", "c")


def test_a_newcomer_stands_in_the_middle():
    memory = memory_of(*[council("a", "b", "c", "d")] * 5)
    found = roster(memory, "other", ("a", "b", "c", "d", "new"))
    assert found.models == ("a", "b", "new", "c")


def test_at_least_three_stay():
    memory = memory_of(*[council("a", "b")] * 3, *[council("a", "c")] * 3, *[council("a", "d")] * 3)
    found = roster(memory, "other", ())  # b, c and d have always come last
    assert found.models == ("a", "b", "c")
    assert found.excluded == ("d",)
    three = roster(memory, "other", ("b", "c", "d"))
    assert (three.models, three.excluded) == (("b", "c", "d"), ())


def test_the_worst_are_left_out_first():
    memory = memory_of(*[council("a", "b", "c", "d", "e", "f", "g")] * 3)
    found = roster(memory, "other", ())
    assert found.excluded == ("g", "f")  # place 3.5 and 4 of four
    assert found.models == ("a", "b", "c", "d", "e")


def test_without_settings_six_are_enough():
    names = tuple("abcdefghijkl")
    memory = memory_of(council(*names))
    assert roster(memory, "other", ()).models == names[:6]
    assert roster(memory, "other", names).models == names


def test_models_that_only_answered_alone_take_part_too():
    alone = Deliberation(models_used=("solo",), routing_decision="single_model")
    assert roster(memory_of(alone, council("a", "b")), "other", ()).models == ("a", "b", "solo")


def test_a_chairman_leads_clearly_in_the_category():
    memory = memory_of(*[council("a", "b", "c", "d")] * 9, council("b", "a", "c", "d"))
    assert roster(memory, "other", ()).chairman == "a"  # 1.1 of four
    memory = memory_of(*[council("a", "b", "c", "d")] * 7, *[council("b", "a", "c", "d")] * 3)
    assert roster(memory, "other", ()).chairman == "a"  # 1.3
    memory = memory_of(*[council("a", "b", "c", "d")] * 6, *[council("b", "a", "c", "d")] * 4)
    assert roster(memory, "other", ()).chairman is None  # 1.4
    assert roster(memory_of(*[council("a", "b", category="x")] * 9), "other", ()).chairman is None


def test_stored_ranks_count_where_records_are_gone():
    stored = {
        "a": ModelPerformance(
            deliberations_participated=9, category_ranks={"other": 3.6}, category_counts={"other": 9}
        ),
        "b": ModelPerformance(category_ranks={"other": 1.2}, category_counts={"other": 3}),
        "c": ModelPerformance(category_ranks={"other": 1.0}, category_counts={"other": 2}),
        "d": ModelPerformance(deliberations_participated=9, avg_rank=2.0),
    }
    found = roster(Memory(model_performance=stored), "other", ())
    assert found == Roster(models=("b", "d", "c"), excluded=("a",), chairman="b")


def biased(tested: int | None, count: int, rate: float | None, deliberations: int = 0) -> ModelPerformance:
    return ModelPerformance(
        deliberations_participated=deliberations,
        self_preference_tested=tested,
        self_preference_count=count,
        self_preference_rate=rate,
    )


@pytest.mark.parametrize(
    ("performance", "warning"),
    [
        (biased(12, 3, 0.25), BiasWarning("a", 0.25, 3, 12)),
        (biased(12, 3, None), BiasWarning("a", 0.25, 3, 12)),
        (biased(10, 2, 0.2), None),  # not above a fifth
        (biased(5, 2, 0.4), BiasWarning("a", 0.4, 2, 5)),
        (biased(4, 2, 0.5), None),  # too few reviews
        (biased(5, 1, 0.3), None),  # once is chance
        (biased(0, 0, None), None),
        (biased(None, 3, 0.3, deliberations=10), BiasWarning("a", 0.3, 3, 10)),
    ],
)
def test_warnings_of_reviewers_that_favour_themselves(performance, warning):
    found = bias_warnings(memory_of(a=performance), ("a", "unknown"))
    assert found == ((warning,) if warning else ())


def test_warnings_count_the_records_where_nothing_is_stored():
    memory = memory_of(*[council("b", "a", biased=("a",))] * 2, *[council("a", "b")] * 4)
    assert bias_warnings(memory, ("b", "a")) == (BiasWarning("a", pytest.approx(1 / 3), 2, 6),)
    assert bias_warnings(memory, ("b",)) == ()
