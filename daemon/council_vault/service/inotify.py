"""What the kernel tells of its watches on folders: the limits, how much of them is used, and what we hold."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

INSTANCES = "fs.inotify.max_user_instances"
WATCHES = "fs.inotify.max_user_watches"

# Elsewhere (FUSE, NFS, CIFS, 9p …) the kernel does not learn of what happens on another machine.
_LOCAL = frozenset(
    {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "vfat", "exfat", "ntfs", "zfs", "f2fs", "ecryptfs"}
)
_LIMITS = Path("/proc/sys/fs/inotify")
_PROCESSES = Path("/proc")
_OWN_PROCESS = _PROCESSES / "self"


class Budget(NamedTuple):
    """One limit of a user: the name that ``sysctl`` knows it by, what it is, and how much of it is used.

    ``used`` counts the processes of this user that can be looked into, so that it may be too low.
    """

    name: str
    limit: int
    used: int

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left."""
        return self.used >= self.limit


def tells_everything(file_system: str) -> bool:
    """Whether the kernel learns of every change on that type of file system."""
    return file_system in _LOCAL


def limit(name: str, limits: Path = _LIMITS) -> int | None:
    """Return what each user may have at most; ``None`` where the system has no such limit."""
    try:
        return int((limits / name.rpartition(".")[2]).read_text())
    except (OSError, ValueError):
        return None


def raising(name: str, limit: int) -> str:
    """Return the command that doubles a limit, until the next start of the machine."""
    return f"sudo sysctl {name}={limit * 2}"


def budgets(limits: Path = _LIMITS, processes: Path = _PROCESSES) -> tuple[Budget, ...]:
    """Return the limits on instances and on watches; none where the system has no such thing."""
    instances, watches = limit(INSTANCES, limits), limit(WATCHES, limits)
    if instances is None or watches is None:
        return ()
    held = [_held(process) for process in _of_this_user(processes)]
    return (
        Budget(INSTANCES, instances, sum(len(process) for process in held)),
        Budget(WATCHES, watches, sum(len(lines) for process in held for lines in process.values())),
    )


def own_watches(process: Path = _OWN_PROCESS) -> frozenset[str]:
    """Return what this process watches, one text for each watch; nothing where the kernel does not tell.

    A watch ends silently when its folder is deleted or unmounted; then its text is gone.
    """
    return frozenset(f"{file} {line}" for file, lines in _held(process).items() for line in lines)


def _held(process: Path) -> dict[str, list[str]]:
    """Return the lines of proc_pid_fdinfo(5) that describe watches, by the instance's descriptor."""
    held: dict[str, list[str]] = {}
    with suppress(OSError):  # not ours to look into, or just ended
        for file in (process / "fd").iterdir():
            with suppress(OSError):  # just closed
                if file.readlink() == Path("anon_inode:inotify"):
                    lines = (process / "fdinfo" / file.name).read_text().splitlines()
                    held[file.name] = [line for line in lines if line.startswith("inotify ")]
    return held


def _of_this_user(processes: Path) -> Iterator[Path]:
    user = os.geteuid()
    for process in processes.iterdir():
        with suppress(OSError):
            if process.name.isdigit() and process.stat().st_uid == user:
                yield process
