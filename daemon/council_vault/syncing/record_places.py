"""Where the record notes stand: in their folder, where the person has moved them, or nowhere any more."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault.errors import NoteRefused, WriteFailed
from council_vault.memory.identity import UNKNOWN_STAMP
from council_vault.notes import frontmatter, text
from council_vault.notes.kinds import COUNCIL_ID
from council_vault.notes.record_note import file_name
from council_vault.record_facts import RecordFacts
from council_vault.syncing.record_marks import folder_of_records, look, mark_of
from council_vault.vault.conflict_copies import conflict_copies, is_conflict_copy

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping

    from council_vault.memory.schema import Memory
    from council_vault.settings import Settings
    from council_vault.vault.store import Glance, VaultStore


class Places(NamedTuple):
    """Where the notes stand, and what the person should know of that.

    ``facts`` are what is known of each record's note, by id, ``seen`` the glances at all of them by name, and
    ``names`` all names that are taken.
    """

    folder: str
    facts: Mapping[str, RecordFacts]
    seen: Mapping[str, Glance]
    names: frozenset[str]
    messages: tuple[str, ...]

    def mark(self, name: str) -> int:
        """Return the mark of the glance at a note, 0 where there is none."""
        return mark_of(self.seen[name]) if name in self.seen else 0

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The notes that are not in the folder for them."""
        names = (one.name for one in self.facts.values() if one.name and not one.deleted)
        return tuple(sorted(name for name in names if not name.startswith(f"{self.folder}/")))


def find_places(
    vault: VaultStore,
    settings: Settings,
    known: Mapping[str, RecordFacts],
    memory: Memory,
    listing: Collection[str],
    stamp: str,
    *,
    full: bool,
) -> Places:
    """Find the notes that there are.

    A note that is not where it was last may have been moved or renamed: it is known by its id and the
    memory's stamp in its properties. One that is not found is taken for deleted if a later sync had seen it,
    and more than half of those still stand; else it is made again.

    Args:
        vault: where to look.
        settings: the folder for them.
        known: what is known of them, by id.
        memory: whose records they are on.
        listing: the names of all notes in the vault.
        stamp: the memory's stamp.
        full: whether deleted ones are to be made again.
    """
    folder = folder_of_records(settings)
    names = [one.name for one in known.values() if one.name and not one.deleted]
    seen = look(vault, folder, (name for name in names if not name.startswith(f"{folder}/")))
    facts = {id_: _undeleted(one, seen, full=full) for id_, one in known.items()}
    placed = {id_: one.name for id_, one in facts.items() if one.name and not one.deleted}
    missing = {id_ for id_, name in placed.items() if name not in seen}
    unfamiliar = memory.identified.keys() - facts.keys()
    taken = frozenset(placed.values())
    search = _Search(vault, taken, stamp)
    usual = {id_: posixpath.join(folder, file_name(id_)) for id_ in unfamiliar}
    found = search.at((id_, name) for id_, name in usual.items() if name in seen)
    lost = missing | {id_ for id_ in unfamiliar - found.keys() if memory.identified[id_].vault_synced}
    if lost:
        found |= search.everywhere(lost)
    for id_, name in found.items():
        facts[id_] = msgspec.structs.replace(facts.get(id_, RecordFacts()), name=name, mark=0)
    seen |= look(vault, folder, [name for name in found.values() if name not in seen]) if found else {}
    facts |= {id_: RecordFacts() for id_ in unfamiliar - found.keys()}
    missing -= found.keys()
    put_back = _lost(facts, missing, seen) & memory.identified.keys()
    facts |= {id_: msgspec.structs.replace(facts[id_], deleted=True) for id_ in missing}
    facts |= {id_: RecordFacts() for id_ in put_back}
    others = (name for name in listing if name not in taken)
    messages = tuple(_messages(len(put_back), conflict_copies(taken, others)))
    return Places(folder, facts, seen, frozenset((*listing, *seen)), messages)


def _undeleted(facts: RecordFacts, seen: Container[str], *, full: bool) -> RecordFacts:
    """Return facts about a note that counts as deleted no longer, if it is back or shall be made again."""
    if facts.deleted and facts.name in seen:
        return msgspec.structs.replace(facts, deleted=False, mark=0)
    return RecordFacts() if facts.deleted and full else facts


def _lost(facts: Mapping[str, RecordFacts], missing: set[str], seen: Container[str]) -> set[str]:
    """Return those of the missing notes that got lost, and were not deleted by the person."""
    known = [one for one in facts.values() if one.seen and not one.deleted]
    left = sum(one.name in seen for one in known)
    return {id_ for id_ in missing if not facts[id_].seen or 2 * left <= len(known)}


def _messages(put_back: int, copies: Collection[str]) -> Iterator[str]:
    if put_back:
        notes = f"{put_back} record notes were" if put_back > 1 else "A record note was"
        yield f"{notes} gone, and not as if deleted by hand; made again."
    if copies:
        named = sorted(copies)[:5]
        more = f" and {len(copies) - len(named)} more" if len(copies) > len(named) else ""
        yield f"Left alone, as copies that a sync service made of a conflict: {', '.join(named)}{more}."


class _Search:
    """Looks for notes by the id in their properties.

    Args:
        vault: where to look.
        taken: the notes that are known already.
        stamp: the memory's.
    """

    def __init__(self, vault: VaultStore, taken: Container[str], stamp: str) -> None:
        self._vault = vault
        self._taken = taken
        self._stamps = {None, stamp, UNKNOWN_STAMP}

    def at(self, usual: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return those of the ids whose notes stand in their usual places."""
        return {id_: name for id_, name in usual if self._id_of(name) == id_}

    def everywhere(self, wanted: Container[str]) -> dict[str, str]:
        """Return where notes with those ids stand; of several the first one by name."""
        found: dict[str, str] = {}
        for name in self._vault.may_be_ours():
            if name in self._taken or is_conflict_copy(name):
                continue
            id_ = self._id_of(name)
            if id_ is not None and id_ in wanted:
                found.setdefault(id_, name)
        return found

    def _id_of(self, name: str) -> str | None:
        try:
            stored = self._vault.read(name)
            if stored is None or COUNCIL_ID.encode() not in stored.content:
                return None
            note = text.decode(stored.content).text
        except (NoteRefused, WriteFailed):
            return None
        return frontmatter.value(note, COUNCIL_ID) if frontmatter.stamp(note) in self._stamps else None
