"""The three stages of a deliberation in a parsed object, under the names that councils give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from council_vault.importers.council_run import Answer, CouncilRun
from council_vault.importers.reviews import Review
from council_vault.learning.answers import is_answer
from council_vault.memory.numbers import number_in

if TYPE_CHECKING:
    from collections.abc import Iterable

Object = dict[str, Any]

_ANSWERS = ("stage1", "stage1_responses", "stage1_results")
_REVIEWS = ("stage2", "stage2_data", "stage2_rankings", "stage2_results")
_INSIDE_REVIEWS = ("rankings", "evaluations", "reviews")
_SYNTHESIS = ("stage3", "stage3_data", "stage3_result")
_SAID = ("response", "synthesis", "content", "answer")
_REVIEWED = ("ranking", "ranking_text", "evaluation", "review", "response", "content")
_PARSED = ("parsed_ranking",)
_LABELS = ("label_to_model", "label_mapping")
_AVERAGES = ("aggregate_rankings",)
_CHAIRMAN = ("chairman", "chairman_model")
_SECONDS = ("elapsed_seconds", "elapsed_time")
_LONGEST = 1e6  # seconds


def holder_of_stages(value: Object) -> Object | None:
    """Return what holds the stages: the object itself, or one a level deeper with what stands around it."""
    if has_answers(value):
        return value
    inner = next((one for one in value.values() if has_answers(one)), None)
    return None if inner is None else {**value, **inner}


def has_answers(value: object) -> bool:
    """Say whether a value is an object that holds the first stage, be it empty."""
    return isinstance(value, dict) and any(name in value for name in _ANSWERS)


def read_stages(holder: Object, *, query: str, title: str, timestamp: object) -> CouncilRun:
    """Read a deliberation from the object that holds its stages."""
    reviews = first(holder, _REVIEWS)
    metadata = holder.get("metadata")
    places = [place for place in (holder, metadata, reviews) if isinstance(place, dict)]
    synthesis = first(holder, _SYNTHESIS)
    chairmen = (first(synthesis, ("model",)), *(first(place, _CHAIRMAN) for place in places))
    return CouncilRun(
        query=query,
        title=title,
        timestamp=timestamp,
        answers=_answers(first(holder, _ANSWERS)),
        reviews=_reviews(reviews),
        labels=next(filter(None, (_mapping(first(place, _LABELS)) for place in places)), {}),
        averages=next(filter(None, (_averages(first(place, _AVERAGES)) for place in places)), {}),
        chairman=next(filter(None, map(text, chairmen)), None),
        synthesis=_said(synthesis),
        seconds=_seconds(first(holder, _SECONDS)),
    )


def _answers(stage: object) -> list[Answer]:
    """Return what the models answered, in their order; failed and nameless ones keep their place."""
    if isinstance(stage, dict):
        return [_answer(model, response) for model, response in stage.items()]
    return [_answer(entry.get("model"), entry) for entry in objects(stage)]


def _answer(model: object, entry: object) -> Answer:
    failed = not text(model) or (isinstance(entry, dict) and entry.get("error"))
    said = None if failed else _said(entry)
    return Answer(text(model), said if is_answer(said) else None)


def _reviews(stage: object) -> list[Review]:
    if isinstance(stage, dict):
        stage = first(stage, _INSIDE_REVIEWS)
    entries: Iterable[tuple[object, object]]
    if isinstance(stage, dict):
        entries = stage.items()
    else:
        entries = ((entry.get("model"), entry) for entry in objects(stage))
    return [_review(text(model), entry) for model, entry in entries if text(model)]


def _review(model: str, entry: object) -> Review:
    """Read a review: an object with prose and what was parsed of it, or either of these alone."""
    if not isinstance(entry, dict):
        return Review(model, text(entry), entry)
    written = first(entry, _REVIEWED)
    parsed = first(entry, _PARSED)
    return Review(
        model, text(written), written if parsed is None else parsed, _mapping(first(entry, _LABELS))
    )


def _mapping(value: object) -> dict[str, str]:
    """Return an object's texts; another object may stand for its ``model``."""
    if not isinstance(value, dict):
        return {}
    texts = {
        key: text(first(one, ("model",)) if isinstance(one, dict) else one) for key, one in value.items()
    }
    return {key: one for key, one in texts.items() if one}


def _averages(entries: object) -> dict[str, float]:
    """Return the mean rank of each model in a list of ``{"model", "average_rank"}``."""
    found = {text(entry.get("model")): number_in(entry.get("average_rank")) for entry in objects(entries)}
    return {model: rank for model, rank in found.items() if model and rank is not None}


def _seconds(value: object) -> float | None:
    """Return how long something took; what cannot be so is not known."""
    seconds = number_in(value)
    return seconds if seconds is not None and 0 <= seconds <= _LONGEST else None


def _said(entry: object) -> str | None:
    said = first(entry, _SAID) if isinstance(entry, dict) else entry
    return said if isinstance(said, str) else None


def first(holder: object, names: tuple[str, ...]) -> Any:  # noqa: ANN401 (any JSON value)
    """Return the first member of these names that is not ``null``; ``None`` where there is none."""
    if not isinstance(holder, dict):
        return None
    return next((holder[name] for name in names if holder.get(name) is not None), None)


def objects(value: object) -> list[Object]:
    """Return the objects in a list; nothing where there is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Return a text without the space around it; nothing where it is none."""
    return value.strip() if isinstance(value, str) else ""
