"""How it is around a memory: settings, file systems, limits, the daemon and its service."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from council_vault import files
from council_vault.doctor.finding import Finding
from council_vault.rescued import rescued_settings
from council_vault.service import inotify
from council_vault.service.service_manager import service_manager

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.service.presence import Activity
    from council_vault.workspace import Workspace


def surroundings(workspace: Workspace, daemon: Activity | None) -> Iterator[Finding]:
    """Look at what surrounds the memory; nothing is written."""
    yield from _settings(workspace)
    yield from protection(workspace.memory_path)
    yield from _events(workspace.memory_path)
    yield _daemon(daemon)
    yield from _service(workspace)


def _settings(workspace: Workspace) -> Iterator[Finding]:
    """Look at what the settings lead to."""
    templates = workspace.settings.notes.templates
    if templates and not Path(templates).is_dir():
        what = "notes.templates names no folder, so that the built-in templates are used. Correct the setting"
        yield Finding("problem", templates, what)
    for file in rescued_settings(workspace.states).files():
        what = (
            "what another program wrote to the settings at the moment they were changed. Look, and delete it"
        )
        yield Finding("problem", str(file), what)


def protection(place: Path) -> Iterator[Finding]:
    """Say how well writing at a place is protected against other programs that write there too."""
    offered = files.protection(place)
    what = f"on {offered.file_system}: {offered.reason}"
    if not offered.full:
        what = f"reduced protection against other programs writing at the same time: {offered.reason}"
    yield Finding("note", str(place), what)


def _events(memory: Path) -> Iterator[Finding]:
    """Look at what a daemon can hear of changes."""
    kind = files.protection(memory).file_system
    if not inotify.tells_everything(kind):
        what = f"{kind} may not tell of changes made on another machine: a daemon looks every few seconds"
        yield Finding("note", str(memory), what)
    for budget in inotify.budgets():
        what = f"{budget.used} of {budget.limit} in use"
        if budget.exhausted:
            remedy = inotify.raising(budget.name, budget.limit)
            what += f": a daemon must look every few seconds. Raise the limit: `{remedy}`"
        yield Finding("note", budget.name, what)


def _daemon(activity: Activity | None) -> Finding:
    """Look at the daemon that keeps this memory, however it was started."""
    if activity is None:
        return Finding(
            "note", "daemon", "none is running: ratings and records wait for `council-vault sync-vault`"
        )
    return Finding("note", "daemon", f"running since {activity.since}: {activity.summary}")


def _service(workspace: Workspace) -> Iterator[Finding]:
    """Look at what starts a daemon by itself."""
    manager = service_manager(workspace.environment, workspace.home)
    if manager is None:
        yield Finding(
            "note", "service", "nothing here starts `council-vault daemon` by itself: no systemd answers"
        )
        return
    found = manager.state()
    if not found.installed:
        what = "not installed. `council-vault service install` has it start when you log in"
    elif found.crashed:
        what = f"it does not stay up ({found.result}). `council-vault service logs` says why"
    elif not found.runs:
        what = "installed, and does not run. `council-vault service install` starts it"
    elif not found.enabled:
        what = "it runs, and will not at the next login. `council-vault service install` changes that"
    else:
        what = "it runs, and starts when you log in"
    yield Finding("problem" if found.crashed else "note", "service", what)
