"""What the notes conclude from the figures, in words."""

from __future__ import annotations

import itertools
import re

import pytest

from council_vault.memory.schema import (
    Deliberation,
    Memory,
    ModelPerformance,
    QueryFeatures,
    RoutingModel,
    RoutingRule,
)
from support.documents import drafted, memory_of
from support.memories import build_memory

TWENTY = tuple(Deliberation(timestamp="2026-03-28") for _ in range(20))


def callout(note: str) -> list[str]:
    """Return the finding and the bullets of the callout on top."""
    lines = note.split("\n")
    start = next(place for place, line in enumerate(lines) if line.startswith("> [!"))
    bullets = []
    for line in lines[start + 1 :]:
        if not line.startswith(">"):
            break
        if line.startswith("> - "):
            bullets.append(line.removeprefix("> - "))
    return [lines[start].removeprefix("> "), *bullets]


def rows(note: str, heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    below = [line.removeprefix("> ") for line in note.split(f"{heading}\n")[1].split("\n")]
    table = itertools.takewhile(
        lambda line: line.startswith("|"), itertools.dropwhile(lambda line: not line.startswith("|"), below)
    )
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]
    return cells[2:]


def model(rank: float | None, count: int = 5, **fields: object) -> ModelPerformance:
    return ModelPerformance(deliberations_participated=count, avg_rank=rank, **fields)


def performance(**models: ModelPerformance) -> str:
    return drafted("performance", Memory(model_performance=models, deliberations=TWENTY))


def routing(
    *rules: RoutingRule, records: tuple[Deliberation, ...] = TWENTY, mode: str = "learned", **fields: object
) -> str:
    model = RoutingModel(rules=rules, **fields)
    return drafted("routing", Memory(routing_model=model, deliberations=records), mode=mode)


def rule(category: str = "other", action: str | None = "deliberate", **fields: object) -> RoutingRule:
    return RoutingRule(
        **{"condition": f"category == '{category}'", "action": action, "value_score": 0.7, **fields}
    )


def test_a_leader_and_who_follows() -> None:
    finding, scope, second = callout(performance(a=model(1.25), b=model(2.0), c=model(3.0)))
    assert finding == "[!summary] a leads with an average rank of 1.2"
    assert scope == "**20** deliberations, **3** models, 2026-03-28"
    assert second == "b follows at 2.0"


def squares(count: int, mean: float, error: float) -> float:
    """Return the sum of squares that goes with a mean and its standard error."""
    return error**2 * count * (count - 1) + count * mean**2


@pytest.mark.parametrize(("difference", "close"), [(0.49, True), (0.51, False)])
def test_too_close_to_call_when_the_difference_is_below_the_joint_error(
    difference: float, close: bool
) -> None:
    first = model(1.5, rank_square_sum=squares(5, 1.5, 0.3))
    second = model(1.5 + difference, rank_square_sum=squares(5, 1.5 + difference, 0.4))  # joint error 0.5
    finding, _, second_fact = callout(performance(a=first, b=second))
    assert finding.startswith("[!summary] Too close to call between a and b") is close
    assert ("1.5 ±0.3, b 2.0 ±0.4: the difference may be chance" in second_fact) is close


def test_equal_ranks_are_too_close_whatever_their_error() -> None:
    finding = callout(performance(a=model(2.0), b=model(2.0)))[0]
    assert finding == "[!summary] Too close to call between a and b"


def test_too_early_to_rank_under_two_rankable_models() -> None:
    note = performance(a=model(1.2, 7), b=model(1.1, 4))
    finding, _, so_far = callout(note)
    assert finding == "[!summary] Too early to rank"
    assert so_far == "A model is ranked from 5 deliberations on; so far only a"
    assert rows(note, "## Models so far") == [["a", "1.2", "7", "—"], ["b", "1.1", "4", "—"]]
    for absent in ("## Leaderboard", "## Strengths", "mermaid", "[!note]", "Chaired", "outranked"):
        assert absent not in note


