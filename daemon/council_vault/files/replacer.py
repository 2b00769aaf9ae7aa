"""The road to every change of a file: under our lock, repeated where others were quicker, and settled."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from council_vault.errors import Busy, FileChanged
from council_vault.files.exchange import changed, create, replace
from council_vault.files.locks import TIMEOUT, Lock
from council_vault.files.names import leftovers, names_in, stem
from council_vault.files.reading import failed, real_path
from council_vault.files.recovery import Recovery
from council_vault.files.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from council_vault.files.displaced import Displaced

UPDATE_PATIENCE = 30.0
"""Seconds for which an update is repeated against programs that keep changing the file."""

_LONGEST_PAUSE = 0.004


class _Replacement(NamedTuple):
    """A replacement to be settled: the path as it was given, what was displaced, and the file's lock."""

    given: Path
    displaced: Displaced
    lock: Lock


def _nobody(_point: str) -> None:
    """Observe nothing."""


class Replacer:
    """Replaces files durably, conditionally and without losing what others write; for one thread at a time.

    `replace` holds the file's lock, what it displaced and the lease until `settle`, so always settle, after
    an error too; several replacements share one wait.

    Args:
        locks: the folder for our lock files.
        keep: rescues what somebody else wrote to the file at a path, when we have hidden it. It may stand
            there too, and come more than once.
        observe: is told each point of the protocol when it is reached. For tests, which stop or kill the
            process there.
    """

    def __init__(
        self, locks: Path, keep: Callable[[Path, bytes], None], observe: Callable[[str], None] = _nobody
    ) -> None:
        self._locks = locks
        self._observe = observe
        self._recovery = Recovery(keep, observe)
        self._pending: dict[Path, _Replacement] = {}

    def replace(self, path: Path, data: bytes, expected: str | None) -> None:
        """Replace what stands at ``path`` durably, to be settled.

        Args:
            path: the file; symbolic links are followed and stay.
            data: its new content.
            expected: `digest` of what must stand there now; ``None``: nothing may stand there.

        Raises:
            FileChanged: something else stands there, or nothing. Read it again and repeat.
            WriteFailed: no room, no right, no folder, write-protected, several hard links, or an owner that
                cannot be kept.
            Busy: another council-vault is at this file, or another program has it open for writing.
        """
        real = real_path(path)
        if self._settle([real]):
            raise changed(real)
        try:
            lock = self._lock(real)
            try:
                displaced = self._replaced(real, data, expected)
            except BaseException:
                lock.give_back()
                raise
        except OSError as error:
            raise failed(error, real, "it cannot be written") from error
        self._pending[real] = _Replacement(path, displaced, lock)

    def settle(self) -> tuple[Path, ...]:
        """Look at everything that was displaced since the last time, wait until it is due, and let go of it.

        Returns:
            The paths whose replacement had to be taken back, as they were given: read them again and repeat.

        Raises:
            WriteFailed: a displaced file cannot be put back or deleted now. It stays beside, and the next
                replacement or `recover` looks again.
        """
        return self._settle(list(self._pending))

    def update(self, path: Path, change: Callable[[bytes], bytes]) -> bytes:
        """Change a file, repeatedly if need be, until the change stands.

        Args:
            path: the file; symbolic links are followed and stay.
            change: makes the new content from the present one. It may be called several times; what it
                raises ends the update with the file as it was. Where it returns equal bytes, nothing is
                written.

        Returns:
            What stands in the file.

        Raises:
            FileChanged: the file is not there, or others have kept changing it for 30 s.
            WriteFailed: as `replace`.
            Busy: as `replace`.
        """
        real = real_path(path)
        self._settle([real])
        deadline = time.monotonic() + UPDATE_PATIENCE
        try:
            lock = self._lock(real)
            try:
                while True:
                    with Source(real) as source:
                        data = change(source.content)
                        if data == source.content or self._stands(path, source, data, lock):
                            return data
                    if time.monotonic() > deadline:
                        raise changed(real)
                    time.sleep(random.uniform(0, _LONGEST_PAUSE))  # noqa: S311 - only to get out of step
            finally:
                lock.give_back()
        except OSError as error:
            raise failed(error, real, "it cannot be written") from error

    def recover(self, folder: Path) -> None:
        """Settle what killed predecessors left in a folder.

        A file that another council-vault is at just now is left to it.

        Raises:
            WriteFailed: something that was left cannot be put back or deleted.
        """
        real = real_path(folder)
        try:
            names = names_in(real)
            for left in {leftover.stem for leftover in leftovers(real, names)}:
                self._recover(real / next((name for name in names if stem(name) == left), left))
        except FileNotFoundError:
            return
        except OSError as error:
            raise failed(error, real, "what an earlier run left there cannot be settled") from error

    def _recover(self, path: Path) -> None:
        try:
            lock = self._lock(path, timeout=0.0)
        except Busy:
            return
        lock.give_back()

    def _lock(self, real: Path, timeout: float = TIMEOUT) -> Lock:
        """Take a file's lock and settle what was left beside the file."""
        lock = Lock(self._locks, real, "file")
        lock.take(timeout)
        try:
            self._recovery.sweep(real)
        except BaseException:
            lock.give_back()
            raise
        return lock

    def _settle(self, reals: Iterable[Path]) -> tuple[Path, ...]:
        waiting = {real: self._pending[real] for real in reals if real in self._pending}
        taken_back = []
        while waiting:
            for real, replacement in list(waiting.items()):
                try:
                    stands = replacement.displaced.settled(self._recovery)
                except BaseException as error:
                    self._finish(real)
                    if isinstance(error, OSError):
                        raise failed(error, real, "what it replaced cannot be settled") from error
                    raise
                if stands is None:
                    continue
                self._finish(real)
                del waiting[real]
                if not stands:
                    taken_back.append(replacement.given)
            if waiting:
                time.sleep(min(replacement.displaced.pause() for replacement in waiting.values()))
        return tuple(taken_back)

    def _finish(self, real: Path) -> None:
        self._pending.pop(real).lock.give_back()

    def _stands(self, given: Path, source: Source, data: bytes, lock: Lock) -> bool:
        """Make one replacement and settle it; say whether it stands."""
        try:
            displaced = replace(source, data, self._recovery, self._observe)
        except FileChanged:
            return False
        lock.take()
        self._pending[source.path] = _Replacement(given, displaced, lock)
        return not self._settle([source.path])

    def _replaced(self, real: Path, data: bytes, expected: str | None) -> Displaced:
        if expected is None:
            return create(real, data, self._observe)
        source = Source(real)
        with ExitStack() as on_failure:
            on_failure.callback(source.close)
            if source.digest != expected:
                raise changed(real)
            displaced = replace(source, data, self._recovery, self._observe)
            on_failure.pop_all()
        return displaced
