"""What may take long is done in a thread of its own, while the daemon goes on."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")


class Errand(Generic[_Result]):
    """Something to be done, and who takes what comes of it.

    Args:
        work: does it.
        take: is given what returns its result, or raises what went wrong.
    """

    def __init__(self, work: Callable[[], _Result], take: Callable[[Callable[[], _Result]], None]) -> None:
        self._work = work
        self._take = take
        self._result: Callable[[], _Result] | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is something to take."""
        return self._result is not None

    def do(self) -> None:
        """Do it."""
        try:
            result = self._work()
        except Exception as error:  # noqa: BLE001 - it is raised where the result is taken
            self._result = _raising(error)
        else:
            self._result = lambda: result

    def take(self) -> None:
        """Give what came of it to who takes it."""
        if self._result is not None:
            self._take(self._result)


class Errands:
    """Does one errand after the other, all in one thread, and rings when each is done.

    Whatever lasts between them, such as a connection, belongs to this thread. Nobody has to wait for it: the
    process may end while it works.

    Args:
        ring: tells that there is something to take.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._waiting: SimpleQueue[Errand[Any] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def send(self, errand: Errand[Any]) -> None:
        """Have it done, after those that were sent before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._go, name="errands", daemon=True)
            self._thread.start()
        self._waiting.put(errand)

    def end(self) -> None:
        """Finish what is under way, and nothing else."""
        if self._thread is None:
            return
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._waiting.put(None)
        self._thread.join()

    def _go(self) -> None:
        while (errand := self._waiting.get()) is not None:
            errand.do()
            self._ring()


def _raising(error: Exception) -> Callable[[], NoReturn]:
    def result() -> NoReturn:
        raise error

    return result
