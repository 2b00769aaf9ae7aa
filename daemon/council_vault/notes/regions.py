"""Where in a note the region is that this program owns: between two markers, matched by their tokens alone.

Markers count as text only: not in code, HTML comments, callouts or list items. Wherever they do not say
beyond doubt what is ours, the note is refused and stays as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import cycle, islice
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.errors import NoteRefused
from council_vault.notes.kinds import END_MARKER, NoteKind, begin_marker
from council_vault.notes.markdown import Line, lines, scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"%%[ \t]*council-vault:(?:begin|end)\b")
_AT_LINE_START = re.compile(rf"^{_TOKEN.pattern}", re.MULTILINE)
_BEGIN = re.compile(r"\s*%%\s*council-vault:begin\b\s*([\w-]*).*?%%(.*)$", re.DOTALL)
_END = re.compile(r"\s*%%\s*council-vault:end\s*%%(.*)$")
_KIND = re.compile(r" *%%\s*council-vault:begin\s+([\w-]+)")
_LINE_END = re.compile(r"\r\n|\n|\r")
_LONGEST_MARKER = 4  # lines; a formatter that wraps text wraps the marker's words too
_START_OVER = "or delete the markers and what stands between them: the next sync writes it again"


class Region(msgspec.Struct, frozen=True):
    """The place of a region in a text, as offsets.

    ``text[start:inside]`` is the begin marker, ``text[close:end]`` the end marker, both with their line ends;
    between them stands what is ours.
    """

    start: int
    inside: int
    close: int
    end: int


class _Marker(msgspec.Struct, frozen=True):
    name: Literal["begin", "end"]
    kind: str
    number: int  # of its line, the first is 1
    start: int
    end: int


@lru_cache(maxsize=8)  # one text is asked about several times in a sync
def find_region(text: str, kind: NoteKind, body: int = 0) -> Region | None:
    """Return the region in ``text`` from offset ``body`` on, ``None`` where no marker stands.

    Raises:
        NoteRefused: a marker is missing, doubled, nested, damaged, hidden, or of another kind.
    """
    markers = [_marker(*found) for found in _marker_lines(text, body)]
    if markers:
        begin, end = _pair(markers, kind)
        return Region(start=begin.start, inside=begin.end, close=end.start, end=end.end)
    if swallowed := _AT_LINE_START.search(text, 0, body):
        raise _refused(
            text.count("\n", 0, swallowed.start()) + 1,
            "the region stands among the properties",
            "Put --- on a line of its own where the properties end",
        )
    if hidden := _hidden(text, body):
        raise _refused(
            hidden,
            "the markers stand in a callout, a list or something that is never closed",
            "Take them out of it, or close what is open above them",
        )
    return None


def marked_kind(text: str, body: int = 0) -> str | None:
    """Return the kind in the first begin marker of ``text``, damaged or not; ``None`` where there is none."""
    kinds = (_KIND.match(found[0].content) for found, _, _ in _marker_lines(text, body))
    return next((kind[1] for kind in kinds if kind), None)


def _marker_lines(text: str, body: int) -> Iterator[tuple[Sequence[Line], int, int]]:
    """Yield each line with a marker, and those that may belong to it, with its number and offset."""
    last = 0
    for token in _TOKEN.finditer(text, body):
        last = token.end()
    if not last:
        return
    scanned = scan(lines(text[body : _after_lines(text, last, _LONGEST_MARKER)]))
    number, offset = len(lines(text[:body])) + 1, body
    for index, line in enumerate(scanned):
        if line.state == "text" and not line.quotes and not line.items and _is_marked(line):
            yield scanned[index : index + _LONGEST_MARKER], number + index, offset
        offset += len(line.raw)


def _hidden(text: str, body: int) -> int | None:
    """Return the number of the first line whose marker may be meant, but stands where it does not count.

    A marker in a code block or comment that ends is an example in somebody's text, and no reason to stop.
    """
    if not _TOKEN.search(text, body):
        return None
    scanned = scan(lines(text[body:]))
    for index, line in enumerate(scanned):
        if _is_marked(line) and not _is_example(line, scanned[index:]):
            return len(lines(text[:body])) + 1 + index
    return None


def _is_example(line: Line, rest: Sequence[Line]) -> bool:
    if line.state == "comment":
        return any("-->" in later.content for later in rest)
    return line.state == "code" and any(later.state != "code" for later in rest)


def _is_marked(line: Line) -> bool:
    """Whether a line begins with a marker's token; behind four spaces it would be code."""
    return not line.content.startswith("    ") and _TOKEN.match(line.content.lstrip(" ")) is not None


def _after_lines(text: str, offset: int, count: int) -> int:
    """Return the offset behind the ``count`` lines that begin with the one ``offset`` stands in."""
    ends = [found.end() for found in islice(_LINE_END.finditer(text, offset), count)]
    return ends[-1] if len(ends) == count else len(text)


def _marker(scanned: Sequence[Line], number: int, start: int) -> _Marker:
    """Read the marker on the first of the lines; a begin marker may be wrapped over several."""
    if ended := _END.match(scanned[0].content):
        _nothing_after(ended[1], number)
        return _Marker("end", "", number, start, start + len(scanned[0].raw))
    content = ""
    end = start
    for line in scanned:
        content += f"{line.content}\n"
        end += len(line.raw)
        if begun := _BEGIN.match(content):
            _nothing_after(begun[2], number)
            return _Marker("begin", begun[1], number, start, end)
        if line.blank:
            break
    raise _refused(number, "a marker is damaged", f"Write it as {END_MARKER} or as it was, {_START_OVER}")


def _nothing_after(text: str, number: int) -> None:
    if text.strip():
        raise _refused(number, "text follows a marker on its line", "Move that text to a line of its own")


def _pair(markers: Sequence[_Marker], kind: NoteKind) -> tuple[_Marker, _Marker]:
    for expected, marker in zip(cycle(("begin", "end")), markers, strict=False):
        if marker.name == "begin" and marker.kind != kind:
            remedy = f"Move the note back to where it belongs, {_START_OVER}"
            raise _refused(
                marker.number, f"the region is marked as {marker.kind or 'nothing'}, not as {kind}", remedy
            )
        if marker.name != expected == "begin":
            remedy = f"Put {begin_marker(kind)} above what belongs to it, {_START_OVER}"
            raise _refused(marker.number, "an end marker has no begin marker above it", remedy)
        if marker.name != expected:
            remedy = f"Put {END_MARKER} where the region above ends, {_START_OVER}"
            raise _refused(
                marker.number, "a begin marker stands where an end marker is missing above it", remedy
            )
    if len(markers) % 2:
        remedy = f"Put {END_MARKER} where the region ends, {_START_OVER}"
        raise _refused(markers[-1].number, "the begin marker has no end marker below it", remedy)
    if len(markers) > 2:
        raise _refused(
            markers[2].number, "the note has a second region", "Delete one of the two, with its markers"
        )
    return markers[0], markers[1]


def _refused(number: int, what: str, remedy: str) -> NoteRefused:
    return NoteRefused(f"{what}, so the note stays as it is", where=f"line {number}", remedy=remedy)
