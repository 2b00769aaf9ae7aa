"""What contradicts itself in the routing model, and what contradicts the records it was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.learning.discrepancy import Discrepancy
from council_vault.learning.moments import moments
from council_vault.learning.rebuild import MOST_CONFIDENT, routing_model, rules
from council_vault.learning.routing import (
    ACTIONS,
    DELIBERATE_ABOVE,
    FIRST_REBUILD,
    SAMPLES_FOR_A_RULE,
    SINGLE_MODEL_BELOW,
    next_rebuild,
    share,
)
from council_vault.learning.rules import category_in
from council_vault.learning.stats import categories, decisions
from council_vault.learning.tallies import tallies
from council_vault.memory.times import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime

    from council_vault.learning.discrepancy import Path
    from council_vault.learning.routing import Evidence
    from council_vault.memory.schema import Memory, RoutingRule

_MODEL = "routing_model"
_RULES: Path = (_MODEL, "rules")
_EMPTY: Mapping[str, Any] = {"last_rebuilt": None, "sample_size": 0, "rules": []}
_SHARES = ("confidence", "value_score", "strength")
_RATINGS_WEIGH = 0.25  # by how much ratings that came later can have changed a value score
_ROUNDED = 0.01  # agents round


def check_routing(memory: Memory, stored: Mapping[str, Any], *, complete: bool) -> Iterator[Discrepancy]:
    """Check the routing model.

    Rules date from the last rebuild: that newer records say otherwise is no contradiction.

    Args:
        memory: what was understood.
        stored: what stands at ``routing_model`` in the file.
        complete: whether all records that the rules were made from are known.
    """
    model = memory.routing_model
    for field, empty in _EMPTY.items():
        if field not in stored:
            yield Discrepancy(path=(_MODEL, field), what="missing", right=empty)
    if model.routing_accuracy is not None and share(model.routing_accuracy) is None:
        taken = decisions(memory)
        right = taken.hits / taken.count if taken.count else None
        what = f"a share is from 0 to 1, and {model.routing_accuracy:g} is not"
        yield Discrepancy(path=(_MODEL, "routing_accuracy"), what=what, right=right)
    if model.sample_size > memory.total:
        what = (
            f"the rules were made from {model.sample_size} deliberations, and {memory.total} are known: the "
            "others were removed without being counted. If there never were more, "
            "`council-vault rebuild-router` puts it right"
        )
        yield Discrepancy(path=(_MODEL, "sample_size"), what=what, level="note")
    wrong = list(_wrong_rules(memory, stored, complete=complete))
    yield from (Discrepancy(path=(*_RULES, *path), what=what) for path, what in wrong)
    if complete and not wrong:
        yield from _age(memory)


def mended_routing(
    memory: Memory, stored: Mapping[str, Any], now: datetime, *, complete: bool
) -> dict[str, Any]:
    """Return what of the routing model is to be replaced, so that no rule contradicts itself or the records.

    From 20 deliberations on the rules are made anew; before, those that cannot be right are dropped. Rules
    whose condition is none that we know stay, and so do fields that we do not know.
    """
    wrong = {path[0] for path, _ in _wrong_rules(memory, stored, complete=complete)}
    if not wrong:
        return {}
    elements = stored["rules"]
    if memory.total < FIRST_REBUILD:
        return {"rules": [rule for place, rule in enumerate(elements) if place not in wrong]}
    placed = list(_placed(memory, elements))
    known: dict[str | None, Any] = {category: elements[place] for place, category, _ in reversed(placed)}
    understood = {place for place, _, _ in placed}
    learned = routing_model(memory, now)
    learned["rules"] = [
        *({**known.get(category_in(rule["condition"]), {}), **rule} for rule in learned["rules"]),
        *(rule for place, rule in enumerate(elements) if place not in understood),
    ]
    return learned


def _placed(memory: Memory, elements: object) -> Iterator[tuple[int, str, RoutingRule]]:
    """Yield the rules that are for a category, with their place in the list and the category."""
    if not isinstance(elements, list):
        return
    places = [place for place, element in enumerate(elements) if isinstance(element, dict)]
    for place, rule in zip(places, memory.routing_model.rules, strict=True):
        category = category_in(rule.condition)
        if category is not None:
            yield place, category, rule


def _wrong_rules(memory: Memory, stored: Mapping[str, Any], *, complete: bool) -> Iterator[tuple[Path, str]]:
    """Find rules that cannot be right: their place, with the field if it is one, and why."""
    placed = list(_placed(memory, stored.get("rules")))
    if not placed:
        return
    now, then = (categories(memory), _categories_then(memory)) if complete else (None, None)
    first: dict[str, int] = {}
    for place, category, rule in placed:
        if first.setdefault(category, place) != place:
            yield (place,), f"it is the second one for {category}, and the first counts"
        for field in _SHARES:
            number = getattr(rule, field)
            if number is not None and share(number) is None:
                yield (place, field), f"a share is from 0 to 1, and {number:g} is not"
        yield from (((place,), what) for what in _contradictions(memory, rule))
        if now is not None:
            yield from (((place,), what) for what in _strangers(memory, now, category, rule))
        if then is not None:
            yield from (((place,), what) for what in _past(then.get(category), category, rule))


def _contradictions(memory: Memory, rule: RoutingRule) -> Iterator[str]:
    """Say how a rule contradicts itself."""
    score, action, samples = share(rule.value_score), ACTIONS.get(rule.action or ""), rule.sample_count
    if action is None:
        yield f"“{rule.action}” is nothing that the router can do" if rule.action else "it says nothing to do"
    elif score is not None and not _right_side(score, action):
        yield f"a value score of {score:g} is none to {_in_words(action)} by"
    if samples is not None and samples < SAMPLES_FOR_A_RULE:
        yield f"it rests on {samples} deliberations, and a rule needs {SAMPLES_FOR_A_RULE}"
    size = memory.routing_model.sample_size
    if samples is not None and samples > max(size, memory.total):
        yield f"it rests on {samples} deliberations, and there were {max(size, memory.total)}"
    elif share(rule.confidence) is not None and score is not None and samples and size:
        confidence = min(MOST_CONFIDENT, samples / size * score * 2)
        if abs((rule.confidence or 0.0) - confidence) > 2 * _ROUNDED:
            yield f"its confidence is {rule.confidence:g}, and its own numbers make it {confidence:.2f}"


def _strangers(memory: Memory, known: Collection[str], category: str, rule: RoutingRule) -> Iterator[str]:
    """Say what in a rule no record knows; ``known`` are the categories that records have."""
    if category not in known:
        yield f"there is no deliberation about {category}"
    preferred = rule.preferred_model
    if preferred and preferred not in memory.model_performance and preferred not in tallies(memory):
        yield f"{preferred} took part in no deliberation"


def _right_side(score: float, action: str) -> bool:
    if action == "deliberate":
        return score > DELIBERATE_ABOVE - _ROUNDED
    return score < SINGLE_MODEL_BELOW + _ROUNDED


def _in_words(action: str) -> str:
    return "deliberate" if action == "deliberate" else "ask a single model"


def _categories_then(memory: Memory) -> Mapping[str, Evidence] | None:
    """Return what the records said when the rules were made; ``None`` where that cannot be known."""
    rebuilt = moment(memory.routing_model.last_rebuilt)
    if rebuilt is None:
        return None
    times = zip(memory.deliberations, moments(memory), strict=True)
    then = tuple(record for record, time in times if time is not None and time <= rebuilt)
    if memory.archived.count + len(then) != memory.routing_model.sample_size:
        return None
    return categories(msgspec.structs.replace(memory, deliberations=then))


def _past(known: Evidence | None, category: str, rule: RoutingRule) -> Iterator[str]:
    """Say how a rule contradicts what the records of its time say, later ratings allowed for."""
    if known is None or known.score is None:
        yield f"the records that it was made from have no deliberation about {category} to go by"
        return
    if rule.sample_count is not None and rule.sample_count not in {known.samples, known.count}:
        yield f"it rests on {rule.sample_count} deliberations, and its time has {known.samples} to go by"
    score = share(rule.value_score)
    if score is not None and abs(score - known.score) > _RATINGS_WEIGH + _ROUNDED:
        yield f"its value score is {score:g}, and the records of its time make it {known.score:.2f}"


def _age(memory: Memory) -> Iterator[Discrepancy]:
    """Say which decisions would change if the rules were made anew now."""
    if memory.total < FIRST_REBUILD:
        return
    stored = {
        category: (rule.action, rule.preferred_model)
        for rule in reversed(memory.routing_model.rules)
        if (category := category_in(rule.condition)) is not None
    }
    made = {
        category: (rule.action, rule.preferred_model)
        for rule in rules(memory)
        if (category := category_in(rule.condition)) is not None
    }
    others = sorted(name for name in stored.keys() | made.keys() if stored.get(name) != made.get(name))
    if others:
        what = (
            f"a rebuild now would change what is done about {', '.join(others)}. It comes by itself at "
            f"{next_rebuild(memory.total)} deliberations, and with `council-vault rebuild-router`"
        )
        yield Discrepancy(path=_RULES, what=what, level="note")
