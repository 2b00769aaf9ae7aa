"""The router's rules, made from the records: a function of them and of `Archived` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.learning.routing import (
    DELIBERATE_ABOVE,
    SAMPLES_FOR_A_RULE,
    SINGLE_MODEL_BELOW,
    Action,
    Evidence,
    strength,
)
from council_vault.learning.stats import categories, decisions
from council_vault.learning.tallies import tallies
from council_vault.memory.schema import RoutingRule
from council_vault.memory.times import stamp

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.memory.schema import Memory

MOST_CONFIDENT = 0.95
RANKED_FOR_A_PREFERENCE = 3


def rules(memory: Memory) -> tuple[RoutingRule, ...]:
    """Return the rules that the records give, in the order of their categories' names.

    A category has one from 3 deliberations with a value on: to deliberate where its value score is above 0.6,
    to ask a single model where it is below 0.4. In between more is to be learned.
    """
    known = sorted(categories(memory).items())
    return tuple(
        _rule(memory, category, evidence, evidence.score, action)
        for category, evidence in known
        if evidence.score is not None and (action := action_for(evidence)) is not None
    )


def action_for(evidence: Evidence) -> Action | None:
    """Return what a category's records say is to be done in it, ``None`` while that is not clear."""
    if evidence.score is None or evidence.samples < SAMPLES_FOR_A_RULE:
        return None
    if evidence.score > DELIBERATE_ABOVE:
        return "deliberate"
    return "single_model" if evidence.score < SINGLE_MODEL_BELOW else None


def routing_model(memory: Memory, now: datetime) -> dict[str, Any]:
    """Return the whole ``routing_model`` of a memory file; ``routing_accuracy`` is in 0..1.

    It is ``None`` where the router has not taken a decision of its own.
    """
    taken = decisions(memory)
    return {
        "last_rebuilt": stamp(now),
        "sample_size": memory.total,
        "routing_accuracy": taken.hits / taken.count if taken.count else None,
        "rules": [msgspec.to_builtins(rule) for rule in rules(memory)],
    }


def _rule(memory: Memory, category: str, evidence: Evidence, score: float, action: Action) -> RoutingRule:
    """Make one rule.

    Its confidence is that of operation 5, min(0.95, share of all deliberations × score × 2), which measures
    how common the category is; its strength how sure the action is.
    """
    quote = '"' if "'" in category else "'"
    return RoutingRule(
        condition=f"category == {quote}{category}{quote}",
        action=action,
        preferred_model=_preferred(memory, category) if action == "single_model" else None,
        confidence=min(MOST_CONFIDENT, evidence.samples / memory.total * score * 2),
        sample_count=evidence.samples,
        value_score=score,
        strength=strength(score, action, evidence.record_scores),
    )


def _preferred(memory: Memory, category: str) -> str | None:
    """Return the model with the best average rank in a category, of those that 3 deliberations ranked there.

    Of two as good the one ranked more often, then the first by name.
    """
    ranked = (
        (total / count, -count, model)
        for model, tally in tallies(memory).items()
        for total, count in [tally.categories.get(category, (0.0, 0))]
        if count >= RANKED_FOR_A_PREFERENCE
    )
    return min(ranked, default=(0.0, 0, None))[2]
