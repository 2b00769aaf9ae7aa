"""Where memory, state and vault are: file systems, rights, room, and how the vault was found."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from council_vault import files
from council_vault.doctor.finding import Finding
from council_vault.notes.figures import size
from council_vault.vault.marker import MARKER, has_marker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from council_vault.workspace import Workspace

_LEAST_ROOM = 64 * 1024 * 1024  # bytes; a memory of 10 000 records with its snapshots fits
_LEAST_FILES = 1000
_EFFECTIVE = os.access in os.supports_effective_ids


def protection(place: Path) -> Iterator[Finding]:
    """Say how well writing at a place is protected against other programs that write there too."""
    offered = files.protection(place)
    what = f"on {offered.file_system}: {offered.reason}"
    if not offered.full:
        what = f"reduced protection against other programs writing at the same time: {offered.reason}"
    yield Finding("note", str(place), what)


def vault_sign(vault: Path) -> Iterator[Finding]:
    """Look for what shows that a folder is the council's vault and not another one of Obsidian's."""
    try:
        if not has_marker(vault):
            what = f"it holds no {MARKER}, and is used because vault.path names it. Is it the one you mean?"
            yield Finding("note", str(vault), what)
    except OSError as error:
        yield Finding("problem", str(vault), f"it cannot be looked into: {error.strerror}")


def rights(workspace: Workspace, vault: Path | None) -> Iterator[Finding]:
    """Look for folders that cannot be written to."""
    places = {"memory": workspace.memory_path.resolve().parent, "state": workspace.folder}
    if vault is not None:
        places["notes"] = _nearest(vault / workspace.settings.vault.folder)
    for name, folder in places.items():
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK, effective_ids=_EFFECTIVE):
            owner = f"it belongs to user {folder.stat().st_uid}, and you are {os.geteuid()}"
            what = f"the {name} cannot be written there: {owner}. Give yourself the right to"
            yield Finding("problem", str(folder), what)


def room(workspace: Workspace, vault: Path | None) -> Iterator[Finding]:
    """Say how much room there is on each disk; little room is a problem before there is none."""
    places = {"memory": workspace.memory_path.resolve().parent, "state": _nearest(workspace.folder)}
    if vault is not None:
        places["vault"] = vault
    disks: dict[int, list[str]] = {}
    for name, folder in places.items():
        disks.setdefault(folder.stat().st_dev, []).append(name)
    for names in disks.values():
        *others, last = names
        there = f"{', '.join(others)} and {last} are" if others else f"the {last} is"
        yield _room(places[last], there)


def _room(folder: Path, what_is_there: str) -> Finding:
    free, names = shutil.disk_usage(folder).free, os.statvfs(folder)
    if names.f_files and names.f_favail < _LEAST_FILES:
        what = f"{names.f_favail} more files fit where {what_is_there}. Delete some that you can do without"
        return Finding("problem", "disk space", what)
    if free < _LEAST_ROOM:
        what = f"only {size(free)} free where {what_is_there}. Make room, before nothing can be written"
        return Finding("problem", "disk space", what)
    return Finding("note", "disk space", f"{size(free)} free where {what_is_there}")


def _nearest(folder: Path) -> Path:
    """Return a folder, or the nearest one above it that is there."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())
