"""Self-preference: reviewers that put their own answer well above where the council puts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from council_vault.learning.ballots import among

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.learning.ballots import Ballot

DETECTED_FROM = 2


class SelfPreference(NamedTuple):
    """The reviewers that ranked their own answer, and those of them that preferred it."""

    tested: frozenset[str]
    detected: frozenset[str]


def self_preference(ballots: Mapping[str, Ballot], rankings: Mapping[str, float]) -> SelfPreference:
    """Compare each reviewer's own place in its own ballot with its rank.

    A place that is at least two better than the rank is self-preference. Both count among the ranked models
    alone. A reviewer that did not rank itself, or has no rank, is not tested.
    """
    own = {
        reviewer: ballot[reviewer]
        for reviewer, ballot in among(ballots, rankings).items()
        if reviewer in ballot
    }
    detected = (model for model, place in own.items() if rankings[model] - place >= DETECTED_FROM)
    return SelfPreference(frozenset(own), frozenset(detected))
