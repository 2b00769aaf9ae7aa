"""What a deliberation is told apart by: its time, and what stands for a question that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.memory.times import moment

if TYPE_CHECKING:
    from council_vault.importers.stages import Object

_TIMES = ("timestamp", "created_at", "createdAt", "started_at", "date")
_QUESTION = ("benchmark", "dataset", "task", "question_id", "task_id", "query_id")
_RUN = ("conversation_id", "run_id", "id")


def time_in(holder: Object) -> object:
    """Return the first time in an object, or in its metadata, that can be understood; else ``None``."""
    metadata = holder.get("metadata")
    places = (holder, metadata) if isinstance(metadata, dict) else (holder,)
    return next((place[name] for place in places for name in _TIMES if moment(place.get(name))), None)


def standing_for_query(holder: Object) -> str:
    """Return the fields that identify a question whose text is not given, else the run, else nothing."""
    return _fields(holder, _QUESTION) or _fields(holder, _RUN)


def name_of_question(holder: Object) -> str:
    """Return the same as a title: ``GSM8K: gsm8k_2``."""
    return ": ".join(str(holder[name]) for name in _QUESTION if _identifies(holder.get(name)))


def _fields(holder: Object, names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {holder[name]}" for name in names if _identifies(holder.get(name)))


def _identifies(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""
