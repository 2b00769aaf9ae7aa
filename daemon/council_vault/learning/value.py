"""What deliberating has added: the points of a synthesis that the best single answer lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.learning.answers import is_answer, without_thinking
from council_vault.learning.points import Answer, points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from council_vault.learning.points import Point

_MODELS_FOR_BREADTH = 3


def value_added(synthesis: str | None, top_answer: str | None, other_answers: Sequence[str]) -> float | None:
    """Return what a synthesis adds to the best single answer, 0..1; ``None`` where one of them is missing.

    Each point of the synthesis is credited to one source: to the top answer where that says it, else to the
    other answer that says most of it, else to the chairman. An answer says a point when more than half of the
    point's terms stand together in it. Breadth: at least three models are credited, in a council of two both.
    Depth: a disagreement is flagged that the top answer lacks.

    Args:
        synthesis: the chairman's text.
        top_answer: the answer of the model that is ranked best.
        other_answers: the answers of the other models; empty and failed ones do not count.
    """
    if synthesis is None or top_answer is None or not (is_answer(synthesis) and is_answer(top_answer)):
        return None
    made = points(without_thinking(synthesis))
    top = Answer(without_thinking(top_answer))
    said = sorted(without_thinking(answer) for answer in other_answers if is_answer(answer))
    others = [Answer(text) for text in said]  # sorted: where two say as much, their order must not matter
    unique = [point for point in made if not top.says(point)]
    models = len({_best(point, others) for point in unique} - {None}) + (len(unique) < len(made))
    breadth = bool(others) and models >= min(_MODELS_FOR_BREADTH, len(others) + 1)
    return _score(len(unique), len(made), breadth=breadth, depth=any(point.disagreement for point in unique))


def _score(unique: int, total: int, *, breadth: bool, depth: bool) -> float:
    """Return the value added by the formula of the pattern memory's operation 2, step 7."""
    return (unique / total if total else 0.0) * 0.5 + breadth * 0.3 + depth * 0.2


def _best(point: Point, answers: Sequence[Answer]) -> int | None:
    """Return the place of the answer that says most of a point; ``None``: it is the chairman's own."""
    said = [answer.says(point) for answer in answers]
    most = max(said, default=0)
    return said.index(most) if most else None
