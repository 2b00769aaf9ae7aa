"""What an agent may have got wrong in a memory that can be read: its parts checked against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from council_vault.learning.archive_checks import check_archived
from council_vault.learning.discrepancy import Discrepancy
from council_vault.learning.model_checks import check_models
from council_vault.learning.moments import moments
from council_vault.learning.record_checks import AHEAD, check_records
from council_vault.learning.rule_checks import check_routing
from council_vault.memory.times import moment, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from council_vault.memory.schema import Memory

_EMPTY: Mapping[str, Any] = {"deliberations": list, "model_performance": dict}


def check(
    memory: Memory, document: Mapping[str, Any], now: datetime, *, vanished: bool
) -> Iterator[Discrepancy]:
    """Yield what contradicts the rest of a memory, or is missing and follows from the rest.

    Args:
        memory: what was understood.
        document: the same memory parsed, as plain values of schema 1.3.
        now: an aware time.
        vanished: whether records are known to be missing, so that aggregates and rules may be right.
    """
    complete = is_complete(memory, vanished=vanished)
    for field, empty in _EMPTY.items():
        if document.get(field) is None:
            yield Discrepancy(path=(field,), what="missing", right=empty())
    yield from _stamps(memory, now)
    elements = document.get("deliberations")
    raw = [
        (place, element)
        for place, element in enumerate(elements if isinstance(elements, list) else ())
        if isinstance(element, dict)
    ]
    placed = [(*one, record) for one, record in zip(raw, memory.deliberations, strict=True)]
    whole = complete and not memory.archived.count
    yield from check_records(placed, moments(memory), now, complete=whole)
    models, routing = document.get("model_performance"), document.get("routing_model")
    if models is None or isinstance(models, dict):
        yield from check_models(memory, models or {}, complete=complete)
    if isinstance(routing, dict):
        yield from check_routing(memory, routing, complete=complete)
    yield from check_archived(memory.archived)


def is_complete(memory: Memory, *, vanished: bool) -> bool:
    """Tell whether every record that ever was is in the file or counted in ``archived``.

    Agents remove old records without counting them; then the rules say that there were more.
    """
    return not vanished and memory.routing_model.sample_size <= memory.total


def _stamps(memory: Memory, now: datetime) -> Iterator[Discrepancy]:
    """Check when the memory was begun and last changed against its records."""
    times = [time for time in moments(memory) if time is not None and time <= now + AHEAD]
    if moment(memory.created) is None:
        what = "it says no time" if memory.created is not None else "missing"
        yield Discrepancy(path=("created",), what=what, right=stamp(min(times, default=now)))
    updated = moment(memory.last_updated)
    newest = max(times, default=None)
    if updated is None:
        what = "it says no time" if memory.last_updated is not None else "missing"
        yield Discrepancy(path=("last_updated",), what=what, right=stamp(max([now, *times])))
    elif newest is not None and updated.replace(microsecond=0) < newest.replace(microsecond=0):
        what = f"{memory.last_updated} is before the newest record, {stamp(newest)}"
        yield Discrepancy(path=("last_updated",), what=what, level="note", right=stamp(newest))
