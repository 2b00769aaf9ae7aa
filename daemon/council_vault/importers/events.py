"""Files of events: ``config``, ``stage1_response``, ``stage2_ranking`` …, told apart by ``run_id``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from council_vault.importers.identifying import time_in
from council_vault.importers.stages import Object, first, objects, read_stages, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from council_vault.importers.council_run import CouncilRun

_CONFIG, _ANSWER, _REVIEW, _RANKS, _SYNTHESIS, _SUMMARY = (
    "config",
    "stage1_response",
    "stage2_ranking",
    "aggregation",
    "stage3_synthesis",
    "summary",
)
_KINDS = frozenset({_CONFIG, _ANSWER, _REVIEW, _RANKS, _SYNTHESIS, _SUMMARY})


def is_event(value: object) -> TypeGuard[Object]:
    """Say whether a value is one of the events of a council."""
    return isinstance(value, dict) and text(value.get("type")) in _KINDS


def runs_in_events(events: Iterable[Object]) -> Iterator[CouncilRun]:
    """Yield the deliberations that events tell of, in the order in which they began."""
    runs: dict[str, list[Object]] = {}
    for event in events:
        runs.setdefault(str(event.get("run_id")), []).append(event)
    yield from map(_read, runs.values())


def _read(events: list[Object]) -> CouncilRun:
    config = _last(events, _CONFIG)
    settings = config.get("config")
    ids = _ids(settings)
    named = [_with_ids(event, ids) for event in events]
    holder = {
        **_last(named, _SUMMARY),
        "stage1": [event for event in named if event["type"] == _ANSWER],
        "stage2": [event for event in named if event["type"] == _REVIEW],
        "stage3": _last(named, _SYNTHESIS),
        "aggregate_rankings": _last(named, _RANKS).get("rankings"),
        "chairman": _model_id(first(settings, ("chairman",))),
    }
    question = config.get("question")
    return read_stages(
        holder,
        query=question if isinstance(question, str) else "",
        title="",
        timestamp=next(filter(None, map(time_in, [config, *events])), None),
    )


def _last(events: list[Object], kind: str) -> Object:
    return next((event for event in reversed(events) if event["type"] == kind), {})


def _ids(settings: object) -> dict[str, str]:
    """Return the id of each model by the name that the events call it."""
    models = [*objects(first(settings, ("council_models",))), *objects([first(settings, ("chairman",))])]
    return {text(model.get("name")): _model_id(model) for model in models}


def _model_id(model: object) -> str:
    return text(first(model, ("model_id", "name"))) or text(model)


def _with_ids(event: Object, ids: Mapping[str, str]) -> Object:
    """Return an event with ids in the place of names."""

    def named(holder: Object) -> Object:
        name = text(holder.get("model"))
        return {**holder, "model": ids.get(name) or name}

    event = named(event)
    labels = event.get("label_mapping")
    if isinstance(labels, dict):
        event["label_mapping"] = {label: ids.get(text(name)) or name for label, name in labels.items()}
    if "rankings" in event:
        event["rankings"] = [named(entry) for entry in objects(event["rankings"])]
    return event
