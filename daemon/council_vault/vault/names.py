"""Names of notes and folders: which ones lead out of a vault, and which ones look alike."""

from __future__ import annotations

import re
import unicodedata

from council_vault.errors import NoteRefused

_LONGEST_COMPONENT = 255
_NEVER = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
_SEPARATOR = re.compile(r"[/\\]")


def within_vault(name: str) -> str:
    """Return the name of a note in its plain form, parts separated by single slashes.

    Raises:
        NoteRefused: the name leads out of the vault, into a dot-folder, or cannot be a file's name.
    """
    parts = _parts(name)
    problem = problem_with(name) if parts else "it is empty"
    if problem is not None:
        raise NoteRefused(
            f"this is no name for a note: {problem}", where=repr(name), remedy="Choose another vault.folder"
        )
    return "/".join(parts)


def problem_with(name: str) -> str | None:
    """Return why nothing of this name can be in a vault; ``None`` where it can, and for the vault itself."""
    if _ABSOLUTE.match(name):
        return "it is an absolute path"
    if ".." in _SEPARATOR.split(name):
        return "it leads out of the vault"
    if any(part.startswith(".") for part in _parts(name)):
        return "files and folders that begin with a dot are left alone"
    if _NEVER.search(name):
        return "it holds characters that no file name should have"
    if any(len(part.encode()) > _LONGEST_COMPONENT for part in _parts(name)):
        return f"a part of it is longer than {_LONGEST_COMPONENT} bytes"
    return None


def comparable(name: str) -> str:
    """Return the form in which two names are the same file on macOS, Windows or Android."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in {"", "."}]
