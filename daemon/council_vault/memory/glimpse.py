"""The little that must be known of every record to decide what to do: who it is, and whether it is in the vault.

Several times quicker than decoding; for the questions that are asked at every turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.memory.encoding import unwrap
from council_vault.memory.parsing import collector_paused, document
from council_vault.memory.schema import parse_id

if TYPE_CHECKING:
    from collections.abc import Sequence


class Glimpse(msgspec.Struct):
    """Four fields of a record, whatever they hold."""

    id: Any = None
    timestamp: Any = None
    query_hash: Any = None
    vault_synced: Any = None


class _Root(msgspec.Struct):
    deliberations: list[Glimpse] = []


class _Version(msgspec.Struct):
    version: Any = None


_quick_version = msgspec.json.Decoder(_Version)
_quick = msgspec.json.Decoder(_Root)


def glimpses(body: bytes) -> Sequence[Glimpse | None]:
    """Return a glimpse of each element of ``deliberations`` in UTF-8 text, ``None`` for what is not an object.

    Raises:
        MemoryUnreadable: the text is not JSON with an object at the top.
    """
    with collector_paused():
        try:
            return _quick.decode(body).deliberations
        except (msgspec.DecodeError, RecursionError):
            elements = document(body).get("deliberations")
    if not isinstance(elements, list):
        return ()
    return [_glimpse(one) if isinstance(one, dict) else None for one in elements]


def pending_ids(data: bytes) -> tuple[str, ...]:
    """Return the ids of the records that are not flagged as written to the vault, as `Memory.pending` does.

    Raises:
        MemoryUnreadable: the bytes are not JSON with an object at the top.
    """
    seen: set[object] = set()
    pending = []
    for one in glimpses(unwrap(data).body):
        if one is None or not isinstance(one.id, str) or one.id in seen:
            continue
        seen.add(one.id)
        if one.vault_synced is not True and parse_id(one.id):
            pending.append(one.id)
    return tuple(pending)


def version_of(data: bytes) -> object:
    """Return what the file gives as its version, whatever that is.

    Raises:
        MemoryUnreadable: the bytes are not JSON with an object at the top.
    """
    body = unwrap(data).body
    try:
        return _quick_version.decode(body).version
    except (msgspec.DecodeError, RecursionError):
        return document(body).get("version")


def _glimpse(record: dict[str, Any]) -> Glimpse:
    return Glimpse(*(record.get(name) for name in Glimpse.__struct_fields__))
