"""The words and lines that reports are made of."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from council_vault.cli.tables import Words
from council_vault.memory.times import moment
from council_vault.notes.cells import UNKNOWN
from council_vault.notes.figures import plural

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.cli.show import Line
    from council_vault.learning.summary import Router, VaultSync

_UNITS = {
    "y": timedelta(days=365),
    "mo": timedelta(days=30),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
}


def title(text: str) -> Line:
    """Return a heading."""
    return (Words(text, "bold"),)


def line(label: str, figure: str = "", more: str = "", style: str = "bold") -> Line:
    """Return a line: a label, a figure that stands out, and what more there is to say."""
    return (Words(label), Words(figure, style), Words(more))


def counted(count: int) -> str:
    """Return a number of deliberations in words."""
    return f"{count} {plural(count, 'deliberation')}"


def known_of(known: int, count: int) -> str:
    """Say of how many something is known, where that is only some of them."""
    return "" if known in {0, count} else f" (known for {known} of {count})"


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
        case _:
            return f"vault unavailable ({pending})" if sync.pending else "vault unavailable"
