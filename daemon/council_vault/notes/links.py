"""How the notes link to each other: the way the vault's owner has set up Obsidian."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection


class _ObsidianSettings(msgspec.Struct):
    useMarkdownLinks: bool = False  # noqa: N815 - Obsidian's name


def wants_markdown_links(app_settings: bytes | None) -> bool:
    """Whether ``.obsidian/app.json`` asks for Markdown links; wikilinks are Obsidian's default."""
    try:
        return msgspec.json.decode(app_settings or b"{}", type=_ObsidianSettings).useMarkdownLinks
    except msgspec.DecodeError:
        return False


def link(target: str, text: str, *, source: str, names: Collection[str], markdown: bool) -> str:
    """Return a link from one note to another.

    Args:
        target: path of the note linked to, with ``/`` and ``.md``.
        text: what is shown.
        source: path of the note that the link stands in.
        names: paths of all notes in the vault: a wikilink is by bare name unless that is ambiguous.
        markdown: whether to write a Markdown link rather than a wikilink.
    """
    if markdown:
        path = posixpath.relpath(target, posixpath.dirname(source) or ".")
        return f"[{text}]({quote(path)})"
    bare = posixpath.basename(target)
    twins = sum(posixpath.basename(name).casefold() == bare.casefold() for name in names if name != target)
    return f"[[{(target if twins else bare).removesuffix('.md')}|{text}]]"