def test_too_early_with_many_models_folds_the_rest() -> None:
    models = {f"m{number:02d}": model(2.0, 1) for number in range(14)}
    note = performance(**models)
    assert len(rows(note, "## Models so far")) == 12
    assert "> [!note]- 2 more models, most with fewer than 5 deliberations" in note


def test_deliberations_without_any_model() -> None:
    finding, advice = callout(performance())
    assert finding == "[!summary] No models yet"
    assert advice == "Models appear here with the first deliberation, and are ranked from 5 on"
    assert callout(drafted("performance", Memory()))[0] == "[!summary] No deliberations yet"


@pytest.mark.parametrize(
    ("rest", "title"),
    [
        ({"x": model(2.0, 4)}, "1 more model, with fewer than 5 deliberations"),
        ({"x": model(2.0, 4), "y": model(2.0, 1)}, "2 more models, most with fewer than 5 deliberations"),
        ({"x": model(None, 9)}, "1 more model"),
        ({"x": model(None, 9), "y": model(2.0, 1)}, "2 more models"),
    ],
)
def test_title_of_the_other_models(rest: dict[str, ModelPerformance], title: str) -> None:
    assert f"> [!note]- {title}\n" in performance(a=model(1.0), b=model(2.0), **rest)


def test_at_most_twelve_lead_and_the_others_go_on_in_their_order() -> None:
    models = {f"m{number:02d}": model(1.0 + number / 10, 6) for number in range(14)}
    note = performance(**models, rare=model(1.0, 2))
    assert [row[0] for row in rows(note, "## Leaderboard")] == [f"m{number:02d}" for number in range(12)]
    others = rows(note, "> [!note]- 3 more models")
    assert [row[0] for row in others] == ["m12", "m13", "rare"]


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"self_preference_rate": 0.16, "self_preference_count": 2}, "⚠️ 16%"),
        ({"self_preference_rate": 0.15, "self_preference_count": 2}, "15%"),
        ({"self_preference_rate": 0.2, "self_preference_count": 1}, "20%"),
        ({"self_preference_rate": 0.0, "self_preference_tested": 0}, "—"),
        ({"self_preference_rate": 0.0, "self_preference_tested": 5}, "0%"),
        ({}, "—"),
    ],
)
def test_self_preference_warns_from_two_detections_on(fields: dict[str, object], shown: str) -> None:
    note = performance(a=model(1.0, **fields), b=model(2.0))
    assert rows(note, "## Leaderboard")[0][4] == shown


def test_self_preference_warns_from_five_deliberations_on() -> None:
    biased = model(3.0, 4, self_preference_rate=0.5, self_preference_count=2)
    note = performance(a=model(1.0), b=model(2.0), c=biased)
    assert rows(note, "> [!note]- 1 more model, with fewer than 5 deliberations") == [
        ["c", "3.0", "4", "50%"]
    ]


@pytest.mark.parametrize(
    ("fields", "rank", "chaired"),
    [
        ({"win_rate": 0.4, "chairman_selections": 2}, "1.0", "2 (40%)"),
        ({"chairman_selections": 2}, "1.0", "2 (40%)"),
        ({"chairman_selections": 9}, "1.0", "9"),
        ({"rank_square_sum": squares(5, 1.0, 0.04)}, "1.0 ±0.04", "0 (0%)"),
        ({"rank_square_sum": squares(5, 1.0, 0.16)}, "1.0 ±0.2", "0 (0%)"),
        ({"rank_square_sum": 5.0}, "1.0 ±0.0", "0 (0%)"),
    ],
)
def test_rank_with_its_error_and_chairs(fields: dict[str, object], rank: str, chaired: str) -> None:
    row = rows(performance(a=model(1.0, **fields), b=model(2.0)), "## Leaderboard")[0]
    assert (row[1], row[3]) == (rank, chaired)


