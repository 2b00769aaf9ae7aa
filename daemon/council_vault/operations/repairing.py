"""What an agent got wrong in a memory file, mended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from council_vault.learning.checking import check, is_complete
from council_vault.learning.rule_checks import mended_routing
from council_vault.memory import canonical
from council_vault.memory.canonical import Verbatim
from council_vault.memory.decoding import decode
from council_vault.memory.migrations import migrate
from council_vault.memory.paths import spelled
from council_vault.memory.records import plain
from council_vault.memory.restore import give_new_ids
from council_vault.memory.schema import CURRENT_VERSION
from council_vault.memory.times import moment, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from council_vault.memory.paths import Path
    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace

    Document = dict[str, Any]

_ROUNDS = 6  # one mend can show another: a new id, the aggregates, the rules
_SHOWN = 100  # characters of a value
_NOTHING = object()


class Mend(NamedTuple):
    """A value that was put right: its path in the file, and what stood and stands there, in JSON."""

    where: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.where}: was {self.before}, is now {self.after}"


def repair(workspace: Workspace, now: datetime) -> tuple[Mend, ...]:
    """Mend what can be mended, after a snapshot; where nothing can, nothing is written.

    Raises:
        MemoryUnreadable, MemoryReadOnly, FileChanged, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    file = workspace.memory_file()
    content = file.read()
    snapshots = workspace.snapshots()

    def vanished(memory: Memory) -> bool:
        return bool(snapshots.vanished(memory))

    if content.memory.version <= CURRENT_VERSION:
        document = migrate(canonical.parse(content.data))
        if not mend(document, content.memory, now, vanished):
            return ()
        snapshots.save(content.data, now)
    mends: tuple[Mend, ...] = ()

    def change(document: Document, memory: Memory) -> Document | None:
        nonlocal mends
        mends = mend(document, memory, now, vanished)
        return document if mends else None

    file.operate(change)
    return mends


def mend(
    document: Document, memory: Memory, now: datetime, vanished: Callable[[Memory], bool]
) -> tuple[Mend, ...]:
    """Put right what contradicts the rest of a memory, in place, as far as the rest tells what is right.

    Args:
        document: what `canonical.parse` returned, as schema 1.3.
        memory: what of it could be understood.
        now: an aware time.
        vanished: tells whether snapshots hold records that a memory has lost. One that only had lost its id
            has not vanished once it has one again.
    """
    found: dict[str, tuple[object, object]] = {}
    for path, before, after in _changes(document, memory, now, vanished):
        where = spelled(path)
        found[where] = (found[where][0] if where in found else before, after)
    if found and (moment(document["last_updated"]) or now) <= now:
        document["last_updated"] = stamp(now)
        if "last_updated" in found:
            found["last_updated"] = (found["last_updated"][0], document["last_updated"])
    return tuple(
        Mend(where, _shown(before, after), _shown(after, before))
        for where, (before, after) in found.items()
        if before != after
    )


def plain_document(document: Document) -> Document:
    """Return a parsed memory file with its records as the values that they are."""
    elements = document.get("deliberations")
    return {**document, "deliberations": [*map(plain, elements)] if isinstance(elements, list) else elements}


def _changes(
    document: Document, memory: Memory, now: datetime, vanished: Callable[[Memory], bool]
) -> Iterator[tuple[Path, object, object]]:
    """Make changes until nothing is left to mend; yield each with what stood there before."""
    given = give_new_ids(document)
    yield from ((("deliberations", one.place, "id"), one.old, one.new) for one in given)
    if given:
        memory = decode(canonical.render(document)).memory
    gone = vanished(memory)
    for _ in range(_ROUNDS):
        found = check(memory, plain_document(document), now, vanished=gone)
        changes: list[tuple[Path, object]] = [
            (one.path, one.right) for one in found if one.right is not msgspec.UNSET
        ]
        routing = document.get("routing_model")
        if not changes and isinstance(routing, dict) and not gone:
            learned = mended_routing(memory, routing, now, complete=is_complete(memory, vanished=gone))
            changes = [(("routing_model", field), value) for field, value in learned.items()]
        if not changes:
            return
        for path, right in changes:
            yield path, _put(document, path, right), right
        memory = decode(canonical.render(document)).memory


def _put(document: Document, path: Path, value: object) -> object:
    """Put a value at a path; return what stood there."""
    inside: Any = document
    for key in path[:-1]:
        if isinstance(inside[key], Verbatim):
            inside[key] = inside[key].value
        inside = inside[key]
    before = inside.get(path[-1], _NOTHING)
    inside[path[-1]] = value
    return before


def _shown(value: object, other: object) -> str:
    """Return a value in JSON, cut short; of a list or an object only what differs from the other one."""
    if value is _NOTHING:
        return "missing"
    if isinstance(value, dict) and isinstance(other, dict):
        value = {key: one for key, one in value.items() if key not in other or other[key] != one}
    elif isinstance(value, list) and isinstance(other, list):
        value = [one for one in value if one not in other]
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
