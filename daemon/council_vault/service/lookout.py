"""Seeing what there is to do, and doing none of it: cheap enough to be asked at every turn.

The memory file is read when its stat or, if asked, its content has changed, and understood only when its
content has; a note is read when its stat has changed.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import msgspec

from council_vault import files
from council_vault.errors import MemoryUnreadable, NoteRefused, VaultUnavailable, WriteFailed
from council_vault.facts import Facts
from council_vault.notes.cells import UNKNOWN
from council_vault.notes.written_rows import decode_rows
from council_vault.service.schedule import Outlook
from council_vault.state import open_state
from council_vault.vault.discovery import discover

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from council_vault.memory.schema import Memory
    from council_vault.notes.written_rows import WrittenRow
    from council_vault.vault.store import VaultStore
    from council_vault.workspace import Workspace

_log = logging.getLogger(__name__)
_Mark = tuple[int, ...]


class Lookout:
    """Looks at one memory and its notes.

    Args:
        workspace: where they are.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._mark: _Mark | None = None
        self._digest = ""
        self._unreadable: MemoryUnreadable | None = None
        self._facts = Facts()
        self._outlook = Outlook()
        self._vault: VaultStore | None = None
        self._notes: dict[str, tuple[object, str | None]] = {}

    def look(self, *, thorough: bool) -> Outlook:
        """Return what there is to do.

        Args:
            thorough: whether to read the memory file whatever its stat says, and to look at the notes.

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
        if thorough:
            notes = frozenset(self._changed_notes())
            self._outlook = msgspec.structs.replace(self._outlook, notes=notes)
        return self._outlook

    def after_sync(self) -> None:
        """Compare with what a sync has just left."""
        self._mark, self._digest, self._vault = None, "", None

    def pending_for(self) -> float:
        """Return for how many seconds the memory file has been as it is; 0 where that cannot be told."""
        try:
            return max(0.0, time.time() - self._workspace.memory_path.stat().st_mtime)
        except OSError:
            return 0.0

    def sees_vault(self) -> bool:
        """Whether the vault that is meant is there; ``False``, without a search, where none is meant yet."""
        if not (self._facts.pin or self._workspace.settings.vault.path):
            return False
        return discover(self._workspace.vault_request(self._facts.pin)).vault is not None

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
            self._facts, rows = state.facts, decode_rows(state.rows())
        self._outlook = self._seen_in(memory, rows)
        _log.debug("Read %d deliberations, %d pending.", memory.total, len(self._outlook.pending))
        self._digest = files.digest(content.data)

    def _seen_in(self, memory: Memory, rows: Mapping[str, WrittenRow]) -> Outlook:
        rebuilt = memory.routing_model.last_rebuilt
        rated = (
            (record_id, record.user_rating)
            for record_id, record in memory.identified.items()
            if record_id in rows
            and record_id not in self._facts.deleted
            and rows[record_id].rating != (record.user_rating or UNKNOWN)
        )
        return Outlook(
            total=memory.total,
            pending=memory.pending,
            rebuilt=None if rebuilt == self._facts.rebuilt else rebuilt,
            rated=frozenset(rated),
            notes=self._outlook.notes,
        )

    def _changed_notes(self) -> Iterator[tuple[str, str | None]]:
        """Yield the notes that are not as the last sync left them; none where the vault is away."""
        try:
            vault = self._vault or self._find_vault()
            for note in self._facts.notes.values():
                version = self._version(vault, note.name)
                if note.versions[-1:] != (version,):
                    yield note.name, version
        except (VaultUnavailable, NoteRefused, WriteFailed):
            self._vault = None  # a sync will say why

    def _find_vault(self) -> VaultStore:
        found = discover(self._workspace.vault_request(self._facts.pin))
        self._vault = self._workspace.vault(found)
        return self._vault

    def _version(self, vault: VaultStore, name: str) -> str | None:
        """Return the version of a note, which is read only if it may have changed since it was last."""
        seen = vault.glance(name)
        mark = seen and seen.mark
        if name not in self._notes or self._notes[name][0] != mark:
            stored = vault.read(name)
            self._notes[name] = (mark, stored and stored.version)
        return self._notes[name][1]
