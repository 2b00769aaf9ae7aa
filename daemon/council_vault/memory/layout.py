"""Where the values of a memory file stand in its bytes.

`msgspec` says what a value is and how long it is, but not where. The places are found by walking: member by
member inside one object, while whatever `msgspec` has measured is stepped over in one go. A file that
`msgspec` refuses (`NaN`, lone surrogates) is walked without it, which is slower and gives the same places.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault.memory.parsing import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_MEMBER = re.compile(
    rb"[\s,]*(" + _STRING + rb")\s*:\s*(" + _STRING + rb"|[^\s{}\[\],\"]++)?",
    re.DOTALL,
)
_SCALAR = re.compile(_STRING + rb"|[^\s{}\[\],\"]++", re.DOTALL)
_BRACKET = re.compile(rb"[\[{]|([\]}])|" + _STRING, re.DOTALL)
_GAP = re.compile(rb"[\s,]*")
_IN_GAPS = {b"", b",", b" ", b"\t", b"\n", b"\r", b"\v", b"\f"}


_members_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])
_elements_decoder = msgspec.json.Decoder(list[msgspec.Raw])


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

    @functools.cached_property
    def root(self) -> Span:
        """The place of the top-level object."""
        return Span(_behind_gap(self.body, 0), len(self.body.rstrip()))

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
        return _elements_decoder.decode(raw)

    @property
    def records(self) -> Sequence[Span]:
        """The places of the elements of ``deliberations``."""
        return [
            Span(start, start + length) for start, length in zip(self._starts, self._lengths, strict=True)
        ]

    @property
    def is_measured(self) -> bool:
        """Whether `msgspec` has measured it: then it is valid JSON, with an object at the top."""
        return bool(self._measured)

    def value(self, name: str) -> object:
        """Return what stands at the top under a name, ``None`` where nothing does."""
        member = winning(self.members, name)
        return None if member is None else loads(self.body[slice(*member.value)])

    def record(self, index: int) -> Span:
        """Return the place of one element of ``deliberations``."""
        start = self._starts[index]
        return Span(start, start + self._lengths[index])

    def index_at(self, position: int) -> int:
        """Return which element of ``deliberations`` is the last one that begins at or before a position.

        -1 is none of them.
        """
        return bisect_right(self._starts, position) - 1

    @functools.cached_property
    def _measured(self) -> Mapping[str, msgspec.Raw]:
        try:
            return _members_decoder.decode(self.body)
        except (msgspec.DecodeError, RecursionError):
            return {}

    @functools.cached_property
    def _lengths(self) -> list[int]:
        return [len(memoryview(text)) for text in self.texts]

    @functools.cached_property
    def _starts(self) -> list[int]:
        if self._list is None or not self._lengths:
            return []
        return _equally_spaced(self.body, self._list.start + 1, self._lengths) or list(
            _spaced(self.body, self._list.start + 1, self._lengths)
        )

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


def _spaced(body: bytes, start: int, lengths: Iterable[int]) -> Iterator[int]:
    """Yield where elements of known lengths begin, the list's first byte inside being at ``start``."""
    for length in lengths:
        start = _behind_gap(body, start)
        yield start
        start += length


def _equally_spaced(body: bytes, start: int, lengths: Sequence[int]) -> list[int] | None:
    """Return the same at once, ``None`` where not all elements are set apart in the same way."""
    first = _behind_gap(body, start)
    end = first + lengths[0]
    apart = body[end : _behind_gap(body, end)]
    starts = list(accumulate((length + len(apart) for length in lengths[:-1]), initial=first))
    between = {body[begin - len(apart) : begin] for begin in starts[1:]}
    begin_with = {body[begin : begin + 1] for begin in starts}
    return starts if between <= {apart} and begin_with.isdisjoint(_IN_GAPS) else None


def _behind_gap(body: bytes, position: int) -> int:
    gap = _GAP.match(body, position)
    return gap.end() if gap else position


def _end_of_container(body: bytes, start: int, measured: msgspec.Raw | None) -> int:
    """Step over a list or an object; at once where it is the one that was measured."""
    if measured is not None:
        text = memoryview(measured)
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
