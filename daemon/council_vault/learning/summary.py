"""How the council has done in all, as ``stats summary`` shows it: the feed that other tools read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.learning.archiving import LARGEST_LATENCY
from council_vault.learning.history import Recent, recent
from council_vault.learning.leaderboard import Best, Place, leaderboard
from council_vault.learning.means import mean_of
from council_vault.learning.routing import FIRST_REBUILD
from council_vault.learning.stats import decisions, totals
from council_vault.memory.times import moment, stamp

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.memory.schema import Memory

Mode = Literal["learned", "always_deliberate", "always_shortcut"]

UNAVAILABLE = "vault_unavailable"  # what the memory file notes when there was no vault to write to


class Category(msgspec.Struct, frozen=True):
    """A category of queries.

    Attributes:
        category: its name.
        deliberations: how many it has had, removed ones included.
    """

    category: str
    deliberations: int


class Router(msgspec.Struct, frozen=True, kw_only=True):
    """How the router stands.

    Attributes:
        state: learning (too few deliberations for rules), active, or the fixed mode that it is in:
            always_deliberate or always_shortcut.
        mode: what the settings say: learned, always_deliberate or always_shortcut.
        samples: deliberations so far.
        samples_needed: how many the first rules are made from.
        rules: how many rules there are.
        last_rebuilt: when they were made, in UTC; ``None`` where that was never or is not known.
        decisions: how many decisions it has taken itself.
        right: how many of these turned out right.
    """

    state: Literal["learning", "active", "always_deliberate", "always_shortcut"]
    mode: Mode
    samples: int
    samples_needed: int
    rules: int
    last_rebuilt: str | None
    decisions: int
    right: int


class VaultSync(msgspec.Struct, frozen=True, kw_only=True):
    """How the vault stands to the memory file, as that file says.

    Attributes:
        state: unavailable (there was no vault at the last attempt), never, pending or synced.
        last_synced: when the notes were last written, in UTC; ``None`` where that was never or is not known.
        pending: how many records are still to be written to it.
    """

    state: Literal["unavailable", "never", "pending", "synced"]
    last_synced: str | None
    pending: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The feed of ``stats summary --json``; ``None`` is unknown.

    Every count and mean is over all deliberations there have ever been, those that compaction has removed
    from the file included.

    Attributes:
        schema: which feed this is, and its version; it changes when a key goes or means something else.
        as_of: when it was made, in UTC.
        deliberations: how many there have been.
        archived: how many of them were removed from the file.
        not_understood: how many fields and records of the file could not be read, and do not count.
        first_day: the calendar day of the oldest one.
        last_day: the calendar day of the newest one.
        total_cost_usd: what they cost in USD, over those whose cost is known.
        average_cost_usd: the mean of these.
        costs_known: how many these are.
        average_latency_ms: mean time in milliseconds, over those where it is known.
        latencies_known: how many these are.
        average_confidence: mean confidence in 0..1, over those where it is known.
        confidences_known: how many these are.
        categories: every category and its deliberations, most first.
        ratings: how many are positive, negative, neutral and unrated.
        router: how the router stands.
        vault_sync: how the vault stands to the memory file.
        models: as in ``stats models``.
        best_by_category: likewise.
        history: the ten most recent deliberations, newest first, as in ``stats history``.
    """

    schema: str = "council-vault/summary/1"
    as_of: str
    deliberations: int
    archived: int
    not_understood: int
    first_day: str | None
    last_day: str | None
    total_cost_usd: float
    average_cost_usd: float | None
    costs_known: int
    average_latency_ms: float | None
    latencies_known: int
    average_confidence: float | None
    confidences_known: int
    categories: tuple[Category, ...]
    ratings: Mapping[str, int]
    router: Router
    vault_sync: VaultSync
    models: tuple[Place, ...]
    best_by_category: tuple[Best, ...]
    history: tuple[Recent, ...]


def summary(memory: Memory, mode: Mode, now: datetime, *, not_understood: int = 0) -> Summary:
    """Return the feed on everything; ``mode`` is the setting ``router.mode``."""
    counted, removed, records = totals(memory), memory.archived, memory.deliberations
    latency = mean_of((record.latency_ms for record in records), removed.latency, largest=LARGEST_LATENCY)
    confidence = mean_of((record.confidence for record in records), removed.confidence, largest=1)
    standing = leaderboard(memory, now)
    return Summary(
        as_of=stamp(now),
        deliberations=counted.count,
        archived=max(0, removed.count),
        not_understood=not_understood,
        first_day=counted.first_day.isoformat() if counted.first_day else None,
        last_day=counted.last_day.isoformat() if counted.last_day else None,
        total_cost_usd=counted.spend,
        average_cost_usd=counted.spend / counted.costs_known if counted.costs_known > 0 else None,
        costs_known=counted.costs_known,
        average_latency_ms=latency.average,
        latencies_known=latency.count,
        average_confidence=confidence.average,
        confidences_known=confidence.count,
        categories=categories(memory),
        ratings={
            "positive": counted.ratings["positive"],
            "negative": counted.ratings["negative"],
            "neutral": counted.ratings["neutral"],
            "unrated": max(0, counted.count - counted.rated),
        },
        router=_router(memory, mode),
        vault_sync=_vault_sync(memory),
        models=standing.models,
        best_by_category=standing.best_by_category,
        history=recent(memory),
    )


def categories(memory: Memory) -> tuple[Category, ...]:
    """Return every category and how many deliberations it has had, most first."""
    counted = Counter(record.category for record in memory.deliberations)
    for category, removed in memory.archived.categories.items():
        counted[category] += max(0, removed.count)
    ordered = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    return tuple(Category(category, count) for category, count in ordered)


def _router(memory: Memory, mode: Mode) -> Router:
    taken = decisions(memory)
    rebuilt = moment(memory.routing_model.last_rebuilt)
    learned: Literal["learning", "active"] = "learning" if memory.total < FIRST_REBUILD else "active"
    return Router(
        state=learned if mode == "learned" else mode,
        mode=mode,
        samples=memory.total,
        samples_needed=FIRST_REBUILD,
        rules=len(memory.routing_model.rules),
        last_rebuilt=stamp(rebuilt) if rebuilt else None,
        decisions=taken.count,
        right=taken.hits,
    )


def _vault_sync(memory: Memory) -> VaultSync:
    last, pending = memory.last_vault_sync, len(memory.pending)
    written = moment(last)
    state: Literal["unavailable", "never", "pending", "synced"] = "pending" if pending else "synced"
    if memory.vault_sync_note == UNAVAILABLE:
        state = "unavailable"
    elif last is None:
        state = "never"
    return VaultSync(state=state, last_synced=stamp(written) if written else None, pending=pending)
