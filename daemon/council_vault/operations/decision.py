"""The record of a decision, written into the vault once, and a line on it in its project's index."""

from __future__ import annotations

import itertools
import posixpath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault import files
from council_vault.errors import FileChanged, NoteRefused, WriteFailed
from council_vault.memory.identity import UNKNOWN_STAMP, identify
from council_vault.memory.schema import Memory
from council_vault.notes import decision as record
from council_vault.notes import frontmatter, text
from council_vault.notes.cell_text import undecorated
from council_vault.notes.decision_input import Decision, completed
from council_vault.notes.kinds import DECISION_ID
from council_vault.notes.links import link
from council_vault.operations.index_line import Indexed, add_line
from council_vault.operations.reading import memory_if_any
from council_vault.state import Remembering, open_state
from council_vault.syncing.linking import links_from, markdown_links
from council_vault.syncing.locating import Located, locate
from council_vault.syncing.remembered import recall
from council_vault.vault.discovery import discover
from council_vault.vault.projects import PROJECTS, Project, project_named, projects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.notes.templates import Templates
    from council_vault.state import State
    from council_vault.vault.store import VaultStore
    from council_vault.workspace import Workspace

_KNOWLEDGE = "11-Knowledge"
_ATTEMPTS = 100


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """Where the record of a decision stands in the vault, and whether it was written now.

    ``index`` is the note that has got a line on it now, ``None`` where none has. ``problems`` are sentences
    for the person: the record is safe whatever they say.
    """

    vault: str
    name: str
    written: bool
    index: str | None = None
    problems: tuple[str, ...] = ()

    def sentences(self) -> Iterator[str]:
        """Yield what the person should know of it."""
        if not self.written:
            yield "It was there already; nothing of it was changed."
        if self.index is not None:
            yield f"A line on it was added to {self.index}."
        for problem in self.problems:
            yield f"{problem}."


class _Place(NamedTuple):
    """A path that a record can have, and its number in the project, if it is in one."""

    path: str
    number: int | None


def write_decision(workspace: Workspace, given: Decision) -> Decided:
    """Write the record of a decision, unless there is one of that deliberation already.

    It goes into the project's folder, or else to where the council's notes are. What is not given is taken
    from the deliberation's record in the memory, but for the question: that is only in the note if it was
    handed over.

    Raises:
        InputError: there is no title.
        VaultUnavailable: there is no vault now, or several could be meant.
        NoteRefused: it cannot be kept as a note.
        MemoryUnreadable: the memory file is broken.
        WriteFailed, Busy: it cannot be written now.
    """
    memory = memory_if_any(workspace) or Memory()
    decision = completed(given, memory.identified.get(given.deliberation_id))
    with files.sync_lock(workspace.locks, workspace.memory_path), open_state(workspace.folder) as state:
        vault = workspace.vault(discover(workspace.vault_request(state.facts.pin)))
        known = recall(state, workspace.settings.workspace.name)
        stamp = identify(memory, known.stamp, known.rows)
        located = locate(vault, workspace.settings, known.places, stamp)
        recording = _Recording(vault, located, decision, stamp, workspace.settings.vault.folder)
        templates = workspace.templates()
        standing = recording.standing()
        path = recording.write(templates) if standing is None else standing
        problems = [*recording.problems, *templates.problems] if standing is None else []
        indexed = recording.line_in_index(path, state)
    if indexed.problem:
        problems.append(indexed.problem)
    return Decided(
        vault=vault.place,
        name=path,
        written=standing is None,
        index=indexed.note if indexed.written else None,
        problems=tuple(problems),
    )


class _Recording:
    """One decision on its way into the vault.

    Args:
        vault: where it goes.
        located: the notes that are there.
        decision: the completed decision.
        stamp: the memory's.
        folder: of the council's notes.
    """

    def __init__(
        self, vault: VaultStore, located: Located, decision: Decision, stamp: str, folder: str
    ) -> None:
        self._vault = vault
        self._located = located
        self._decision = decision
        self._stamp = stamp
        self._folder = folder
        self._markdown = markdown_links(vault)
        self._project = self._find_project(decision.project) if decision.project else None
        self.problems: list[str] = []
        if self._project is not None:
            self._decision = msgspec.structs.replace(decision, project=self._project.name)
        elif decision.project:
            self.problems.append(
                f"{PROJECTS} has no folder of that project, so the record is where the council's notes are"
            )

    def standing(self) -> str | None:
        """Return the record that there is of the deliberation, wherever somebody has moved it."""
        wanted = self._decision.deliberation_id
        # The names that such records are given go first.
        names = sorted(self._vault.may_be_ours(), key=lambda name: "council-" not in posixpath.basename(name))
        return next((name for name in names if self._is_of(name, wanted)), None)

    def write(self, templates: Templates) -> str:
        """Write the record under the first name that is free, and return its path."""
        for place in itertools.islice(self._places(), _ATTEMPTS):
            links = links_from(place.path, self._located, markdown=self._markdown)
            seen = record.variables(
                self._decision,
                number=place.number,
                stamp=self._stamp,
                links=(links["performance"], links["log"]),
            )
            content = text.encode(text.NoteText(text=templates.render("decision", seen)))
            try:
                self._vault.write(place.path, content, None)
            except FileChanged:
                continue  # the name is taken
            finally:
                taken_back = self._vault.settle()
            if place.path not in taken_back:
                return place.path
        raise WriteFailed("every name for the record is taken", where=place.path, remedy="Try again")

    def line_in_index(self, path: str, state: State) -> Indexed:
        """Add the line on the record at ``path`` to its project's index.

        Once it is there it is the person's: if they delete it, it stays deleted.
        """
        project = self._project
        key = f"{DECISION_ID}:{self._decision.deliberation_id}"
        if project is None or not path.startswith(f"{project.folder}/") or state.region(key) is not None:
            return Indexed()
        shown = record.short_name(posixpath.basename(path))
        source = project.index or path
        to_record = link(path, shown, source=source, names=self._located.listing, markdown=self._markdown)
        line = record.index_line(self._decision, to_record)
        indexed = add_line(self._vault, project, path, line)
        if indexed.note is not None:
            state.remember(Remembering(facts=state.facts, regions={key: line}))
        return indexed

    def _find_project(self, name: str) -> Project | None:
        known = projects(self._vault, self._located.listing)
        return project_named(name, known) or project_named(undecorated(name), known)

    def _is_of(self, name: str, deliberation: str) -> bool:
        try:
            stored = self._vault.read(name)
            if stored is None or deliberation.encode() not in stored.content:
                return False
            note = text.decode(stored.content).text
        except (NoteRefused, WriteFailed):
            return False
        if frontmatter.value(note, DECISION_ID) != deliberation:
            return False
        return frontmatter.stamp(note) in {None, self._stamp, UNKNOWN_STAMP} or self._stamp == UNKNOWN_STAMP

    def _places(self) -> Iterator[_Place]:
        """Yield the paths that the record can have, the best first."""
        if self._project is None:
            name = posixpath.join(self._folder, record.council_note_name(self._decision))
            yield _Place(f"{name}.md", None)
            for number in itertools.count(2):
                yield _Place(f"{name}-{number}.md", None)
        else:
            folder = self._project.below(_KNOWLEDGE)
            there = [name for name in self._project.notes if name.startswith(f"{folder}/")]
            for number in itertools.count(record.next_number(there)):
                yield _Place(f"{folder}/{record.project_note_name(self._decision, number)}.md", number)
