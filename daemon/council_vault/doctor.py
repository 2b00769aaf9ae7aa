"""What is wrong with a memory, its notes and its vault, and how to mend it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault import files
from council_vault.errors import VaultUnavailable
from council_vault.rescued import rescued_settings
from council_vault.service import inotify
from council_vault.service.status import status
from council_vault.service.unit import NAME, unit
from council_vault.sync import Options, sync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from council_vault.service.presence import Activity
    from council_vault.workspace import Workspace


class Finding(msgspec.Struct, frozen=True):
    """Something to know: a ``problem`` wants mending, a ``note`` is how things are here."""

    level: Literal["problem", "note"]
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def examine(workspace: Workspace, now: datetime) -> tuple[Finding, ...]:
    """Examine everything, by a dry run too; nothing is written.

    Raises:
        MemoryUnreadable: the memory file is missing or broken.
        Busy: a sync is going on for longer than 30 s.
    """
    found = {str(finding): finding for finding in _findings(workspace, now)}
    return tuple(found.values())


def _findings(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    found = status(workspace)
    for problem in found.problems:
        yield Finding("problem", f"{found.memory}, {problem.where}", problem.what)
    for message in found.messages:
        yield Finding("problem", "", message)
    yield from _settings(workspace)
    yield from _protection(workspace.memory_path)
    yield from _events(workspace.memory_path)
    yield _daemon(found.daemon)
    yield from _service(workspace)
    try:
        report = sync(workspace, Options(dry_run=True), now)
    except VaultUnavailable as error:
        yield Finding("problem", error.where, f"{error.what}. {error.remedy}")
        return
    yield from (Finding("problem", "", message) for message in (*report.reasons, *report.messages))
    yield from _protection(Path(report.vault))


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


def _protection(place: Path) -> Iterator[Finding]:
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
    found = unit(workspace.environment)
    if found is None:
        what = "no systemd answers here that could start `council-vault daemon` by itself"
    elif not found.installed:
        what = "not installed: nothing starts `council-vault daemon` by itself"
    elif found.crashed:
        what = f"it does not stay up ({found.result}). `systemctl --user status {NAME}` says why"
    elif not found.runs:
        what = f"installed, and does not run. `systemctl --user enable --now {NAME}` starts it"
    elif not found.enabled:
        what = f"it runs, and will not at the next login. `systemctl --user enable {NAME}` changes that"
    else:
        what = "it runs, and starts at every login"
    yield Finding("problem" if found and found.crashed else "note", NAME, what)
