"""What the settings lead to, and what can be heard of changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from council_vault import files
from council_vault.doctor.finding import Finding
from council_vault.notes.templates import NO_FOLDER
from council_vault.rescued import rescued_settings
from council_vault.service import inotify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.workspace import Workspace


def settings(workspace: Workspace) -> Iterator[Finding]:
    """Look at what the settings lead to."""
    templates = workspace.settings.notes.templates
    if templates and not Path(templates).is_dir():
        yield Finding("problem", templates, f"{NO_FOLDER}.")
    for file in rescued_settings(workspace.states).files():
        what = (
            "what another program wrote to the settings at the moment they were changed. Look, and delete it"
        )
        yield Finding("problem", str(file), what)


def events(memory: Path) -> Iterator[Finding]:
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
