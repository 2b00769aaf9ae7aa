"""File names that every system and every sync service can keep."""

from __future__ import annotations

import re
import unicodedata

from council_vault.vault.conflict_copies import is_conflict_copy

MAXIMUM_BYTES = 200
"""In UTF-8; file systems stop at 255, and an extension, a suffix or a conflict's mark may be added."""

_NOT_PORTABLE = re.compile(r'[\\/:*?"<>|#^\[\]%\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_SIGNS_OF_A_COPY = re.compile(r"[()._-]+")


def portable_name(text: str, fallback: str) -> str:
    """Return a file name, without its extension, that every system and every sync service can keep.

    Args:
        text: anything: a title, a model's id, the name of a workspace.
        fallback: what to take where nothing of the text is left.
    """
    name = " ".join(_NOT_PORTABLE.sub(" ", unicodedata.normalize("NFC", text)).split())
    name = _shortened(name.strip(". "), MAXIMUM_BYTES).strip(". ")
    if is_conflict_copy(f"{name}.md"):
        name = " ".join(_SIGNS_OF_A_COPY.sub(" ", name).split())
    if _RESERVED.fullmatch(name):
        name = f"{fallback} {name}"
    return name or fallback


def _shortened(name: str, size: int) -> str:
    """Cut to ``size`` bytes of UTF-8, never inside a character, an accent or a joined emoji."""
    kept = name.encode()[:size].decode(errors="ignore")
    if kept == name:
        return name
    while kept and (
        unicodedata.combining(name[len(kept)]) or name[len(kept)] in "\u200d\ufe0f" or kept[-1] == "\u200d"
    ):
        kept = kept[:-1]
    return kept
