"""From the bytes of a memory file to typed views, keeping whatever can be understood.

The quick way takes the whole file at once. Where one record is not quite right, records are taken one by one,
and only the odd ones field by field; a file that `msgspec` refuses altogether goes through the standard
library. All three ways give the same views.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from council_vault.memory import fields
from council_vault.memory.encoding import unwrap
from council_vault.memory.ids import parse_id
from council_vault.memory.layout import Layout
from council_vault.memory.parsing import Hooks, collector_paused, document, loads, shown
from council_vault.memory.schema import (
    CURRENT_VERSION,
    Archived,
    Deliberation,
    Experiment,
    Memory,
    ModelPerformance,
    Problem,
    RoutingModel,
)
from council_vault.memory.times import calendar_day

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VERSION = re.compile(r"\s*v?(\d{1,6}(?:\.\d{1,6})*)\s*", re.ASCII | re.IGNORECASE)
_IDS = re.compile(r"(?:d_\d{8}_\d{3,9}\n)*", re.ASCII)
_TIMES = re.compile(r"(?:\d{4}-\d\d-\d\d(?:T[^\n]*)?\n)*+", re.ASCII)


class _Placed(NamedTuple):
    """Records, and the place of each in the file's list."""

    records: tuple[Deliberation, ...] = ()
    places: Sequence[int] = ()


class Decoded(msgspec.Struct, frozen=True):
    """What a memory file says, and what in it could not be understood."""

    memory: Memory
    problems: tuple[Problem, ...]


class _Root(msgspec.Struct, kw_only=True):
    """The top of the file, as the views want it."""

    version: Any = None
    created: str | int | float | None = None
    last_updated: str | int | float | None = None
    last_vault_sync: str | int | float | None = None
    vault_sync_note: str | None = None
    deliberations: tuple[Deliberation, ...] = ()
    routing_model: RoutingModel = RoutingModel()
    model_performance: dict[str, ModelPerformance] = {}
    optimization_log: tuple[Experiment, ...] = ()
    archived: Archived = Archived()


_at_once = msgspec.json.Decoder(_Root)
_in_parts = msgspec.json.Decoder(dict[str, msgspec.Raw])
_list_of_parts = msgspec.json.Decoder(list[msgspec.Raw])
_one_record = msgspec.json.Decoder(Deliberation)


def decode(data: bytes, layout: Layout | None = None) -> Decoded:
    """Read a memory file's bytes.

    Keys that stand twice in an object are named at the top of the file and in records that are still pending:
    the last one counts.

    Args:
        data: the file's bytes.
        layout: the places in them, if they are going to be asked for again.

    Raises:
        MemoryUnreadable: they are not JSON with an object at the top; ``where`` is the line and column, if
        known.
    """
    body = unwrap(data).body
    problems: list[Problem] = []
    with collector_paused():
        try:
            root = _at_once.decode(body)
            placed = _Placed(root.deliberations, range(len(root.deliberations)))
        except (msgspec.DecodeError, RecursionError):
            root, placed = _carefully(body, problems)
        memory = Memory(
            version=_read_version(root.version, problems),
            created=root.created,
            last_updated=root.last_updated,
            last_vault_sync=root.last_vault_sync,
            vault_sync_note=root.vault_sync_note,
            deliberations=_identified(placed, problems),
            routing_model=root.routing_model,
            model_performance=root.model_performance,
            optimization_log=root.optimization_log,
            archived=root.archived,
        )
        problems.extend(_unreadable_times(placed))
        problems.extend(_repeated_keys(layout or Layout(body), placed.places, memory))
    return Decoded(memory, tuple(problems))


def version_in(value: object) -> tuple[int, ...] | None:
    """Return the numbers of a version such as ``"1.3"``, ``"v1.3"`` or ``1.3``; ``None`` if it is none."""
    text = value if isinstance(value, str) else str(value) if type(value) in (int, float) else ""
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    numbers = [int(part) for part in match.group(1).split(".")]
    while len(numbers) > len(CURRENT_VERSION) and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _read_version(value: object, problems: list[Problem]) -> tuple[int, ...]:
    version = version_in(value)
    if version is None:
        got = "it is missing" if value is None else f"got {shown(value)}"
        problems.append(Problem("version", f'expected a version such as "1.3", {got}; read as 1.3'))
        return CURRENT_VERSION
    return version


