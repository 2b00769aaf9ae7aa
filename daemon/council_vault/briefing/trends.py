"""How sure the council was and how right, and which of its agents are to be relied on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.briefing.cases import mean
from council_vault.briefing.gist import gist

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from council_vault.briefing.cases import Case, Reputation

GAP = 0.15
"""How far stated confidence and what happened may be apart before the council is called out."""

OVERCONFIDENT = "the House has been OVERCONFIDENT here"
UNDERCONFIDENT = "the House has been UNDERCONFIDENT here"
MATCHED = "stated confidence has matched what happened"
LUCKY = "more has come true than was stated, in too few cases to rely on that"

_UNDERCONFIDENT_FROM = 5  # graded cases: of things that are 70 % sure, three in a row often all come true
_STEADY_WITHIN = 0.05
_RELIABLE_SKILL, _RELIABLE_CALIBRATION = 0.6, 0.6
_UNRELIABLE_SKILL, _UNRELIABLE_CALIBRATION = 0.45, 0.4
_MOST_AGENTS = 12
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class ConfidenceTrends(msgspec.Struct, frozen=True):
    """Stated confidence beside what happened, over the graded cases; ``None`` where none is graded.

    ``direction`` is that of stated confidence over time: rising, falling or steady; ``note`` is what the
    figures come to.
    """

    stated_avg: float | None
    realized_accuracy: float | None
    calibration_gap: float | None
    direction: Literal["rising", "falling", "steady"]
    note: str


class AgentTrend(msgspec.Struct, frozen=True):
    """How an agent's predictions have turned out; ``None`` where nothing is known."""

    agent: str
    skill: float
    calibration: float | None
    accuracy_rate: float | None
    reliability: Literal["reliable", "mixed", "unreliable"]


def confidence_trends(cases: Sequence[Case]) -> ConfidenceTrends:
    """Compare what was stated with what happened."""
    graded = [case for case in cases if case.accuracy is not None]
    stated = mean([case.session.confidence for case in graded])
    realized = mean([case.accuracy for case in graded])
    gap = None if stated is None or realized is None else _rounded(stated - realized)
    return ConfidenceTrends(
        stated_avg=_rounded(stated),
        realized_accuracy=_rounded(realized),
        calibration_gap=gap,
        direction=_direction(cases),
        note=_note(realized, gap, len(graded)),
    )


def agent_trends(cases: Sequence[Case], reputations: Mapping[str, Reputation]) -> tuple[AgentTrend, ...]:
    """Return the agents that took part in the cases and have a reputation, the most skilled first."""
    known = [reputations[agent] for agent in agents_of(cases) if agent in reputations]
    trends = [
        AgentTrend(
            agent=gist(one.agent),
            skill=round(one.skill, 2),
            calibration=_rounded(one.calibration),
            accuracy_rate=_rounded(one.accuracy_rate),
            reliability=_reliability(one),
        )
        for one in known
    ]
    return tuple(sorted(trends, key=lambda trend: (-trend.skill, trend.agent))[:_MOST_AGENTS])


def agents_of(cases: Sequence[Case]) -> tuple[str, ...]:
    """Return who took part in the cases, each once."""
    agents: dict[str, None] = {}
    for case in cases:
        agents.update(dict.fromkeys(case.session.participants))
        for prediction in case.session.predictions:
            agents.update(dict.fromkeys((prediction.agent, *prediction.participants)))
    agents.pop("", None)
    return tuple(agents)


def _reliability(reputation: Reputation) -> Literal["reliable", "mixed", "unreliable"]:
    skill, calibration = reputation.skill, reputation.calibration
    if skill < _UNRELIABLE_SKILL or (calibration is not None and calibration < _UNRELIABLE_CALIBRATION):
        return "unreliable"
    if skill >= _RELIABLE_SKILL and calibration is not None and calibration >= _RELIABLE_CALIBRATION:
        return "reliable"
    return "mixed"


def _direction(cases: Sequence[Case]) -> Literal["rising", "falling", "steady"]:
    """Compare the newer half of the cases with the older one."""
    by_time = sorted(cases, key=lambda case: (case.session.time or _LONG_AGO, case.session.id))
    stated = [case.session.confidence for case in by_time if case.session.confidence is not None]
    half = len(stated) // 2
    older, newer = mean(stated[:half]), mean(stated[-half:])
    if older is None or newer is None:
        return "steady"
    change = round(newer - older, 3)
    if abs(change) <= _STEADY_WITHIN:
        return "steady"
    return "rising" if change > 0 else "falling"


def _note(realized: float | None, gap: float | None, graded: int) -> str:
    if realized is None:
        return "nothing is graded yet, so that stated confidence cannot be checked"
    if gap is None:
        return "no confidence was stated where the outcome is known"
    if gap > GAP:
        return OVERCONFIDENT
    if gap < -GAP:
        return UNDERCONFIDENT if graded >= _UNDERCONFIDENT_FROM else LUCKY
    return MATCHED


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
