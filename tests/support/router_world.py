"""A world to try the router in: seeded questions, and what deliberating on them would be worth.

What a category is truly worth is known here. The router is told only what it caused to be seen: a council's
records have a value, a single answer has none.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import msgspec

from council_vault.learning.rebuild import routing_model
from council_vault.learning.router import Policy, Route, route
from council_vault.learning.routing import crosses_rebuild, value_score
from council_vault.memory.schema import Deliberation, Memory, QueryFeatures, RoutingModel

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
MODELS = ("anthropic/claude-sonnet-4", "openai/gpt-4.1", "google/gemini-2.5-pro", "x-ai/grok-3")
COUNCIL_COST, ANSWER_COST = 0.09, 0.009  # USD
SPREAD = 0.55
NOT_KNOWN = 0.5  # how sure the router is where it deliberates to learn
RATED = 0.45


@dataclass(frozen=True)
class Kind:
    """A category's questions, and what is true of them: all means are in 0..1.

    `weight` is how often such a question comes, `value` what deliberating adds, `dominance` how often the
    best model of the category leads. Confidence and ratings follow the value.
    """

    category: str
    weight: int
    value: float
    dominance: float
    questions: tuple[str, ...]

    @property
    def confidence(self) -> float:
        return 0.4 + 0.4 * self.value

    @property
    def positive(self) -> float:
        return (0.3 + self.value) / (1.2 + self.value / 2)

    @property
    def score(self) -> float:
        """The value score that endless records would have."""
        return value_score(self.value, self.positive, self.confidence, SPREAD, self.dominance)

    @property
    def truth(self) -> str:
        """What is right: to deliberate, one model, or either, since it is between the lines."""
        return "deliberate" if self.score > 0.6 else "single_model" if self.score < 0.4 else "between"


# Weights and values are those of support.memories.
KINDS = (
    Kind(
        "architecture_decision", 10, 0.75, 0.45, (
            "Compare {} and {} for a small team that ships weekly",
            "What are the trade-offs of {} against {} at our size?",
            "Review this architecture: {} in front of {}, one region",
        ),
    ),
    Kind(
        "compliance_security", 9, 0.7, 0.45, (
            "What does a security review of {} have to cover before {}?",
            "Plan an audit of {} that also looks at {}",
        ),
    ),
    Kind(
        "strategy_business", 7, 0.62, 0.45, (
            "Should we change our pricing for {} now that {} is cheaper?",
            "Lay out a strategy to sell {} to users of {}",
        ),
    ),
    Kind(
        "other", 12, 0.4, 0.45, (
            "Plan a week for a team that moves from {} to {}",
            "Help me say no to {} without losing {}",
        ),
    ),
    Kind(
        "factual_lookup", 8, 0.15, 0.85, (
            "What is the difference that {} makes to {}, and when does it matter?",
            "Explain how {} relates to {}",
            "How does {} work, and why is {} slower?",
        ),
    ),
    Kind(
        "code_implementation", 9, 0.12, 0.85, (
            "Implement a retry for {} that gives up on {}",
            "Debug this: {} fails now and then when {} restarts",
            "Which is better in code for {}, an iterator or {}?",
        ),
    ),
    Kind(
        "creative_writing", 5, 0.05, 0.75, (
            "Write a launch e-mail about {} for people who know {}",
            "Draft a blog post on {} and what {} has to do with it",
        ),
    ),
)  # fmt: skip
_THINGS = (
    "Raft",
    "Postgres",
    "a queue",
    "SQLite",
    "Kafka",
    "feature flags",
    "Terraform",
    "gRPC",
    "a cache",
    "S3",
)


@dataclass
class Journey:
    """What became of a stream of questions: each one with its kind and route, and their cost in USD."""

    steps: list[tuple[Kind, Route]] = field(default_factory=list)
    cost: float = 0.0
    always: float = 0.0  # what deliberating on all of them would have cost

    @property
    def saved(self) -> float:
        """The share of the cost that was saved."""
        return 1 - self.cost / self.always

    @property
    def wrong(self) -> int:
        """How many routes were learned wrongly."""
        return sum(is_wrong(kind, taken) for kind, taken in self.steps if taken.routing_source == "learned")

    def of(self, category: str) -> list[tuple[int, Route]]:
        """Return the routes of a category, each with how many records there were before it."""
        return [
            (number, taken) for number, (kind, taken) in enumerate(self.steps) if kind.category == category
        ]

    def routed_after(self, category: str) -> int | None:
        """Return after how many records a rule of its own was first followed for a category."""
        by_rule = (
            number
            for number, taken in self.of(category)
            if taken.routing_source == "learned" and taken.confidence > NOT_KNOWN
        )
        return next(by_rule, None)


def is_wrong(kind: Kind, taken: Route) -> bool:
    """Tell whether a route goes against what is true.

    One model where it is worth deliberating, or not known to be too little; deliberating by a rule where one
    model is enough. Deliberating to learn, and the second look, are no mistakes.
    """
    if taken.decision == "single_model":
        return kind.truth != "single_model"
    return kind.truth == "single_model" and taken.confidence > NOT_KNOWN


def travel(seed: int, questions: int, policy: Policy) -> Journey:
    """Route a stream of questions, learning from each."""
    dice = random.Random(seed)
    stream = [_question(dice) for _ in range(questions)]
    memory, journey = Memory(), Journey()
    for number, (kind, text) in enumerate(stream, start=1):
        taken = route(text, memory, policy)
        when = START + timedelta(minutes=30 * number)
        record = _record(random.Random(f"{seed} {number}"), kind, taken, number, when)
        memory = _with(memory, record, when)
        journey.steps.append((kind, taken))
        journey.cost += record.cost_usd
        journey.always += COUNCIL_COST
    return journey


def _with(memory: Memory, record: Deliberation, now: datetime) -> Memory:
    grown = msgspec.structs.replace(memory, deliberations=(*memory.deliberations, record))
    if not crosses_rebuild(memory.total, grown.total):
        return grown
    rules = msgspec.convert(routing_model(grown, now), RoutingModel)
    return msgspec.structs.replace(grown, routing_model=rules)


def _question(dice: random.Random) -> tuple[Kind, str]:
    kind = dice.choices(KINDS, weights=[kind.weight for kind in KINDS])[0]
    return kind, dice.choice(kind.questions).format(*dice.sample(_THINGS, 2))


def _record(dice: random.Random, kind: Kind, taken: Route, number: int, when: datetime) -> Deliberation:
    council = taken.decision == "deliberate"
    assert taken.query_features.category == kind.category
    rating = None
    if dice.random() < RATED:
        rating = "positive" if dice.random() < kind.positive else dice.choice(("neutral", "negative"))
    common = {
        "id": f"d_{when:%Y%m%d}_{number:03d}",
        "timestamp": f"{when:%Y-%m-%dT%H:%M:%SZ}",
        "query_features": QueryFeatures(category=kind.category),
        "routing_decision": taken.decision,
        "routing_source": taken.routing_source,
        "routing_confidence": taken.confidence,
        "user_rating": rating,
    }
    if not council:
        return Deliberation(
            **common, models_used=taken.recommended_models or MODELS[:1], cost_usd=ANSWER_COST
        )
    best = MODELS[len(kind.category) % len(MODELS)]
    others = [model for model in MODELS if model != best]
    dice.shuffle(others)
    order = [best, *others] if dice.random() < kind.dominance else [others[0], best, *others[1:]]
    return Deliberation(
        **common,
        models_used=MODELS,
        rankings={model: float(place) for place, model in enumerate(order, start=1)},
        chairman=order[0],
        confidence=_near(dice, kind.confidence, 0.1),
        ranking_spread=dice.uniform(0.2, 0.9),
        deliberation_value_added=_near(dice, kind.value, 0.12),
        cost_usd=COUNCIL_COST,
    )


def _near(dice: random.Random, mean: float, deviation: float) -> float:
    return min(1.0, max(0.0, dice.gauss(mean, deviation)))
