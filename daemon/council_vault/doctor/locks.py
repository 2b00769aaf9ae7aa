"""Who holds the locks of a memory, and whether they are getting on."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from council_vault.doctor.finding import Finding, of_error
from council_vault.errors import Busy, WriteFailed
from council_vault.files.locks import Lock
from council_vault.files.reading import real_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.files.locks import Holder, Kind
    from council_vault.workspace import Workspace

_LONG = timedelta(minutes=5)  # a sync takes milliseconds, and a slow vault a minute
_KINDS: dict[Kind, str] = {"sync": "a sync", "file": "a change of the memory file"}
_PROCESSES = Path("/proc")


def held_locks(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    """Look at the locks for a sync and for a change of the memory file; a free one says nothing."""
    for kind, work in _KINDS.items():
        try:
            lock = Lock(workspace.locks, real_path(workspace.memory_path), kind)
            if _is_held(lock):
                yield _held(lock.signed(), work, now)
        except WriteFailed as error:
            yield of_error(error)


def _is_held(lock: Lock) -> bool:
    try:
        lock.take(0.0)
    except Busy:
        return True
    lock.give_back()
    return False


def _held(holder: Holder | None, work: str, now: datetime) -> Finding:
    if holder is None:
        return Finding("note", "locks", f"{work} is going on, by a process that has not said which it is")
    if _is_stopped(holder.pid):
        what = f"{work} is held up, since {holder} is stopped. `kill -CONT {holder.pid}` lets it go on"
        return Finding("problem", "locks", what)
    if _since(holder, now) > _LONG:
        what = f"{work} does not come to its end: {holder}. `kill {holder.pid}` ends it, and loses nothing"
        return Finding("problem", "locks", what)
    return Finding("note", "locks", f"{work} is going on: {holder}")


def _since(holder: Holder, now: datetime) -> timedelta:
    with suppress(ValueError, TypeError):
        return now - datetime.fromisoformat(holder.since)
    return timedelta()


def _is_stopped(process: int) -> bool:
    """Whether a process has been stopped, as by Ctrl-Z; only Linux tells."""
    with suppress(OSError):
        fields = (_PROCESSES / str(process) / "stat").read_bytes().rpartition(b")")[2].split()
        return fields[0] in {b"T", b"t"}
    return False
