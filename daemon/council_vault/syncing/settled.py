"""Telling at a glance that nothing has changed since a sync that left nothing to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault import __version__, files
from council_vault.errors import NoteRefused, VaultUnavailable, WriteFailed
from council_vault.state import open_state
from council_vault.syncing.linking import markdown_links as wants_markdown_links
from council_vault.syncing.record_marks import marks_of_records
from council_vault.syncing.report import Report
from council_vault.vault.discovery import discover

if TYPE_CHECKING:
    from collections.abc import Iterable

    from council_vault.facts import Facts
    from council_vault.vault.store import VaultStore
    from council_vault.workspace import Workspace


def settled_report(workspace: Workspace) -> Report | None:
    """Return the report of a sync that has nothing to do, ``None`` where one must find out.

    This takes no lock, and a fraction of the time that it takes to load all that a sync needs.
    """
    if not workspace.memory_path.exists():
        return None
    try:
        with open_state(workspace.folder) as state:
            facts = state.facts
        vault = workspace.vault(discover(workspace.vault_request(facts.pin)))
        workspace.memory_file().recover()
        return Report(vault=vault.place) if is_settled(workspace, vault, facts) else None
    except (VaultUnavailable, WriteFailed):
        return None


def is_settled(workspace: Workspace, vault: VaultStore, facts: Facts) -> bool:
    """Return whether everything is as it was when a sync last left nothing to do.

    Raises:
        VaultUnavailable: the vault went away.
    """
    if facts.settled is None:
        return False
    names = [note.name for note in facts.notes.values()]
    settings = workspace.settings
    try:
        memory = files.read(workspace.memory_path)
        notes = [(name, stored.version if (stored := vault.read(name)) else None) for name in names]
        records = marks_of_records(vault, settings, facts.elsewhere) if settings.notes.records else ""
    except (NoteRefused, WriteFailed):
        return False  # going the road will say why
    return memory is not None and facts.settled == settled_digest(
        workspace,
        vault.place,
        memory,
        notes,
        markdown_links=wants_markdown_links(vault),
        records=records,
    )


def settled_digest(
    workspace: Workspace,
    place: str,
    memory: bytes,
    notes: Iterable[tuple[str, str | None]],
    *,
    markdown_links: bool,
    records: str,
) -> str:
    """Return a digest of everything that a sync's outcome depends on.

    Args:
        workspace: its settings and templates count.
        place: the vault.
        memory: the memory file's bytes.
        notes: path in the vault and digest of each note, in any order; ``None`` where there is no note.
        markdown_links: how the vault's owner wants links.
        records: digest of the glances at the record notes, empty where there shall be none.
    """
    parts: list[object] = [
        __version__,
        workspace.settings,
        place,
        files.digest(memory),
        sorted(notes),
        markdown_links,
        records,
        _templates_in(workspace.settings.notes.templates),
    ]
    return files.digest(json.dumps(msgspec.to_builtins(parts)).encode())


def _templates_in(folder: str | None) -> list[tuple[str, int, int]]:
    """Return what tells whether the person's own templates have changed."""
    files = sorted(Path(folder).glob("*.j2")) if folder else []
    return [(file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files]
