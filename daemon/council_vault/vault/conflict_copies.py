"""Conflict copies: what sync services leave beside a file when two devices changed it at once.

They are never read, never written and never deleted: only the exact name is the note. They are named to the
person once, because a copy may hold words that the note does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from council_vault.vault.names import comparable

if TYPE_CHECKING:
    from collections.abc import Iterable

# What stands between the stem and the extension, or after the extension, by service:
_SIGNS = (
    r"\s*[(\[][^()\[\]]*\bconflict(?:ed)?\b[^()\[\]]*[)\]]",  # Dropbox, Nextcloud, Obsidian Sync, pCloud
    r"\s*\((?:sfconflict|case clash)\b[^()]*\)",  # Seafile, Nextcloud
    r"\.sync-conflict-[^/]*?",  # Syncthing
    r"[._-]conflict[-_.]?\d[^/]*?",  # rclone, ownCloud
    r"\.conflict",  # Resilio
    r"\s\(\d{1,3}\)",  # Google Drive, browsers
)
_COPY = re.compile(rf"(?P<stem>.+?)(?:{'|'.join(_SIGNS)})+(?P<extension>\.[^./]+)?", re.IGNORECASE)
_AFTER_EXTENSION = re.compile(r"(?P<original>.+\.(?:md|json))\.(?:sync-)?conflict[-\w]*", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<stem>.+?) \d{1,2}(?P<extension>\.[^./]+)")  # iCloud: only beside a known name


def is_conflict_copy(name: str) -> bool:
    """Say whether a file's name, with or without its folder, is that of a conflict copy.

    Case does not matter. A number without brackets (``log 1.md``) is not taken for a sign here, since people
    number their notes so; `conflict_copies` knows the original's name and does.
    """
    return _original(name.rpartition("/")[2]) is not None


def conflict_copies(originals: Iterable[str], listing: Iterable[str]) -> tuple[str, ...]:
    """Return those names in a listing that are conflict copies of the originals, sorted.

    Args:
        originals: names of notes or files, with or without their folder.
        listing: all names, with or without their folder. A copy may lie in another folder than its original.
    """
    known = {comparable(name.rpartition("/")[2]) for name in originals}
    found = []
    for name in listing:
        base = name.rpartition("/")[2]
        original = _original(base) or _numbered(base)
        if original is not None and comparable(original) in known:
            found.append(name)
    return tuple(sorted(found))


def _original(name: str) -> str | None:
    """Return the name a conflict copy was made of."""
    match = _AFTER_EXTENSION.fullmatch(name)
    if match is not None:
        return match["original"]
    match = _COPY.fullmatch(name)
    return None if match is None else match["stem"] + (match["extension"] or "")


def _numbered(name: str) -> str | None:
    match = _NUMBERED.fullmatch(name)
    return None if match is None else match["stem"] + match["extension"]
