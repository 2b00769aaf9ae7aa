"""That a daemon keeps a memory, and what it is doing: told by the daemon, asked by everybody else."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import AlreadyRunning, Busy, WriteFailed
from council_vault.files.locks import Lock
from council_vault.files.reading import failed

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE = 0.5  # seconds, with those who only look whether somebody holds the lock
_NAME = "daemon"


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """What a daemon is doing.

    Attributes:
        pid: its process; 0 where it could not tell.
        since: when it began, as local time.
        summary: how things are, in one line.
        did: what its last sync did, if it did anything yet.
        did_at: when, as local time.
        waiting: what it waits for before the next sync, if it is waiting.
        troubles: what is wrong now.
    """

    pid: int = 0
    since: str = ""
    summary: str = ""
    did: str = ""
    did_at: str = ""
    waiting: str = ""
    troubles: tuple[str, ...] = ()


class Presence:
    """A daemon's claim to a memory: only one can have it.

    Args:
        folder: where everything about the memory is kept.
        locks: the folder for locks.

    Raises:
        AlreadyRunning: another daemon has it; it is named.
        WriteFailed: the folder cannot be used.
    """

    def __init__(self, folder: Path, locks: Path) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise failed(error, folder, "the program's own state cannot be kept there") from error
        self._file = folder / f"{_NAME}.json"
        self._lock = _lock(folder, locks)
        self._told: Activity | None = None
        try:
            self._lock.take(_PATIENCE)
        except Busy as error:
            raise AlreadyRunning(
                error.what.replace("another council-vault is working on it", "a daemon keeps it already"),
                where=folder,
                remedy="One is enough; `council-vault status` says what it is doing",
            ) from error
        with suppress(WriteFailed):  # what is told later will be tried again
            self.tell(Activity())

    def tell(self, activity: Activity) -> None:
        """Say what the daemon is doing; where that cannot be written, nobody hears it.

        Raises:
            WriteFailed: the file cannot be written.
        """
        if activity == self._told:
            return
        draft = self._file.with_suffix(".part")
        try:
            draft.write_bytes(msgspec.json.encode(activity))
            draft.chmod(0o600)
            draft.replace(self._file)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise failed(error, self._file, "what the daemon is doing cannot be told") from error
        self._told = activity

    def end(self) -> None:
        """Give the memory up."""
        self._file.unlink(missing_ok=True)
        self._lock.give_back()


def present(folder: Path, locks: Path) -> Activity | None:
    """Return what the daemon of a memory is doing, ``None`` where none is running.

    Args:
        folder: where everything about the memory is kept.
        locks: the folder for locks.

    Raises:
        WriteFailed: the lock cannot be looked at.
    """
    file = folder / f"{_NAME}.json"
    if not file.exists():  # most have none; to ask the lock takes longer than all the rest of `status`
        return None
    lock = _lock(folder, locks)
    try:
        lock.take(0.0)
    except Busy:
        return _told(file)
    lock.give_back()  # who left that file was killed
    return None


def _lock(folder: Path, locks: Path) -> Lock:
    return Lock(locks, folder.resolve() / _NAME, "daemon")


def _told(file: Path) -> Activity:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Activity)
    except (OSError, msgspec.MsgspecError):
        return Activity()
