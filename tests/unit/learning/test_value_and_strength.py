"""The formulas that rules rest on, against figures worked out by hand."""

from __future__ import annotations

import pytest

from council_vault.learning.groups import Group, is_council
from council_vault.learning.routing import (
    Evidence,
    evidence,
    next_rebuild,
    ranking_spread,
    strength,
    value_score,
)
from council_vault.learning.stats import categories
from council_vault.memory.schema import ArchivedCategory, Deliberation, QueryFeatures, Sum
from support.documents import memory_of
from support.memories import build_memory, category_score

TWO = ("a", "b")


def sample(**fields: object) -> Deliberation:
    standard = {
        "models_used": TWO,
        "rankings": {"a": 1.0, "b": 2.0},
        "chairman": "a",
        "confidence": 0.8,
        "ranking_spread": 0.5,
        "deliberation_value_added": 0.6,
        "routing_decision": "deliberate",
    }
    return Deliberation(**{**standard, **fields})


def evidence_of(records: list[Deliberation], archived: ArchivedCategory | None = None) -> Evidence:
    return evidence(Group.of(records), archived)


def test_value_score_weighs_its_five_parts() -> None:
    # 0.35 × 0.6 + 0.25 × 0.75 + 0.20 × 0.8 + 0.10 × (1 - 0.3) + 0.10 × (1 - 0.5)
    score = value_score(value=0.6, positive_rate=0.75, confidence=0.8, spread=0.3, chairman_consistency=0.5)
    assert score == pytest.approx(0.21 + 0.1875 + 0.16 + 0.07 + 0.05)


def test_evidence_of_three_records() -> None:
    records = [
        sample(deliberation_value_added=0.9, user_rating="positive", chairman="a", confidence=0.9),
        sample(deliberation_value_added=0.6, user_rating="neutral", chairman="b", confidence=0.6),
        sample(
            deliberation_value_added=0.3, user_rating=None, chairman="a", confidence=0.6, ranking_spread=0.2
        ),
    ]
    known = evidence_of(records)
    # value 0.6, one of two rated is positive, confidence 0.7, spread 0.4, a chaired 2 of 3
    assert known.score == pytest.approx(0.35 * 0.6 + 0.25 * 0.5 + 0.2 * 0.7 + 0.1 * 0.6 + 0.1 / 3)
    assert known.record_scores == pytest.approx(
        [
            0.35 * 0.9 + 0.25 * 1.0 + 0.2 * 0.9 + 0.1 * 0.5 + 0.1 / 3,
            0.35 * 0.6 + 0.25 * 0.0 + 0.2 * 0.6 + 0.1 * 0.5 + 0.1 / 3,
            0.35 * 0.3 + 0.25 * 0.5 + 0.2 * 0.6 + 0.1 * 0.8 + 0.1 / 3,
        ]
    )
    assert (known.count, known.samples) == (3, 3)


def test_single_model_answers_and_records_without_a_value_say_nothing_about_deliberating() -> None:
    single = sample(
        models_used=("a",),
        rankings={},
        deliberation_value_added=None,
        user_rating="negative",
        routing_decision="single_model",
    )
    failed = sample(deliberation_value_added=None, user_rating="negative", chairman="b")
    with_them = evidence_of([sample(), single, failed])
    assert with_them.score == evidence_of([sample()]).score
    assert (with_them.count, with_them.samples) == (3, 1)
    assert evidence_of([single]) == Evidence(count=1)


def test_unknown_parts_count_as_one_half() -> None:
    bare = sample(confidence=None, rankings={}, ranking_spread=None, chairman=None)
    # rating, confidence, spread and chairman unknown
    assert evidence_of([bare]).score == pytest.approx(
        0.35 * 0.6 + 0.25 * 0.5 + 0.2 * 0.5 + 0.1 * 0.5 + 0.1 * 0.5
    )


def test_figures_outside_of_their_range_are_no_evidence() -> None:
    assert evidence_of([sample(deliberation_value_added=65.0)]).samples == 0
    assert evidence_of([sample(), sample(confidence=82.0)]).score == pytest.approx(
        evidence_of([sample()] * 2).score
    )


def test_removed_records_go_on_counting() -> None:
    removed = ArchivedCategory(
        count=4,
        deliberated=2,
        value=Sum(sum=0.2, count=2),
        confidence=Sum(sum=1.0, count=2),
        spread=Sum(sum=0.6, count=2),
        rated=1,
        positive=1,
        chairmen={"b": 2},
    )
    known = evidence_of([sample(user_rating="negative")], removed)
    assert (known.count, known.samples) == (5, 3)
    assert known.score == pytest.approx(
        0.35 * (0.8 / 3) + 0.25 * 0.5 + 0.2 * 0.6 + 0.1 * (1 - 1.1 / 3) + 0.1 * (1 - 2 / 3)
    )
    assert len(known.record_scores) == 1


