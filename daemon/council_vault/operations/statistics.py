"""What the memory says of how the council does: each view of it, ready to be shown or handed over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.learning import benchmarks, history, leaderboard, optimization, spending, summary

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace

# A view waits for nobody: what stands in the file now is what it is of.
_PATIENCE = 0.0


def council_summary(workspace: Workspace, now: datetime) -> summary.Summary:
    """Return totals, categories, ratings, the router and the vault, the models and what was last.

    Raises:
        MemoryUnreadable: the memory file is missing or broken; every view raises this.
    """
    content = workspace.memory_file().read(patience=_PATIENCE)
    mode = workspace.settings.router.mode
    return summary.summary(content.memory, mode, now, not_understood=len(content.problems))


def council_models(workspace: Workspace, now: datetime) -> leaderboard.Leaderboard:
    """Return where each model stands."""
    return leaderboard.leaderboard(_memory(workspace), now)


def council_history(workspace: Workspace, now: datetime, last: int = history.LAST) -> history.History:
    """Return so many of the most recent deliberations."""
    return history.history(_memory(workspace), now, last)


def council_cost(workspace: Workspace, now: datetime) -> spending.Spending:
    """Return what was spent, and what is left of the budget."""
    return spending.spending(_memory(workspace), workspace.settings.budget.monthly_usd, now)


def council_optimization(workspace: Workspace, now: datetime) -> optimization.Optimization:
    """Return how optimizing the council's prompts has gone."""
    return optimization.optimization(_memory(workspace), now)


def council_benchmarks(workspace: Workspace, now: datetime) -> benchmarks.Benchmarks:
    """Return rated deliberations that a changed prompt can be tried on."""
    return benchmarks.benchmarks(_memory(workspace), now)


def _memory(workspace: Workspace) -> Memory:
    return workspace.memory_file().read(patience=_PATIENCE).memory
