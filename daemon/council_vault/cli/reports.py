"""What the statistics say on a screen: the layouts of the pattern memory's operation 4."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from council_vault.cli.show import Entries, Line, legible
from council_vault.cli.tables import Table, Words
from council_vault.memory.times import moment
from council_vault.notes.cells import UNKNOWN, money, short_names, stars
from council_vault.notes.figures import decimal, percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from council_vault.cli.show import Block
    from council_vault.learning.benchmarks import Benchmarks
    from council_vault.learning.history import History, Recent
    from council_vault.learning.leaderboard import Leaderboard, Place
    from council_vault.learning.optimization import Optimization, Run
    from council_vault.learning.spending import Size, Spending
    from council_vault.learning.summary import Router, Summary, VaultSync

_MOST_CATEGORIES = 7
_MOST_RUNS = 5
_BIASED_ABOVE = 0.15
_UNITS = {
    "y": timedelta(days=365),
    "mo": timedelta(days=30),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
}
_EMPTY: Line = (Words(""),)
_RATING_STYLES = {"positive": "green", "negative": "red", "neutral": "yellow"}
_LEADERBOARD = ("Model", "Rank", "n", "Win Rate", "Chairman", "Self-Pref Rate")


def summary_report(summary: Summary) -> Iterator[Block]:
    """Yield the summary: totals, categories, ratings, the router and the vault."""
    count = summary.deliberations
    costs = _known(summary.costs_known, count)
    yield _line("Total deliberations: ", str(count))
    yield _line("Total cost: ", money(summary.total_cost_usd) if summary.costs_known else UNKNOWN, costs)
    yield _line("Average cost: ", money(summary.average_cost_usd), costs)
    latency = decimal(summary.average_latency_ms, 0)
    yield _line(
        "Average latency: ",
        latency if latency == UNKNOWN else f"{latency}ms",
        _known(summary.latencies_known, count),
    )
    yield _line(
        "Average confidence: ",
        decimal(summary.average_confidence, 2),
        _known(summary.confidences_known, count),
    )
    if summary.categories:
        yield _EMPTY
        yield _title("Top categories:")
        for place, one in enumerate(summary.categories[:_MOST_CATEGORIES], start=1):
            name = legible(one.category) or UNKNOWN
            yield _line(f"  {place}. {name} — ", _counted(one.deliberations))
        more = len(summary.categories) - _MOST_CATEGORIES
        if more > 0:
            yield _line(f"  and {more} more")
    yield _EMPTY
    yield _title("Rating breakdown:")
    for rating, number in summary.ratings.items():
        share = percent(number / count) if count else "0%"
        yield _line(
            f"  {rating.capitalize()}: ", f"{number} ({share})", style=_RATING_STYLES.get(rating, "bold")
        )
    yield _EMPTY
    yield _line("Router status: ", router_status(summary.router))
    yield _line("Vault sync: ", vault_status(summary.vault_sync))


def router_status(router: Router) -> str:
    """Return how the router stands in a few words."""
    if router.state == "learning":
        return f"learning ({router.samples}/{router.samples_needed} samples)"
    if router.state == "active":
        return f"active ({router.rules} {plural(router.rules, 'rule')})"
    return router.state.replace("_", "-")


def vault_status(sync: VaultSync) -> str:
    """Return how the vault stands in a few words; times are those of the place where it is asked."""
    written = moment(sync.last_synced)
    when = f"{written.astimezone():%Y-%m-%d %H:%M}" if written else "at an unknown time"
    pending = f"{sync.pending} {plural(sync.pending, 'record')} pending sync"
    match sync.state:
        case "synced":
            return f"last synced {when}"
        case "pending":
            return f"{pending} (last synced {when})"
        case "never":
            return f"never ({pending})" if sync.pending else "never"
        case "unavailable":
            return f"vault unavailable ({pending})" if sync.pending else "vault unavailable"


def models_report(board: Leaderboard) -> Iterator[Block]:
    """Yield the table of the models, and the best one of each category."""
    yield _title("Model Performance:")
    if not board.models:
        yield _line("  No model has taken part in a deliberation yet.")
        return
    short = short_names(one.model for one in board.models)
    ranked = sum(one.ranked for one in board.models)
    yield Table(
        header=_LEADERBOARD,
        names=[(legible(one.model), legible(short[one.model])) for one in board.models],
        figures=[_figures(one) for one in board.models],
        above=ranked,
    )
    if ranked < len(board.models):
        which = "Below the line: too" if ranked else "Too"
        yield _line(f"{which} few deliberations to be ranked.")
    yield _EMPTY
    yield _title("Best by category:")
    for best in board.best_by_category:
        place = f"avg rank {decimal(best.avg_rank, 1)}, n {best.rank_count}"
        yield _line(f"  {legible(best.category) or UNKNOWN} → ", legible(best.model), f" ({place})")
    if not board.best_by_category:
        yield _line("  No model has been ranked in one often enough yet.")


def _figures(place: Place) -> Line:
    rank = decimal(place.avg_rank, 1)
    if place.avg_rank is not None and place.rank_error is not None:
        rank += f" ±{decimal(place.rank_error, 1)}"
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
    yield _title("Recent Deliberations:")
    if not history.history:
        yield _line("  None yet.")
        return
    yield _entries(history.history, now)


def _entries(records: Sequence[Recent], now: datetime) -> Entries:
    names = short_names({record.chairman for record in records if record.chairman})
    return Entries(
        before=[
            (Words(f"  {record.id or UNKNOWN}", "cyan"), Words(ago(moment(record.timestamp), now)))
            for record in records
        ],
        quotations=[legible(record.query_summary) or UNKNOWN for record in records],
        behind=[_verdict(record, names.get(record.chairman or "", "")) for record in records],
    )


def _verdict(record: Recent, chairman: str) -> Line:
    rating = record.user_rating
    return (
        Words(f"Chairman: {legible(chairman) or UNKNOWN}"),
        Words(stars(record.confidence), "yellow"),
        Words(money(record.cost_usd)),
        *([Words(legible(rating), _RATING_STYLES.get(rating, ""))] if rating else ()),
    )


def ago(when: datetime | None, now: datetime) -> str:
    """Return how long ago something was: ``2m ago``, ``3d ago``; ``in 2h`` where a clock is ahead."""
    if when is None:
        return UNKNOWN
    passed = abs(now - when)
    unit = next((unit for unit in _UNITS if passed >= _UNITS[unit]), None)
    if unit is None:
        return "just now"
    span = f"{passed // _UNITS[unit]}{unit}"
    return f"{span} ago" if when < now else f"in {span}"


def cost_report(spending: Spending) -> Iterator[Block]:
    """Yield what was spent, on what, and what is left."""
    yield _title("Cost Report:")
    total = money(spending.total_cost_usd) if spending.costs_known else UNKNOWN
    yield _line("  Total spend: ", total, _known(spending.costs_known, spending.deliberations))
    yield _line("  Today (UTC): ", money(spending.day_cost_usd))
    yield _line("  This month: ", money(spending.month_cost_usd))
    if spending.by_size:
        yield _EMPTY
        yield _title("  By size:")
        names = [f"{_size(size)}:" for size in spending.by_size]
        longest = max(map(len, names))
        for name, size in zip(names, spending.by_size, strict=True):
            costs = _known(size.costs_known, size.deliberations)
            mean = money(size.average_cost_usd)
            yield _line(f"    {name:{longest}} avg ", mean, f"  |  {_counted(size.deliberations)}{costs}")
    stages = spending.by_stage
    yield _EMPTY
    known = f" (known for {money(stages.known_usd)} of {total})"
    partly = not stages.estimated and money(stages.known_usd) != total
    yield _title(f"  By stage{known if partly else ''}:")
    about = "~" if stages.estimated else ""
    yield _line("    Stage 1 (Collect):   ", about + percent(stages.collect), " of cost")
    yield _line("    Stage 2 (Review):    ", about + percent(stages.review), " of cost")
    yield _line("    Stage 3 (Synthesis): ", about + percent(stages.synthesis), " of cost")
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
        return _line("  Budget: ", "none set", " (council-vault config set budget.monthly_usd USD)")
    over = f" ({money(-remaining)} over)" if remaining < 0 else ""
    left = money(max(0.0, remaining))
    return _line(
        "  Budget: ", left, f" remaining of {money(budget)}/month{over}", style="red" if over else "bold"
    )


def optimization_report(optimization: Optimization) -> Iterator[Block]:
    """Yield how the last run of the optimization loop has gone, and those before it in short."""
    yield _title("Optimization History:")
    if not optimization.runs:
        yield _line("  No experiments yet.")
        return
    last, *earlier = optimization.runs
    yield _line("  Last run: ", _run(last))
    yield _line("  Changes ", f"kept: {last.kept} | reverted: {last.reverted} | skipped: {last.skipped}")
    costs = _known(optimization.costs_known, optimization.experiments)
    total = money(optimization.total_cost_usd) if optimization.costs_known else UNKNOWN
    yield _line("  Total optimization spend: ", total, costs)
    if earlier:
        yield _EMPTY
        yield _title("  Earlier runs:")
        for run in earlier[:_MOST_RUNS]:
            yield _line(f"    {_run(run)} | {run.kept} kept")
        if len(earlier) > _MOST_RUNS:
            yield _line(f"    and {len(earlier) - _MOST_RUNS} more")


def _run(run: Run) -> str:
    experiments = f"{run.experiments} {plural(run.experiments, 'experiment')}"
    rates = f"baseline {percent(run.baseline_pass_rate)} → final {percent(run.final_pass_rate)}"
    return f"{run.day or UNKNOWN} | {experiments} | {rates}"


def benchmarks_report(benchmarks: Benchmarks, now: datetime) -> Iterator[Block]:
    """Yield the deliberations to try prompts on, and what is missing to them."""
    yield _title("Benchmarks:")
    if benchmarks.benchmarks:
        yield _entries(benchmarks.benchmarks, now)
    for lacking in benchmarks.lacking:
        yield _line("  Missing: ", lacking, style="yellow")


def _title(text: str) -> Line:
    return (Words(text, "bold"),)


def _line(label: str, figure: str = "", more: str = "", style: str = "bold") -> Line:
    return (Words(label), Words(figure, style), Words(more))


def _counted(count: int) -> str:
    return f"{count} {plural(count, 'deliberation')}"


def _known(known: int, count: int) -> str:
    """Say of how many something is known, where that is not all of them."""
    return "" if known == count else f" (known for {known} of {count})"
