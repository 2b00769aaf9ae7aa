"""When the deliberations were, worked out once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.learning.once import once
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from council_vault.memory.schema import Memory


@once
def moments(memory: Memory) -> Sequence[datetime | None]:
    """Return the time of each record in UTC, in the file's order; ``None`` where it cannot be read."""
    return [moment(record.timestamp) for record in memory.deliberations]
