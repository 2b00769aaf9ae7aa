"""Seeing what there is to do for a memory, and doing none of it: cheap enough to be asked at every turn.

The memory file is read when its stat or, if asked, its content has changed, and understood only when its
content has.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from council_vault import files
from council_vault.errors import MemoryUnreadable
from council_vault.facts import Facts
from council_vault.notes.cells import UNKNOWN
from council_vault.notes.written_rows import decode_rows
from council_vault.service.schedule import Outlook
from council_vault.state import open_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Memory
    from council_vault.notes.written_rows import WrittenRow
    from council_vault.workspace import Workspace

_log = logging.getLogger(__name__)
_Mark = tuple[int, ...]


class Lookout:
    """Looks at one memory.

    Args:
        workspace: where it is.

    Attributes:
        facts: what the last sync knew of it and its notes.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._mark: _Mark | None = None
        self._digest = ""
        self._unreadable: MemoryUnreadable | None = None
        self._outlook = Outlook()
        self.facts = Facts()

    def look(self, *, thorough: bool) -> Outlook:
        """Return what there is to do, as far as the memory file tells.

        Args:
            thorough: whether to read it whatever its stat says.

        Raises:
            MemoryUnreadable: the memory file is missing or broken.
            WriteFailed: it, or the program's state, cannot be read.
        """
        mark = self._memory_mark()
        if thorough or mark is None or mark != self._mark:
            self._look_at_memory()
            self._mark = mark
        if self._unreadable is not None:
            raise self._unreadable
        return self._outlook

    def after_sync(self) -> None:
        """Compare with what a sync has just left."""
        self._mark, self._digest = None, ""

    def pending_for(self) -> float:
        """Return for how many seconds the memory file has been as it is; 0 where that cannot be told."""
        try:
            return max(0.0, time.time() - self._workspace.memory_path.stat().st_mtime)
        except OSError:
            return 0.0

    def _memory_mark(self) -> _Mark | None:
        try:
            found = self._workspace.memory_path.stat()
        except OSError:  # reading says what is wrong
            return None
        return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def _look_at_memory(self) -> None:
        data = files.read(self._workspace.memory_path)
        if data is not None and self._digest == (version := files.digest(data)):
            return
        self._digest, self._unreadable = "", None
        try:
            content = self._workspace.memory_file().read(patience=0)
            memory = content.memory
        except MemoryUnreadable as error:
            self._unreadable = error
            self._digest = version if data is not None else ""
            return
        with open_state(self._workspace.folder) as state:
            self.facts, rows = state.facts, decode_rows(state.rows())
        self._outlook = self._seen_in(memory, rows)
        _log.debug("Read %d deliberations, %d pending.", memory.total, len(self._outlook.pending))
        self._digest = files.digest(content.data)

    def _seen_in(self, memory: Memory, rows: Mapping[str, WrittenRow]) -> Outlook:
        rebuilt = memory.routing_model.last_rebuilt
        rated = (
            (record_id, record.user_rating)
            for record_id, record in memory.identified.items()
            if record_id in rows
            and record_id not in self.facts.deleted
            and rows[record_id].rating != (record.user_rating or UNKNOWN)
        )
        return Outlook(
            total=memory.total,
            pending=memory.pending,
            rebuilt=None if rebuilt == self.facts.rebuilt else rebuilt,
            rated=frozenset(rated),
        )
