"""Where a file is to be watched: its folder, and those of everything that it leads to by symbolic links."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Folder(NamedTuple):
    """A folder, free of symbolic links, and which one it is: another one may come to stand at its path."""

    path: Path
    device: int
    inode: int


class Places(NamedTuple):
    """The paths of a file and of everything it leads to, as events name them, and the folders of these."""

    names: frozenset[str]
    folders: tuple[Folder, ...]


def places_of(file: Path) -> Places:
    """Follow a file's symbolic links, one by one, since each of them may be made to lead elsewhere.

    Raises:
        OSError: a folder is not there.
        RuntimeError: the links of a folder lead in a circle.
    """
    names: list[Path] = []
    name = file
    while (name := name.parent.resolve() / name.name) not in names:
        names.append(name)
        if name.is_symlink():
            name = name.parent / name.readlink()
    folders = []
    for path in dict.fromkeys(name.parent for name in names):
        found = path.stat()
        folders.append(Folder(path, found.st_dev, found.st_ino))
    return Places(frozenset(map(str, names)), tuple(folders))
