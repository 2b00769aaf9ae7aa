"""Syncs as processes that can be killed at any moment.

Started as a program it is a server: it forks one process for every folder it reads the name of, which is much
quicker than starting Python each time, says which process that is, and later how it ended.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from support.serving import served
from support.syncing import Road


def _serve():
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            Road(Path(line.strip())).sync()
            os._exit(0)
        print(process, flush=True)
        _, status = os.waitpid(process, 0)
        print("killed" if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)


class Killer:
    """The test's end of the pipe."""

    def __init__(self, process):
        self._process = process

    def sync_for(self, base, seconds):
        """Let a sync run for that long, and kill it; return whether it was still running."""
        print(base, file=self._process.stdin, flush=True)
        process = int(self._process.stdout.readline())
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        ended = self._process.stdout.readline().strip()
        assert ended in {"killed", "0"}, ended
        return ended == "killed"


@contextmanager
def killer():
    with served("killable") as process:
        yield Killer(process)


if __name__ == "__main__":
    _serve()
