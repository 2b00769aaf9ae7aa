"""The projects of a vault: the folders in ``Projects``, each with its index note."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.vault.names import comparable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from council_vault.vault.store import VaultStore

PROJECTS = "Projects"
_INDEXES = ("Index", "_index", "README")


class Project(msgspec.Struct, frozen=True):
    """A project: its folder's path in the vault, and the paths of all notes in it and below."""

    folder: str
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the folder is called."""
        return self.folder.rpartition("/")[2]

    @property
    def index(self) -> str | None:
        """The note that it begins with: the one of its name, else ``Index``, ``_index`` or ``README``."""
        own = [note for note in self.notes if note.rpartition("/")[0] == self.folder]
        found = {comparable(note.rpartition("/")[2]): note for note in own}
        wanted = (comparable(f"{name}.md") for name in (self.name, *_INDEXES))
        return next((found[name] for name in wanted if name in found), None)

    def below(self, folder: str) -> str:
        """Return the path of a folder in it, as it is spelled where notes are in it already."""
        depth = self.folder.count("/") + 1
        names = {note.split("/")[depth] for note in self.notes if note.count("/") > depth}
        alike = sorted(name for name in names if comparable(name) == comparable(folder))
        return f"{self.folder}/{folder if folder in alike or not alike else alike[0]}"


def projects(vault: VaultStore, listing: Iterable[str]) -> tuple[Project, ...]:
    """Return the projects of a vault.

    Args:
        vault: the vault.
        listing: the names of all notes in it, or of those below ``Projects``.
    """
    notes: dict[str, list[str]] = {folder: [] for folder in vault.folders(PROJECTS)}
    for note in listing:
        folder = "/".join(note.split("/")[:2])
        if folder in notes:
            notes[folder].append(note)
    return tuple(Project(folder, tuple(inside)) for folder, inside in notes.items())


def project_named(name: str, known: Iterable[Project]) -> Project | None:
    """Return the project of a name: the exact one, else one that differs only in case or Unicode form."""
    wanted = name.strip().encode(errors="replace").decode()
    alike = [one for one in known if comparable(one.name) == comparable(wanted)]
    return next((one for one in alike if one.name == wanted), alike[0] if alike else None)
