"""Reading a memory that may not have been begun yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.errors import MemoryUnreadable

if TYPE_CHECKING:
    from pathlib import Path

    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace


def memory_if_any(workspace: Workspace) -> Memory | None:
    """Return the memory, ``None`` where there is no memory file yet.

    Raises:
        MemoryUnreadable: the memory file is broken.
    """
    try:
        return workspace.memory_file().read().memory
    except MemoryUnreadable:
        if is_missing(workspace.memory_path):
            return None
        raise


def is_missing(path: Path) -> bool:
    """Tell whether there is no such file; one that cannot be looked at may be there."""
    try:
        path.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
