"""What the daemon says of itself: the one line for systemd, and what `status` shows."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from council_vault.service.schedule import Outlook

NOT_UNDERSTOOD = "of the memory file could not be understood; `council-vault doctor` names them"


def local_time(seconds_from_now: float = 0.0) -> str:
    """Return a moment as the person's own time, with the date, to the minute."""
    moment = datetime.now().astimezone() + timedelta(seconds=seconds_from_now)
    return moment.strftime("%Y-%m-%d %H:%M")


def summary(outlook: Outlook, synced: str, troubles: Collection[str]) -> str:
    """Return how things are, in one line.

    Args:
        outlook: what there is to do.
        synced: when all was last brought up to date, as local time; empty if it has not been yet.
        troubles: what is wrong; the first of them is said.
    """
    count = outlook.total
    parts = [f"{count} deliberation{'' if count == 1 else 's'}", f"{len(outlook.pending)} pending"]
    if synced:
        parts.append(f"synced {synced}")
    trouble = next(iter(troubles), "")
    return ", ".join(parts) + (f"; {trouble}" if trouble else "")


def not_understood(count: int) -> str:
    """Return what is said of so many fields or records that could not be understood; empty for none."""
    if not count:
        return ""
    fields = "a field or record" if count == 1 else f"{count} fields or records"
    return f"{fields} {NOT_UNDERSTOOD}"


def pending_until(outlook: Outlook, every: int, flush_at: str) -> str:
    """Return what pending records wait for; empty where none are."""
    if not outlook.pending:
        return ""
    following = (outlook.total // every + 1) * every
    return f"{len(outlook.pending)} pending until there are {following} deliberations, or until {flush_at}"
