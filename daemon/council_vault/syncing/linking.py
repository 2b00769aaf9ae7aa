"""How the notes link to each other: the way the vault's owner has set up Obsidian."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.errors import WriteFailed
from council_vault.notes.kinds import KINDS, Kind
from council_vault.notes.links import link, wants_markdown_links
from council_vault.vault.store import OBSIDIAN_SETTINGS

if TYPE_CHECKING:
    from council_vault.syncing.locating import Located
    from council_vault.vault.store import VaultStore

_LINK_TEXTS: dict[Kind, str] = {"performance": "Model performance", "routing": "Routing", "log": "Log"}


def markdown_links(vault: VaultStore) -> bool:
    """Return whether the vault's owner has set up Obsidian for Markdown links."""
    try:
        stored = vault.read(OBSIDIAN_SETTINGS)
    except WriteFailed:
        return False
    return wants_markdown_links(stored.content if stored else None)


def links_between(located: Located, *, markdown: bool) -> dict[Kind, dict[Kind, str]]:
    """Return, for each note, its links to all three."""
    return {source: links_from(located.names[source], located, markdown=markdown) for source in KINDS}


def links_from(source: str, located: Located, *, markdown: bool) -> dict[Kind, str]:
    """Return the links to all three notes from a note of that path."""
    return {
        target: link(
            located.names[target],
            _LINK_TEXTS[target],
            source=source,
            names=located.listing,
            markdown=markdown,
        )
        for target in KINDS
    }
