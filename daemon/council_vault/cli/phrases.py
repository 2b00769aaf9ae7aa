"""The words and lines that reports are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.cli.moments import local_time
from council_vault.cli.tables import Words
from council_vault.memory.times import moment
from council_vault.notes.figures import plural

if TYPE_CHECKING:
    from council_vault.cli.show import Line
    from council_vault.learning.summary import Router, VaultSync


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
    when = local_time(written) if written else "at an unknown time"
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
