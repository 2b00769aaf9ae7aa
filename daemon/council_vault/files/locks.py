"""Our own locks: between two council-vaults, never against anybody else.

They are kept in a folder of our own and not beside the file, keyed by the device and inode of the file's
folder plus the file's name, so that every path to a file leads to the same lock. Beside each lock stands who
took it last, so that whoever waits in vain can be told.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from council_vault.errors import Busy
from council_vault.files.reading import digest, failed, real_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from filelock import BaseFileLock

TIMEOUT = 30.0
"""Seconds to wait for another council-vault."""

Kind = Literal["file", "sync", "daemon"]

_POLL = 0.005


class Holder(NamedTuple):
    """Who holds a lock: process, command, and since when, as local time."""

    pid: int
    command: str
    since: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.command}), since {self.since}"


class Lock:
    """One lock. It can be taken again while it is held, from any thread, and is given back as often.

    Args:
        locks: the folder for our lock files.
        path: what is locked, with its symbolic links followed; its folder must be there.
        kind: what for: ``file`` for the milliseconds of a replacement, ``sync`` for a whole sync,
            ``daemon`` for as long as one keeps a memory.

    Raises:
        WriteFailed: the file's folder is missing or the folder for locks cannot be made.
    """

    def __init__(self, locks: Path, path: Path, kind: Kind) -> None:
        from filelock import FileLock  # noqa: PLC0415 - costs milliseconds that `status` need not pay

        self._path = path
        try:
            folder = path.parent.stat()
        except OSError as error:
            raise failed(error, path.parent, "its folder cannot be read") from error
        try:
            locks.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise failed(error, locks, "the folder for locks cannot be made") from error
        key = digest(f"{folder.st_dev}:{folder.st_ino}:".encode() + os.fsencode(path.name))[:32]
        self._holder = locks / f"{key}.{kind}.holder"
        self._lock: BaseFileLock = FileLock(locks / f"{key}.{kind}.lock", thread_local=False)

    def take(self, timeout: float = TIMEOUT) -> None:
        """Wait for the lock, at most ``timeout`` seconds.

        Raises:
            Busy: another council-vault holds it; it is named as far as it can be.
            WriteFailed: the lock file cannot be made.
        """
        from filelock import Timeout  # noqa: PLC0415 - see above

        again = self._lock.is_locked
        try:
            self._lock.acquire(timeout=timeout, poll_interval=_POLL)
            if not again:
                self._sign()
        except Timeout as error:
            who = self.signed() or "it has not said which process it is"
            raise Busy(
                f"another council-vault is working on it: {who}",
                where=self._path,
                remedy="Wait for it to finish, or end it",
            ) from error
        except OSError as error:
            self._lock.release(force=True)
            raise failed(error, Path(self._lock.lock_file), "the lock cannot be taken") from error

    def give_back(self) -> None:
        """Give the lock back, once for each time it was taken."""
        self._lock.release()

    def _sign(self) -> None:
        # Written over and not cut off before: that would cost ext4 more than the rest of the lock.
        file = os.open(self._holder, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(file, _myself() + b"\n")
        finally:
            os.close(file)

    def signed(self) -> Holder | None:
        """Return who took it last; ``None`` where nobody has said so."""
        try:
            holder = json.loads(self._holder.read_bytes().partition(b"\n")[0])
            return Holder(int(holder["pid"]), str(holder["command"]), str(holder["since"]))
        except (OSError, ValueError, LookupError, TypeError):
            return None


@contextmanager
def sync_lock(locks: Path, path: Path, timeout: float = TIMEOUT) -> Iterator[None]:
    """Hold the lock for a whole sync of the memory file at ``path``.

    Args:
        locks: the folder for our lock files.
        path: the memory file.
        timeout: seconds to wait for another sync to finish.

    Raises:
        Busy: another council-vault holds it; process, command and start are named.
        WriteFailed: the lock cannot be made.
    """
    lock = Lock(locks, real_path(path), "sync")
    lock.take(timeout)
    try:
        yield
    finally:
        lock.give_back()


def _myself() -> bytes:
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200]
    since = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
    return json.dumps({"pid": os.getpid(), "command": command, "since": since}).encode()
