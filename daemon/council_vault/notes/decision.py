"""The record of a decision as a note: how it is called, what it says, and the line in its project's index."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from council_vault.memory.vocabulary import CATEGORIES, OUTCOMES, as_meant
from council_vault.notes.categories import title as category_title
from council_vault.notes.cells import UNKNOWN, money, name_cell, short_names
from council_vault.notes.kinds import FILE_NAMES
from council_vault.notes.paragraphs import is_same, points, prose
from council_vault.notes.prose import line, property_text
from council_vault.notes.slug import slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from council_vault.notes.decision_input import Decision

_NUMBER = re.compile(r"DR-(\d{1,4})(?!\d)", re.IGNORECASE)
_LONGEST_TITLE = 160  # characters shown
_LONGEST_FINDING = 120
_NO_TITLE = "Council decision"


def next_number(names: Iterable[str]) -> int:
    """Return the number of a project's next record: the highest of those in its folder, and one more.

    Args:
        names: the notes in the folder; longer numbers than four digits are days or something else.
    """
    found = (_NUMBER.match(name.rpartition("/")[2]) for name in names)
    return max((int(number[1]) for number in found if number), default=0) + 1


def label(number: int) -> str:
    """Return what a project's record is called for short, such as ``DR-003``."""
    return f"DR-{number:03d}"


def short_name(file: str) -> str:
    """Return what a link to a record shows, by the name of its file."""
    number = _NUMBER.match(file)
    return label(int(number[1])) if number else "record"


def project_note_name(decision: Decision, number: int) -> str:
    """Return the name of a record in its project's folder, without ``.md``."""
    return f"{label(number)}-council-{slug(decision.title or '')}"


def council_note_name(decision: Decision) -> str:
    """Return the name of a record in the council's folder, without ``.md``."""
    return f"{FILE_NAMES['decision']}-{slug(decision.title or '')}-{decision.date}"


def title_of(decision: Decision) -> str:
    """Return the title as text on one line, with nothing live in it."""
    return line(decision.title or "", _LONGEST_TITLE) or _NO_TITLE


def variables(
    decision: Decision, *, number: int | None, stamp: str, links: Sequence[str]
) -> dict[str, object]:
    """Return what the template of a decision record sees.

    Args:
        decision: the completed decision.
        number: of the record in its project, ``None`` in the council's folder.
        stamp: the memory's.
        links: to the notes on models and on deliberations.
    """
    prefix = "" if number is None else f"{label(number)}: "
    names = short_names(decision.participants)
    outcome = " ".join(decision.outcome)
    is_short = len(decision.outcome) == 1 and len(outcome) <= _LONGEST_FINDING and "\n" not in outcome.strip()
    word = as_meant(outcome, OUTCOMES)
    finding = f"Outcome: {word}" if word else line(outcome) if is_short else ""
    return {
        "title": f"{prefix}{property_text(decision.title or '', _LONGEST_TITLE) or _NO_TITLE}",
        "heading": f"{prefix}{title_of(decision)}",
        "date": decision.date,
        "project": property_text(decision.project) if decision.project else None,
        "tags": ["council", "decision", *_category_tag(decision.category)],
        "participants": list(dict.fromkeys(filter(None, map(property_text, decision.participants)))),
        "deliberation_id": decision.deliberation_id,
        "council_memory": stamp,
        "finding": finding or f"Decided by the council on {decision.date}",
        "links": list(links),
        "facts": _facts(decision, [name_cell(name) for name in names.values()]),
        "sections": _sections(decision, is_told=bool(finding)),
    }


def index_line(decision: Decision, link: str) -> str:
    """Return the line on a record in its project's index."""
    return f"{decision.date}: {title_of(decision)} ({link})"


def _category_tag(category: str | None) -> list[str]:
    known = as_meant(category or "", CATEGORIES)
    return [known.replace("_", "-")] if known and known != "other" else []


def _facts(decision: Decision, participants: Sequence[str]) -> list[tuple[str, str]]:
    """Return what is known of the deliberation, each with what it is called."""
    chairman = short_names([decision.chairman]).popitem()[1] if decision.chairman else ""
    facts = (
        ("Deliberation", decision.deliberation_id),
        ("Chairman", name_cell(chairman)),
        ("Participants", ", ".join(participants)),
        ("Category", category_title(decision.category) if decision.category else UNKNOWN),
        ("Cost", money(decision.cost_usd)),
    )
    return [(name, fact) for name, fact in facts if fact and fact != UNKNOWN]


def _sections(decision: Decision, *, is_told: bool) -> list[tuple[str, str]]:
    """Return the titles of the sections that say something, each with its Markdown."""
    asked = decision.query
    if len(asked) == 1 and is_same(asked[0], decision.title or ""):
        asked = ()
    sections = (
        ("Question", asked, prose),
        ("Outcome", () if is_told else decision.outcome, prose),
        ("Rationale", decision.rationale, prose),
        ("Agreements", decision.agreements, points),
        ("Disagreements", decision.disagreements, points),
    )
    drawn = ((title, draw(texts)) for title, texts, draw in sections if texts)
    return [(title, markdown) for title, markdown in drawn if markdown]
