"""A process that syncs many times, as the daemon does, and tells each time what it holds."""

from __future__ import annotations

import json
import sys
import threading
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from council_vault.service import heap
from council_vault.service.errands import Errand, Errands
from council_vault.service.note_lookout import NoteLookout
from council_vault.settings import DriveSettings, Settings, WorkspaceSettings
from council_vault.state import open_state
from council_vault.sync import Options, sync
from council_vault.workspace import Workspace
from support.syncing import NOON

if TYPE_CHECKING:
    from collections.abc import Callable


class Held(NamedTuple):
    """What a process holds: bytes of memory, open files, threads."""

    memory: int
    files: int
    threads: int

    @classmethod
    def now(cls) -> Held:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(
            pages * 4096, *(len(list(Path(f"/proc/self/{what}").iterdir())) for what in ("fd", "task"))
        )


def soak(base: Path, endpoint: str, times: int) -> None:
    """Sync, each time with something new; print what is held after each as a line of JSON."""
    settings = Settings(
        workspace=WorkspaceSettings(path=str(base / "workspace")), drive=DriveSettings(endpoint=endpoint)
    )
    workspace = Workspace(settings, base / "states", base / "home", {})
    lookout = NoteLookout(workspace)
    is_done = threading.Event()
    errands = Errands(is_done.set)
    ratings = cycle(("positive", "negative", "neutral"))

    def once() -> None:
        whole = json.loads(workspace.memory_path.read_bytes())
        whole["deliberations"][-1]["user_rating"] = next(ratings)
        workspace.memory_path.write_text(json.dumps(whole, indent=2))
        assert sync(workspace, Options(), NOON).changed
        with open_state(workspace.folder) as state:
            assert lookout.look(state.facts) == frozenset()

    def done(result: Callable[[], None]) -> None:
        result()
        heap.give_back()
        print(json.dumps(Held.now()), flush=True)

    for _ in range(times):
        errand = Errand(once, done)
        errands.send(errand)
        is_done.wait()
        is_done.clear()
        errand.take()
    errands.end()


if __name__ == "__main__":
    soak(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
