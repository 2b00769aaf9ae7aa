"""Keeping the memory file small: old records are shortened, the oldest removed, and no statistic changes.

The newest 200 records stay in full, the next 300 become summaries, which lack what only a reader of the log
would miss; of older ones the sums in ``archived`` stay. Where records are so large that the file would reach
400 000 bytes all the same, the oldest summaries go as well. What cannot be understood is never touched.
"""

from __future__ import annotations

import copy
import json
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from council_vault.learning.archiving import archived as what_stays
from council_vault.memory.times import age

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from council_vault.memory.schema import Deliberation, Memory

KEPT_IN_FULL = 200
KEPT = 500
LARGEST_FILE = 390_000  # bytes; ten more records fit below 400 000 before this is looked at again
_LARGEST_REST = 60_000  # bytes of all else in the file that records make room for
_SPARE = 2_000  # bytes, since what stays of removed records takes more lines than one

_DROPPED = ("query_summary", "query_hash")
_DROPPED_FEATURES = ("length", "keywords")


class Compacted(NamedTuple):
    """The elements of ``deliberations`` that stay, and what stands for the removed ones in ``archived``."""

    elements: list[object]
    archived: dict[str, Any]


def compact(
    elements: Sequence[object],
    memory: Memory,
    archived: Mapping[str, Any],
    *,
    size: int,
    keep_pending: bool,
) -> Compacted | None:
    """Shorten and remove old records once there are more than 500, or the file is larger than 390 000 bytes.

    Args:
        elements: ``deliberations`` as `canonical.parse` returns it; what is no record with an id of its own
            (no ``dict``) stays as it is.
        memory: what of them could be understood.
        archived: what stands in the file of records removed before, unknown fields included.
        size: of the file in canonical form, in bytes.
        keep_pending: leave records alone that are not in the vault yet.

    Returns:
        What is to stand in the file, ``None`` where that is what stands there. Unknown fields are kept.
    """
    known = memory.identified
    records = {
        element["id"]: element for element in elements if isinstance(element, dict) and element["id"] in known
    }
    if len(records) <= KEPT and size <= LARGEST_FILE:
        return None
    newest_first = _newest_first(list(records), known)
    summaries = {
        id_: _summary(records[id_])
        for id_ in newest_first[KEPT_IN_FULL:]
        if known[id_].vault_synced or not keep_pending
    }
    lengths = {id_: _length(summaries.get(id_, record)) for id_, record in records.items()}
    rest = size - sum(map(_length, records.values())) - _length(archived)
    room = LARGEST_FILE - min(rest, _LARGEST_REST)
    removed = _removable(summaries.keys() & newest_first[KEPT:], known)
    while True:
        stays = _with_removed(archived, memory, [id_ for id_ in reversed(newest_first) if id_ in removed])
        excess = sum(lengths[id_] for id_ in records if id_ not in removed) + _length(stays) - room
        further = [id_ for id_ in reversed(summaries) if id_ not in removed] if excess > 0 else []
        more = _removable(removed.union(_enough(further, lengths, excess + _SPARE)), known)
        if more == removed:
            break
        removed = more
    staying = [summaries.get(_id(one) or "", one) for one in elements if _id(one) not in removed]
    if not removed and all(map(operator.is_, staying, elements)):
        return None
    return Compacted(staying, stays)


def _id(element: object) -> str | None:
    """Return the id of a record; `canonical.parse` leaves as a ``dict`` what has one of its own."""
    return element["id"] if isinstance(element, dict) else None


def _newest_first(ids: Sequence[str], known: Mapping[str, Deliberation]) -> list[str]:
    """Order records by their time, then by their place in the file."""
    placed = [(age(id_, known[id_].timestamp)[0], place, id_) for place, id_ in enumerate(ids)]
    return [id_ for _, _, id_ in sorted(placed, reverse=True)]


def _removable(candidates: Collection[str], known: Mapping[str, Deliberation]) -> set[str]:
    """Leave out those that judge a record that stays: it was a miss if asking again was worth it."""
    removed = set(candidates)
    while needed := {
        id_ for id_ in removed if (judged := known[id_].repeat_of) in known and judged not in removed
    }:
        removed -= needed
    return removed


def _enough(ids: Iterable[str], lengths: Mapping[str, int], excess: int) -> Iterator[str]:
    """Yield as many of the ids as it takes to get rid of so many bytes."""
    for id_ in ids:
        if excess <= 0:
            return
        yield id_
        excess -= lengths[id_]


def _length(value: object) -> int:
    """Return how many bytes a value takes on a line of its own, with what stands around it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode(errors="surrogatepass")) + len(",\n    ")


def _with_removed(archived: Mapping[str, Any], memory: Memory, removed: Sequence[str]) -> dict[str, Any]:
    """Return what stands in the file of removed records, once more of them are removed."""
    if not removed:
        return dict(archived)
    sums = msgspec.to_builtins(what_stays(memory, [memory.identified[id_] for id_ in removed]))
    return _merged(archived, sums) | {"days": sums["days"]}


def _summary(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without what no statistic needs; the same one where it has none of that."""
    features = record.get("query_features")
    shorter = _without(features, _DROPPED_FEATURES) if isinstance(features, dict) else features
    summary = _without(record, _DROPPED)
    if shorter is features:
        return summary
    return _with(summary, "query_features", shorter)


def _without(values: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    present = [name for name in names if name in values]
    if not present:
        return values
    rest = copy.copy(values)  # also of an object in which keys stood more than once
    for name in present:
        del rest[name]
    return rest


def _with(values: dict[str, Any], name: str, value: object) -> dict[str, Any]:
    changed = copy.copy(values)
    changed[name] = value
    return changed


def _merged(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return new sums with the fields that are not ours kept beside them."""
    merged = dict(before)
    for name, value in after.items():
        former = before.get(name)
        if isinstance(value, dict) and isinstance(former, dict):
            merged[name] = _merged(former, value)
        else:
            merged[name] = value
    return merged
