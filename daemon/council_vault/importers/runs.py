"""Files of one deliberation: an assembled run, or a benchmark's run without the text of its question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.importers.identifying import name_of_question, standing_for_query, time_in
from council_vault.importers.stages import Object, first, read_stages, text

if TYPE_CHECKING:
    from council_vault.importers.council_run import CouncilRun

_QUERY = ("query", "question", "user_query", "prompt")


def read_run(holder: Object) -> CouncilRun:
    """Read the one deliberation of an object that holds its stages."""
    query = first(holder, _QUERY)
    asked = isinstance(query, str) and bool(query.strip())
    return read_stages(
        holder,
        query=query if asked else standing_for_query(holder),
        title=text(holder.get("title")) if asked else name_of_question(holder),
        timestamp=time_in(holder),
    )
