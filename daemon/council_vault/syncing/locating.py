"""Where in the vault the three notes stand: in their usual place, or where the person has moved them."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import NoteRefused, WriteFailed
from council_vault.notes import frontmatter, text
from council_vault.notes.kinds import KINDS, Kind, file_name, note_name
from council_vault.notes.regions import marked_kind
from council_vault.vault.conflict_copies import conflict_copies, is_conflict_copy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.settings import Settings
    from council_vault.vault.store import VaultStore


class Located(msgspec.Struct, frozen=True, kw_only=True):
    """The path of each note in the vault, all notes of the vault, and what the person should know of them."""

    names: Mapping[Kind, str]
    listing: tuple[str, ...]
    messages: tuple[str, ...] = ()


def locate(vault: VaultStore, settings: Settings, known: Mapping[Kind, str], stamp: str) -> Located:
    """Return where each note stands, or where it shall be made.

    A note that is neither where it was last nor in its usual place may have been moved: it is known by the
    memory's stamp in its frontmatter and the kind in its begin marker.

    Args:
        vault: where to look.
        settings: the usual folder, and the suffix of the names.
        known: where each note was last.
        stamp: the memory's stamp.
    """
    listing = vault.list()
    usual = {
        kind: posixpath.join(settings.vault.folder, file_name(kind, settings.workspace.name))
        for kind in KINDS
    }
    names: dict[Kind, str] = {}
    for kind in KINDS:
        for name in (known.get(kind), usual[kind]):
            if name is not None and vault.exists(name):
                names[kind] = name
                break
    messages: list[str] = []
    missing = [kind for kind in KINDS if kind not in names]
    if missing:
        for kind, found in _moved(vault, missing, stamp, settings.workspace.name).items():
            names[kind] = found[0]
            if len(found) > 1:
                messages.append(
                    f"{found[0]} is kept up to date; {', '.join(found[1:])} says it is the same note."
                )
    names = {kind: names.get(kind, usual[kind]) for kind in KINDS}
    copies = conflict_copies(tuple(names.values()), listing)
    if copies:
        messages.append(
            f"Left alone, as copies that a sync service made of a conflict: {', '.join(copies)}. "
            "Take from them what you need, and delete them."
        )
    return Located(names=names, listing=listing, messages=tuple(messages))


def _moved(vault: VaultStore, missing: list[Kind], stamp: str, suffix: str | None) -> dict[Kind, list[str]]:
    found: dict[Kind, list[str]] = {}
    for name in vault.may_be_ours():
        if is_conflict_copy(name):
            continue
        try:
            stored = vault.read(name)
            if stored is None or stamp.encode() not in stored.content:
                continue
            note = text.decode(stored.content)
        except (NoteRefused, WriteFailed):
            continue
        if frontmatter.stamp(note.text) == stamp:
            for kind in missing:
                if marked_kind(note.text, frontmatter.body_start(note.text)) == kind and not _is_anothers(
                    posixpath.basename(name), kind, suffix
                ):
                    found.setdefault(kind, []).append(name)
    return found


def _is_anothers(file: str, kind: Kind, suffix: str | None) -> bool:
    """Whether a file name is the usual one for notes with another suffix, or with none."""
    return file.startswith(note_name(kind)) and not file.startswith(note_name(kind, suffix))
