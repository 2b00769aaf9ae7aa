"""The router: which questions are worth a council, and which one model answers as well.

What it has learned is in the rules of the routing model; until there are any it goes by rules of thumb. It
never says anything of the question itself but its features.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.learning import stats
from council_vault.learning.features import category_of, query_features
from council_vault.learning.groups import is_council
from council_vault.learning.heuristics import SMALLEST_BUDGET, rule_of_thumb
from council_vault.learning.prices import LARGE, MEDIUM, SINGLE, SMALL, estimated_cost
from council_vault.learning.roster import BiasWarning, Roster, bias_warnings, roster
from council_vault.learning.routing import (
    FIRM_FROM,
    FIRST_REBUILD,
    SAMPLES_FOR_A_RULE,
    Action,
    Evidence,
    next_rebuild,
)
from council_vault.learning.rules import Rule, followed
from council_vault.memory.schema import QueryFeatures  # noqa: TC001 - msgspec reads the annotations
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Memory

Source = Literal[
    "heuristic_no_memory", "heuristic_learning", "learned", "always_deliberate", "always_shortcut"
]

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_EVEN = 0.5  # as likely as not
_DIGITS = 4  # of a confidence
_FOR_THE_BUDGET = 0.95
_WORDS: Mapping[Action, str] = {
    "deliberate": "{} is worth deliberating",
    "single_model": "one model is enough for {}",
}
_CONSENSUS = frozenset({"compliance_security", "factual_lookup"})


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What the person has set: the mode, how often to look again, the council, the budget in USD."""

    mode: Literal["learned", "always_deliberate", "always_shortcut"] = "learned"
    explore: int = 10
    models: tuple[str, ...] = ()
    per_deliberation_usd: float | None = None


class LearningStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How far the router has come.

    ``phase`` is no_memory before the first deliberation, learning while rules of thumb are all there is, and
    active once there are rules. ``firm_rules`` counts those of at least 80 % strength; the next rebuild is at
    ``next_rebuild`` deliberations. ``category_samples`` are the deliberations of the question's category that
    there is a value of.
    """

    phase: Literal["no_memory", "learning", "active"]
    deliberations: int
    rules: int
    firm_rules: int
    next_rebuild: int
    category_samples: int


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """How a question should be answered.

    ``confidence`` is how sure it is that this is the better way, 0..1; ``uncertain`` where that is below 0.8.
    The recommended models are ordered, the best first. The cost is in USD, ``None`` where none is known.
    """

    decision: Action
    confidence: float
    reasoning: str
    routing_source: Source
    uncertain: bool
    recommended_models: tuple[str, ...]
    excluded_models: tuple[str, ...]
    preferred_chairman: str | None
    recommended_protocol: Literal["voting", "consensus"]
    estimated_cost: float | None
    bias_warnings: tuple[BiasWarning, ...]
    query_features: QueryFeatures
    learning_status: LearningStatus


class _Verdict(msgspec.Struct, frozen=True):
    """What to do with a question, before it is asked what that costs.

    ``model`` is the one that a rule prefers for a single answer.
    """

    action: Action
    confidence: float
    source: Source
    why: str
    model: str | None = None


def route(query: str, memory: Memory, policy: Policy) -> Route:
    """Decide how a question should be answered; the same memory and settings give the same answer."""
    named = tuple(model for model in dict.fromkeys(policy.models) if model.strip())
    policy = msgspec.structs.replace(policy, models=named)
    category = category_of(query)
    evidence = stats.categories(memory)
    known = evidence.get(category, Evidence())
    rules = followed(memory, evidence)
    chosen = roster(memory, category, policy.models)
    verdict = _verdict(query, category, memory, policy, rules, known)
    size = len(chosen.models)
    if verdict.action == "deliberate":
        verdict, size = _possible(verdict, memory, policy, size)
    if verdict.action == "deliberate":
        models = chosen.models[:size] if len(chosen.models) >= SMALL else ()
    else:
        size, models = SINGLE, _one_of(chosen, verdict, policy)
    protocol: Literal["voting", "consensus"] = "consensus" if category in _CONSENSUS else "voting"
    confidence = round(verdict.confidence, _DIGITS)
    return Route(
        decision=verdict.action,
        confidence=confidence,
        reasoning=verdict.why,
        routing_source=verdict.source,
        uncertain=confidence < FIRM_FROM,
        recommended_models=models,
        excluded_models=chosen.excluded,
        preferred_chairman=chosen.chairman if chosen.chairman in models and size > SINGLE else None,
        recommended_protocol=protocol,
        estimated_cost=_rounded(estimated_cost(memory, size)),
        bias_warnings=bias_warnings(memory, models) if size > SINGLE else (),
        query_features=query_features(query, protocol),
        learning_status=_status(memory, rules, known),
    )


# What to do


def _verdict(
    query: str, category: str, memory: Memory, policy: Policy, rules: Mapping[str, Rule], known: Evidence
) -> _Verdict:
    match policy.mode:
        case "always_deliberate":
            return _Verdict("deliberate", 1.0, policy.mode, "The router is set to deliberate always.")
        case "always_shortcut":
            return _Verdict("single_model", 1.0, policy.mode, "The router is set to ask one model always.")
    if memory.total < FIRST_REBUILD or not rules:
        thumb = rule_of_thumb(query, category, policy.per_deliberation_usd)
        source: Source = "heuristic_learning" if memory.total > 0 else "heuristic_no_memory"
        return _Verdict(thumb.action, thumb.confidence, source, f"Rule of thumb: {thumb.why}.")
    rule = rules.get(category)
    if rule is None:
        return _Verdict("deliberate", _EVEN, "learned", _to_learn(category, known))
    return _learned(rule, category, memory, policy.explore)


def _to_learn(category: str, known: Evidence) -> str:
    if known.score is None or known.samples < SAMPLES_FOR_A_RULE:
        return f"Little is known of {category} yet: it is deliberated to learn."
    grounds = f"value score {known.score:.2f}, {known.samples} deliberations"
    return f"Whether {category} is worth deliberating is open ({grounds}): it is deliberated to learn."


def _learned(rule: Rule, category: str, memory: Memory, explore: int) -> _Verdict:
    """Follow a rule; or, where it gives to one model, look again whether that is still right.

    Without a second look a wrong early rule is never corrected, since single answers say nothing about
    deliberating.
    """
    sure = _EVEN if rule.strength is None else rule.strength
    why = f"Learned: {_WORDS[rule.action].format(category)} ({_grounds(rule)})."
    if rule.action == "single_model" and explore > 0:
        alone = _answered_alone(memory, category)
        if alone >= explore - 1:
            why += f" It is deliberated all the same, to see whether that is still so, as 1 in {explore} is."
            return _Verdict("deliberate", 1 - sure, "learned", why)
    return _Verdict(rule.action, sure, "learned", why, rule.preferred_model)


def _grounds(rule: Rule) -> str:
    """Return what a rule rests on, as far as it is known."""
    facts = []
    if rule.value is not None:
        facts.append(f"value score {rule.value:.2f}")
    if rule.samples is not None:
        facts.append(f"{rule.samples} deliberation{'' if rule.samples == 1 else 's'}")
    if rule.strength is not None:
        facts.append(f"{min(99, round(100 * round(rule.strength, _DIGITS)))}% sure")
    return ", ".join(facts) or "nothing is known of its grounds"


def _answered_alone(memory: Memory, category: str) -> int:
    """Return how many questions of a category one model has answered since the last council on one."""
    alone = 0
    alike = [record for record in memory.deliberations if record.category == category]
    for record in sorted(alike, key=lambda record: moment(record.timestamp) or _LONG_AGO):
        alone = 0 if is_council(record) else alone + 1
    return alone


# With how many models


def _possible(verdict: _Verdict, memory: Memory, policy: Policy, known: int) -> tuple[_Verdict, int]:
    """Return what can be done of a deliberation with the models and the budget there are, and its size.

    Over the budget the council gets smaller, down to one model; where deliberating is a fixed mode, to two.
    """
    always = verdict.source == "always_deliberate"
    if len(policy.models) == SINGLE and not always:
        return _alone(verdict, 1.0, "But the council has one model only."), SINGLE
    planned = known if known >= SMALL else MEDIUM
    budget = policy.per_deliberation_usd
    if budget is None:
        return verdict, planned
    smaller = [size for size in (LARGE, MEDIUM, SMALL) if size < planned]
    sizes = (planned, *smaller) if always else (planned, *smaller, SINGLE)
    size = next((size for size in sizes if _affordable(memory, size, budget)), sizes[-1])
    if size == planned:
        return verdict, planned
    cost = estimated_cost(memory, planned)
    price = "is likely to cost more" if cost is None else f"would cost about {_usd(cost)}, more"
    why = f"But a council of {planned} {price} than the budget of {_usd(budget)}, so "
    if size == SINGLE:
        return _alone(verdict, _FOR_THE_BUDGET, f"{why}one is asked."), SINGLE
    return msgspec.structs.replace(verdict, why=f"{verdict.why} {why}{size} are asked."), size


def _affordable(memory: Memory, models: int, budget: float) -> bool:
    cost = estimated_cost(memory, models)
    if cost is None:
        return models == SINGLE or budget >= SMALLEST_BUDGET
    return cost <= budget


def _alone(verdict: _Verdict, confidence: float, why: str) -> _Verdict:
    return _Verdict("single_model", confidence, verdict.source, f"{verdict.why} {why}", verdict.model)


def _one_of(chosen: Roster, verdict: _Verdict, policy: Policy) -> tuple[str, ...]:
    """Return the model for a single answer: the rule's, if it is in the council, else the best."""
    preferred = verdict.model
    if preferred is not None and (not policy.models or preferred in policy.models):
        return (preferred,)
    return chosen.models[:SINGLE]


def _usd(amount: float) -> str:
    """Return an amount with at least two decimals and at most four."""
    whole, _, decimals = f"{amount:.4f}".partition(".")
    return f"${whole}.{decimals[:2]}{decimals[2:].rstrip('0')}"


def _rounded(cost: float | None) -> float | None:
    return None if cost is None else round(cost, 6)


def _status(memory: Memory, rules: Mapping[str, Rule], known: Evidence) -> LearningStatus:
    active = bool(rules) and memory.total >= FIRST_REBUILD
    return LearningStatus(
        phase="active" if active else "learning" if memory.total > 0 else "no_memory",
        deliberations=memory.total,
        rules=len(rules),
        firm_rules=sum(rule.strength is not None and rule.strength >= FIRM_FROM for rule in rules.values()),
        next_rebuild=next_rebuild(memory.total),
        category_samples=known.samples,
    )
