"""Where the values of a memory file stand in its bytes.

`msgspec` says what a value is and how long it is, but not where. The places are found by walking: member by
member inside one object, while whatever `msgspec` has measured is stepped over in one go. A file that
`msgspec` refuses (`NaN`, lone surrogates) is walked without it, which is slower and gives the same places.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault.memory.parsing import loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_MEMBER = re.compile(
    rb"[\s,]*(" + _STRING + rb")\s*:\s*(" + _STRING + rb"|[^\s{}\[\],\"]++)?",
    re.DOTALL,
)
_SCALAR = re.compile(_STRING + rb"|[^\s{}\[\],\"]++", re.DOTALL)
_BRACKET = re.compile(rb"[\[{]|([\]}])|" + _STRING, re.DOTALL)
_GAP = re.compile(rb"[\s,]*")


class Span(NamedTuple):
    """Where something begins, and where it has ended."""

    start: int
    end: int


class Member(NamedTuple):
    """One key of an object, in quotes as it is written, and its value."""

    name: str
    key: Span
    value: Span


class Layout:
    """The places in a memory file's UTF-8 text, which must be JSON with an object at the top."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        try:
            self._measured: Mapping[str, msgspec.Raw] = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, RecursionError):
            self._measured = {}
        self.root = Span(_behind_gap(body, 0), len(body.rstrip()))

    @functools.cached_property
    def members(self) -> list[Member]:
        """The members of the top-level object, repeated keys included."""
        return list(_members(self.body, self.root.start, self._measured))

    @functools.cached_property
    def texts(self) -> Sequence[msgspec.Raw | bytes]:
        """The elements of ``deliberations`` as they are written; none where it is not a list."""
        if self._list is None:
            return ()
        raw = self._measured.get("deliberations")
        if raw is None:
            return [self.body[span.start : span.end] for span in _elements(self.body, self._list.start)]
        return msgspec.json.decode(raw, type=list[msgspec.Raw])

    @functools.cached_property
    def records(self) -> Sequence[Span]:
        """The places of the elements of ``deliberations``."""
        spans = []
        end = self._list.start + 1 if self._list else 0
        for text in self.texts:
            start = _behind_gap(self.body, end)
            end = start + len(memoryview(text))
            spans.append(Span(start, end))
        return spans

    @property
    def _list(self) -> Span | None:
        member = winning(self.members, "deliberations")
        return member.value if member and self.body[member.value.start] == ord("[") else None

    def value_of(self, record: Span, name: str) -> Span | None:
        """Return the place of a value in a record that is known to have it, if it can be found at a glance.

        Without escapes in the record, the only text ``"name"`` in it must be the key.
        """
        body, (start, end) = self.body, record
        key = b'"%s"' % name.encode()
        found = body.find(key, start, end)
        if found < 0 or body.find(key, found + 1, end) >= 0 or body.find(b"\\", start, end) >= 0:
            return None
        member = _MEMBER.match(body, found)
        return Span(*member.span(2)) if member and member.group(2) is not None else None

    def members_of(self, record: Span) -> list[Member]:
        """The members of one record, which is an object; repeated keys included."""
        return list(_members(self.body, record.start, {}))


def winning(members: Sequence[Member], name: str) -> Member | None:
    """Return the member that counts: the last one of that name."""
    return next((member for member in reversed(members) if member.name == name), None)


def _members(body: bytes, start: int, measured: Mapping[str, msgspec.Raw]) -> Iterator[Member]:
    position = start + 1
    while match := _MEMBER.match(body, position):
        key = match.group(1)
        name = loads(key) if b"\\" in key else key[1:-1].decode()
        if match.group(2) is None:
            value = Span(match.end(), _end_of_container(body, match.end(), measured.get(name)))
        else:
            value = Span(*match.span(2))
        yield Member(name, Span(*match.span(1)), value)
        position = value.end


def _elements(body: bytes, start: int) -> Iterator[Span]:
    position = _behind_gap(body, start + 1)
    while body[position : position + 1] != b"]":
        scalar = _SCALAR.match(body, position)
        end = scalar.end() if scalar else _end_of_container(body, position, None)
        yield Span(position, end)
        position = _behind_gap(body, end)


def _behind_gap(body: bytes, position: int) -> int:
    gap = _GAP.match(body, position)
    return gap.end() if gap else position


def _end_of_container(body: bytes, start: int, measured: msgspec.Raw | None) -> int:
    """Step over a list or an object; at once where it is the one that was measured."""
    if measured is not None:
        text = bytes(measured)
        if body.startswith(text, start):
            return start + len(text)
    depth = 0
    for match in _BRACKET.finditer(body, start):
        if match.group(1) is not None:
            depth -= 1
            if depth == 0:
                return match.end()
        elif body[match.start()] != ord('"'):
            depth += 1
    raise AssertionError(f"no end at byte {start}")  # pragma: no cover - the text is valid JSON