def test_strengths_need_three_deliberations_and_other_comes_last() -> None:
    def strong(rank: float, counts: dict[str, int], ranks: dict[str, float]) -> ModelPerformance:
        return model(rank, sum(counts.values()), category_counts=counts, category_ranks=ranks)

    note = performance(
        a=strong(
            1.5,
            {"other": 9, "data_work": 3, "factual_lookup": 2},
            {"other": 2.0, "data_work": 1.0, "factual_lookup": 1.0},
        ),
        b=strong(2.5, {"other": 9, "data_work": 2, "SQL": 1}, {"other": 1.5, "data_work": 1.0, "SQL": 1.0}),
    )
    assert rows(note, "## Strengths by category") == [
        ["Data work", "3", "a (1.0)", "—"],
        ["Factual lookup", "2", "—", "—"],
        ["SQL", "1", "—", "—"],
        ["Other", "9", "b (1.5)", "a (2.0)"],
    ]


def test_strengths_of_very_many_categories_are_cut() -> None:
    ranks = {f"kind_{number:02d}": 1.0 for number in range(23)}
    counts = dict.fromkeys(ranks, 3)
    note = performance(a=model(1.0, 69, category_counts=counts, category_ranks=ranks), b=model(2.0))
    assert len(rows(note, "## Strengths by category")) == 20
    assert "\n3 more with fewer deliberations.\n" in note


def test_no_strengths_where_no_category_has_three() -> None:
    assert "## Strengths" not in performance(a=model(1.0, category_ranks={"other": 1.0}), b=model(2.0))


def test_without_charts_their_headings_are_left_out_as_well() -> None:
    memory = memory_of(build_memory(60, 6, seed=2))
    for kind, heading in (("performance", "### Peers outranked"), ("routing", "### Value of deliberating")):
        assert heading in drafted(kind, memory)
        plain = drafted(kind, memory, charts=False)
        assert heading not in plain
        assert "mermaid" not in plain
        assert "Peers outranked" not in plain


@pytest.mark.parametrize(
    ("rules", "finding"),
    [
        ([rule("other")], "Deliberate for other"),
        ([rule("SQL", "single_model", value_score=0.1)], "One model is enough for SQL"),
        (
            [
                rule("factual_lookup", "single_model", value_score=0.1),
                rule("other"),
                rule("strategy_business", value_score=0.9),
            ],
            "Deliberate for strategy, other; one model is enough for factual lookup",
        ),
        (
            [rule(f"kind {number}") for number in range(8)],
            "Deliberate for kind 0, kind 1, kind 2, kind 3, kind 4, kind 5 and 2 more",
        ),
        ([], "No rule yet: the router goes by rules of thumb"),
        ([rule(action="ask")], "No rule yet: the router goes by rules of thumb"),
    ],
)
def test_what_routing_has_found(rules: list[RoutingRule], finding: str) -> None:
    assert callout(routing(*rules))[0] == f"[!summary] {finding}"


def test_still_learning_below_twenty() -> None:
    note = routing(records=TWENTY[:19])
    assert callout(note) == [
        "[!info] Learning: 19 of 20",
        "Mode **learned**: no rules yet",
        "Rules are first made at 20 deliberations",
        "No decision of the router's own yet",
        "Saved by single-model answers: not enough data",
    ]
    assert rows(note, "## Categories") == [["Other", "too few", "—", "0", "—", "—"]]


@pytest.mark.parametrize(
    ("mode", "rules", "text"),
    [
        ("learned", [rule(strength=0.8)], "Mode **learned**: **1** rule, firm"),
        ("learned", [rule(strength=0.79)], "Mode **learned**: **1** rule, not firm yet"),
        ("learned", [rule(strength=0.8), rule("SQL")], "Mode **learned**: **2** rules, **1** of them firm"),
        (
            "always_deliberate",
            [rule(strength=0.9)],
            "Mode **always deliberate**; not followed: **1** rule, firm",
        ),
        ("always_shortcut", [], "Mode **always one model**: no rules yet"),
        ("my|mode", [], "Mode **my\\|mode**: no rules yet"),
    ],
)
def test_the_mode_and_its_rules(mode: str, rules: list[RoutingRule], text: str) -> None:
    assert callout(routing(*rules, mode=mode))[1] == text


