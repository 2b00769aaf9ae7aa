"""What the note on routing intelligence says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.learning import stats
from council_vault.learning.routing import (
    ACTIONS,
    DELIBERATE_ABOVE,
    FIRM_FROM,
    FIRST_REBUILD,
    REBUILD_EVERY,
    SAMPLES_FOR_A_RULE,
    SINGLE_MODEL_BELOW,
    Evidence,
    next_rebuild,
)
from council_vault.learning.rules import category_in, strength_of, value_of
from council_vault.memory.times import calendar_day
from council_vault.notes import categories
from council_vault.notes.cells import UNKNOWN, cell_text, money, plain
from council_vault.notes.charts import bar_chart
from council_vault.notes.figures import decimal, listing, percent, plural
from council_vault.notes.model_names import model_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from council_vault.learning.routing import Action
    from council_vault.memory.schema import Memory, RoutingRule

RouteKind = Literal["deliberate", "single_model", "unclear", "undecided", "too few"]

_HEADER = ("Category", "Route", "Value", "n", "Strength", "Confidence")
_ORDER: tuple[RouteKind, ...] = ("deliberate", "single_model", "unclear", "undecided", "too few")
_MODES = {
    "learned": "learned",
    "always_deliberate": "always deliberate",
    "always_shortcut": "always one model",
}
_MOST_NAMED = 6
_MOST_WITHOUT_RULE = 20


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One row: a rule, or a category that has none.

    A rule of kind ``unclear`` is one that the router cannot follow. ``name`` and ``route`` are cells; figures
    are in 0..1, ``None`` where unknown.
    """

    kind: RouteKind
    name: str
    route: str
    value: float | None
    samples: int | None
    strength: float | None = None
    confidence: float | None = None


def variables(memory: Memory, *, mode: str, charts: bool) -> dict[str, object]:
    """Return the variables of the note's template; what each is stands at the template's top."""
    evidence = stats.categories(memory)
    rules = _rules(memory, evidence)
    without_rule = _without_rule(memory, evidence)
    routes = sorted([*rules, *without_rule[:_MOST_WITHOUT_RULE]], key=_order)
    learning = memory.total < FIRST_REBUILD
    return {
        "learning": learning,
        "finding": f"Learning: {memory.total} of {FIRST_REBUILD}" if learning else _finding(rules),
        "facts": [
            _mode(mode, rules),
            _rebuilt(memory),
            _accuracy(memory),
            _savings(stats.savings(memory)),
        ],
        "routes": [_HEADER, *map(_row, routes)] if routes else [],
        "routes_heading": "Rules" if rules else "Categories",
        "routes_left_out": max(0, len(without_rule) - _MOST_WITHOUT_RULE),
        "chart": _chart(routes) if charts else "",
        "deliberate_above": decimal(DELIBERATE_ABOVE, 2),
        "single_below": decimal(SINGLE_MODEL_BELOW, 2),
        "firm_from": percent(FIRM_FROM),
        "rule_from": SAMPLES_FOR_A_RULE,
        "rebuild_every": REBUILD_EVERY,
    }


def _rules(memory: Memory, evidence: Mapping[str, Evidence]) -> list[Route]:
    rules = memory.routing_model.rules
    names = model_names({rule.preferred_model for rule in rules if rule.preferred_model})
    return [_rule(rule, names, evidence) for rule in rules]


def _rule(rule: RoutingRule, names: Mapping[str, str], evidence: Mapping[str, Evidence]) -> Route:
    """Show a rule as it is stored, and what cannot be understood of it in its own words."""
    category = category_in(rule.condition)
    known = evidence.get(category or "", Evidence())
    action = ACTIONS.get(rule.action or "")
    return Route(
        kind=action if action is not None and category is not None else "unclear",
        name=categories.title(category) if category is not None else _as_stored(rule.condition),
        route=_route(action, rule.preferred_model, names) if action else _as_stored(rule.action),
        value=value_of(rule, known),
        samples=rule.sample_count,
        strength=strength_of(rule, known),
        confidence=rule.confidence,
    )


def _route(action: Action, model: str | None, names: Mapping[str, str]) -> str:
    if action == "deliberate":
        return "deliberate"
    return f"single: {names[model]}" if model else "single"


def _as_stored(text: str | None) -> str:
    return cell_text(text or "") or UNKNOWN


def _without_rule(memory: Memory, evidence: Mapping[str, Evidence]) -> list[Route]:
    """The categories that no rule speaks of, those with the most deliberations first."""
    ruled = {category_in(rule.condition) for rule in memory.routing_model.rules}
    routes = [_undecided(category, known) for category, known in evidence.items() if category not in ruled]
    return sorted(routes, key=lambda route: (-(route.samples or 0), route.name))


