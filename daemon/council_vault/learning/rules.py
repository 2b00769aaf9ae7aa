"""The router's rules, read with care: agents write them too, and only what can be followed is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.routing import ACTIONS, Action, Evidence, share, strength

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Memory, RoutingRule

_CONDITION = re.compile(
    r"""\s*category\s*==\s*(?:'(?P<single>[^']+)'|"(?P<double>[^"]+)")\s*"""  # whichever it does not hold
)


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that can be followed; ``value`` and ``strength`` are in 0..1, ``None`` where unknown."""

    action: Action
    preferred_model: str | None = None
    samples: int | None = None
    value: float | None = None
    strength: float | None = None


def category_in(condition: str | None) -> str | None:
    """Return the category that a rule's condition names; ``None`` where it says anything else."""
    match = _CONDITION.fullmatch(condition or "")
    return (match["single"] or match["double"]) if match else None


def value_of(rule: RoutingRule, known: Evidence) -> float | None:
    """Return the value score that a rule rests on: as stored, else what the records say now."""
    stored = share(rule.value_score)
    return known.score if stored is None else stored


def strength_of(rule: RoutingRule, known: Evidence) -> float | None:
    """Return how sure a rule is: as stored, else worked out from the records.

    ``None`` where that cannot be, or where the rule cannot be followed.
    """
    stored = share(rule.strength)
    action = ACTIONS.get(rule.action or "")
    value = value_of(rule, known)
    if stored is not None or action is None or value is None or category_in(rule.condition) is None:
        return stored
    return strength(value, action, known.record_scores)


def followed(memory: Memory, evidence: Mapping[str, Evidence]) -> dict[str, Rule]:
    """Return the rules that can be followed, by category; of several for one category the first stands."""
    rules: dict[str, Rule] = {}
    for stored in memory.routing_model.rules:
        category, action = category_in(stored.condition), ACTIONS.get(stored.action or "")
        if category is None or action is None or category in rules:
            continue
        known = evidence.get(category, Evidence())
        rules[category] = Rule(
            action=action,
            preferred_model=stored.preferred_model or None,
            samples=stored.sample_count,
            value=value_of(stored, known),
            strength=strength_of(stored, known),
        )
    return rules