def _carefully(body: bytes, problems: list[Problem]) -> tuple[_Root, _Placed]:
    """Read part by part, so that what is wrong in one part does not touch another."""
    elements: object
    try:
        parts = _in_parts.decode(body)
    except (msgspec.DecodeError, RecursionError):
        values = document(body)
        elements = values.pop("deliberations", None)
    else:
        raw = parts.pop("deliberations", None)
        values = {name: loads(part) for name, part in parts.items() if name in _Root.__struct_fields__}
        elements = None if raw is None else _elements(raw)
    root = fields.read_fields(_Root, values, "", problems)
    if elements is None:
        return root, _Placed()
    if not isinstance(elements, list):
        problems.append(Problem("deliberations", f"expected a list, got {shown(elements)}"))
        return root, _Placed()
    found = tuple(_records(elements, problems))
    return root, _Placed(tuple(record for _, record in found), [place for place, _ in found])


def repeated(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that stand there more than once, in order."""
    if len(set(names)) == len(names):
        return ()
    return tuple(dict.fromkeys(name for name in names if names.count(name) > 1))


def _elements(raw: msgspec.Raw) -> object:
    """Return the parts of a list, or whatever else stands there."""
    return _list_of_parts.decode(raw) if bytes(memoryview(raw)[:1]) == b"[" else loads(raw)


def _records(elements: list[object], problems: list[Problem]) -> Iterator[tuple[int, Deliberation]]:
    for index, element in enumerate(elements):
        value = element
        if isinstance(element, msgspec.Raw):
            try:
                yield index, _one_record.decode(element)
                continue
            except (msgspec.DecodeError, RecursionError):
                value = loads(element)
        record = fields.read(Deliberation, value, f"deliberations[{index}]", problems)
        if record is not None:
            yield index, record


def _identified(placed: _Placed, problems: list[Problem]) -> tuple[Deliberation, ...]:
    """Return the records, without the ids that are malformed or already taken by an earlier record."""
    if _all_valid([record.id for record in placed.records]):
        return placed.records
    named = {problem.where for problem in problems}
    first: dict[str, int] = {}
    result = []
    for index, record in zip(placed.places, placed.records, strict=True):
        where = f"deliberations[{index}].id"
        if record.id is None:
            what = "missing"
        elif parse_id(record.id) is None:
            what = f"expected an id such as d_20260328_001, got {shown(record.id)}"
        elif record.id in first:
            what = f"{record.id} is already the id of deliberations[{first[record.id]}]"
        else:
            first[record.id] = index
            result.append(record)
            continue
        if where not in named:
            problems.append(Problem(where, what))
        result.append(msgspec.structs.replace(record, id=None))
    return tuple(result)


def _all_valid(ids: list[str | None]) -> bool:
    """Say whether all ids are valid and different; looks at each day once."""
    if None in ids or len(set(ids)) < len(ids):
        return False
    texts = [text for text in ids if text is not None]
    joined = "\n".join([*texts, ""])
    return (
        joined.count("\n") == len(texts)
        and _IDS.fullmatch(joined) is not None
        and all(map(_is_day, {text[2:10] for text in texts}))
    )


def _is_day(digits: str) -> bool:
    try:
        date.fromisoformat(digits)
    except ValueError:
        return False
    return True


def _unreadable_times(placed: _Placed) -> Iterator[Problem]:
    times = [record.timestamp for record in placed.records if record.timestamp is not None]
    texts = [time for time in times if isinstance(time, str)]
    usual = len(texts) == len(times) and _TIMES.fullmatch("\n".join([*texts, ""]))
    if usual and all(map(_is_day, {text[:10] for text in texts})):
        return
    for index, record in zip(placed.places, placed.records, strict=True):
        if record.timestamp is not None and calendar_day(record.timestamp) is None:
            what = f"expected a time such as 2026-03-28T14:30:00Z, got {shown(record.timestamp)}"
            yield Problem(f"deliberations[{index}].timestamp", what)


def _repeated_keys(layout: Layout, places: Sequence[int], memory: Memory) -> Iterator[Problem]:
    pending = [
        index
        for index, record in zip(places, memory.deliberations, strict=True)
        if record.id is not None and not record.vault_synced
    ]
    if not pending:
        return
    what = "this key stands here more than once; the last one counts"
    for name in repeated([member.name for member in layout.members]):
        yield Problem(name, what)
    for index in pending:
        for name in repeated(_keys(layout.texts[index])):
            yield Problem(f"deliberations[{index}].{name}", what)


def _keys(text: bytes | msgspec.Raw) -> list[str]:
    """Return the keys of an object as they stand there."""
    keys: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        keys[:] = [key for key, _ in pairs]  # the outermost object comes last

    loads(text, Hooks(members=note))
    return keys
