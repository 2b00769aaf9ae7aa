"""Changes to a memory file that touch nothing but the values they are about (pure).

Indentation, number text, key order, line endings, byte order mark, repeated keys and everything that is not
understood stay as they are, byte for byte. A key that is missing is inserted in the style of its
surroundings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping  # noqa: TC003 (msgspec reads the annotations)
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType

from council_vault.memory.encoding import unwrap
from council_vault.memory.glimpse import Glimpse, look
from council_vault.memory.ids import parse_id
from council_vault.memory.layout import Layout, Member, Span, winning
from council_vault.memory.parsing import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Change = tuple[Span, bytes]
    Value = str | bool | None

_BESIDE = ("last_updated", "created", "version")
_INDENT = re.compile(rb"\s*")
_FEW = 8  # ids that are looked for one by one

_glimpse = msgspec.json.Decoder(Glimpse)


class RatingEdit(msgspec.Struct, frozen=True):
    """A person's rating; ``rating`` ``None`` takes it away, ``outcome`` ``None`` leaves the outcome."""

    rating: str | None
    outcome: str | None = None


class Edits(msgspec.Struct, frozen=True, kw_only=True):
    """What to change: records to flag as written to the vault, ratings by id, and the stamp of the sync."""

    flags: frozenset[str] = frozenset()
    ratings: Mapping[str, RatingEdit] = {}
    last_vault_sync: str | UnsetType | None = UNSET
    vault_sync_note: str | UnsetType | None = UNSET


def apply(data: bytes, edits: Edits, layout: Layout | None = None) -> bytes:
    """Return the file's bytes with the edits made; making them twice is making them once.

    Records are found by id; ids that are not there are ignored, and of two records with one id only the first
    is meant. A value that already says the same stays as it is written, and ``None`` is not inserted where
    there is no such key: a missing key says so already.

    Args:
        data: the file's bytes.
        edits: what to change.
        layout: the places in these bytes, where they are known already.

    Raises:
        MemoryUnreadable: the bytes are not JSON with an object at the top.
    """
    encoded = unwrap(data)
    layout = layout or Layout(encoded.body)
    wanted = _wanted(layout, edits)
    changes = list(_root_changes(layout, edits))
    for index, glimpse in wanted:
        changes.extend(_record_changes(layout, layout.record(index), glimpse, edits))
    return encoded.encode(_splice(encoded.body, changes)) if changes else data


def _wanted(layout: Layout, edits: Edits) -> list[tuple[int, Glimpse]]:
    """Return the first record of each id that an edit is about, with its place in the list."""
    wanted = {id_ for id_ in (*edits.flags, *edits.ratings) if parse_id(id_)}
    if layout.is_measured and len(wanted) <= _FEW and (found := _at_a_glance(layout, wanted)) is not None:
        return found
    records = []
    for index, one in enumerate(look(layout.body).records):
        if one is not None and isinstance(one.id, str) and one.id in wanted:
            wanted.remove(one.id)
            records.append((index, one))
    return records


def _at_a_glance(layout: Layout, wanted: Iterable[str]) -> list[tuple[int, Glimpse]] | None:
    """Find records by the text of their ids, ``None`` where that could miss one or find another.

    Where no escapes write what ids are made of, an id is written in one way only, and the first place where
    it stands is the record's own, unless an earlier one names it.
    """
    if b"\\" in layout.body and rb"\u00" in layout.body:
        return None
    found = []
    for id_ in wanted:
        place = layout.body.find(b'"%s"' % id_.encode())
        index = layout.index_at(place)
        if index < 0:
            return None
        try:
            glimpse = _glimpse.decode(layout.texts[index])
        except msgspec.DecodeError:
            return None
        if glimpse.id != id_:
            return None
        found.append((index, glimpse))
    return found


def _record_values(id_: str, edits: Edits) -> dict[str, Value]:
    values: dict[str, Value] = {}
    if id_ in edits.flags:
        values["vault_synced"] = True
    rating = edits.ratings.get(id_)
    if rating is not None:
        values["user_rating"] = rating.rating
        if rating.outcome is not None:
            values["outcome"] = rating.outcome
    return values


def _record_changes(layout: Layout, record: Span, glimpse: Glimpse, edits: Edits) -> Iterator[Change]:
    values = _record_values(glimpse.id, edits)
    if list(values) == ["vault_synced"] and glimpse.vault_synced is not UNSET:
        flag = layout.value_of(record, "vault_synced")
        if flag is not None:
            if not _says(layout.body[flag.start : flag.end], value=True):
                yield flag, b"true"
            return
    yield from _set(layout.body, record, layout.members_of(record), values, beside=())


def _root_changes(layout: Layout, edits: Edits) -> Iterator[Change]:
    stamps = {"last_vault_sync": edits.last_vault_sync, "vault_sync_note": edits.vault_sync_note}
    values = {name: value for name, value in stamps.items() if value is not UNSET}
    if values:
        yield from _set(
            layout.body, layout.root, layout.members, values, beside=("last_vault_sync", *_BESIDE)
        )


def _set(
    body: bytes, whole: Span, members: Sequence[Member], values: Mapping[str, Any], *, beside: Sequence[str]
) -> Iterator[Change]:
    """Set members of one object; a missing one comes behind the first of ``beside`` there is, else last."""
    missing = []
    for name, value in values.items():
        member = winning(members, name)
        if member is None:
            missing += [] if value is None else [(name, value)]
        elif not _says(body[slice(*member.value)], value):
            yield member.value, _text(value)
    if not missing:
        return
    if not members:
        inside = b", ".join(_text(name) + b": " + _text(value) for name, value in missing)
        yield Span(whole.start + 1, whole.start + 1), inside
        return
    anchor = next((member for member in map(winning, [members] * len(beside), beside) if member), members[-1])
    between, colon = _style(body, whole, members, anchor)
    inserted = b"".join(between + _text(name) + colon + _text(value) for name, value in missing)
    yield Span(anchor.value.end, anchor.value.end), inserted


def _style(body: bytes, whole: Span, members: Sequence[Member], anchor: Member) -> tuple[bytes, bytes]:
    """Return what stands between two members here, and between a key and its value."""
    colon = body[anchor.key.end : anchor.value.start]
    place = members.index(anchor)
    pair = members[max(place - 1, 0) : max(place - 1, 0) + 2]
    if len(pair) == 2:
        return body[pair[0].value.end : pair[1].key.start], colon
    indent = body[whole.start + 1 : anchor.key.start]
    return b"," + (indent or (b" " if colon.endswith(b" ") else b"")), colon


def _says(written: bytes, value: Value) -> bool:
    if value is True or value is None:
        return written == _text(value)
    return written[:1] == b'"' and bool(loads(written) == value)


def _text(value: Value) -> bytes:
    return json.dumps(value).encode()


def _splice(body: bytes, changes: list[Change]) -> bytes:
    whole = memoryview(body)
    parts: list[bytes | memoryview] = []
    end = 0
    for span, replacement in sorted(changes, key=lambda change: change[0]):
        parts += [whole[end : span.start], replacement]
        end = span.end
    return b"".join([*parts, whole[end:]])
