"""Whether all is well: what is pending, where the vault is, and what the person should know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import VaultUnavailable
from council_vault.service.presence import Activity, present
from council_vault.state import open_state
from council_vault.syncing.concerns import concerns
from council_vault.vault.discovery import discover, require

if TYPE_CHECKING:
    from council_vault.memory.schema import Problem
    from council_vault.workspace import Workspace


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a memory and its vault.

    ``vault`` is ``None`` where there is none now, and ``vault_problem`` says why; ``synced`` is when a sync
    last changed something, ``last_vault_sync`` what the memory file says of it. ``daemon`` is what the daemon
    of this memory is doing, ``None`` where none is running.
    """

    memory: str
    version: str
    deliberations: int
    pending: tuple[str, ...]
    vault: str | None
    vault_problem: str = ""
    synced: str | None = None
    last_vault_sync: str | int | float | None = None
    vault_sync_note: str | None = None
    messages: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    daemon: Activity | None = None


def status(workspace: Workspace) -> Status:
    """Look at a memory and its vault; nothing is written to either.

    Raises:
        MemoryUnreadable: the memory file is missing or broken.
    """
    content = workspace.memory_file().read(patience=0)
    memory = content.memory
    with open_state(workspace.folder) as state:
        facts = state.facts
    vault, problem = None, ""
    try:
        vault = str(require(discover(workspace.vault_request(facts.pin))))
    except VaultUnavailable as error:
        problem = str(error)
    messages = dict.fromkeys((*concerns(workspace, memory), *facts.standing))
    return Status(
        memory=str(workspace.memory_path),
        version=".".join(map(str, memory.version)),
        deliberations=memory.total,
        pending=memory.pending,
        vault=vault,
        vault_problem=problem,
        synced=facts.synced_at,
        last_vault_sync=memory.last_vault_sync,
        vault_sync_note=memory.vault_sync_note,
        messages=tuple(messages),
        problems=content.problems,
        daemon=present(workspace.folder, workspace.locks),
    )