def _undecided(category: str, known: Evidence) -> Route:
    kind: RouteKind = "undecided" if known.samples >= SAMPLES_FOR_A_RULE else "too few"
    return Route(
        kind=kind, name=categories.title(category), route=kind, value=known.score, samples=known.samples
    )


def _order(route: Route) -> tuple[int, float, str]:
    return _ORDER.index(route.kind), -(route.value or 0.0), route.name


def _row(route: Route) -> tuple[str, ...]:
    return (
        route.name,
        route.route,
        decimal(route.value, 2),
        UNKNOWN if route.samples is None else str(route.samples),
        _sure(route.strength),
        percent(route.confidence),
    )


def _sure(strength: float | None) -> str:
    """A strength as percent; nothing learned from a sample is ever wholly sure."""
    text = percent(strength)
    return ">99%" if text == "100%" else text


def _finding(rules: Sequence[Route]) -> str:
    rules = sorted(rules, key=_order)
    deliberate = [categories.in_sentence(rule.name) for rule in rules if rule.kind == "deliberate"]
    single = [categories.in_sentence(rule.name) for rule in rules if rule.kind == "single_model"]
    enough = f"one model is enough for {listing(single, _MOST_NAMED)}" if single else ""
    if deliberate:
        return "; ".join(filter(None, (f"Deliberate for {listing(deliberate, _MOST_NAMED)}", enough)))
    if single:
        return enough[0].upper() + enough[1:]
    return "No rule yet: the router goes by rules of thumb"


def _mode(mode: str, rules: Sequence[Route]) -> str:
    word = _MODES.get(mode) or cell_text(mode) or UNKNOWN
    if not rules:
        return f"Mode **{word}**: no rules yet"
    firm = sum(rule.strength is not None and rule.strength >= FIRM_FROM for rule in rules)
    count = f"**{len(rules)}** {plural(len(rules), 'rule')}, **{firm}** of them firm"
    if len(rules) == 1:
        count = f"**1** rule, {'firm' if firm else 'not firm yet'}"
    return f"Mode **{word}**: {count}" if mode == "learned" else f"Mode **{word}**; not followed: {count}"


def _rebuilt(memory: Memory) -> str:
    model = memory.routing_model
    day = calendar_day(model.last_rebuilt)
    upcoming = next_rebuild(memory.total)
    if day is None and not model.rules:
        which = "first" if memory.total < FIRST_REBUILD else "next"
        return f"Rules are {which} made at {upcoming} deliberations"
    when = f"Rebuilt {day}" if day is not None else "Rebuilt at an unknown time"
    size = model.sample_size
    sample = f" from {size} {plural(size, 'deliberation')}" if size > 0 else ""
    return f"{when}{sample}, next at {upcoming}"


def _accuracy(memory: Memory) -> str:
    decisions = stats.decisions(memory)
    if not decisions.count:
        stored = percent(memory.routing_model.routing_accuracy)
        return "No decision of the router's own yet" if stored == UNKNOWN else f"Right {stored} of the time"
    times = plural(decisions.count, "time")
    share = percent(decisions.hits / decisions.count)
    text = f"Right **{decisions.hits} of {decisions.count}** {times} ({share})"
    wrong = []
    if decisions.wastes:
        wrong.append(f"{decisions.wastes} deliberated for little")
    if decisions.misses:
        wrong.append(f"{decisions.misses} should have been deliberated")
    return f"{text}; {', '.join(wrong)}" if wrong else text


def _savings(saved: stats.Savings) -> str:
    if not saved.answers:
        return "Saved by single-model answers: not enough data"
    answers = f"{saved.answers} single-model {plural(saved.answers, 'answer')}"
    if not saved.compared:
        return f"{answers}; not enough data to say what was saved"
    if saved.compared < saved.answers:
        answers = f"{saved.compared} of {answers}"
    return f"{answers} saved about **{money(saved.usd)}**"


def _chart(routes: Sequence[Route]) -> str:
    known = [(plain(route.name), route.value) for route in routes if route.value is not None]
    bars = [(name, value) for name, value in known if 0 <= value <= 1]
    return bar_chart(
        sorted(bars, key=lambda bar: -bar[1]),
        axis=f"value score (lines at {SINGLE_MODEL_BELOW:g} and {DELIBERATE_ABOVE:g})",
        top=1.05,
        digits=2,
        lines=(SINGLE_MODEL_BELOW, DELIBERATE_ABOVE),
    )
