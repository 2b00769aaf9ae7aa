"""What the vault says that bears on a question, for a council to read before it deliberates."""

from __future__ import annotations

import math
import posixpath
import re
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import NoteRefused, WriteFailed
from council_vault.notes import text
from council_vault.notes.cells import COLUMNS
from council_vault.notes.excerpt import excerpt
from council_vault.notes.fitting import Part, fitted
from council_vault.notes.in_query import named_in
from council_vault.notes.kinds import file_name
from council_vault.notes.log_rows import rows_in
from council_vault.notes.row_order import newest_first
from council_vault.state import open_state
from council_vault.syncing.locating import locate
from council_vault.syncing.remembered import recall
from council_vault.vault.discovery import discover
from council_vault.vault.marker import MARKER
from council_vault.vault.projects import PROJECTS, projects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from council_vault.settings import Settings
    from council_vault.syncing.remembered import Remembered
    from council_vault.vault.store import VaultStore
    from council_vault.workspace import Workspace

DEFAULT_BUDGET = 2000  # tokens
CHARACTERS_PER_TOKEN = 4
_ROWS = 5
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)  # moves cursors, turns text round


class Source(msgspec.Struct, frozen=True):
    """A note that something was taken from; ``whole`` is whether all of it that may be handed on is there."""

    name: str
    whole: bool


class VaultContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a vault says that bears on a question: Markdown, within a budget.

    ``problems`` are sentences on what could not be read.
    """

    vault: str
    text: str
    tokens: int
    budget: int
    sources: tuple[Source, ...]
    problems: tuple[str, ...] = ()

    def sentences(self) -> Iterator[str]:
        """Yield what the person should know of it."""
        for problem in self.problems:
            yield f"{problem}."
        if short := [source.name for source in self.sources if not source.whole]:
            yield f"Cut to {self.budget} tokens: {', '.join(short)}."
        if not self.sources:
            yield "The vault says nothing that bears on it and fits."


def vault_context(workspace: Workspace, query: str, budget: int = DEFAULT_BUDGET) -> VaultContext:
    """Read what bears on a question; nothing is written.

    That is ``_System/MEMORY.md``, the index notes of the projects whose folders' names stand in the question,
    and the newest rows of the deliberation log. Of notes, only what `excerpt` hands on is taken.

    Args:
        workspace: whose vault counts.
        query: the question.
        budget: tokens at most; four characters count as one.

    Raises:
        VaultUnavailable: there is no vault now, or several could be meant.
    """
    with open_state(workspace.folder) as state:
        pin, known = state.facts.pin, recall(state, workspace.settings.workspace.name)
    vault = workspace.vault(discover(workspace.vault_request(pin)))
    reading = _Reading(vault)
    reading.note(MARKER, "Memory", excerpt)
    named = {project.name: project for project in projects(vault, vault.list(PROJECTS))}
    for project in named_in(query, named):
        if project.index is None:
            reading.problems.append(f"The project {project.name} has no index note")
        else:
            reading.note(project.index, f"Project {project.name}", excerpt)
    reading.note(_log(vault, workspace.settings, known), "Latest deliberations", _newest_rows, _TABLE)
    parts = fitted(reading.parts, budget * CHARACTERS_PER_TOKEN)
    said = "".join(part.text for part in parts)
    whole = {part.source: part.lines for part in reading.parts}
    return VaultContext(
        vault=vault.place,
        text=said,
        tokens=math.ceil(len(said) / CHARACTERS_PER_TOKEN),
        budget=budget,
        sources=tuple(Source(part.source, part.lines == whole[part.source]) for part in parts),
        problems=tuple(reading.problems),
    )


_TABLE = (f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}")


class _Reading:
    """Takes from notes what may be handed on, and names those that cannot be read.

    Args:
        vault: where they are.
    """

    def __init__(self, vault: VaultStore) -> None:
        self._vault = vault
        self.parts: list[Part] = []
        self.problems: list[str] = []

    def note(
        self, name: str, title: str, taken: Callable[[str], list[str]], head: tuple[str, ...] = ()
    ) -> None:
        """Take something from a note, if it is there.

        Args:
            name: the note.
            title: what it is called in the text.
            taken: makes lines of it.
            head: lines that go before these.
        """
        try:
            stored = self._vault.read(name)
            found = taken(text.decode(stored.content).text) if stored else []
        except (NoteRefused, WriteFailed) as error:
            self.problems.append(f"{name} is left out: {error}")
            return
        if found:
            lines = tuple(_UNSAFE.sub("", line) for line in found)
            self.parts.append(Part(source=name, head=(f"# {title} ({name})", "", *head), lines=lines))


def _newest_rows(note: str) -> list[str]:
    rows = newest_first(rows_in(note).values())[:_ROWS]
    cells = ([row.cells.get(column, "") for column in COLUMNS] for row in rows)
    return [f"| {' | '.join(row)} |" for row in cells]


def _log(vault: VaultStore, settings: Settings, known: Remembered) -> str:
    """Return where the log is: where it was last, in its usual place, or where somebody has moved it."""
    usual = posixpath.join(settings.vault.folder, file_name("log", settings.workspace.name))
    last = known.places.get("log", usual)
    if known.stamp is None or vault.exists(last):
        return last
    return usual if vault.exists(usual) else locate(vault, settings, known.places, known.stamp).names["log"]
