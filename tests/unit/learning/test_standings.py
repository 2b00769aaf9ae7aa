"""Where models stand: what is stored, and what is counted, against figures worked out by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.learning.archiving import archived
from council_vault.learning.groups import is_council
from council_vault.learning.standings import (
    CategoryRank,
    Standing,
    category_samples,
    joint_error,
    standard_error,
    standings,
)
from council_vault.memory.schema import (
    Archived,
    ArchivedCategory,
    Deliberation,
    Memory,
    ModelPerformance,
    QueryFeatures,
    Sum,
)
from support.documents import memory_of
from support.memories import build_memory

_models = st.sampled_from("abcd")
_councils = st.builds(
    Deliberation,
    models_used=st.lists(_models, max_size=4).map(tuple),  # one may stand there twice
    rankings=st.dictionaries(_models, st.sampled_from([1.0, 1.5, 2.0, 3.0, -1.0, 1e7]), max_size=4),
    chairman=st.none() | _models,
    self_preference=st.dictionaries(_models, st.booleans(), max_size=2),
    query_features=st.sampled_from(["x", "y"]).map(lambda name: QueryFeatures(category=name)),
).filter(is_council)


def council(rankings: dict[str, float], **fields: object) -> Deliberation:
    return Deliberation(**{"models_used": tuple(rankings), "rankings": rankings, **fields})


def standing(memory: Memory, model: str) -> Standing:
    return next(found for found in standings(memory) if found.model == model)


def test_standard_error_worked_out_by_hand() -> None:
    # ranks 1, 2, 3: sample variance 1, over 3
    assert standard_error(3, 6, 14) == pytest.approx((1 / 3) ** 0.5)
    assert standard_error(4, 4, 4) == 0.0


@pytest.mark.parametrize(
    ("count", "rank_sum", "square_sum"), [(0, 0, 0), (1, 2, 4), (3, 6, 3), (2, 3, float("inf"))]
)
def test_no_standard_error_where_there_can_be_none(count: int, rank_sum: float, square_sum: float) -> None:
    assert standard_error(count, rank_sum, square_sum) is None


def test_joint_error_of_two_models() -> None:
    first = Standing(model="a", deliberations=5, ranked=5, rank=1.0, error=0.3)
    second = Standing(model="b", deliberations=5, ranked=5, rank=1.4, error=0.4)
    assert joint_error(first, second) == pytest.approx(0.5)
    assert joint_error(first, Standing(model="c", deliberations=1, ranked=1)) == pytest.approx(0.3)


def test_stored_aggregates_are_shown_as_stored() -> None:
    stored = ModelPerformance(
        deliberations_participated=23,
        avg_rank=1.8,
        chairman_selections=7,
        win_rate=0.30,
        self_preference_rate=0.13,
        self_preference_count=3,
        category_ranks={"other": 2.1},
        category_counts={"other": 23},
    )
    found = standing(Memory(model_performance={"a": stored}), "a")
    assert (found.deliberations, found.ranked, found.rank, found.chaired) == (23, 23, 1.8, 7)
    assert (found.win_rate, found.self_preference, found.self_preference_count) == (0.30, 0.13, 3)
    assert found.categories == {"other": CategoryRank(2.1, 23)}
    assert (found.error, found.outranked) == (None, None)


def test_error_from_the_stored_sum_of_squares() -> None:
    # ranks 1, 2, 3: mean 2, squares 14
    stored = ModelPerformance(deliberations_participated=3, avg_rank=2.0, rank_square_sum=14.0)
    found = standing(Memory(model_performance={"a": stored}), "a")
    assert found.error == pytest.approx((1 / 3) ** 0.5)


def test_error_from_the_records_only_where_they_are_complete() -> None:
    records = tuple(council({"a": rank, "b": 4.0}) for rank in (1.0, 2.0, 3.0))
    stored = ModelPerformance(deliberations_participated=3, avg_rank=2.0)
    complete = Memory(deliberations=records, model_performance={"a": stored})
    assert standing(complete, "a").error == pytest.approx((1 / 3) ** 0.5)
    longer = ModelPerformance(deliberations_participated=4, avg_rank=2.0)
    partial = Memory(deliberations=records, model_performance={"a": longer})
    assert standing(partial, "a").error is None


def test_peers_outranked_counts_a_tie_as_one_half() -> None:
    memory = Memory(
        deliberations=(
            council({"a": 1.0, "b": 2.0, "c": 3.0, "d": 3.0}),  # a: 3 of 3, c: 0.5 of 3
            council({"a": 2.0, "c": 1.0}),  # a: 0 of 1, c: 1 of 1
        )
    )
    assert standing(memory, "a").outranked == pytest.approx(3 / 4)
    assert standing(memory, "c").outranked == pytest.approx(1.5 / 4)
    assert standing(memory, "b").outranked == pytest.approx(2 / 3)


def test_a_model_that_only_records_know_is_counted_from_them() -> None:
    memory = Memory(
        deliberations=(
            council({"new": 1.0, "old": 2.0}, chairman="new", self_preference={"old": True}),
            council({"new": 2.0, "old": 1.0}, chairman="old"),
            Deliberation(models_used=("new", "old"), chairman="new"),  # a council that nobody ranked
            Deliberation(models_used=("new",), chairman="new", routing_decision="single_model"),
        ),
        model_performance={"old": ModelPerformance(deliberations_participated=9, avg_rank=1.2)},
    )
    new = standing(memory, "new")
    assert (new.deliberations, new.ranked, new.rank, new.chaired) == (3, 2, 1.5, 2)
    assert new.win_rate == pytest.approx(2 / 3)
    assert new.self_preference == 0.0
    assert new.categories == {"other": CategoryRank(1.5, 2)}
    assert standing(memory, "old").deliberations == 9


def test_a_model_that_nobody_ranked_has_no_rank_and_was_never_tested() -> None:
    memory = Memory(deliberations=(Deliberation(models_used=("a", "b")),))
    found = standing(memory, "a")
    assert (found.rank, found.self_preference, found.rankable) == (None, None, False)


@pytest.mark.parametrize(
    ("fields", "rate"),
    [
        ({"self_preference_rate": 0.25}, 0.25),  # files from before the count of tests
        ({"self_preference_rate": 0.25, "self_preference_tested": 0}, None),
        ({"self_preference_rate": 0.25, "self_preference_tested": 8}, 0.25),
        ({"self_preference_count": 1, "self_preference_tested": 4}, 0.25),
        ({"self_preference_rate": 25.0}, None),
        ({}, None),
    ],
)
def test_self_preference_as_stored(fields: dict[str, object], rate: float | None) -> None:
    stored = ModelPerformance(deliberations_participated=8, avg_rank=2.0, **fields)
    assert standing(Memory(model_performance={"a": stored}), "a").self_preference == rate


def test_a_win_rate_that_is_not_stored_is_worked_out() -> None:
    stored = ModelPerformance(deliberations_participated=8, chairman_selections=2)
    assert standing(Memory(model_performance={"a": stored}), "a").win_rate == 0.25
    impossible = ModelPerformance(deliberations_participated=8, chairman_selections=20)
    assert standing(Memory(model_performance={"a": impossible}), "a").win_rate is None


def test_impossible_ranks_are_unknown() -> None:
    stored = ModelPerformance(avg_rank=-1.0, category_ranks={"other": 1e300, "code_implementation": 2.0})
    found = standing(Memory(model_performance={"a": stored}), "a")
    assert found.rank is None
    assert list(found.categories) == ["code_implementation"]
    records = Memory(deliberations=(council({"a": 1e300, "b": 1.0}),))
    assert standing(records, "a").rank is None


def test_counts_of_a_category_come_from_the_records_in_older_files() -> None:
    stored = ModelPerformance(deliberations_participated=2, avg_rank=1.0, category_ranks={"other": 1.0})
    memory = Memory(
        deliberations=(council({"a": 1.0, "b": 2.0}),) * 2,
        model_performance={"a": stored},
    )
    assert standing(memory, "a").categories == {"other": CategoryRank(1.0, 2)}


def test_a_category_without_a_count_beside_others_that_have_one_stays_unknown() -> None:
    stored = ModelPerformance(
        deliberations_participated=3,
        avg_rank=1.0,
        category_ranks={"other": 1.0, "code_implementation": 1.0},
        category_counts={"other": 3},
    )
    found = standing(Memory(model_performance={"a": stored}), "a")
    assert found.categories["code_implementation"].count is None


def test_order_is_by_rank_then_by_deliberations_then_by_name() -> None:
    memory = Memory(
        model_performance={
            "z": ModelPerformance(deliberations_participated=5, avg_rank=2.0),
            "y": ModelPerformance(deliberations_participated=9, avg_rank=2.0),
            "x": ModelPerformance(deliberations_participated=5, avg_rank=2.0),
            "w": ModelPerformance(deliberations_participated=50),
            "v": ModelPerformance(deliberations_participated=5, avg_rank=1.0),
        }
    )
    assert [found.model for found in standings(memory)] == ["v", "y", "x", "z", "w"]


def test_a_model_is_rankable_from_five_ranked_deliberations_on() -> None:
    five = ModelPerformance(deliberations_participated=5, avg_rank=2.0)
    few_ranked = ModelPerformance(deliberations_participated=9, avg_rank=2.0, category_counts={"other": 4})
    memory = Memory(model_performance={"five": five, "few": few_ranked})
    assert {found.model: found.rankable for found in standings(memory)} == {"five": True, "few": False}


def test_counted_and_stored_agree_over_a_whole_memory() -> None:
    document = build_memory(150, 6, seed=5)
    stored = {found.model: found for found in standings(memory_of(document))}
    document["model_performance"] = {}
    counted = {found.model: found for found in standings(memory_of(document))}
    assert stored.keys() == counted.keys()
    for model, found in stored.items():
        again = counted[model]
        assert (found.deliberations, found.ranked, found.chaired) == (
            again.deliberations,
            again.ranked,
            again.chaired,
        )
        assert found.rank == pytest.approx(again.rank)
        assert found.error == pytest.approx(again.error)
        assert found.self_preference == pytest.approx(again.self_preference)
        assert found.categories.keys() == again.categories.keys()
    ranks = [
        record["rankings"]["x-ai/grok-3"]
        for record in document["deliberations"]
        if "x-ai/grok-3" in record["rankings"]
    ]
    assert stored["x-ai/grok-3"].error == pytest.approx(stdev(ranks) / len(ranks) ** 0.5)
    assert sum(found.outranked * found.ranked for found in counted.values()) > 0


def test_samples_of_a_category_are_its_deliberations_that_ranked_a_contender() -> None:
    code = QueryFeatures(category="code_implementation")
    memory = Memory(
        deliberations=(
            council({"a": 1.0, "c": 2.0}, query_features=code),
            council({"b": 1.0, "c": 2.0}, query_features=code),
            council({"c": 1.0, "d": 2.0}, query_features=code),
            council({"a": 1.0, "d": 2.0}),
        )
    )
    contenders = [
        Standing(model="a", deliberations=9, ranked=9, categories={"other": CategoryRank(1.0, 7)}),
        Standing(model="b", deliberations=9, ranked=9, categories={"gone": CategoryRank(1.0, 2)}),
    ]
    assert category_samples(memory, contenders) == {"code_implementation": 2, "other": 7, "gone": 2}


def test_samples_of_removed_deliberations_are_those_that_can_have_ranked_a_contender() -> None:
    contenders = [Standing(model=model, deliberations=9, ranked=9) for model in "ab"]

    def samples(**counts: int) -> dict[str, int]:
        ranks = {model: Sum(sum=count, count=count) for model, count in counts.items()}
        category = ArchivedCategory(count=9, deliberated=8, ranked=7, ranks=ranks)
        memory = Memory(
            deliberations=(council({"a": 1.0, "c": 2.0}), council({"a": -1.0, "c": 2.0})),
            archived=Archived(count=9, categories={"other": category}),
        )
        return category_samples(memory, contenders)

    assert samples(a=6, b=5, c=7) == {"other": 8}
    assert samples(a=2, b=1, c=7) == {"other": 4}
    assert samples(c=7) == {"other": 1}


def test_removed_councils_count_as_those_in_the_file_do() -> None:
    records = (council({"a": 1.0, "b": 2.0}), council({"a": 2.0, "b": 1.0}, chairman="a"))
    whole = Memory(deliberations=(*records, council({"a": 1.0, "b": 3.0})))
    rest = Memory(deliberations=whole.deliberations[2:], archived=archived(whole, records))
    assert standings(rest) == standings(whole)
    assert standing(rest, "a").error == pytest.approx((1 / 9) ** 0.5)


@given(records=st.lists(_councils, max_size=12))
def test_counting_alike_records_together_is_counting_each(records: list[Deliberation]) -> None:
    councils, chaired, biased, others = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    outranked, given_ranks = Counter[str](), defaultdict[str, list[float]](list)
    for record in records:
        ranks = {model: rank for model, rank in record.rankings.items() if 0 <= rank <= 1e6}
        members = {*ranks, *record.models_used}
        councils.update(members)
        chaired.update({record.chairman} & members)
        biased.update(model for model in ranks if record.self_preference.get(model))
        for model, rank in ranks.items():
            given_ranks[model].append(rank)
            for other in ranks.keys() - {model}:
                others[model] += 1
                outranked[model] += (ranks[other] > rank) + (ranks[other] == rank) / 2
    found = {standing.model: standing for standing in standings(Memory(deliberations=tuple(records)))}
    assert found.keys() == councils.keys()
    for model, standing in found.items():
        ranks = given_ranks[model]
        assert (standing.deliberations, standing.chaired) == (councils[model], chaired[model])
        assert (standing.ranked, standing.self_preference_count) == (len(ranks), biased[model])
        assert standing.rank == (pytest.approx(sum(ranks) / len(ranks)) if ranks else None)
        share = outranked[model] / others[model] if others[model] else None
        assert standing.outranked == (share if share is None else pytest.approx(share))
        assert sum(place.count or 0 for place in standing.categories.values()) == len(ranks)
