"""One short brief, made from what past deliberations on the same matter have come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003 (msgspec reads the annotations)
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from council_vault.briefing import guidance, lessons, quality, trends
from council_vault.briefing.cases import VALIDITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from council_vault.briefing.cases import Case, Recall, Reputation

MOST_CASES = 8


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """What a council should know before it deliberates.

    Attributes:
        directive: what is to be deliberated.
        generated_at: when, in seconds since 1970.
        n_cases: how many past deliberations it rests on.
        coverage: how many of them are of each validity; only those there are.
        executive_summary: all of it in one paragraph.
        relevant_historical_cases: references to them, with a gist of 110 characters at most.
        validated_lessons: what came true.
        failed_lessons: what did not, and why.
        common_patterns: words and endings that several of them share.
        repeated_errors: the same mistake, made twice or more.
        confidence_trends: stated confidence beside what happened.
        agent_performance_trends: who of those who argued then is to be relied on.
        recommended_focus_areas: what to take care of this time.
        known_blind_spots: what the history does not show.
    """

    directive: str
    generated_at: float
    n_cases: int
    coverage: Mapping[str, int]
    executive_summary: str
    relevant_historical_cases: tuple[lessons.HistoricalCase, ...]
    validated_lessons: tuple[lessons.ValidatedLesson, ...]
    failed_lessons: tuple[lessons.FailedLesson, ...]
    common_patterns: tuple[lessons.Pattern, ...]
    repeated_errors: tuple[lessons.RepeatedError, ...]
    confidence_trends: trends.ConfidenceTrends
    agent_performance_trends: tuple[trends.AgentTrend, ...]
    recommended_focus_areas: tuple[str, ...]
    known_blind_spots: tuple[str, ...]


def build_brief(directive: str, recall: Recall, k: int = MOST_CASES, now: datetime | None = None) -> Brief:
    """Build the brief on a directive: the same history and time give the same brief.

    Args:
        directive: what is to be deliberated.
        recall: where past deliberations are kept.
        k: how many of them to rest it on at most.
        now: the time, aware; ``None`` for the present.

    Raises:
        CouncilVaultError: what ``recall`` raises.
    """
    now = now or datetime.now(UTC)
    cases = quality.recalled(directive, recall, k, now)
    return brief_on(directive, cases, recall.reputations(trends.agents_of(cases)), now)


def brief_on(
    directive: str, cases: Sequence[Case], reputations: Mapping[str, Reputation], now: datetime
) -> Brief:
    """Build the brief from cases that have been recalled (pure)."""
    states = Counter(case.validity for case in cases)
    coverage: dict[str, int] = {state: states[state] for state in VALIDITIES if states[state]}
    validated = lessons.validated_lessons(cases)
    errors = lessons.repeated_errors(cases)
    confidence = trends.confidence_trends(cases)
    return Brief(
        directive=directive.encode(errors="replace").decode(),
        generated_at=now.timestamp(),
        n_cases=len(cases),
        coverage=coverage,
        executive_summary=(
            guidance.executive_summary(coverage, errors, validated, confidence)
            if cases
            else guidance.NO_HISTORY
        ),
        relevant_historical_cases=lessons.historical_cases(cases),
        validated_lessons=validated,
        failed_lessons=lessons.failed_lessons(cases),
        common_patterns=lessons.common_patterns(cases),
        repeated_errors=errors,
        confidence_trends=confidence,
        agent_performance_trends=trends.agent_trends(cases, reputations),
        recommended_focus_areas=(
            guidance.focus_areas(errors, confidence, validated) if cases else (guidance.NO_HISTORY,)
        ),
        known_blind_spots=guidance.blind_spots(cases) if cases else (),
    )
