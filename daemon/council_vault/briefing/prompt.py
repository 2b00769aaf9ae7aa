"""The brief as a council reads it, and the places where it is put in front of the work.

Everything here works without a brief (``None``) too: then the council deliberates unbriefed.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.briefing.brief import MOST_CASES, build_brief
from council_vault.briefing.gist import gist
from council_vault.briefing.guidance import STATE_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from council_vault.briefing.brief import Brief
    from council_vault.briefing.cases import Recall

CLOSING = (
    "Reason WITH this history. Do not repeat disproven reasoning; do not rediscover validated lessons; "
    "surface new uncertainty."
)

OTHER_CASES = "Other Cases"
"""The section of the cases that are neither a validated nor a failed lesson."""

_log = logging.getLogger(__name__)
Message = dict[str, Any]


def brief_or_none(directive: str, open_recall: Callable[[], Recall], k: int = MOST_CASES) -> Brief | None:
    """Build a brief if that can be done; a council is never kept from its work for want of one.

    Args:
        directive: what is to be deliberated.
        open_recall: opens the place where past deliberations are kept.
        k: how many of them to rest it on at most.

    Returns:
        The brief, to be made once and given to every role; ``None`` where the source failed, which is
        logged.
    """
    try:
        return build_brief(directive, open_recall(), k)
    except Exception as error:  # noqa: BLE001 - whatever it is, the council goes on without a brief
        _log.warning("The council deliberates without a brief: %s", error)
        return None


def format_brief_for_council(brief: Brief) -> str:
    """Return the brief as the text of a system message; sections that say nothing are left out."""
    parts = [
        f"# Historical brief: {gist(brief.directive)}",
        f"## Executive Summary\n\n{brief.executive_summary}",
    ]
    parts += (
        f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines) for title, lines in sections(brief)
    )
    if brief.n_cases:
        parts.append(CLOSING)
    return "\n\n".join(parts)


def sections(brief: Brief) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the sections below the executive summary that say something: title and lines."""
    for title, lines in (
        ("Validated Lessons", _validated(brief)),
        ("Failed Lessons", _failed(brief)),
        ("Repeated Errors", _errors(brief)),
        ("Patterns", [f"{one.pattern} ({one.occurrences})" for one in brief.common_patterns]),
        ("Confidence Trend", _confidence(brief)),
        ("Agent Performance", _agents(brief)),
        (OTHER_CASES, list(_others(brief))),
        ("Blind Spots", brief.known_blind_spots),
        ("Recommended Focus", brief.recommended_focus_areas if brief.n_cases else ()),
    ):
        if lines:
            yield title, lines


def brief_role_prompt(role_prompt: str, task: str, context: Mapping[str, object], brief: Brief | None) -> str:
    """Return the prompt of one role of the council, with the brief before the task.

    Args:
        role_prompt: who the role is.
        task: what is to be deliberated.
        context: what else the role should know; keys that begin with ``_`` are internal, and dropped.
        brief: the brief, made once for all roles.
    """
    shown = {key: value for key, value in context.items() if not key.startswith("_")}
    parts = [role_prompt]
    if brief is not None:
        parts.append(format_brief_for_council(brief))
    parts.append(f"TASK:\n{task}")
    if shown:
        parts.append(f"CONTEXT:\n{json.dumps(shown, ensure_ascii=False, indent=2, default=str)}")
    return "\n\n".join(parts)


def brief_counsel(messages: Sequence[Message], brief: Brief | None) -> list[Message]:
    """Return the messages of a counsel call with the brief as a system message behind the counsel's own."""
    if brief is None:
        return list(messages)
    own = [place for place, message in enumerate(messages) if message.get("role") == "system"]
    place = own[-1] + 1 if own else 0
    message = {"role": "system", "content": format_brief_for_council(brief)}
    return [*messages[:place], message, *messages[place:]]


def brief_event(brief: Brief) -> str:
    """Return the server-sent event ``brief``, which tells a page what the council goes in with."""
    data = {
        "n_cases": brief.n_cases,
        "repeated_errors": msgspec.to_builtins(brief.repeated_errors),
    }
    return f"event: brief\ndata: {json.dumps(data)}\n\n"


def _validated(brief: Brief) -> list[str]:
    return [
        f"{one.lesson} ({one.from_case}, {_percent(one.accuracy)} right)" for one in brief.validated_lessons
    ]


def _failed(brief: Brief) -> list[str]:
    return [f"⚠ {one.lesson} ({one.from_case}): {one.why_failed}" for one in brief.failed_lessons]


def _errors(brief: Brief) -> list[str]:
    return [
        f"⚠ {one.error}, {one.occurrences}×" + (f", such as: {one.example}" if one.example else "")
        for one in brief.repeated_errors
    ]


def _confidence(brief: Brief) -> list[str]:
    trend = brief.confidence_trends
    if trend.stated_avg is None or trend.realized_accuracy is None:
        return [trend.note] if brief.n_cases else []
    stated, realized = _percent(trend.stated_avg), _percent(trend.realized_accuracy)
    return [f"stated {stated}, right {realized}, {trend.direction}: {trend.note}"]


def _agents(brief: Brief) -> list[str]:
    return [
        f"{one.agent}: {one.reliability} "
        f"(skill {_percent(one.skill)}, calibration {_percent(one.calibration)})"
        for one in brief.agent_performance_trends
    ]


def _others(brief: Brief) -> Iterator[str]:
    for case in brief.relevant_historical_cases:
        if case.validity in {"VALIDATED", "DISPROVEN"}:
            continue
        right = "" if case.accuracy is None else f", {_percent(case.accuracy)} right"
        yield f"{'⚠ ' if case.warning else ''}{case.gist} ({case.ref}, {STATE_WORDS[case.validity]}{right})"


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"
