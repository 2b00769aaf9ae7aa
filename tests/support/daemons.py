"""Daemons to test with: the real one as a process, and one in this process whose time is made up."""

from __future__ import annotations

import heapq
import itertools
import logging
import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from council_vault.service.bell import Orders
from council_vault.service.daemon import Daemon
from council_vault.service.systemd import Notifier
from support.syncing import records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.syncing import Road

DEADLINE = 20.0


def until(what: Callable[[], Any], seconds: float = DEADLINE, *, why: Callable[[], str] = str) -> Any:
    """Wait until something is so, and return it; fail when that takes too long."""
    give_up = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < give_up, f"it did not come to be within {seconds:.1f} s\n{why()}"
        time.sleep(0.005)
    return found


# The real one


class Process:
    """A daemon as a process of its own; its log goes to a file."""

    def __init__(self, road: Road, *options: str, **environment: str) -> None:
        self.road = road
        self._log = road.base / "daemon.log"
        command = [*road.command(before=["--workspace", str(road.folder), *options])[:-1], "daemon"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, env=road.environment(**environment), cwd=road.base, stderr=log
            )
        self.pid = self._process.pid

    def log(self) -> str:
        """Return what it has said."""
        return self._log.read_text("utf-8")

    def until(self, what: Callable[[], Any], seconds: float = DEADLINE) -> Any:
        """Wait until something is so while the daemon runs."""

        def alive_and_so() -> Any:
            assert self._process.poll() is None, f"the daemon has ended\n{self.log()}"
            return what()

        return until(alive_and_so, seconds, why=self.log)

    def until_said(self, words: str, times: int = 1, seconds: float = DEADLINE) -> None:
        """Wait until its log says something."""
        self.until(lambda: self.log().count(words) >= times, seconds)

    def until_settled(self) -> None:
        """Wait until it is up, has synced what was there, and sleeps."""
        self.until_said("Keeping ")
        self.until(lambda: not self.road.pending() and self.road.path("log").exists())
        self.until(self.sleeps)

    def sleeps(self) -> bool:
        """Whether it has used no processor time for a while."""
        used = self.processor_time()
        give_up = time.monotonic() + 0.25
        while time.monotonic() < give_up:
            if self.processor_time() != used:
                return False
            time.sleep(0.02)
        return True

    def processor_time(self) -> float:
        """Return how many seconds of a processor it has used."""
        with open(f"/proc/{self.pid}/stat", "rb") as file:  # noqa: PTH123 - read thousands of times
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Return how many bytes of memory it holds."""
        with open(f"/proc/{self.pid}/statm", "rb") as file:  # noqa: PTH123 - likewise
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def threads(self) -> int:
        """Return how many threads it has."""
        return len(list(Path(f"/proc/{self.pid}/task").iterdir()))

    def open_files(self) -> int:
        """Return how many files and connections it has open."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def send(self, number: int) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def end(self, number: int = signal.SIGTERM, seconds: float = 10.0) -> int:
        """Tell it to stop, and return its exit code."""
        self.send(number)
        return self.wait(seconds)

    def wait(self, seconds: float = 10.0) -> int:
        """Wait for its end, and return its exit code."""
        return self._process.wait(seconds)

    def close(self) -> None:
        """End it, if it has not ended."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait(10)


@contextmanager
def running(road: Road, *options: str, **environment: str) -> Iterator[Process]:
    """Run a daemon."""
    process = Process(road, *options, **environment)
    try:
        yield process
    finally:
        process.close()


def configure(road: Road, **settings: Any) -> None:
    """Write the settings of the daemon into the settings file."""
    folder = road.base / "xdg-config" / "council-vault"
    folder.mkdir(parents=True, exist_ok=True)
    values = {"every": 1, "watch": "auto", **settings}
    lines = [
        f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}"
        for key, value in values.items()
    ]
    (folder / "config.toml").write_text(
        f'[vault]\npath = "{road.vault}"\n[sync]\n' + "\n".join(lines) + "\n", "utf-8"
    )


# The one in this process


class MadeUpTime:
    """A `Waker` whose time passes as soon as somebody waits for it; things happen at moments of it."""

    def __init__(self) -> None:
        self.moment = 1_000.0
        self.waits = 0
        self._rung = False
        self._coming: list[tuple[float, int, Callable[[], object]]] = []
        self._number = itertools.count()

    def at(self, seconds: float, action: Callable[[], object]) -> None:
        """Let something happen so many seconds after the beginning."""
        heapq.heappush(self._coming, (1_000.0 + seconds, next(self._number), action))

    def every(self, seconds: float, action: Callable[[], object], until_: float) -> None:
        """Let something happen again and again."""
        for number in range(1, int(until_ / seconds) + 1):
            self.at(number * seconds, action)

    @property
    def passed(self) -> float:
        """Seconds since the beginning."""
        return self.moment - 1_000.0

    def now(self) -> float:
        return self.moment

    def ring(self) -> None:
        self._rung = True

    def wait(self, seconds: float) -> bool:
        self.waits += 1
        end = self.moment + max(seconds, 0.0)
        while not self._rung and self._coming and self._coming[0][0] <= end:
            self.moment, _, action = heapq.heappop(self._coming)
            action()
        if not self._rung:
            self.moment = end
        rung, self._rung = self._rung, False
        return rung


class Silent:
    """An observer of watchdog's kind that never calls."""

    def schedule(self, *_args: object, **_options: object) -> None:
        pass

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def join(self) -> None:
        pass

    def is_alive(self) -> bool:
        return True


class Life:
    """The life of a daemon in this process, in made-up time.

    Args:
        road: its workspace and vault.
        environment: what systemd would have put there.
    """

    def __init__(self, road: Road, environment: dict[str, str] | None = None) -> None:
        self.road = road
        self.time = MadeUpTime()
        self.orders = Orders()
        self.daemon = Daemon(road.workspace, self.time, self.orders, Notifier(environment or {}))

    def live(self, seconds: float) -> None:
        """Let it run for so many seconds."""
        self.time.at(seconds, self.stop)
        self.daemon.run()

    def stop(self) -> None:
        self.orders.stop = True

    def reload(self) -> None:
        self.orders.reload = True


def lines(caplog: Any, least: int = logging.INFO) -> list[str]:
    """Return what was logged."""
    return [record.getMessage() for record in caplog.records if record.levelno >= least]


def add_one(road: Road, day: str = "20260329") -> str:
    """Let an agent add a record by rewriting the file in place; return its id."""
    taken = len(road.parsed()["deliberations"])
    (new,) = records(1, day, first=taken + 1)
    road.change_memory(lambda memory: memory["deliberations"].append(new))
    return new["id"]
