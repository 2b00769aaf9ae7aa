"""Search terms for Drive: what is asked for, with whatever people call their folders kept harmless."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from council_vault.vault.drive_items import FOLDER_TYPE, SHORTCUT_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterable


def quoted(text: str) -> str:
    """Return a text as a string in a search term."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def children_of(folders: Iterable[str]) -> str:
    """Return the search for everything directly in any of some folders, given by their identifiers."""
    places = " or ".join(f"{quoted(folder)} in parents" for folder in folders)
    return f"({places}) and trashed = false"


def folders_named(name: str) -> str:
    """Return the search for folders of a name, and for shortcuts of that name, wherever they are.

    Drive may find other cases of the name too; whether also other Unicode forms, is not documented, so that
    both are asked for.
    """
    forms = dict.fromkeys(unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    names = " or ".join(f"name = {quoted(form)}" for form in forms)
    kinds = " or ".join(f"mimeType = {quoted(kind)}" for kind in (FOLDER_TYPE, SHORTCUT_TYPE))
    return f"({names}) and ({kinds}) and trashed = false"
