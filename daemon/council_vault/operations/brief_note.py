"""The brief as a note in the vault."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from council_vault.briefing.gist import gist
from council_vault.briefing.guidance import STATE_WORDS
from council_vault.briefing.prompt import OTHER_CASES, sections
from council_vault.notes.cells import UNKNOWN, cell_text, name_cell
from council_vault.notes.figures import percent
from council_vault.notes.kinds import END_MARKER, FILE_NAMES, begin_marker
from council_vault.notes.prose import line, property_text
from council_vault.notes.slug import slug
from council_vault.operations.saving import Saved, Surroundings, save_note

if TYPE_CHECKING:
    from council_vault.briefing.brief import Brief
    from council_vault.briefing.lessons import HistoricalCase
    from council_vault.workspace import Workspace

_LONGEST_DIRECTIVE = 2000  # characters shown
_CASES = ("Gist", "State", "Right", "Case")
_WARNING = "⚠️\N{NO-BREAK SPACE}"


def save_brief(workspace: Workspace, brief: Brief) -> Saved:
    """Write a brief into the vault as ``council-brief-<slug>-<date>.md``.

    Raises:
        VaultUnavailable, NoteRefused, WriteFailed, Busy: see `save_note`.
    """
    templates = workspace.templates()

    def draw(surroundings: Surroundings) -> str:
        return templates.render("brief", variables(brief, surroundings))

    saved = save_note(workspace, "brief", note_name(brief), draw)
    problems = (*saved.problems, *templates.problems)
    return msgspec.structs.replace(saved, problems=problems)


def note_name(brief: Brief) -> str:
    """Return the name of a brief's note as links use it; its day is that of UTC."""
    return f"{FILE_NAMES['brief']}-{slug(brief.directive)}-{_moment(brief):%Y-%m-%d}"


def variables(brief: Brief, surroundings: Surroundings) -> dict[str, object]:
    """Return what the brief's template sees."""
    short = gist(brief.directive)
    title = f"Council Brief: {short}" if short else "Council Brief"
    whole = line(brief.directive, _LONGEST_DIRECTIVE)
    return {
        "title": property_text(title),
        "heading": line(title),
        "date": _moment(brief).date(),
        "council_memory": surroundings.stamp,
        "begin": begin_marker("brief"),
        "end": END_MARKER,
        "links": surroundings.links,
        "directive": "" if whole == line(short) else whole,
        "cases": brief.n_cases,
        "finding": line(brief.executive_summary),
        "sections": [
            (title, [line(text) for text in lines])
            for title, lines in sections(brief)
            if title != OTHER_CASES  # the table has them
        ],
        "table_of_cases": _rows(brief.relevant_historical_cases),
    }


def _rows(cases: tuple[HistoricalCase, ...]) -> list[tuple[str, ...]]:
    """Return the rows of the table of cases, the header first; none without cases."""
    rows = [
        (
            cell_text(case.gist) or UNKNOWN,
            f"{_WARNING if case.warning else ''}{STATE_WORDS[case.validity]}",
            percent(case.accuracy),
            name_cell(case.ref),
        )
        for case in cases
    ]
    return [_CASES, *rows] if rows else []


def _moment(brief: Brief) -> datetime:
    return datetime.fromtimestamp(brief.generated_at, UTC)
