"""What an agent got wrong in a memory file, mended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.memory import canonical
from council_vault.memory.restore import NewId, give_new_ids

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace


def tell_apart(workspace: Workspace, now: datetime) -> tuple[NewId, ...]:
    """Give records that share an id with an earlier one an id of their own, after a snapshot.

    Where none does, nothing is written.

    Raises:
        MemoryUnreadable, MemoryReadOnly, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    file = workspace.memory_file()
    data = file.read().data
    given = give_new_ids(canonical.parse(data))
    if not given:
        return ()
    workspace.snapshots().save(data, now)

    def change(document: dict[str, Any], _memory: Memory) -> dict[str, Any]:
        nonlocal given
        given = give_new_ids(document)
        return document

    file.operate(change)
    return given
