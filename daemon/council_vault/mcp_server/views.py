"""The views of the council's statistics, by the words that an agent asks for them with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from council_vault.operations import statistics

if TYPE_CHECKING:
    from datetime import datetime

    import msgspec

    from council_vault.workspace import Workspace

View: TypeAlias = Literal["summary", "models", "history", "cost", "optimization", "benchmarks"]


def statistics_of(view: View, workspace: Workspace, now: datetime, last: int) -> msgspec.Struct:
    """Return a view; ``last`` is how many deliberations the history shows.

    Raises:
        MemoryUnreadable: the memory file is missing or broken.
    """
    match view:
        case "summary":
            return statistics.council_summary(workspace, now)
        case "models":
            return statistics.council_models(workspace, now)
        case "history":
            return statistics.council_history(workspace, now, last)
        case "cost":
            return statistics.council_cost(workspace, now)
        case "optimization":
            return statistics.council_optimization(workspace, now)
        case "benchmarks":
            return statistics.council_benchmarks(workspace, now)
