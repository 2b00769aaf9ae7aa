"""Where the values of a memory file stand in its bytes.

`msgspec` says what a value is and how long it is, but not where. The places are found by walking: member by member
inside one object, while whatever `msgspec` has measured is stepped over in one go. A file that `msgspec` refuses
(`NaN`, lone surrogates) is walked without it, which is slower and gives the same places.
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
_ELEMENT = re.compile(rb"[\s,]*(" + _STRING + rb"|[^\s{}\[\],\"]++)?", re.DOTALL)
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
        self.root = Span(_GAP.match(body).end(), len(body.rstrip()))

    @functools.cached_property
    def members(self) -> list[Member]:
        """The members of the top-level object, repeated keys included."""
        return list(_members(self.body, self.root.start, self._measured))

    @functools.cached_property
    def records(self) -> Sequence[Span]:
        """The elements of ``deliberations``; none where it is not a list."""
        array = winning(self.members, "deliberations")
        if array is None or self.body[array.value.start : array.value.start + 1] != b"[":
            return ()
        raw = self._measured.get("deliberations")
        if raw is None:
            return list(_elements(self.body, array.value.start))
        spans = []
        end = array.value.start + 1
        for one in msgspec.json.decode(raw, type=list[msgspec.Raw]):
            start = _GAP.match(self.body, end).end()
            end = start + len(memoryview(one))
            spans.append(Span(start, end))
        return spans

    def members_of(self, record: Span) -> list[Member]:
        """The members of one record, repeated keys included; none where it is not an object."""
        if self.body[record.start : record.start + 1] != b"{":
            return []
        return list(_members(self.body, record.start, {}))


def winning(members: Sequence[Member], name: str) -> Member | None:
    """Return the member that counts: the last one of that name."""
    return next((member for member in reversed(members) if member.name == name), None)


def repeated(members: Sequence[Member]) -> tuple[str, ...]:
    """Return the names that stand there more than once, in order."""
    names = [member.name for member in members]
    return tuple(dict.fromkeys(name for name in names if names.count(name) > 1))


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
    position = start + 1
    while True:
        match = _ELEMENT.match(body, position)
        if match.group(1) is not None:
            span = Span(*match.span(1))
        elif body[match.end() : match.end() + 1] == b"]":
            return
        else:
            span = Span(match.end(), _end_of_container(body, match.end(), None))
        yield span
        position = span.end


def _end_of_container(body: bytes, start: int, measured: msgspec.Raw | None) -> int:
    """Step over a list or an object; at once where it is the one that was measured."""
    if measured is not None:
        end = start + len(memoryview(measured))
        if memoryview(body)[start:end] == memoryview(measured):
            return end
    depth = 0
    for match in _BRACKET.finditer(body, start):
        if match.group(1) is not None:
            depth -= 1
            if depth == 0:
                return match.end()
        elif body[match.start()] != ord('"'):
            depth += 1
    raise AssertionError(f"no end of the container at byte {start}")
