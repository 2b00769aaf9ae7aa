"""A record that joins the memory, counted in the aggregates of its models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.learning.performance import with_record
from council_vault.memory.records import object_at
from council_vault.memory.schema import ModelPerformance

if TYPE_CHECKING:
    from collections.abc import Collection

    from council_vault.memory.schema import Deliberation, Memory


def count_in(
    document: dict[str, Any], memory: Memory, record: Deliberation, tested: Collection[str]
) -> Memory:
    """Count a record in ``model_performance``, in place; return the memory with it and the new aggregates.

    Args:
        document: what `canonical.parse` returned.
        memory: what of it was understood, without the record.
        record: what joins it.
        tested: the reviewers that ranked themselves.

    Raises:
        MemoryUnreadable: the file holds something else where aggregates should be.
    """
    aggregates = with_record(memory, record, tested)
    performance = object_at(document, "model_performance")
    for model, values in aggregates.items():
        object_at(performance, model, "model_performance").update(values)
    return msgspec.structs.replace(
        memory,
        deliberations=(*memory.deliberations, record),
        model_performance={
            **memory.model_performance,
            **{model: msgspec.convert(values, ModelPerformance) for model, values in aggregates.items()},
        },
    )
