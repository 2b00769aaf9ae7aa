"""What the person should know about a memory, as long as it holds: each a sentence that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.memory.schema import CURRENT_VERSION
from council_vault.vault.conflict_copies import conflict_copies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.memory.schema import Memory
    from council_vault.memory.snapshots import Snapshots
    from council_vault.workspace import Workspace

_NAMED = 5


def concerns(workspace: Workspace, memory: Memory) -> Iterator[str]:
    """Yield what stands out about a memory file and what is kept of it."""
    if memory.version > CURRENT_VERSION:
        version, ours = (".".join(map(str, numbers)) for numbers in (memory.version, CURRENT_VERSION))
        yield (
            f"The memory file is of version {version}, and this program knows {ours}: "
            "it is read and the notes are kept, but nothing is written to it. Update council-vault."
        )
    yield from _vanished(workspace.snapshots(), memory)
    for file in workspace.rescued().files():
        yield f"What another program wrote to a note at the moment of a sync is in {file}."
    beside = [path.name for path in workspace.memory_path.resolve().parent.iterdir()]
    copies = conflict_copies([workspace.memory_path.name], beside)
    if copies:
        yield (
            f"Beside the memory file lie copies that a sync service made of a conflict: {listed(copies)}. "
            "They are not read; take from them what you need, and delete them."
        )


def _vanished(snapshots: Snapshots, memory: Memory) -> Iterator[str]:
    vanished = snapshots.vanished(memory)
    if vanished:
        records = f"{len(vanished)} records have" if len(vanished) > 1 else "A record has"
        yield (
            f"{records} vanished from the memory file: {listed([record.id for record in vanished])}. "
            "`council-vault restore` brings them back, `council-vault restore --dismiss` lets them go."
        )
    for kept in snapshots.kept():
        if not kept.records:  # records that are missing are named as vanished
            yield f"What another program wrote to the memory file at the moment of a sync is in {kept.file}."
    yield from (f"{problem}." for problem in snapshots.problems)


def listed(names: list[str] | tuple[str, ...]) -> str:
    """Return names in one phrase, the first five of them and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
