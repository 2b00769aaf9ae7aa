"""The names of the files that a replacement makes beside the file it replaces.

``.NAME.<id>.part`` is being written; ``.NAME.<read>-<ours>.swap`` is complete, or was displaced. ``read``
and ``ours`` are the first 16 hex digits of the SHA-256 of what was read and of what we write, so that
whoever finds one after a kill can tell what it holds. A long NAME is cut and gets 16 digits of its own hash,
since names end at 255 bytes (143 on eCryptfs).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from council_vault.files.reading import digest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DIGITS = 16
_LONGEST = 100
_CUT = 80
_LEFTOVER = re.compile(
    r"\.(?P<stem>.+)\.(?:[0-9a-f]{16}\.part|(?P<read>[0-9a-f]{16})-(?P<ours>[0-9a-f]{16})\.swap)", re.DOTALL
)


class Leftover(NamedTuple):
    """A file that a replacement left, and what its name says. Without ``read`` it is a part."""

    path: Path
    stem: str
    read: str | None
    ours: str | None


def short(data: bytes) -> str:
    """Return the digits that stand for a content in a name: the first of its `digest`."""
    return digest(data)[:DIGITS]


def part_beside(path: Path) -> Path:
    """Return a fresh name for a file that is being written."""
    return path.with_name(f".{stem(path.name)}.{os.urandom(8).hex()}.part")


def swap_beside(path: Path, read: str, ours: str) -> Path:
    """Return the name for the complete new content, and then for what it displaced."""
    return path.with_name(f".{stem(path.name)}.{read}-{ours}.swap")


def stem(name: str) -> str:
    """Return the part of our names that stands for ``name``; equal only for equal names."""
    encoded = os.fsencode(name)
    if len(encoded) <= _LONGEST:
        return name
    return f"{encoded[:_CUT].decode(errors='ignore')}~{short(encoded)}"


def names_in(folder: Path) -> list[str]:
    """Return the names of all that is in a folder; a folder may hold thousands of notes, so nothing more."""
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def leftovers(folder: Path, names: Iterable[str]) -> list[Leftover]:
    """Return those of the names in a folder that a replacement made."""
    matches = [
        match for name in names if name.endswith((".part", ".swap")) and (match := _LEFTOVER.fullmatch(name))
    ]
    return [Leftover(folder / match[0], match["stem"], match["read"], match["ours"]) for match in matches]
