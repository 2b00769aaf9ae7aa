"""What the reports say, line by line, in the layouts of the pattern memory's operation 4."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from council_vault.cli import reports
from council_vault.cli.moments import ago
from council_vault.cli.phrases import router_status, vault_status
from council_vault.cli.show import Screen
from council_vault.learning.benchmarks import benchmarks
from council_vault.learning.history import history
from council_vault.learning.leaderboard import Best, Leaderboard, Place, leaderboard
from council_vault.learning.optimization import Optimization, Run, optimization
from council_vault.learning.spending import Size, Spending, Stages, spending
from council_vault.learning.summary import Router, VaultSync, summary
from council_vault.memory.schema import Deliberation, Memory, QueryFeatures

NOW = datetime(2026, 3, 28, 15, tzinfo=UTC)


def lines(report, columns: int | None = None) -> str:
    return "\n".join(Screen(columns=columns, encoding="utf-8", colour=False).lines(report)) + "\n"


def record(number: int, **fields: object) -> Deliberation:
    category = fields.pop("category", "architecture_decision")
    standard: dict[str, object] = {
        "id": f"d_20260328_{number:03d}",
        "timestamp": NOW - timedelta(hours=number),
        "query_features": QueryFeatures(category=str(category)),
        "models_used": ("openai/gpt-4o", "anthropic/claude-sonnet-4"),
    }
    fields = standard | fields
    if isinstance(fields["timestamp"], datetime):
        fields["timestamp"] = fields["timestamp"].isoformat()
    return Deliberation(**fields)


def test_the_summary_as_operation_4_has_it():
    known = {"cost_usd": 0.09, "latency_ms": 12400, "confidence": 0.82, "vault_synced": True}
    memory = Memory(
        deliberations=(
            record(1, user_rating="positive", **known),
            record(2, user_rating="positive", **known),
            record(3, user_rating="negative", category="factual_lookup", **known),
            record(4, **known),
        )
    )
    assert (
        lines(reports.summary_report(summary(memory, "learned", NOW)))
        == """\
Total deliberations: 4
Total cost: $0.36
Average cost: $0.09
Average latency: 12400ms
Average confidence: 0.82

Top categories:
  1. architecture_decision — 3 deliberations
  2. factual_lookup — 1 deliberation

Rating breakdown:
  Positive: 2 (50%)
  Negative: 1 (25%)
  Neutral: 0 (0%)
  Unrated: 1 (25%)

Router status: learning (4/20 samples)
Vault sync: never
"""
    )


def test_the_summary_of_nothing():
    assert (
        lines(reports.summary_report(summary(Memory(), "learned", NOW)))
        == """\
Total deliberations: 0
Total cost: —
Average cost: —
Average latency: —
Average confidence: —

Rating breakdown:
  Positive: 0 (0%)
  Negative: 0 (0%)
  Neutral: 0 (0%)
  Unrated: 0 (0%)

