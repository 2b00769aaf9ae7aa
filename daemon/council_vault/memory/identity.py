"""Which memory this is: the stamp that its notes carry, such as ``m-20251207T112104Z``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Collection

    from council_vault.memory.schema import Memory

UNKNOWN_STAMP = "m-unknown"


def identify(memory: Memory, known_stamp: str | None, known_ids: Collection[str]) -> str:
    """Return the stamp of a memory.

    It is made from ``created``. Agents rewrite or lose that field, so the stamp known at the same path stays
    while at least half of the ids known with it remain. Without either, the earliest record makes it.

    Args:
        memory: the memory as it is now.
        known_stamp: the stamp under which the file at this path was last synced, if any.
        known_ids: ids of the records that were synced under it.
    """
    own = _stamp(memory.created)
    if known_stamp and own != known_stamp:
        remaining = sum(record_id in memory.identified for record_id in known_ids)
        if own is None or (known_ids and remaining * 2 >= len(known_ids)):
            return known_stamp
    if own is not None:
        return own
    times = [time for record in memory.deliberations if (time := moment(record.timestamp)) is not None]
    return f"m-{min(times):%Y%m%dT%H%M%SZ}" if times else UNKNOWN_STAMP


def _stamp(created: object) -> str | None:
    time = moment(created)
    return None if time is None else f"m-{time:%Y%m%dT%H%M%SZ}"