def test_strength_of_a_rule_worked_out_by_hand() -> None:
    # mean 0.7, population variance 0.01, se = √(0.02 / 2) = 0.1, distance 0.1: Φ(1)
    assert strength(0.7, "deliberate", [0.6, 0.8]) == pytest.approx(0.841344746)
    # below 0.4 by 0.2: Φ(2)
    assert strength(0.2, "single_model", [0.1, 0.3]) == pytest.approx(0.977249868)


def test_one_record_leaves_doubt_where_all_agree() -> None:
    # s² = 0: se = √(0.01 / 1) = 0.1
    assert strength(0.7, "deliberate", [0.7]) == pytest.approx(0.841344746)
    assert strength(0.7, "deliberate", [0.7] * 4) == pytest.approx(0.977249868)


@pytest.mark.parametrize(
    ("score", "action", "scores"),
    [
        (0.7, "deliberate", []),
        (0.6, "deliberate", [0.9]),
        (0.3, "deliberate", [0.3]),
        (0.5, "single_model", [0.5]),
    ],
)
def test_strength_is_never_below_one_half(score: float, action: str, scores: list[float]) -> None:
    assert strength(score, action, scores) == 0.5


@pytest.mark.parametrize(
    ("ranks", "spread"),
    [
        ([1, 2, 3, 4], 0.5),  # strict whole ranks carry no information
        ([1, 1, 1], 0.0),
        ([1.0, 2.5, 2.5], (0.5 / (8 / 12)) ** 0.5),  # variance 0.5 of at most 2/3
        ([1.2, 1.8], 0.6),  # half the distance of the ranks 1 and 2, and a little more
        ([1], None),
        ([], None),
        ([1, 77], None),
    ],
)
def test_spread_from_ranks_alone(ranks: list[float], spread: float | None) -> None:
    rankings = {str(place): float(rank) for place, rank in enumerate(ranks)}
    result = ranking_spread(sample(rankings=rankings, ranking_spread=None))
    assert result == (None if spread is None else pytest.approx(spread))


def test_a_stored_spread_is_taken_as_it_is_unless_it_cannot_be() -> None:
    assert ranking_spread(sample(ranking_spread=0.31)) == 0.31
    assert ranking_spread(sample(ranking_spread=3.1)) == 0.5


@pytest.mark.parametrize(
    ("fields", "council"),
    [
        ({"models_used": TWO}, True),
        ({"models_used": ("a",), "rankings": {}}, False),
        ({"models_used": (), "rankings": {"a": 1.0, "b": 2.0}}, True),
        ({"models_used": (), "rankings": {}, "routing_decision": "single_model"}, False),
        ({"models_used": (), "rankings": {}, "routing_decision": None}, True),
        ({"models_used": TWO, "routing_decision": "single_model"}, True),
    ],
)
def test_what_is_a_council(fields: dict[str, object], council: bool) -> None:
    assert is_council(sample(**fields)) is council


@pytest.mark.parametrize(("total", "upcoming"), [(0, 20), (9, 20), (19, 20), (20, 30), (64, 70), (70, 80)])
def test_rules_are_rebuilt_at_multiples_of_ten_from_twenty_on(total: int, upcoming: int) -> None:
    assert next_rebuild(total) == upcoming


def test_categories_agree_with_plain_arithmetic_over_a_whole_memory() -> None:
    document = build_memory(200, 6, seed=3)
    known = categories(memory_of(document))
    groups: dict[str, list[dict[str, object]]] = {}
    for record in document["deliberations"]:
        if len(record["models_used"]) > 1:
            groups.setdefault(record["query_features"]["category"], []).append(record)
    assert groups
    for category, records in groups.items():
        assert known[category].score == pytest.approx(category_score(records))
        assert known[category].samples == len(records)


def test_a_category_that_is_left_in_the_archive_alone_is_still_known() -> None:
    document = build_memory(3, 4, seed=3)
    document["archived"] = {"count": 2, "categories": {"gone": {"count": 2}}}
    assert categories(memory_of(document))["gone"] == Evidence(count=2)


def test_a_record_without_a_category_is_other() -> None:
    record = sample(query_features=QueryFeatures())
    assert record.category == "other"
