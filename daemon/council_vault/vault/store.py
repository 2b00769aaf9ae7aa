"""What every place for notes can do, whether it is a folder or a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OBSIDIAN_SETTINGS = ".obsidian/app.json"
"""The one file outside the notes that may be read, never written: how the person wants links."""


class StoredNote(NamedTuple):
    """A note's bytes, and the version they are: their digest (`files.digest`)."""

    content: bytes
    version: str


class Glance(NamedTuple):
    """What is seen of a note without reading it.

    ``mark`` changes whenever the note may have changed; ``age`` is how many seconds ago it last did, ``at``
    when that was, in seconds since 1970.
    """

    mark: object
    age: float
    at: float


class VaultStore(Protocol):
    """A vault. Names are paths in it, such as ``Projects/Index.md``.

    Every method raises `NoteRefused` for a name that leads out of the vault or into a dot-folder, `read` and
    `write` also for one in a vault inside the vault and for a conflict copy; and `VaultUnavailable` where the
    vault is gone. A name finds a note whose name differs from it only in case or Unicode form, if no note has
    exactly that name.
    """

    @property
    def place(self) -> str:
        """Where the vault is, for people."""
        ...

    def read(self, name: str) -> StoredNote | None:
        """Return a note, ``None`` where there is none.

        Raises:
            WriteFailed: it is there, but cannot be read.
        """
        ...

    def glance(self, name: str) -> Glance | None:
        """Look at a note without reading it; ``None`` where there is none.

        Raises:
            WriteFailed: it cannot be looked at.
        """
        ...

    def glances(self, folder: str = "") -> Mapping[str, Glance]:
        """Look at all notes that `list` names, without reading any; much quicker than at each by name."""
        ...

    def write(self, name: str, content: bytes, expected: str | None) -> None:
        """Make a note say something else, durably, or create it with the folders it needs.

        Args:
            name: the note.
            content: all it shall say.
            expected: the version it has now; ``None``: it must not exist.

        Raises:
            FileChanged: it is no longer, or not yet, as expected; nothing was written.
            WriteFailed: it cannot be written; it is as it was.
        """
        ...

    def settle(self) -> tuple[str, ...]:
        """Wait out whoever was writing at the same time; return the notes whose write was taken back."""
        ...

    def list(self, folder: str = "") -> tuple[str, ...]:
        """Return the names of all Markdown notes in a folder and below, sorted, conflict copies included.

        What is in dot-folders and in vaults inside the vault is not.
        """
        ...

    def may_be_ours(self) -> tuple[str, ...]:
        """Return the names of the notes that this program may have made, wherever they were moved since.

        These are all that `list` names, unless the store can tell without reading them.
        """
        ...

    def folders(self, folder: str = "") -> tuple[str, ...]:
        """Return the paths of the folders in a folder, sorted; `list` says what counts."""
        ...

    def exists(self, name: str) -> bool:
        """Say whether there is a note of that name."""
        ...

    def may_have_changed(self, names: Iterable[str]) -> bool:
        """Say whether it is worth while to look at notes, as far as can be said in less time than that takes.

        It is not where none of them has been created, written, moved or removed since this was last asked.
        """
        ...
