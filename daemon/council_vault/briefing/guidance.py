"""What follows from the history: what it leaves open, what to look out for, and all of it in a paragraph."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from council_vault.briefing.cases import VALIDITIES
from council_vault.briefing.gist import gist
from council_vault.briefing.lessons import name_of
from council_vault.briefing.trends import LUCKY, MATCHED, OVERCONFIDENT, UNDERCONFIDENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from council_vault.briefing.cases import Case
    from council_vault.briefing.lessons import RepeatedError, ValidatedLesson
    from council_vault.briefing.trends import ConfidenceTrends

NO_HISTORY = "No prior deliberations on this: reason from first principles, and record a new baseline."

STATE_WORDS = {
    "VALIDATED": "validated",
    "PARTIALLY_VALID": "partially valid",
    "UNKNOWN": "untested",
    "OUTDATED": "outdated",
    "DISPROVEN": "disproven",
}
_TEXT = r'"(?:[^"\\]|\\.)*"'
_DATA_GAPS = re.compile(
    rf"""["']?data_gaps["']?\s*[:=]\s*\[(?P<gaps>(?:{_TEXT}|[^"\]]){{0,5000}})\]""", re.IGNORECASE
)
_QUOTED = re.compile(rf"(?P<json>{_TEXT})|'([^']*)'(?=\s*(?:,|$))")
_MOST_GAPS = 5
_CALIBRATIONS = {
    OVERCONFIDENT: "OVERCONFIDENT",
    UNDERCONFIDENT: "UNDERCONFIDENT",
    MATCHED: "good",
    LUCKY: "good",
}
_FULL_STOPS = ".。．｡।۔"


def blind_spots(cases: Sequence[Case]) -> tuple[str, ...]:
    """Return what the cases leave open: those never tested, those out of date, and data that was missing."""
    spots = []
    untested = sum(case.validity == "UNKNOWN" for case in cases)
    if untested:
        spots.append(f"{untested} recalled case(s) are UNTESTED: nothing shows yet whether they were right")
    outdated = [name_of(case.session) for case in cases if case.validity == "OUTDATED"]
    if outdated:
        spots.append(
            f"{len(outdated)} recalled case(s) are OUTDATED ({', '.join(outdated)}): "
            "do not treat as current authority"
        )
    gaps = dict.fromkeys(gap for case in cases for gap in _data_gaps(case.session.evidence_summary))
    spots += [f"Data was missing: {gap}" for gap in list(gaps)[:_MOST_GAPS]]
    return tuple(spots)


def focus_areas(
    errors: Sequence[RepeatedError], confidence: ConfidenceTrends, validated: Sequence[ValidatedLesson]
) -> tuple[str, ...]:
    """Return what this deliberation should take care of."""
    areas = [
        f"Do NOT repeat: {error.error} (failed {error.occurrences}×): say what is different this time"
        for error in errors
    ]
    if confidence.note == OVERCONFIDENT:
        areas.append(
            "Counter known overconfidence: demand evidence for every figure, and state less than you feel"
        )
    elif confidence.note == UNDERCONFIDENT:
        areas.append("Counter known underconfidence: what held before may be stated as such")
    if areas:
        return tuple(areas)
    if validated:
        return ("Build on what was validated; spend the time on what is new",)
    return ("Make predictions that can be graded, so that the next council can learn from this one",)


def executive_summary(
    coverage: Mapping[str, int],
    errors: Sequence[RepeatedError],
    validated: Sequence[ValidatedLesson],
    confidence: ConfidenceTrends,
) -> str:
    """Return one paragraph: counts, the worst repeated error, an established lesson, and the calibration."""
    count = sum(coverage.values())
    states = ", ".join(f"{coverage[state]} {STATE_WORDS[state]}" for state in VALIDITIES if state in coverage)
    parts = [f"{count} prior deliberation(s) on this: {states}."]
    if errors:
        parts.append(f"⚠ Repeated error: {errors[0].error}.")
    if validated:
        parts.append(f"Established lesson: {validated[0].lesson.rstrip(_FULL_STOPS)}.")
    parts.append(f"Calibration: {_CALIBRATIONS.get(confidence.note, 'not known yet')}.")
    return " ".join(parts)


def _data_gaps(evidence: str) -> Iterator[str]:
    """Yield what stands in ``data_gaps: […]``, quoted or not."""
    for found in _DATA_GAPS.finditer(evidence):
        quoted = [_unquoted(text) for text in _QUOTED.finditer(found["gaps"])]
        for gap in quoted or found["gaps"].split(","):
            if text := gist(gap):
                yield text


def _unquoted(text: re.Match[str]) -> str:
    try:
        return str(json.loads(text["json"] or '""', strict=False)) or text[2] or ""
    except ValueError:
        return text[0].strip('"')