Router status: learning (0/20 samples)
Vault sync: never
"""
    )


def test_what_is_known_of_some_says_of_how_many():
    shown = lines(
        reports.summary_report(
            summary(Memory(deliberations=(record(1, cost_usd=0.5), record(2))), "learned", NOW)
        )
    )
    assert "Total cost: $0.50 (known for 1 of 2)\nAverage cost: $0.50 (known for 1 of 2)\n" in shown
    assert "Average latency: —\n" in shown


def test_many_categories_are_cut_short():
    memory = Memory(deliberations=tuple(record(number, category=f"c{number:02}") for number in range(1, 31)))
    shown = lines(reports.summary_report(summary(memory, "learned", NOW)))
    assert "  7. c07 — 1 deliberation\n  and 23 more\n" in shown


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "One field or record could not be"), (3, "3 fields or records could not be")],
)
def test_what_could_not_be_understood_is_counted(count, words):
    found = summary(Memory(), "learned", NOW, not_understood=count)
    assert f"\n\n{words} understood; `council-vault doctor` names them.\n" in lines(
        reports.summary_report(found)
    )


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("learning", "learning (18/20 samples)"),
        ("active", "active (5 rules)"),
        ("always_deliberate", "always-deliberate"),
        ("always_shortcut", "always-shortcut"),
    ],
)
def test_the_routers_words(state, words):
    router = Router(
        state=state, mode="learned", samples=18, samples_needed=20, rules=5, last_rebuilt=None,
        decisions=0, right=0,
    )  # fmt: skip
    assert router_status(router) == words


@pytest.mark.parametrize(
    ("state", "last", "pending", "words"),
    [
        ("never", None, 0, "never"),
        ("never", None, 2, "never (2 records pending sync)"),
        ("synced", "2026-03-28T14:30:00Z", 0, "last synced 2026-03-28 09:30"),
        ("synced", None, 0, "last synced at an unknown time"),
        ("pending", "2026-03-28T02:30:00Z", 1, "1 record pending sync (last synced 2026-03-27 21:30)"),
        ("unavailable", None, 0, "vault unavailable"),
        ("unavailable", "2026-03-28T14:30:00Z", 3, "vault unavailable (3 records pending sync)"),
    ],
)
def test_the_vaults_words_with_times_of_the_place_where_one_asks(state, last, pending, words, local_time):
    local_time("EST5")
    assert vault_status(VaultSync(state=state, last_synced=last, pending=pending)) == words


@pytest.fixture
def local_time(monkeypatch):
    """Set the local time zone."""
    import time  # noqa: PLC0415 - with its function that sets it

    def use(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield use
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        ({}, "just now"),
        ({"seconds": 59}, "just now"),
        ({"seconds": 60}, "1m ago"),
        ({"minutes": 59, "seconds": 59}, "59m ago"),
        ({"minutes": 60}, "1h ago"),
        ({"hours": 23, "minutes": 59}, "23h ago"),
        ({"days": 1}, "1d ago"),
        ({"days": 29}, "29d ago"),
        ({"days": 30}, "1mo ago"),
        ({"days": 364}, "12mo ago"),
        ({"days": 365}, "1y ago"),
        ({"days": 800}, "2y ago"),
        ({"seconds": -59}, "just now"),
        ({"minutes": -2}, "in 2m"),
        ({"days": -3}, "in 3d"),
    ],
)
def test_how_long_ago(passed, words):
    assert ago(NOW - timedelta(**passed), NOW) == words


def test_when_nobody_knows():
    assert ago(None, NOW) == "—"


def place(model: str, rank: float | None, **fields: object) -> Place:
    standard: dict[str, object] = {
        "ranked": True, "deliberations_participated": 23, "rank_count": 23, "rank_error": 0.12,
        "chairman_selections": 10, "win_rate": 0.43, "self_preference_rate": 0.08, "self_preference_count": 2,
        "peers_outranked": 0.8, "category_ranks": {}, "category_counts": {},
    }  # fmt: skip
    return Place(model=model, avg_rank=rank, **{**standard, **fields})


def board(*places: Place, best: tuple[Best, ...] = ()) -> Leaderboard:
    return Leaderboard(as_of="", models=places, best_by_category=best)


def test_the_models_as_operation_4_has_them():
    found = board(
        place("anthropic/claude-sonnet-4", 1.4),
        place("openai/gpt-4o", 1.8, win_rate=0.3, chairman_selections=7, self_preference_rate=0.13),
        place("x-ai/grok-3", 2.6, rank_error=0.012, win_rate=None, self_preference_rate=None),
        place("google/gemini-2.0-flash", None, ranked=False, rank_count=2, self_preference_rate=0.22),
        best=(
            Best(
                category="architecture_decision",
                model="anthropic/claude-sonnet-4",
                avg_rank=1.2,
                rank_count=9,
            ),
            Best(category="factual_lookup", model="openai/gpt-4o", avg_rank=1.3, rank_count=4),
        ),
    )
    assert (
        lines(reports.models_report(found))
        == """\
