"""Which manager of services this machine has, and what to do by hand where it has none."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from council_vault.errors import CouncilVaultError
from council_vault.service.launchd import Launchd
from council_vault.service.systemd_service import Systemd

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BOOTED_WITH_SYSTEMD = Path("/run/systemd/system")
_KERNEL = Path("/proc/sys/kernel/osrelease")
_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))


def service_manager(environment: Mapping[str, str], home: Path) -> Systemd | Launchd | None:
    """Return the manager of services that answers here; ``None`` where none does.

    Args:
        environment: the program's.
        home: the person's own folder.
    """
    if sys.platform == "darwin":
        return Launchd(environment, home)
    systemd = Systemd(environment, home)
    return systemd if systemd.answers else None


def by_hand(command: Sequence[str], environment: Mapping[str, str]) -> CouncilVaultError:
    """Return the error that says why there is no manager, and what to do instead.

    Args:
        command: starts the daemon.
        environment: the program's.
    """
    what, remedy = _why(environment)
    start = f"starts by hand what a service would start: {shlex.join(command)}"
    return CouncilVaultError(what, remedy=f"{remedy}. This {start}")


def _why(environment: Mapping[str, str]) -> tuple[str, str]:
    if sys.platform == "win32":
        return "Windows has no services of a person's own", "Let the Task Scheduler start it when you log on"
    if _BOOTED_WITH_SYSTEMD.is_dir():
        return (
            "your own systemd does not answer here, as in a shell by su or sudo, or from cron",
            f"Log in as {environment.get('USER') or 'yourself'}, and repeat it there",
        )
    if "microsoft" in _read(_KERNEL).lower():
        return (
            "this Linux of Windows runs without systemd",
            "Put `systemd=true` below `[boot]` into /etc/wsl.conf, then `wsl --shutdown`",
        )
    if environment.get("container") or any(mark.exists() for mark in _CONTAINERS):
        return "this is a container, without systemd", "Let the container, or what supervises in it, run it"
    return "there is no systemd here", "Let whatever starts your programs at login, or a supervisor, run it"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def trouble_with_rights(environment: Mapping[str, str], home: Path) -> str:
    """Return what to say where the service would become root's; nothing where it would not.

    Raises:
        CouncilVaultError: it would put files of root's into the folder of somebody else.
    """
    if os.name != "posix" or os.geteuid() != 0:
        return ""
    person = environment.get("SUDO_USER") or environment.get("DOAS_USER")
    if home.exists() and home.stat().st_uid != 0:
        raise CouncilVaultError(
            "as root, this would leave files there that you could not change any more",
            where=home,
            remedy="Repeat it without sudo",
        )
    if person and person != "root":
        return f"By sudo, this is the service of root, not of {person}. Without sudo it would be."
    return "This is the service of root. It is better to keep a memory as the person whose vault it is."
