"""Where in a table of the log new rows go, and which are the newest. What stands is never reordered."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from heapq import nlargest
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

from council_vault.notes.gfm_table import next_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from council_vault.notes.log_layout import Row


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


Key = tuple[str, int, str]
Added = TypeVar("Added", bound=_Identified)


def sort_key(record_id: str) -> Key:
    """What orders ids as their records came: by day, then by number."""
    return record_id[2:10], len(record_id), record_id


def quarter_of(record_id: str) -> tuple[int, int]:
    """Return the year and quarter of the day in an id."""
    return int(record_id[2:6]), (int(record_id[6:8]) + 2) // 3


def newest_first(added: Iterable[Added]) -> list[Added]:
    """Return rows in the order of the log."""
    return sorted(added, key=lambda row: sort_key(row.id), reverse=True)


def newest(ids: Collection[str], count: int) -> Callable[[str], bool]:
    """Return a test for the ``count`` newest of ids."""
    if len(ids) <= count:
        return lambda _: True
    if count <= 0:
        return lambda _: False
    # As texts, ids are ordered by day alone; that is much quicker, and leaves few whose numbers matter.
    first_of_day = nlargest(count, ids)[-1][: len("d_20260328")]
    oldest = nlargest(count, (sort_key(record_id) for record_id in ids if record_id >= first_of_day))[-1]
    return lambda record_id: sort_key(record_id) >= oldest


def places(text: str, body: int, rows: Sequence[Row], added: Iterable[Added]) -> Mapping[int, list[Added]]:
    """Say before which lines new rows go in a table, and in which order.

    Rows that run newest first or oldest first go on so; in any other order new ones go on top, the newest
    first.

    Args:
        text: the note.
        body: where the first line below the table's dashes begins.
        rows: the table's rows as they stand.
        added: the new ones.

    Returns:
        The new rows by the offset of the line they go before.
    """
    keys = [sort_key(row.id) for row in rows]
    downwards = newest_first(added)
    starts = [row.start for row in rows]
    starts.append(next_line(text, rows[-1].end) if rows else body)
    found = defaultdict[int, list[Added]](list)
    if all(above >= below for above, below in pairwise(keys)):
        upwards = keys[::-1]
        for row in downwards:
            found[starts[len(keys) - bisect_left(upwards, sort_key(row.id))]].append(row)
    elif all(above <= below for above, below in pairwise(keys)):
        for row in reversed(downwards):
            found[starts[bisect_left(keys, sort_key(row.id))]].append(row)
    else:
        found[starts[0]] = downwards
    return found