Model Performance:
┌───────────────────────────┬───────────┬────┬──────────┬──────────┬────────────────┐
│ Model                     │ Rank      │ n  │ Win Rate │ Chairman │ Self-Pref Rate │
├───────────────────────────┼───────────┼────┼──────────┼──────────┼────────────────┤
│ anthropic/claude-sonnet-4 │ 1.4 ±0.1  │ 23 │ 43%      │ 10       │ 8%             │
│ openai/gpt-4o             │ 1.8 ±0.1  │ 23 │ 30%      │ 7        │ 13%            │
│ x-ai/grok-3               │ 2.6 ±0.01 │ 23 │ —        │ 10       │ —              │
├───────────────────────────┼───────────┼────┼──────────┼──────────┼────────────────┤
│ google/gemini-2.0-flash   │ —         │ 2  │ 43%      │ 10       │ 22%            │
└───────────────────────────┴───────────┴────┴──────────┴──────────┴────────────────┘
The last 1 has too few deliberations to be ranked.

Best by category:
  architecture_decision → anthropic/claude-sonnet-4 (avg rank 1.2, n 9)
  factual_lookup → openai/gpt-4o (avg rank 1.3, n 4)
"""
    )


def test_models_none_of_which_is_ranked_yet():
    shown = lines(reports.models_report(board(place("a", 1.0, ranked=False), place("b", 2.0, ranked=False))))
    assert shown.count("├") == 1
    assert "┘\nNo model has enough deliberations to be ranked.\n" in shown
    assert shown.endswith("Best by category:\n  No model has been ranked in one often enough yet.\n")


def test_no_models():
    assert lines(reports.models_report(leaderboard(Memory(), NOW))) == (
        "Model Performance:\n  No model has taken part in a deliberation yet.\n"
    )


LONG = "nousresearch/hermes-3-llama-3.1-405b:free"


@pytest.mark.parametrize(
    ("columns", "name", "header"),
    [
        (100, LONG, "│ Win Rate │ Chairman │ Self-Pref Rate │"),
        (95, LONG, "│ Rate │ Chairman │ Rate      │"),
        (90, "hermes-3-llama-3.1-405b:free", "│ Win Rate │ Chairman │ Self-Pref Rate │"),
        (80, "hermes-3-llama-3.1-405b:free", "│ Rate │ Chairman │ Rate      │"),
        (60, "│ hermes-3-l │", "│ Rate │ Chairman │ Rate      │"),
    ],
)
def test_names_and_titles_give_way_where_there_is_no_room(columns, name, header):
    shown = lines(reports.models_report(board(place(LONG, 1.4))), columns)
    assert name in shown
    assert header in shown
    assert max(map(len, shown.splitlines())) <= columns
    assert len(set(map(len, shown.splitlines()[1:6]))) == 1


def test_where_no_table_fits_there_is_a_list():
    shown = lines(reports.models_report(board(place(LONG, 1.4), place("b", 2.0))), 40)
    assert (
        """\
Model Performance:
  hermes-3-llama-3.1-405b:free
    Rank: 1.4 ±0.1
    n: 23
    Win Rate: 43%
    Chairman: 10
    Self-Pref Rate: 8%
  b
"""
        in shown
    )


def test_the_best_have_short_names_where_there_is_no_room():
    best = (Best(category="x" * 30, model=LONG, avg_rank=1.2, rank_count=9),)
    report = [*reports.models_report(board(place(LONG, 1.4), best=best))]
    assert f"→ {LONG} (avg rank 1.2, n 9)\n" in lines(report, 100)
    assert "→ hermes-3-llama-3.1-405b:free (avg rank 1.2, n 9)\n" in lines(report, 85)
    assert "→ hermes-3-llama-3.1-405b:free (avg\n      rank 1.2, n 9)\n" in lines(report, 70)


def test_the_history_as_operation_4_has_it():
    fields = {"chairman": "x-ai/grok-3", "confidence": 0.75, "cost_usd": 0.09}
    minutes = [NOW - timedelta(minutes=passed) for passed in (2, 15, 60)]
    memory = Memory(
        deliberations=(
            record(3, timestamp=minutes[0], query_summary="RBAC for multi-tenant SaaS", **fields),
            record(
                2, timestamp=minutes[1], query_summary="Business viability",
                **fields | {"confidence": 0.6, "cost_usd": 0.11, "user_rating": "positive"},
            ),
            record(
                1, timestamp=minutes[2], query_summary="Microservices vs monolith for SaaS",
                **fields | {"chairman": "openai/gpt-4o", "cost_usd": 0.07},
            ),
        )
    )  # fmt: skip
    whole = """\