@pytest.mark.parametrize(
    ("fields", "rules", "text"),
    [
        (
            {"last_rebuilt": "2026-03-27T10:00:00Z", "sample_size": 20},
            [rule()],
            "Rebuilt 2026-03-27 from 20 deliberations, next at 30",
        ),
        (
            {"last_rebuilt": "2026-03-27", "sample_size": 1},
            [],
            "Rebuilt 2026-03-27 from 1 deliberation, next at 30",
        ),
        ({"last_rebuilt": "2026-03-27"}, [], "Rebuilt 2026-03-27, next at 30"),
        ({}, [rule()], "Rebuilt at an unknown time, next at 30"),
        ({}, [], "Rules are next made at 30 deliberations"),
    ],
)
def test_when_rules_were_rebuilt(fields: dict[str, object], rules: list[RoutingRule], text: str) -> None:
    assert callout(routing(*rules, **fields))[2] == text


def single(**fields: object) -> Deliberation:
    return Deliberation(
        models_used=("a",), routing_decision="single_model", routing_source="learned", **fields
    )


def council(value: float, **fields: object) -> Deliberation:
    return Deliberation(
        models_used=("a", "b"),
        routing_decision="deliberate",
        routing_source="learned",
        deliberation_value_added=value,
        **fields,
    )


@pytest.mark.parametrize(
    ("records", "stored", "text"),
    [
        ((council(0.5),), None, "Right **1 of 1** time (100%)"),
        ((council(0.5), council(0.05)), None, "Right **1 of 2** times (50%); 1 deliberated for little"),
        (
            (single(user_rating="negative"),),
            None,
            "Right **0 of 1** time (0%); 1 should have been deliberated",
        ),
        (
            (single(user_rating="negative"), council(0.0), council(0.0), single()),
            None,
            "Right **1 of 4** times (25%); 2 deliberated for little, 1 should have been deliberated",
        ),
        ((), 0.87, "Right 87% of the time"),
        ((), None, "No decision of the router's own yet"),
    ],
)
def test_how_often_the_router_was_right(
    records: tuple[Deliberation, ...], stored: float | None, text: str
) -> None:
    assert callout(routing(records=records, routing_accuracy=stored))[3] == text


@pytest.mark.parametrize(
    ("records", "text"),
    [
        ((council(0.5, cost_usd=0.1), single(cost_usd=0.01)), "1 single-model answer saved about **$0.09**"),
        (
            (council(0.5, cost_usd=0.1), single(cost_usd=0.01), single(cost_usd=0.02)),
            "2 single-model answers saved about **$0.17**",
        ),
        (
            (council(0.5, cost_usd=0.1), single(cost_usd=0.01), single()),
            "1 of 2 single-model answers saved about **$0.09**",
        ),
        ((single(cost_usd=0.01),), "1 single-model answer; not enough data to say what was saved"),
        ((), "Saved by single-model answers: not enough data"),
    ],
)
def test_what_was_saved(records: tuple[Deliberation, ...], text: str) -> None:
    assert callout(routing(records=records))[4] == text


def test_rules_are_shown_as_stored_and_what_is_unclear_in_its_own_words() -> None:
    features = QueryFeatures(category="strategy_business")
    councils = tuple(
        council(
            0.9,
            query_features=features,
            confidence=0.9,
            ranking_spread=0.5,
            chairman="a",
            user_rating="positive",
        )
        for _ in range(3)
    )
    note = routing(
        rule("strategy_business", value_score=0.7, sample_count=3, confidence=0.21),
        rule("gone", "single_model", value_score=0.3, preferred_model="x/gpt-4.1"),
        rule("other", "ask|me", value_score=None),
        RoutingRule(condition="length > 300", action="deliberate"),
        RoutingRule(),
        records=councils,
    )
    assert rows(note, "## Rules") == [
        # three records that agree: se = √(0.01 / 3), Φ(0.1 / se)
        ["Strategy", "deliberate", "0.70", "3", "96%", "21%"],
        ["Gone", "single: gpt-4.1", "0.30", "—", "50%", "—"],
        ["Other", "ask\\|me", "—", "—", "—", "—"],
        ["length > 300", "deliberate", "—", "—", "—", "—"],
        ["—", "—", "—", "—", "—", "—"],
    ]


