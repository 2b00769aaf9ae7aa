"""The three notes as they should be, whole, from the memory alone."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.stats import newest_day
from council_vault.memory.times import calendar_day
from council_vault.notes import log, performance, routing
from council_vault.notes.kinds import END_MARKER, TITLES, Kind, begin_marker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Memory
    from council_vault.notes.templates import Templates

_NO_DAY = date(1970, 1, 1)  # where the memory has no time at all: a note must have a date, but never today's


class DraftSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the notes say that does not come from the memory's records.

    ``stamp`` tells which memory a note belongs to; ``mode`` is the router's; ``charts`` is whether to draw
    them; ``links`` are ready links to each of the notes.
    """

    stamp: str
    mode: str = "learned"
    charts: bool = True
    links: Mapping[Kind, str]


def draft(kind: Kind, memory: Memory, settings: DraftSettings, templates: Templates) -> str:
    r"""Return a whole note, frontmatter included, with ``"\n"`` as line end; always the same for one memory.

    The log comes without its table: rows are merged into what is there.
    """
    shared: dict[str, object] = {
        "title": TITLES[kind],
        "date": _newest_data(kind, memory),
        "council_memory": settings.stamp,
        "begin": begin_marker(kind),
        "end": END_MARKER,
        "links": settings.links,
        "deliberations": memory.total,
    }
    return templates.render(kind, {**shared, **_variables(kind, memory, settings)})


def _variables(kind: Kind, memory: Memory, settings: DraftSettings) -> dict[str, object]:
    if kind == "performance":
        return performance.variables(memory, charts=settings.charts)
    if kind == "routing":
        return routing.variables(memory, mode=settings.mode, charts=settings.charts)
    return log.variables(memory)


def _newest_data(kind: Kind, memory: Memory) -> date:
    days = [newest_day(memory)]
    if kind == "routing":
        days.append(calendar_day(memory.routing_model.last_rebuilt))
    return max((day for day in days if day is not None), default=_NO_DAY)