Recent Deliberations:
  d_20260328_003 | 2m ago  | "RBAC for multi-tenant SaaS"         | Chairman: grok-3 | ★★★★ | $0.09
  d_20260328_002 | 15m ago | "Business viability"                 | Chairman: grok-3 | ★★★  | $0.11 | positive
  d_20260328_001 | 1h ago  | "Microservices vs monolith for SaaS" | Chairman: gpt-4o | ★★★★ | $0.07
"""
    assert lines(reports.history_report(history(memory, NOW), NOW)) == whole
    assert lines(reports.history_report(history(memory, NOW), NOW), 120) == whole
    assert (
        lines(reports.history_report(history(memory, NOW), NOW), 80)
        == """\
Recent Deliberations:
  d_20260328_003 | 2m ago  | "RBAC for multi-tenant SaaS"
                             Chairman: grok-3 | ★★★★ | $0.09
  d_20260328_002 | 15m ago | "Business viability"
                             Chairman: grok-3 | ★★★  | $0.11 | positive
  d_20260328_001 | 1h ago  | "Microservices vs monolith for SaaS"
                             Chairman: gpt-4o | ★★★★ | $0.07
"""
    )


def test_a_record_that_says_nothing():
    memory = Memory(deliberations=(Deliberation(),))
    assert lines(reports.history_report(history(memory, NOW), NOW)) == (
        'Recent Deliberations:\n  — | — | "—" | Chairman: — | — | —\n'
    )


def test_no_history():
    assert lines(reports.history_report(history(Memory(), NOW), NOW)) == (
        "Recent Deliberations:\n  No deliberations yet.\n"
    )


def cost(**fields: object) -> Spending:
    standard: dict[str, object] = {
        "as_of": "", "deliberations": 33, "costs_known": 33, "total_cost_usd": 2.34, "average_cost_usd": 0.07,
        "day": "2026-03-28", "day_cost_usd": 0.27, "month": "2026-03", "month_cost_usd": 1.14,
        "budget_usd": 10.0, "remaining_usd": 8.86, "by_size": (),
        "by_stage": Stages(collect=0.42, review=0.38, synthesize=0.2, estimated=True, known_usd=0.0),
    }  # fmt: skip
    return Spending(**{**standard, **fields})


def size(
    models: int | None, name: str | None, count: int, mean: float | None, known: int | None = None
) -> Size:
    return Size(
        models=models,
        name=name,
        deliberations=count,
        costs_known=count if known is None else known,
        average_cost_usd=mean,
    )


def test_the_costs_as_operation_4_has_them():
    sizes = (size(2, "small", 12, 0.04), size(4, "medium", 18, 0.09), size(6, "large", 3, 0.16))
    assert (
        lines(reports.cost_report(cost(by_size=sizes)))
        == """\
Cost Report:
  Total spend: $2.34
  Today (UTC): $0.27
  This month: $1.14

  By size:
    small (2 models):  avg $0.04  |  12 deliberations
    medium (4 models): avg $0.09  |  18 deliberations
    large (6 models):  avg $0.16  |  3 deliberations

  By stage:
    Stage 1 (Collect):   ~42% of cost
    Stage 2 (Review):    ~38% of cost
    Stage 3 (Synthesis): ~20% of cost

  Budget: $8.86 remaining of $10.00/month
"""
    )


def test_sizes_without_a_name_and_without_a_cost():
    sizes = (
        size(1, None, 1, 0.0064), size(2, "small", 12, 0.04, known=7), size(3, None, 2, None, known=0),
        size(None, None, 1, 0.5),
    )  # fmt: skip
    assert """
    1 model:          avg $0.0064  |  1 deliberation
    small (2 models): avg $0.04    |  12 deliberations (known for 7 of 12)
    3 models:         avg —        |  2 deliberations
    unknown size:     avg $0.50    |  1 deliberation
