"""What the statistics say on a screen: the layouts of the pattern memory's operation 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.cli.moments import ago
from council_vault.cli.phrases import counted, known_of, line, router_status, title, vault_status
from council_vault.cli.show import Choice, Entries, Line, legible
from council_vault.cli.tables import Table, Words
from council_vault.memory.times import moment
from council_vault.notes.cells import UNKNOWN, money, short_names, stars
from council_vault.notes.figures import decimal, percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from council_vault.cli.show import Block
    from council_vault.learning.benchmarks import Benchmarks
    from council_vault.learning.history import History, Recent
    from council_vault.learning.leaderboard import Best, Leaderboard, Place
    from council_vault.learning.optimization import Optimization, Run
    from council_vault.learning.spending import Size, Spending
    from council_vault.learning.summary import Summary

_MOST_CATEGORIES = 7
_MOST_RUNS = 5
_BIASED_ABOVE = 0.15
_SEEN_WITH_ONE_DIGIT = 0.05
_EMPTY: Line = (Words(""),)
_RATING_STYLES = {"positive": "green", "negative": "red", "neutral": "yellow"}
_LEADERBOARD = ("Model", "Rank", "n", "Win Rate", "Chairman", "Self-Pref Rate")


def summary_report(summary: Summary) -> Iterator[Block]:
    """Yield the summary: totals, categories, ratings, the router and the vault."""
    count = summary.deliberations
    costs = known_of(summary.costs_known, count)
    yield line("Total deliberations: ", str(count))
    yield line("Total cost: ", money(summary.total_cost_usd) if summary.costs_known else UNKNOWN, costs)
    yield line("Average cost: ", money(summary.average_cost_usd), costs)
    latency = decimal(summary.average_latency_ms, 0)
    yield line(
        "Average latency: ",
        latency if latency == UNKNOWN else f"{latency}ms",
        known_of(summary.latencies_known, count),
    )
    yield line(
        "Average confidence: ",
        decimal(summary.average_confidence, 2),
        known_of(summary.confidences_known, count),
    )
    if summary.categories:
        yield _EMPTY
        yield title("Top categories:")
        for place, one in enumerate(summary.categories[:_MOST_CATEGORIES], start=1):
            name = legible(one.category) or UNKNOWN
            yield line(f"  {place}. {name} — ", counted(one.deliberations))
        more = len(summary.categories) - _MOST_CATEGORIES
        if more > 0:
            yield line(f"  and {more} more")
    yield _EMPTY
    yield title("Rating breakdown:")
    for rating, number in summary.ratings.items():
        share = percent(number / count) if count else "0%"
        yield line(
            f"  {rating.capitalize()}: ", f"{number} ({share})", style=_RATING_STYLES.get(rating, "bold")
        )
    yield _EMPTY
    yield line("Router status: ", router_status(summary.router))
    yield line("Vault sync: ", vault_status(summary.vault_sync))
    odd = summary.not_understood
    if odd:
        what = "One field or record" if odd == 1 else f"{odd} fields or records"
        yield _EMPTY
        yield line(f"{what} could not be understood; `council-vault doctor` names them.")


def models_report(board: Leaderboard) -> Iterator[Block]:
    """Yield the table of the models, and the best one of each category."""
    yield title("Model Performance:")
    if not board.models:
        yield line("  No model has taken part in a deliberation yet.")
        return
    short = short_names(one.model for one in board.models)
    ranked = sum(one.ranked for one in board.models)
    yield Table(
        header=_LEADERBOARD,
        names=[(legible(one.model), legible(short[one.model])) for one in board.models],
        figures=[_figures(one) for one in board.models],
        above=ranked,
    )
    others = len(board.models) - ranked
    if others:
        which = (
            f"The last {others} {plural(others, 'has', 'have')} too few" if ranked else "No model has enough"
        )
        yield line(f"{which} deliberations to be ranked.")
    yield _EMPTY
    yield title("Best by category:")
    yield Choice(
        whole=[_best(best, best.model) for best in board.best_by_category],
        short=[_best(best, short[best.model]) for best in board.best_by_category],
    )
    if not board.best_by_category:
        yield line("  No model has been ranked in one often enough yet.")


def _best(best: Best, name: str) -> Line:
    place = f" (avg rank {decimal(best.avg_rank, 1)}, n {best.rank_count})"
    return line(f"  {legible(best.category) or UNKNOWN} → ", legible(name), place)


def _figures(place: Place) -> Line:
    rank, error = decimal(place.avg_rank, 1), place.rank_error
    if rank != UNKNOWN and error is not None:
        rank += f" ±{decimal(error, 2 if 0 < error < _SEEN_WITH_ONE_DIGIT else 1)}"
    rate = place.self_preference_rate
    return (
        Words(rank, "bold" if place.ranked else "dim"),
        Words(str(place.rank_count)),
        Words(percent(place.win_rate)),
        Words(str(place.chairman_selections)),
        Words(percent(rate), "yellow" if rate is not None and rate > _BIASED_ABOVE else ""),
    )


def history_report(history: History, now: datetime) -> Iterator[Block]:
    """Yield the most recent deliberations, one a line."""
    yield title("Recent Deliberations:")
    records = history.history
    if not records:
        yield line("  No deliberations yet.")
        return
    names = short_names({record.chairman for record in records if record.chairman})
    yield Entries(
        before=[(_id(record), Words(ago(moment(record.timestamp), now))) for record in records],
        quotations=[legible(record.query_summary) or UNKNOWN for record in records],
        behind=[_verdict(record, names.get(record.chairman or "", "")) for record in records],
    )


def _id(record: Recent) -> Words:
    return Words(f"  {record.id or UNKNOWN}", "cyan")


def _verdict(record: Recent, chairman: str) -> Line:
    return (
        Words(f"Chairman: {legible(chairman) or UNKNOWN}"),
        Words(stars(record.confidence), "yellow"),
        Words(money(record.cost_usd)),
        *([_rating(record)] if record.user_rating else ()),
    )


def _rating(record: Recent) -> Words:
    return Words(legible(record.user_rating), _RATING_STYLES.get(record.user_rating or "", ""))


def cost_report(spending: Spending) -> Iterator[Block]:
    """Yield what was spent, on what, and what is left."""
    yield title("Cost Report:")
    total = money(spending.total_cost_usd) if spending.costs_known else UNKNOWN
    yield line("  Total spend: ", total, known_of(spending.costs_known, spending.deliberations))
    yield line("  Today (UTC): ", money(spending.day_cost_usd))
    yield line("  This month: ", money(spending.month_cost_usd))
    if spending.by_size:
        yield _EMPTY
        yield title("  By size:")
        names = [f"{_size(size)}:" for size in spending.by_size]
        means = [money(size.average_cost_usd) for size in spending.by_size]
        name_width, mean_width = max(map(len, names)), max(map(len, means))
        for name, mean, size in zip(names, means, spending.by_size, strict=True):
            count = counted(size.deliberations) + known_of(size.costs_known, size.deliberations)
            yield line(f"    {name:{name_width}} avg ", f"{mean:{mean_width}}", f"  |  {count}")
    stages = spending.by_stage
    yield _EMPTY
    known = f" (known for {money(stages.known_usd)} of {total})"
    partly = not stages.estimated and money(stages.known_usd) != total
    yield title(f"  By stage{known if partly else ''}:")
    about = "~" if stages.estimated else ""
    yield line("    Stage 1 (Collect):   ", about + percent(stages.collect), " of cost")
    yield line("    Stage 2 (Review):    ", about + percent(stages.review), " of cost")
    yield line("    Stage 3 (Synthesis): ", about + percent(stages.synthesize), " of cost")
    yield _EMPTY
    yield _budget(spending)


def _size(size: Size) -> str:
    if size.models is None:
        return "unknown size"
    models = f"{size.models} {plural(size.models, 'model')}"
    return f"{size.name} ({models})" if size.name else models


def _budget(spending: Spending) -> Line:
    budget, remaining = spending.budget_usd, spending.remaining_usd
    if budget is None or remaining is None:
        return line("  Budget: ", "none set", " (council-vault config set budget.monthly_usd USD)")
    over = f" ({money(-remaining)} over)" if remaining < 0 else ""
    left = money(max(0.0, remaining))
    return line(
        "  Budget: ", left, f" remaining of {money(budget)}/month{over}", style="red" if over else "bold"
    )


def optimization_report(optimization: Optimization) -> Iterator[Block]:
    """Yield how the last run of the optimization loop has gone, and those before it in short."""
    yield title("Optimization History:")
    if not optimization.runs:
        yield line("  No experiments yet.")
        return
    last, *earlier = optimization.runs
    yield line("  Last run: ", _run(last))
    yield line("  Changes ", f"kept: {last.kept} | reverted: {last.reverted} | skipped: {last.skipped}")
    costs = known_of(optimization.costs_known, optimization.experiments)
    total = money(optimization.total_cost_usd) if optimization.costs_known else UNKNOWN
    yield line("  Total optimization spend: ", total, costs)
    if earlier:
        yield _EMPTY
        yield title("  Earlier runs:")
        for run in earlier[:_MOST_RUNS]:
            yield line(f"    {_run(run)} | {run.kept} kept")
        if len(earlier) > _MOST_RUNS:
            yield line(f"    and {len(earlier) - _MOST_RUNS} more")


def _run(run: Run) -> str:
    experiments = f"{run.experiments} {plural(run.experiments, 'experiment')}"
    rates = f"baseline {percent(run.baseline_pass_rate)} → final {percent(run.final_pass_rate)}"
    return f"{run.day or UNKNOWN} | {experiments} | {rates}"


def benchmarks_report(benchmarks: Benchmarks) -> Iterator[Block]:
    """Yield the deliberations to try prompts on, and what is missing to them."""
    yield title("Benchmarks:")
    chosen = benchmarks.benchmarks
    yield Entries(
        before=[(_id(record), Words(legible(record.category) or UNKNOWN)) for record in chosen],
        quotations=[legible(record.query_summary) or UNKNOWN for record in chosen],
        behind=[(_rating(record),) for record in chosen],
    )
    for lacking in benchmarks.lacking:
        yield line("  Missing: ", lacking, style="yellow")
