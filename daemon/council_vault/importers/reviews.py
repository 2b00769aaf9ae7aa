"""What reviewers wrote about labelled answers, read as ballots."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from council_vault.importers import ballot_data, ballot_prose
from council_vault.importers.labels import Labels, letters_of
from council_vault.learning.answers import without_thinking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Ballots = dict[str, list[str]]


class Review(NamedTuple):
    """What a reviewer wrote, and what somebody has read from it; ``labels`` are this reviewer's own."""

    model: str
    prose: str
    parsed: object = None
    labels: Mapping[str, str] = {}


def ballots_in(
    reviews: Sequence[Review], answers: Sequence[tuple[str, bool]], labels: Mapping[str, str]
) -> tuple[Ballots, int]:
    """Read the ballots of a deliberation.

    Args:
        reviews: what was written.
        answers: each model and whether it answered, in the order of the labels.
        labels: the model of each label, where somebody has written that down.

    Returns:
        Each reviewer's list of the models that answered, best first; and how many reviews hold none.
    """
    answered = [model for model, given in answers if given]
    told = Labels(labels) if set(answered).intersection(labels.values()) else None
    shared = told or Labels.in_order(model for model, _ in answers)
    orders = [_order(review, Labels(review.labels) if review.labels else shared) for review in reviews]
    if told is None and len(answered) < len(answers):
        shared = _labels_seen(orders, reviews, answered) or shared
    ballots: Ballots = {}
    left_out = 0
    for review, order in zip(reviews, orders, strict=True):
        own = Labels(review.labels) if review.labels else shared
        models = [model for model in map(own.model, order) if model in answered]
        if models:
            ballots.setdefault(review.model, list(dict.fromkeys(models)))
        else:
            left_out += 1
    return ballots, left_out


def _labels_seen(
    orders: Sequence[list[str]], reviews: Sequence[Review], answered: Sequence[str]
) -> Labels | None:
    """Return labels for the answers alone, if those are the ones that the reviewers saw.

    Some councils show their reviewers the failed answers too, as empty ones, and some do not. Where no
    reviewer names a label behind as many as there are answers, the failed ones had none.
    """
    labels = Labels.in_order(answered)
    named = [
        name for review, order in zip(reviews, orders, strict=True) if not review.labels for name in order
    ]
    return labels if all(letters_of(name) in labels.letters for name in named) else None


def _order(review: Review, labels: Labels) -> list[str]:
    """Return the labels in a review, best first: of the prose, else of what was parsed of it."""
    prose = without_thinking(review.prose)
    parsed = ballot_data.order_in(review.parsed)
    return (
        ballot_prose.under_heading(prose, labels.letters)
        or ballot_data.order_in_prose(prose, labels.knows)
        or (parsed if not prose.strip() or len(set(parsed)) == len(parsed) else [])
        or ballot_prose.last_list(prose, labels.letters)
    )
