"""The daemon that keeps a memory, and what starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.doctor.finding import Finding
from council_vault.service.service_manager import service_manager

if TYPE_CHECKING:
    from council_vault.service.presence import Activity
    from council_vault.workspace import Workspace


def daemon(activity: Activity | None) -> Finding:
    """Look at the daemon that keeps this memory, however it was started."""
    if activity is None:
        return Finding(
            "note", "daemon", "none is running: ratings and records wait for `council-vault sync-vault`"
        )
    return Finding("note", "daemon", f"running since {activity.since}: {activity.summary}")


def service(workspace: Workspace) -> Finding:
    """Look at what starts a daemon by itself."""
    manager = service_manager(workspace.environment, workspace.home)
    if manager is None:
        what = "nothing here starts `council-vault daemon` by itself: no systemd answers"
        return Finding("note", "service", what)
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
    return Finding("problem" if found.crashed else "note", "service", what)