def test_a_rule_of_one_model_without_its_name() -> None:
    assert rows(routing(rule(action="single_model", value_score=0.2)), "## Rules")[0][1] == "single"


def test_nothing_is_wholly_sure() -> None:
    assert rows(routing(rule(strength=0.9999)), "## Rules")[0][4] == ">99%"
    assert rows(routing(rule(strength=0.994)), "## Rules")[0][4] == "99%"


def test_order_of_routes() -> None:
    def records(category: str, value: float, count: int) -> tuple[Deliberation, ...]:
        return (council(value, query_features=QueryFeatures(category=category)),) * count

    note = routing(
        rule("low", value_score=0.61),
        rule("one", "single_model", value_score=0.3),
        rule("high", value_score=0.9),
        records=(*records("undecided a", 0.2, 3), *records("undecided b", 0.8, 3), *records("few", 0.9, 2)),
    )
    assert [(row[0], row[1], row[3]) for row in rows(note, "## Rules")] == [
        ("High", "deliberate", "—"),
        ("Low", "deliberate", "—"),
        ("One", "single", "—"),
        ("Undecided b", "undecided", "3"),
        ("Undecided a", "undecided", "3"),
        ("Few", "too few", "2"),
    ]


def test_very_many_categories_without_a_rule_are_cut() -> None:
    records = tuple(
        council(0.5, query_features=QueryFeatures(category=f"kind {number:02d}")) for number in range(23)
    )
    note = routing(records=records)
    assert len(rows(note, "## Categories")) == 20
    assert "\n3 more without a rule.\n" in note


@pytest.mark.parametrize(
    ("records", "lines"),
    [
        ((), ["[!summary] No deliberations yet", "Each deliberation gets a row in a table below"]),
        (
            (Deliberation(timestamp="2026-03-28", cost_usd=0.09, user_rating="negative"),),
            ["[!summary] 1 deliberation, on 2026-03-28", "**1** rated: 1 negative", "**$0.09** in all"],
        ),
        (
            (Deliberation(timestamp="2026-03-28", cost_usd=0.09), Deliberation(timestamp="2026-03-27")),
            [
                "[!summary] 2 deliberations, latest on 2026-03-28",
                "No ratings yet",
                "**$0.09** in all; the cost of 1 is unknown",
            ],
        ),
        ((Deliberation(), Deliberation()), ["[!summary] 2 deliberations", "No ratings yet", "Cost unknown"]),
    ],
)
def test_what_the_log_says(records: tuple[Deliberation, ...], lines: list[str]) -> None:
    found = callout(drafted("log", Memory(deliberations=records)))
    assert found[: len(lines)] == lines
    how_to_rate = "To rate one, type `positive`, `neutral` or `negative` into its Rating cell"
    assert found[len(lines) :] == ([how_to_rate] if records else [])


@pytest.mark.parametrize(
    ("memory", "kind", "day"),
    [
        (Memory(created="2025-12-07T11:21:04Z"), "log", "2025-12-07"),
        (Memory(), "log", "1970-01-01"),
        (Memory(created="2025-12-07", deliberations=TWENTY), "performance", "2026-03-28"),
        (
            Memory(deliberations=TWENTY, routing_model=RoutingModel(last_rebuilt="2026-04-01")),
            "routing",
            "2026-04-01",
        ),
        (
            Memory(deliberations=TWENTY, routing_model=RoutingModel(last_rebuilt="2026-04-01")),
            "performance",
            "2026-03-28",
        ),
        (
            Memory(deliberations=TWENTY, routing_model=RoutingModel(last_rebuilt="2026-01-01")),
            "routing",
            "2026-03-28",
        ),
    ],
)
def test_the_date_is_the_day_of_the_newest_data(memory: Memory, kind: str, day: str) -> None:
    assert f"\ndate: {day}\n" in drafted(kind, memory)
