"""Other councils' files brought into the memory, all in one change of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.errors import CouncilVaultError
from council_vault.importers.known import Known, Standing, mark_of
from council_vault.importers.llm_council import Found, read_file
from council_vault.importers.places import Unreadable, files_meant
from council_vault.learning.record import draft_record
from council_vault.memory import canonical
from council_vault.memory.file import MemoryContent
from council_vault.memory.migrations import migrate
from council_vault.operations.following import Followed, begin_memory, follow, is_due
from council_vault.operations.log import Added, add

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace

    Document = dict[str, Any]

_NO_MEMORY = b"{}"
_TOO_OLD = (
    "it is no newer than the oldest record in the memory, and may be one of those of which only sums are kept"
)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A file, and where in it something stands; ``where`` is empty for the whole of it."""

    file: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.file}, {self.where}" if self.where else self.file


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """A deliberation that was added; ``reviews_left_out`` of its reviews hold no ranking."""

    source: Source
    record: dict[str, Any]
    reviews_left_out: int


class Unusable(msgspec.Struct, frozen=True, kw_only=True):
    """A file, or a deliberation in one, that was not added, and why."""

    source: Source
    reason: str


class Import(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an import; of a dry run, what would come of it.

    ``files`` is how many were meant, ``already`` how many deliberations in them the memory had before.
    """

    dry_run: bool
    files: int
    added: tuple[Imported, ...] = ()
    already: int = 0
    unusable: tuple[Unusable, ...] = ()
    rebuilt: bool = False
    followed: Followed = Followed()

    @property
    def failed(self) -> bool:
        """Whether nothing at all could be used."""
        return not (self.added or self.already)


def import_councils(
    workspace: Workspace,
    paths: Sequence[Path],
    now: datetime,
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _files: None,
) -> Import:
    """Add what the files of other councils hold to the memory, which is created if it is missing.

    What the memory has already is not added again. Nothing that was asked or answered is kept.

    Args:
        workspace: whose memory it is.
        paths: files, and folders that are searched for them.
        now: the time.
        dry_run: write nothing, and say what would be added.
        progress: is told how many of how many files have been read.

    Raises:
        CouncilVaultError: there are no files.
        MemoryUnreadable, MemoryReadOnly, FileChanged, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    meant = list(files_meant(paths))
    if not meant:
        raise CouncilVaultError("there is no *.json or *.jsonl file", where=", ".join(map(str, paths)))
    content = _content(workspace)
    gathered = _Gathered(content.memory, now)
    for done, file in enumerate(meant):
        progress(done, len(meant))
        gathered.take(file)
    progress(len(meant), len(meant))
    fresh = gathered.in_time()
    drafts = [draft_record(found.given, now) for _, found in fresh]
    made: list[Added] = []  # the last one stands: a change may be made more than once

    def change(document: Document, memory: Memory) -> Document | None:
        made.append(add(document, memory, drafts, workspace, now, judging=False))
        return document if made[-1].changed else None

    followed = Followed()
    if dry_run:
        change(migrate(canonical.parse(content.data)), content.memory)
    elif fresh:
        began = begin_memory(workspace, now)
        content = workspace.memory_file().operate(change)
        followed = _followed(workspace, content, made[-1], now, began)
    added = made[-1] if made else Added((), rebuilt=False, memory=content.memory)
    imported = [
        Imported(source=source, record=entry.record, reviews_left_out=found.reviews_left_out)
        for (source, found), entry in zip(fresh, added.entries, strict=True)
        if not entry.already
    ]
    return Import(
        dry_run=dry_run,
        files=len(meant),
        added=tuple(imported),
        already=gathered.already + len(fresh) - len(imported),
        unusable=tuple(gathered.unusable),
        rebuilt=added.rebuilt,
        followed=followed,
    )


class _Gathered:
    """What the files hold that the memory does not, file by file."""

    def __init__(self, memory: Memory, now: datetime) -> None:
        self.already = 0
        self.unusable: list[Unusable] = []
        self._fresh: list[tuple[Source, Found]] = []
        self._known = Known(memory)
        self._now = now

    def take(self, file: Path | Unreadable) -> None:
        """Read a file, and keep of it what is new."""
        if isinstance(file, Unreadable):
            self._refuse(Source(file=str(file.path)), file.reason)
            return
        usable = []
        for part in read_file(file, self._now):
            source = Source(file=str(file), where=part.where)
            if isinstance(part, Found):
                usable.append((source, part))
            else:
                self._refuse(source, part.reason)
        standings = self._known.sort_out([mark_of(found.given) for _, found in usable])
        for (source, found), standing in zip(usable, standings, strict=True):
            if standing is Standing.NEW:
                self._fresh.append((source, found))
            elif standing is Standing.TOO_OLD:
                self._refuse(source, _TOO_OLD)
            else:
                self.already += 1

    def in_time(self) -> list[tuple[Source, Found]]:
        """Return what is new, the oldest first; what has the same time stays in its order."""
        return sorted(self._fresh, key=lambda one: mark_of(one[1].given).when)

    def _refuse(self, source: Source, reason: str) -> None:
        self.unusable.append(Unusable(source=source, reason=reason))


def _content(workspace: Workspace) -> MemoryContent:
    """Return the memory file's content; a missing one is begun only when there is something to add."""
    if not workspace.memory_path.exists():
        return MemoryContent(_NO_MEMORY)
    return workspace.memory_file().read()


def _followed(
    workspace: Workspace, content: MemoryContent, added: Added, now: datetime, began: tuple[str, ...]
) -> Followed:
    due = added.rebuilt or is_due(workspace, added.memory)
    followed = follow(workspace, content, now, after="import", due=due)
    return msgspec.structs.replace(followed, warnings=(*began, *followed.warnings))
