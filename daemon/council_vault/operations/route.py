"""Asking the router: what the memory and the settings say of a question; nothing is ever written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.learning import router
from council_vault.memory.schema import Memory
from council_vault.operations.reading import memory_if_any

if TYPE_CHECKING:
    from council_vault.workspace import Workspace


def route(workspace: Workspace, query: str, budget: float | None = None) -> router.Route:
    """Decide how a question should be answered.

    Where there is no memory file yet the router goes by rules of thumb.

    Args:
        workspace: whose memory and settings count.
        query: the question.
        budget: USD for this deliberation; ``None`` takes ``budget.per_deliberation_usd``.

    Raises:
        MemoryUnreadable: the memory file is broken.
    """
    settings = workspace.settings
    policy = router.Policy(
        mode=settings.router.mode,
        explore=settings.router.explore,
        models=settings.council.models,
        per_deliberation_usd=settings.budget.per_deliberation_usd if budget is None else budget,
    )
    return router.route(query, memory_if_any(workspace) or Memory(), policy)
