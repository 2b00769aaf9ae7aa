"""The names of all notes in a vault that is a folder."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NamedTuple

from council_vault.vault.marker import MARKER, OBSIDIAN_FOLDER, has_marker
from council_vault.vault.paths import resolved

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NOTE = ".md"
_MARKER_FOLDER = MARKER.partition("/")[0]
_UNUSABLE = {errno.ELOOP, errno.EACCES}
"""A link that leads in a circle, or to where nothing may be read."""


def notes_below(root: Path, folder: str) -> Iterator[str]:
    """Yield the Markdown notes in a folder of a vault and below, in no order.

    Dot-files, dot-folders and vaults inside the vault are left out, as are names that are not Unicode and
    folders that may not be read. Linked folders are followed as Obsidian does, unless they lead back into the
    vault or to where another link has led before.

    Args:
        root: the vault, resolved.
        folder: where to begin, ``""`` for the vault itself.

    Raises:
        OSError: the disk or the mount failed, so that the list would not be whole.
    """
    followed = [root]
    waiting = [folder]
    linked: list[tuple[Path, str]] = []
    while waiting or linked:
        if not waiting:
            target, link = min(linked, key=lambda pair: (len(pair[0].parts), pair[1]))  # the outermost first
            linked.remove((target, link))
            if root.is_relative_to(target) or any(target.is_relative_to(known) for known in followed):
                continue
            followed.append(target)
            waiting.append(link)
        here = waiting.pop()
        content = _scan(root, here)
        if here and content.is_vault:
            continue
        waiting += content.folders
        linked += [(resolved(root / link), link) for link in content.links]
        yield from content.notes


def folders_in(root: Path, folder: str) -> Iterator[str]:
    """Yield the folders in a folder of a vault that notes can be in; the arguments and rules are as above."""
    content = _scan(root, folder)
    if folder and content.is_vault:
        return
    for name in (*content.folders, *content.links):
        if not _scan(root, name).is_vault:
            yield name


class _Content(NamedTuple):
    notes: list[str]
    folders: list[str]
    links: list[str]
    is_vault: bool


def _scan(root: Path, folder: str) -> _Content:
    """Read one folder; one that is gone or may not be read counts as empty."""
    prefix = f"{folder}/" if folder else ""
    content = _Content([], [], [], is_vault=False)
    visible = marked = False
    try:
        with os.scandir(root / folder) as entries:
            for entry in entries:
                name = entry.name
                if name.startswith("."):
                    visible |= name == OBSIDIAN_FOLDER
                elif _is_unicode(name):
                    marked |= name == _MARKER_FOLDER
                    _sort_in(entry, prefix + name, content)
        marked = marked and has_marker(root / folder)
    except (PermissionError, FileNotFoundError, NotADirectoryError):
        pass
    return content._replace(is_vault=visible or marked)


def _sort_in(entry: os.DirEntry[str], name: str, content: _Content) -> None:
    try:
        if entry.is_dir():
            (content.links if entry.is_symlink() else content.folders).append(name)
        elif name.casefold().endswith(_NOTE) and entry.is_file():
            content.notes.append(name)
    except OSError as error:
        if error.errno not in _UNUSABLE:
            raise


def _is_unicode(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)
