"""A systemd of a person's own, to which nothing of this machine belongs.

It runs in namespaces of its own: its processes, its folder ``/run`` and its control groups are not those of
the machine. The rest of the file system is, so its person has a home of their own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import council_vault
from support.daemons import until

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNTIME = "/run/user/0"
_NEEDED = ("unshare", "nsenter", "systemctl", "journalctl")
_SYSTEMD = Path("/usr/lib/systemd")
_OWN_GROUP = "user.slice/user-0.slice/user@0.service"
_BEGIN = f"""
set -e
umount -R /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs none /run
mkdir -p /run/systemd/system {RUNTIME} /sys/fs/cgroup/{_OWN_GROUP}
chmod 700 {RUNTIME}
{_SYSTEMD}/systemd-journald &
sh -c 'echo $$ > /sys/fs/cgroup/{_OWN_GROUP}/cgroup.procs; exec {_SYSTEMD}/systemd --user' &
wait
"""


class UserManager:
    """It, while it runs.

    Args:
        process: the first one in its namespaces.
        home: its person's home.
    """

    def __init__(self, process: int, home: Path) -> None:
        self._process = process
        self.home = home

    def run(self, *command: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command as its person, and return how it went."""
        enter = ["nsenter", f"--target={self._process}", "--mount", "--pid", "--cgroup", "--wd=/"]
        told = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "XDG_RUNTIME_DIR": RUNTIME,
            "LANG": "C.UTF-8",
        } | environment
        return subprocess.run(
            [*enter, *map(str, command)],
            env=told,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
            timeout=60,
        )

    def program(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run council-vault as its person."""
        source = str(Path(council_vault.__file__).parents[1])
        command = [sys.executable, "-m", "council_vault.cli.main", *arguments]
        return self.run(*command, PYTHONPATH=source, **environment)

    def shown(self, unit: str, name: str) -> str:
        """Return a property of a unit."""
        return self.run("systemctl", "--user", "show", unit, f"--property={name}", "--value").stdout.strip()


@contextmanager
def user_manager(home: Path) -> Iterator[UserManager]:
    """Start one, or skip the test where that cannot be done."""
    hierarchy = _hierarchy()
    if os.geteuid() != 0 or hierarchy is None or not all(map(shutil.which, _NEEDED)):
        pytest.skip("it takes root, control groups and systemd to start a systemd of one's own")
    group = hierarchy / f"council-vault-{os.getpid()}-{time.monotonic_ns()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    home.mkdir(exist_ok=True)
    unshare = "exec unshare --mount --cgroup --pid --fork --mount-proc --kill-child sh -c"
    started = subprocess.Popen(
        ["sh", "-c", f'echo $$ > "$0"/cgroup.procs && {unshare} "$1"', str(group), _BEGIN],
        env={"HOME": str(home), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": RUNTIME, "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        manager = UserManager(_first_child(started), home)
        state = ["systemctl", "--user", "is-system-running"]
        until(lambda: manager.run(*state).stdout.strip() in {"running", "degraded"} or _gone(started))
        yield manager
    finally:
        started.kill()
        started.wait(10)
        until(lambda: _removed(group))


def _first_child(started: subprocess.Popen[bytes]) -> int:
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children")

    def found() -> str:
        if started.poll() is not None:
            pytest.skip("no namespaces can be made here")
        with suppress(OSError):
            return children.read_text().strip()
        return ""

    return int(until(found))


def _gone(started: subprocess.Popen[bytes]) -> bool:
    if started.poll() is not None:
        pytest.skip("systemd does not start in namespaces here")
    return False


def _hierarchy() -> Path | None:
    """Return where control groups of the second version are mounted."""
    with suppress(OSError):
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, place, kind, *_ = line.split(" ")
            if kind == "cgroup2":
                return Path(place)
    return None


def _removed(group: Path) -> bool:
    """Remove a control group with those below it, whose processes are ending."""
    for below in sorted(group.rglob("*/"), reverse=True):
        with suppress(OSError):
            below.rmdir()
    with suppress(OSError):
        group.rmdir()
    return not group.exists()
