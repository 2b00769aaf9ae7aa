"""The most recent deliberations, as ``stats history`` shows them."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from typing import TYPE_CHECKING

import msgspec

from council_vault.memory.times import age, moment, stamp

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from council_vault.memory.schema import Deliberation, Memory

LAST = 10


class Recent(msgspec.Struct, frozen=True, kw_only=True):
    """One deliberation, its fields named as in the memory file; ``None`` is unknown.

    Attributes:
        id: the record's id; ``None`` where it has none of its own.
        timestamp: when, in UTC, such as ``2026-03-28T14:30:00Z``.
        query_summary: what was asked, in a few words; the query itself is nowhere.
        category: the query's category, ``other`` where none is given.
        models_used: the members of the council.
        rankings: rank by model, 1 is best; empty where there were no reviews.
        chairman: the model that wrote the synthesis.
        confidence: in 0..1.
        consensus_level: strong, moderate, weak or split.
        deliberation_value_added: what the synthesis had over the best single answer, in 0..1.
        cost_usd: in USD.
        latency_ms: in milliseconds.
        routing_decision: deliberate, single_model or explicit_command.
        user_rating: positive, negative or neutral.
        outcome: accepted, rejected, partial or unknown.
        vault_synced: whether the vault's log has its row.
    """

    id: str | None
    timestamp: str | None
    query_summary: str | None
    category: str
    models_used: tuple[str, ...]
    rankings: Mapping[str, float]
    chairman: str | None
    confidence: float | None
    consensus_level: str | None
    deliberation_value_added: float | None
    cost_usd: float | None
    latency_ms: float | None
    routing_decision: str | None
    user_rating: str | None
    outcome: str | None
    vault_synced: bool


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The feed of ``stats history --json``.

    Attributes:
        schema: which feed this is, and its version; it changes when a key goes or means something else.
        as_of: when it was made, in UTC.
        deliberations: how many there have ever been, removed ones included.
        history: the most recent ones, newest first.
    """

    schema: str = "council-vault/history/1"
    as_of: str
    deliberations: int
    history: tuple[Recent, ...]


def history(memory: Memory, now: datetime, last: int = LAST) -> History:
    """Return the feed of the most recent deliberations."""
    return History(as_of=stamp(now), deliberations=memory.total, history=recent(memory, last))


def recent(memory: Memory, last: int = LAST) -> tuple[Recent, ...]:
    """Return the last deliberations, newest first."""
    return tuple(map(seen, newest_first(memory.deliberations)[:last]))


def newest_first(records: Iterable[Deliberation]) -> list[Deliberation]:
    """Order records by time, the last one first."""
    return sorted(records, key=lambda record: age(record.id, record.timestamp))[::-1]


def seen(record: Deliberation) -> Recent:
    """Return what is shown of a record."""
    written = moment(record.timestamp)
    return Recent(
        id=record.id,
        timestamp=stamp(written) if written else None,
        query_summary=record.query_summary,
        category=record.category,
        models_used=record.models_used,
        rankings=record.rankings,
        chairman=record.chairman,
        confidence=record.confidence,
        consensus_level=record.consensus_level,
        deliberation_value_added=record.deliberation_value_added,
        cost_usd=record.cost_usd,
        latency_ms=record.latency_ms,
        routing_decision=record.routing_decision,
        user_rating=record.user_rating,
        outcome=record.outcome,
        vault_synced=record.vault_synced,
    )
