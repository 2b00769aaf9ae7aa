"""Telling at a glance that nothing has changed since a sync that left nothing to do."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from council_vault.workspace import Workspace


def settled_digest(
    workspace: Workspace,
    place: str,
    memory: bytes,
    notes: Iterable[tuple[str, bytes | None]],
    *,
    markdown_links: bool,
) -> str:
    """Return a digest of everything that a sync's outcome depends on.

    Args:
        workspace: its settings and templates count.
        place: the vault.
        memory: the memory file's bytes.
        notes: path in the vault and bytes of each note, in any order.
        markdown_links: how the vault's owner wants links.
    """
    notes = sorted(notes)
    parts: list[object] = [
        __version__,
        workspace.settings,
        place,
        markdown_links,
        _templates_in(workspace.settings.notes.templates),
    ]
    parts += [(name, content is not None) for name, content in notes]
    total = hashlib.sha256(msgspec.json.encode(parts))
    for content in (memory, *(content or b"" for _, content in notes)):
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()


def _templates_in(folder: str | None) -> list[tuple[str, int, int]]:
    """Return what tells whether the person's own templates have changed."""
    files = sorted(Path(folder).glob("*.j2")) if folder else []
    return [(file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files]
