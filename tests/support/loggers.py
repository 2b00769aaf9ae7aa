"""Processes that work on one memory file at the same time: some that log, and an agent that rewrites it.

Started as a program: ``log BASE FIRST COUNT EVERY`` logs deliberations on the road below a folder, as fast as
it can, and syncs every so many; ``rewrite FILE COUNT`` reads the file, adds a record of its own and renames
the result over it, as often.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from council_vault.learning.log_input import read_log_input
from council_vault.operations.log import log
from support.deliberations import deliberation
from support.memory_files import dump, record
from support.syncing import NOON, Road


def started(*arguments):
    """Start one of these."""
    return subprocess.Popen(
        [sys.executable, "-m", "support.loggers", *map(str, arguments)],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _log(base, first, count, every):
    road = Road(Path(base))
    road.settings["sync"] = {"every": int(every)}
    workspace = road.workspace()
    for number in range(int(first), int(first) + int(count)):
        outcome = log(workspace, read_log_input(deliberation(number)), NOON + timedelta(minutes=number))
        print(outcome.id, *outcome.followed.warnings, sep="\t", flush=True)


def _rewrite(file, count):
    path = Path(file)
    for number in range(1, int(count) + 1):
        whole = json.loads(path.read_bytes())
        whole["deliberations"].append(record(number, "20200101"))
        temporary = path.with_name("agent.tmp")
        temporary.write_bytes(dump(whole))
        temporary.replace(path)
        time.sleep(0.03)  # an agent is slower than this; the others must get their turn


if __name__ == "__main__":
    {"log": _log, "rewrite": _rewrite}[sys.argv[1]](*sys.argv[2:])
