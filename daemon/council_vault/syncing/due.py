"""When what is pending makes a sync worth while: the same for the daemon and for what logs a deliberation."""

from __future__ import annotations


def crosses(total: int, pending: int, every: int) -> bool:
    """Return whether a multiple of ``every`` lies among the deliberations that are pending."""
    return pending > 0 and total // every > (total - pending) // every
