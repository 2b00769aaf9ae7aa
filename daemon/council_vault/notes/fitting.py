"""Texts cut to fit into so many characters, at the ends of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from council_vault.notes.markdown import scan
from council_vault.notes.outline import headings

if TYPE_CHECKING:
    from collections.abc import Sequence

_ABOVE_ALL = 0  # the level of headings that nothing stands below
_BELOW_ALL = 7


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A text in lines: ``head`` goes with it however much it is cut; ``source`` is where it comes from."""

    source: str
    head: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """Everything, with line ends and a blank line behind it."""
        return "".join(f"{line}\n" for line in (*self.head, *self.lines, ""))


def fitted(parts: Sequence[Part], limit: int) -> list[Part]:
    """Return the parts, cut where they must be, so that together they have at most ``limit`` characters.

    Each part has the same share; what one does not need goes to the others. Where that is too little for one
    line of the first part, the last ones give way to it.

    Args:
        parts: in the order of their importance.
        limit: characters.
    """
    for first in range(len(parts)):
        for last in range(len(parts), first, -1):
            cut = _shared(parts[first:last], limit)
            if cut[0].lines:
                said = [part for part, short in zip(parts[first:last], cut, strict=True) if short.lines]
                return _shared(said, limit)
    return []


def _shared(parts: Sequence[Part], limit: int) -> list[Part]:
    """Return the parts, each cut to its share."""
    shares: dict[int, int] = {}
    left = limit
    for waiting, (size, place) in enumerate(
        sorted((len(part.text), place) for place, part in enumerate(parts))
    ):
        shares[place] = min(size, left // (len(parts) - waiting))
        left -= shares[place]
    return [_cut(part, shares[place]) for place, part in enumerate(parts)]


def _cut(part: Part, limit: int) -> Part:
    """Return as much of a part as there is room for.

    Behind a line that does not fit, the next one is taken that begins a section. No code is left open, and no
    heading with nothing below it.
    """
    if len(part.text) <= limit:
        return part
    scanned = scan(f"{line}\n" for line in part.lines)
    levels = {heading.line: heading.level for heading in headings(scanned)}
    left = limit - len(msgspec.structs.replace(part, lines=()).text)
    kept: list[int] = []
    is_skipping = False
    for index, line in enumerate(part.lines):
        is_skipping = is_skipping and index not in levels
        if is_skipping:
            continue
        if len(line) + 1 > left:
            is_skipping = True
            if scanned[index].state in {"fence", "code"}:
                while kept and scanned[kept[-1]].state in {"fence", "code"}:
                    left += len(part.lines[kept.pop()]) + 1
            continue
        kept.append(index)
        left -= len(line) + 1
    return msgspec.structs.replace(part, lines=_with_something_below(part.lines, kept, levels))


def _with_something_below(
    lines: Sequence[str], kept: Sequence[int], levels: dict[int, int]
) -> tuple[str, ...]:
    """Return the lines without headings that nothing stands below, and without blank lines at the end."""
    found: list[str] = []
    deepest = _ABOVE_ALL  # of the headings further up, those above this level have something below them
    for index in reversed(kept):
        if index in levels:
            if levels[index] >= deepest:
                continue
            deepest = levels[index]
        elif lines[index]:
            deepest = _BELOW_ALL
        elif not found or not found[-1]:
            continue
        found.append(lines[index])
    return tuple(reversed(found))
