"""What the log note says above its table; the table itself is the user's to move, and merged row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.learning import stats
from council_vault.notes.cells import money
from council_vault.notes.figures import plural

if TYPE_CHECKING:
    from council_vault.memory.schema import Memory


def variables(memory: Memory) -> dict[str, object]:
    """Return the variables of the note's template; what each is stands at the template's top."""
    totals = stats.totals(memory)
    return {
        "finding": _finding(totals),
        "facts": [_ratings(totals), _spend(totals)] if totals.count else [],
    }


def _finding(totals: stats.Totals) -> str:
    if not totals.count:
        return "No deliberations yet"
    count = f"{totals.count} {plural(totals.count, 'deliberation')}"
    if totals.last_day is None:
        return count
    return f"{count}, latest on {totals.last_day}" if totals.count > 1 else f"{count}, on {totals.last_day}"


def _ratings(totals: stats.Totals) -> str:
    if not totals.rated:
        return "No ratings yet"
    shares = ", ".join(
        f"{totals.ratings[rating]} {rating}"
        for rating in ("positive", "neutral", "negative")
        if totals.ratings[rating]
    )
    return f"**{totals.rated}** rated: {shares}"


def _spend(totals: stats.Totals) -> str:
    unknown = totals.count - totals.costs_known
    if not totals.costs_known:
        return "Cost unknown"
    missing = f"; the cost of {unknown} is unknown" if unknown > 0 else ""
    return f"**{money(totals.spend)}** in all{missing}"
