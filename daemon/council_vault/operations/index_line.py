"""The line on a record in the index of its project: added once, to a note that is the person's."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import Busy, FileChanged, NoteRefused, WriteFailed
from council_vault.notes import text
from council_vault.notes.index_line import mentions, with_line

if TYPE_CHECKING:
    from council_vault.vault.projects import Project
    from council_vault.vault.store import VaultStore

_ATTEMPTS = 5
_AGAIN = "the next call adds the line"


class Indexed(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a line: the index, ``None`` where it does not stand, and why it does not.

    ``written`` is whether it was added now.
    """

    note: str | None = None
    written: bool = False
    problem: str = ""


def add_line(vault: VaultStore, project: Project, record: str, line: str) -> Indexed:
    """Add a line to a project's index, unless that speaks of the record already.

    Args:
        vault: where the index is.
        project: whose index it is.
        record: the record's path.
        line: Markdown, without a bullet.

    Raises:
        VaultUnavailable: the vault went away.
    """
    index = project.index
    if index is None:
        return Indexed(
            problem=f"No line on it was added: {project.folder} has no index note, "
            f"such as {project.name}.md or Index.md"
        )
    name = posixpath.basename(record).removesuffix(".md")
    try:
        for _ in range(_ATTEMPTS):
            stored = vault.read(index)
            note = text.decode(stored.content if stored else b"")
            if mentions(note.text, name):
                return Indexed(note=index)
            changed = with_line(note.text, line, project.name)
            if stored is None or changed is None:
                return Indexed(
                    problem=f"No line on it was added: {index} has no heading for decisions or activity"
                )
            content = text.encode(msgspec.structs.replace(note, text=changed))
            if _is_written(vault, index, content, stored.version):
                return Indexed(note=index, written=True)
    except (NoteRefused, WriteFailed, Busy) as error:
        return Indexed(problem=f"No line on it was added: {error}; {_AGAIN}")
    return Indexed(
        problem=f"No line on it was added: {index} kept being changed by another program; {_AGAIN}"
    )


def _is_written(vault: VaultStore, name: str, content: bytes, version: str) -> bool:
    """Write a note unless somebody has changed it meanwhile, and say whether it stands."""
    try:
        vault.write(name, content, version)
    except FileChanged:
        return False
    finally:
        taken_back = vault.settle()
    return name not in taken_back
