"""A note that somebody has asked for: written into the vault on the same road as the others."""

from __future__ import annotations

import itertools
import posixpath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault import files
from council_vault.errors import NoteRefused, WriteFailed
from council_vault.memory.identity import identify
from council_vault.memory.schema import Memory
from council_vault.notes import frontmatter, text
from council_vault.notes.merge import merge_note
from council_vault.notes.regions import find_region
from council_vault.operations.reading import memory_if_any
from council_vault.state import Remembering, open_state
from council_vault.syncing.linking import links_from, markdown_links
from council_vault.syncing.locating import locate
from council_vault.syncing.note_writing import Composed, write_notes
from council_vault.syncing.remembered import recall
from council_vault.vault.discovery import discover

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from council_vault.notes.kinds import NoteKind
    from council_vault.state import State
    from council_vault.syncing.note_writing import Draft
    from council_vault.vault.store import VaultStore
    from council_vault.workspace import Workspace


class Surroundings(NamedTuple):
    """What a note must know: the memory's stamp, and links to those of the other notes that there are."""

    stamp: str
    links: tuple[str, ...]


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """A note that stands in the vault: its path there, whether it had to be written, and what is odd."""

    vault: str
    name: str
    written: bool
    problems: tuple[str, ...] = ()

    def sentences(self) -> Iterator[str]:
        """Yield what the person should know of it."""
        yield from (f"{problem}." for problem in self.problems)
        yield f"{'Saved as' if self.written else 'It is already in'} {self.name}."


def save_note(workspace: Workspace, kind: NoteKind, name: str, draw: Callable[[Surroundings], str]) -> Saved:
    """Write a note into the vault's folder.

    A note of that name that is this memory's and of this kind is brought up to date; beside any other one
    the new note gets a number.

    Args:
        workspace: whose vault and memory count.
        kind: what the note is.
        name: the note's name as links use it, without folder and ``.md``.
        draw: makes the whole note.

    Raises:
        VaultUnavailable: there is no vault now, or several could be meant.
        NoteRefused: it cannot be kept as a note, or must be left alone.
        WriteFailed, Busy: it cannot be written now.
    """
    settings = workspace.settings
    with files.sync_lock(workspace.locks, workspace.memory_path), open_state(workspace.folder) as state:
        vault = workspace.vault(discover(workspace.vault_request(state.facts.pin)))
        known = recall(state, settings.workspace.name)
        stamp = identify(memory_if_any(workspace) or Memory(), known.stamp, known.rows)
        path = _free(vault, posixpath.join(settings.vault.folder, name), kind, stamp)
        located = locate(vault, settings, known.places, stamp)
        links = links_from(path, located, markdown=markdown_links(vault))
        standing = (link for kind, link in links.items() if located.names[kind] in located.listing)
        composer = _Composer(draw(Surroundings(stamp, tuple(standing))), path, stamp, state)
        note = write_notes(vault, {kind: path}, composer)[kind]
        if not note.stands:
            failure = NoteRefused if note.outcome == "refused" else WriteFailed
            raise failure(note.reason, where=path)
        composer.remember(note.region)
    problems = (note.reason,) if note.reason else ()
    return Saved(vault=vault.place, name=path, written=note.outcome == "written", problems=problems)


class _Composer:
    """Composes one note, and remembers what we wrote into it.

    Args:
        drawn: the whole note.
        path: where it is to stand.
        stamp: the memory's.
        state: where it is remembered.
    """

    def __init__(self, drawn: str, path: str, stamp: str, state: State) -> None:
        self._drawn = drawn
        self._path = path
        self._stamp = stamp
        self._state = state
        self._known: str | None = None

    def compose(self, kind: NoteKind, current: bytes | None) -> Composed:
        """See `Composer.compose`."""
        if current is not None and not is_ours(current, kind, self._stamp):
            raise NoteRefused("somebody has written another note of that name", remedy="Try again")
        self._known = self._state.region(self._key)
        merged = merge_note(self._drawn, current, kind=kind, written_region=self._known)
        return Composed(content=text.encode(merged.text), region=merged.region, problems=merged.problems)

    def announce(self, drafts: Mapping[NoteKind, Draft]) -> None:
        """See `Composer.announce`."""
        for draft in drafts.values():
            self.remember(f"{self._known or ''}\n{draft.composed.region}")

    def remember(self, region: str) -> None:
        """Remember a region as written by us."""
        self._state.remember(Remembering(facts=self._state.facts, regions={self._key: region}))

    @property
    def _key(self) -> str:
        return f"note:{self._path}"


def is_ours(content: bytes, kind: NoteKind, stamp: str) -> bool:
    """Tell whether a note is of this memory and this kind, by its properties and its region."""
    try:
        note = text.decode(content).text
        region = find_region(note, kind, frontmatter.body_start(note))
    except NoteRefused:
        return False
    return region is not None and frontmatter.stamp(note) == stamp


def _free(vault: VaultStore, path: str, kind: NoteKind, stamp: str) -> str:
    """Return the first path, without a number or with one, where no other note stands."""
    return next(
        candidate
        for candidate in _numbered(path)
        if (stored := vault.read(candidate)) is None or is_ours(stored.content, kind, stamp)
    )


def _numbered(path: str) -> Iterator[str]:
    yield f"{path}.md"
    for number in itertools.count(2):
        yield f"{path}-{number}.md"
