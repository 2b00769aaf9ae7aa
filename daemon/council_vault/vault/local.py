"""A vault that is a folder on this computer."""

from __future__ import annotations

import itertools
import os
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from council_vault import files
from council_vault.errors import FileChanged, NoteRefused, VaultUnavailable
from council_vault.files.reading import failed
from council_vault.vault.conflict_copies import is_conflict_copy
from council_vault.vault.folders import made_folders, missing_folders
from council_vault.vault.marker import MARKER, is_vault, trouble
from council_vault.vault.names import comparable, within_vault
from council_vault.vault.paths import resolved
from council_vault.vault.store import OBSIDIAN_SETTINGS, Glance, StoredNote
from council_vault.vault.walk import folders_in, notes_below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


class LocalVault:
    """A `VaultStore` over a folder.

    A folder or a note in the vault that is a symbolic link to somewhere else is the person's choice, as it is
    for Obsidian: it is followed, and what it leads to is read and written. A link into a dot-folder or into a
    vault inside the vault is refused as the folder itself is. The vault's own folder is never created: while
    it is written to, it is held open and has been seen to be a vault, so that nothing can land in an empty
    mount point.

    Args:
        root: the vault's folder.
        replacer: replaces the notes' files.
    """

    def __init__(self, root: Path, replacer: files.Replacer) -> None:
        self._root = resolved(root)
        self._replacer = replacer
        self._swept: set[Path] = set()
        self._written: dict[Path, str] = {}

    @property
    def place(self) -> str:
        """The vault's folder."""
        return str(self._root)

    def read(self, name: str) -> StoredNote | None:
        """See `VaultStore.read`."""
        if name == OBSIDIAN_SETTINGS:
            path = self._root / name
        else:
            path, real = self._note(name)
            self._sweep(real.parent)
        content = files.read(path)
        if content is None:
            with self._held():
                return None
        return StoredNote(content, files.digest(content))

    def glance(self, name: str) -> Glance | None:
        """See `VaultStore.glance`."""
        path, _ = self._note(name)
        with self._looking_at(path):
            try:
                found = path.stat()
            except FileNotFoundError:
                found = None
        if found is None:
            with self._held():
                return None
        return _glance(found)

    def glances(self, folder: str = "") -> Mapping[str, Glance]:
        """See `VaultStore.glances`. A note that cannot be looked at is left out."""
        seen: dict[str, Glance] = {}
        for name in self.list(folder):
            with suppress(OSError):
                seen[name] = _glance(os.stat(f"{self._root}/{name}"))  # noqa: PTH116 - thousands of them
        return seen

    def write(self, name: str, content: bytes, expected: str | None) -> None:
        """See `VaultStore.write`."""
        path, real = self._note(name)
        with self._held() as vault, self._looking_at(path):
            missing = missing_folders(self._root, path)
            if missing and expected is not None:
                raise FileChanged("the note is gone, and its folder too", where=path)
            self._sweep(real.parent)
            with made_folders(self._root, vault, missing):
                self._replacer.replace(path, content, expected)
        self._written[path] = name

    def settle(self) -> tuple[str, ...]:
        """See `VaultStore.settle`."""
        taken_back = self._replacer.settle()
        names = tuple(self._written[path] for path in taken_back if path in self._written)
        self._written.clear()
        return names

    def list(self, folder: str = "") -> tuple[str, ...]:
        """See `VaultStore.list`. A folder that may not be read counts as empty."""
        return self._listed(notes_below, folder)

    def may_be_ours(self) -> tuple[str, ...]:
        """See `VaultStore.may_be_ours`."""
        return self.list()

    def folders(self, folder: str = "") -> tuple[str, ...]:
        """See `VaultStore.folders`."""
        return self._listed(folders_in, folder)

    def exists(self, name: str) -> bool:
        """See `VaultStore.exists`."""
        path = self._find(within_vault(name))
        with self._looking_at(path):
            if path.is_file():
                return True
        with self._held():
            return False

    def may_have_changed(self, _names: Iterable[str]) -> bool:
        """See `VaultStore.may_have_changed`; nothing is quicker than to look."""
        return True

    def _listed(self, names: Callable[[Path, str], Iterable[str]], folder: str) -> tuple[str, ...]:
        start = self._find(within_vault(folder)).relative_to(self._root).as_posix() if folder else ""
        with self._held():
            try:
                return tuple(sorted(names(self._root, start)))
            except OSError as error:
                raise self._unavailable(f"its notes cannot be listed: {trouble(error)}") from error

    def _note(self, name: str) -> tuple[Path, Path]:
        """Return the file of a note that may be read and written, as named and as links lead.

        Raises:
            NoteRefused: it must be left alone.
        """
        plain = within_vault(name)
        if is_conflict_copy(plain):
            raise NoteRefused("this is a conflict copy, which is left alone", where=plain, remedy="Rename it")
        path = self._find(plain)
        with self._looking_at(path):
            if path.is_dir():
                raise NoteRefused("this is a folder, not a note", where=path, remedy="Rename it")
            real = resolved(path)
            self._refuse_foreign_ground(path, real)
        return path, real

    def _find(self, name: str) -> Path:
        """Return the path of a name: the exact one, else one that differs only in case or Unicode form."""
        path = self._root / name
        if os.path.lexists(path):
            return path
        path = self._root
        for part in name.split("/"):
            path /= _existing(path, part)
        return path

    def _refuse_foreign_ground(self, path: Path, real: Path) -> None:
        """Refuse a note that is, as named or as links lead, in a dot-folder or a vault in the vault."""
        folders = list(self._folders_of(path))
        if real != path and real.is_relative_to(self._root):
            folders += self._folders_of(real)
            if any(part.startswith(".") for part in real.relative_to(self._root).parts):
                raise NoteRefused("a link leads into a dot-folder, which is left alone", where=path)
        for folder in folders:
            if is_vault(folder):
                raise NoteRefused(
                    "it is in a vault inside the vault, which is left alone",
                    where=path,
                    remedy=f"Choose another vault.folder than one in {folder}",
                )

    def _folders_of(self, path: Path) -> Iterator[Path]:
        """Yield the folders between a path and the vault's own."""
        return itertools.takewhile(lambda folder: folder != self._root, path.parents)

    @contextmanager
    def _held(self) -> Iterator[int]:
        """Hold the vault's folder open, so that it stays mounted; yield its descriptor.

        Raises:
            VaultUnavailable: it is gone, or no vault any more.
        """
        try:
            vault = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._unavailable(trouble(error)) from error
        try:
            try:
                marked = is_vault(Path(), directory=vault)
            except OSError as error:
                raise self._unavailable(trouble(error)) from error
            if not marked:
                raise self._unavailable(f"{MARKER} is gone")
            yield vault
        finally:
            os.close(vault)

    @contextmanager
    def _looking_at(self, path: Path) -> Iterator[None]:
        """Put what the system says about a path into words, or name the vault where that is gone."""
        try:
            yield
        except OSError as error:
            with self._held():
                raise failed(error, path, "it cannot be looked at") from error

    def _unavailable(self, reason: str) -> VaultUnavailable:
        return VaultUnavailable(
            f"the vault is not there now: {reason}", where=self._root, remedy="Mount it or put it back"
        )

    def _sweep(self, folder: Path) -> None:
        """Settle, once per folder, what an earlier run left that was killed in the middle of a write."""
        if folder not in self._swept:
            self._swept.add(folder)
            self._replacer.recover(folder)


def _glance(found: os.stat_result) -> Glance:
    mark = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return Glance(mark, time.time() - found.st_mtime, found.st_mtime)


def _existing(folder: Path, name: str) -> str:
    """Return the name in a folder that is meant by a name; the name itself where there is none."""
    if os.path.lexists(folder / name):
        return name
    wanted = comparable(name)
    try:
        alike = sorted(other.name for other in folder.iterdir() if comparable(other.name) == wanted)
    except OSError:
        return name
    return alike[0] if alike else name