""" in lines(reports.cost_report(cost(by_size=sizes)))


@pytest.mark.parametrize(
    ("known_usd", "title"), [(2.34, "  By stage:"), (1.2, "  By stage (known for $1.20 of $2.34):")]
)
def test_stages_that_are_known_are_no_estimate(known_usd, title):
    stages = Stages(collect=0.5, review=0.3, synthesize=0.2, estimated=False, known_usd=known_usd)
    shown = lines(reports.cost_report(cost(by_stage=stages)))
    assert f"\n{title}\n    Stage 1 (Collect):   50% of cost\n    Stage 2 (Review):    30% of cost\n" in shown
    assert "~" not in shown


@pytest.mark.parametrize(
    ("budget", "remaining", "words"),
    [
        (None, None, "none set (council-vault config set budget.monthly_usd USD)"),
        (10.0, 10.0, "$10.00 remaining of $10.00/month"),
        (1.0, -0.14, "$0.00 remaining of $1.00/month ($0.14 over)"),
        (0.0, 0.0, "$0.00 remaining of $0.00/month"),
    ],
)
def test_the_budget(budget, remaining, words):
    shown = lines(reports.cost_report(cost(budget_usd=budget, remaining_usd=remaining)))
    assert shown.endswith(f"\n  Budget: {words}\n")


def test_costs_of_which_nothing_is_known():
    shown = lines(reports.cost_report(spending(Memory(deliberations=(record(1), record(2))), None, NOW)))
    assert shown.startswith(
        "Cost Report:\n  Total spend: —\n  Today (UTC): —\n  This month: —\n\n"
        "  By size:\n    small (2 models): avg —  |  2 deliberations\n"
    )


def run(day: str | None, experiments: int, before: float | None, after: float | None, kept: int = 4) -> Run:
    return Run(
        run_id="", day=day, experiments=experiments, baseline_pass_rate=before, final_pass_rate=after,
        kept=kept, reverted=5, skipped=3, cost_usd=1.08,
    )  # fmt: skip


def optimized(*runs: Run, known: int = 12) -> str:
    found = Optimization(as_of="", experiments=12, total_cost_usd=1.08, costs_known=known, runs=runs)
    return lines(reports.optimization_report(found))


def test_the_optimization_as_operation_4_has_it():
    assert (
        optimized(run("2026-03-28", 12, 0.68, 0.84))
        == """\
Optimization History:
  Last run: 2026-03-28 | 12 experiments | baseline 68% → final 84%
  Changes kept: 4 | reverted: 5 | skipped: 3
  Total optimization spend: $1.08
"""
    )


def test_earlier_runs_in_short():
    runs = [run("2026-03-28", 1, None, None), run(None, 1, 0.5, 0.5, kept=0), run("2026-03-01", 2, 0, 1)]
    assert (
        optimized(*runs, known=3)
        == """\
Optimization History:
  Last run: 2026-03-28 | 1 experiment | baseline — → final —
  Changes kept: 4 | reverted: 5 | skipped: 3
  Total optimization spend: $1.08 (known for 3 of 12)

  Earlier runs:
    — | 1 experiment | baseline 50% → final 50% | 0 kept
    2026-03-01 | 2 experiments | baseline 0% → final 100% | 4 kept
"""
    )
    assert optimized(*[run("2026-03-28", 1, 0.5, 0.5)] * 9, known=0).endswith("| 4 kept\n    and 3 more\n")
    assert "Total optimization spend: —\n" in optimized(*runs, known=0)


def test_no_optimization():
    assert lines(reports.optimization_report(optimization(Memory(), NOW))) == (
        "Optimization History:\n  No experiments yet.\n"
    )


def test_benchmarks():
    memory = Memory(
        deliberations=(
            record(1, user_rating="positive", query_summary="RBAC"),
            record(2, user_rating="positive", query_summary="What is a vector clock", category="x"),
        )
    )
    assert (
        lines(reports.benchmarks_report(benchmarks(memory, NOW)))
        == """\
Benchmarks:
  d_20260328_001 | architecture_decision | "RBAC"                   | positive
  d_20260328_002 | x                     | "What is a vector clock" | positive
  Missing: 3 rated deliberations in the three largest categories: there are 2
  Missing: one that is rated negative
"""
    )
