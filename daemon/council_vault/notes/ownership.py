"""Whose text is what inside the region: ours, or the user's, who wrote into it all the same.

With the text that was last written there at hand, every line that was not in it is the user's. Without,
blocks are told apart by what identifies them: a heading's text, a table's header, a callout's type and
title, a chart's axis; and lines inside our blocks by whether they resemble one of ours.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from council_vault.notes.markdown import Line, lines, scan
from council_vault.notes.normal_form import cells, heading, is_delimiter_row, is_row, normal_line, units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Label = Literal["blank", "quote", "code", "comment", "heading", "row", "text"]

_CALLOUT = re.compile(r"\[!([\w-]+)\][-+]?\s*(.*)")
_AXIS = re.compile(r"\s*y-axis\s+\"([^\"]*)\"")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]{3,}")
_ALIKE = 0.5  # share of words in common from which a line counts as a former version of one of ours
_TELLING = 20  # characters; a line this long stands in one callout only


class Block(msgspec.Struct, frozen=True):
    """A callout, code block, table, heading or run of text: what it is, and the indices of its lines."""

    label: Label
    span: range


class Known(msgspec.Struct, frozen=True):
    """What is ours: whole paragraphs, rows and items, and single lines, in normal form without their numbers.

    A line of ours in which only numbers differ comes from another sync, of another machine perhaps.
    """

    units: frozenset[str]
    lines: frozenset[str]

    @classmethod
    def of(cls, *scanned: Sequence[Line]) -> Known:
        """Take everything in texts that we wrote."""
        return cls(
            units=frozenset(_numberless(unit.text) for text in scanned for unit in units(text)),
            lines=frozenset(_numberless(normal_line(line)) for text in scanned for line in text),
        )

    def in_text(self, scanned: Sequence[Line]) -> set[int]:
        """Return the indices of the lines that are known."""
        found = {index for index, line in enumerate(scanned) if _numberless(normal_line(line)) in self.lines}
        for unit in units(scanned):
            if _numberless(unit.text) in self.units:
                found.update(range(unit.first, unit.last + 1))
        return found


def user_text(inside: str, drafted: str, written: str | None) -> list[str]:
    """Return what is the user's in a region: runs of lines, verbatim, in their order.

    Args:
        inside: what stands between the markers now.
        drafted: what is to stand there next.
        written: what we last wrote there, ``None`` if that is not known.
    """
    now, next_ = scan(lines(inside)), scan(lines(drafted))
    ours = _recognised(now, next_) if written is None else Known.of(scan(lines(written)), next_).in_text(now)
    foreign: set[int] = set()
    for block in blocks(now):
        foreign.update(_foreign(now, block, ours))
    return list(_runs(now, foreign))


def blocks(scanned: Sequence[Line]) -> Iterator[Block]:
    """Yield the blocks of a text; blank lines between them belong to none."""
    start = 0
    for index in range(1, len(scanned) + 1):
        label = _label(scanned[start])
        closed = label == "code" and index - start > 1 and scanned[index - 1].state == "fence"
        if index == len(scanned) or _label(scanned[index]) != label or closed or label == "heading":
            if label != "blank":
                yield Block(label, range(start, index))
            start = index


def _label(line: Line) -> Label:
    if line.quotes:
        return "quote"
    if line.state in ("fence", "code"):
        return "code"
    if line.state == "comment":
        return "comment"
    if line.blank:
        return "blank"
    if heading(line.content):
        return "heading"
    return "row" if is_row(line.content) else "text"


def _foreign(scanned: Sequence[Line], block: Block, ours: set[int]) -> set[int]:
    """Return the indices of the user's lines in one block: all, if nothing that says something is ours."""
    telling = [index for index in block.span if _says_something(scanned[index])]
    if telling and not ours.intersection(telling):
        return set(block.span)
    foreign = {index for index in block.span if index not in ours and not scanned[index].blank}
    between = {
        index
        for index in block.span
        if not _says_something(scanned[index]) and {index - 1, index + 1} <= foreign
    }
    return foreign | between


def _says_something(line: Line) -> bool:
    return not (line.blank or line.state == "fence" or is_delimiter_row(line.content))


def _runs(scanned: Sequence[Line], foreign: set[int]) -> Iterator[str]:
    """Yield the lines as texts; lines with nothing but blank lines between them stay together."""
    runs: list[list[int]] = []
    for index in sorted(foreign):
        if runs and all(scanned[gap].blank for gap in range(runs[-1][-1] + 1, index)):
            runs[-1].append(index)
        else:
            runs.append([index])
    for run in runs:
        yield "".join(line.raw for line in scanned[run[0] : run[-1] + 1])


def _recognised(now: Sequence[Line], drafted: Sequence[Line]) -> set[int]:
    """Return the indices of the lines that are, or once were, ours by what they look like."""
    ours = Known.of(drafted).in_text(now)
    signatures = {_signature(drafted, block) for block in blocks(drafted)} - {""}
    drafted_words = [_words(line) for line in drafted]
    for block in blocks(now):
        telling = {index for index in block.span if len(normal_line(now[index])) >= _TELLING}
        known = _signature(now, block) in signatures or (block.label == "quote" and bool(telling & ours))
        if known and block.label in ("heading", "code"):
            ours.update(block.span)
        elif known and block.label == "row":
            columns = len(cells(now[block.span[0]].content))
            ours.update(index for index in block.span if len(cells(now[index].content)) == columns)
        elif known or block.label == "text":
            ours.update(index for index in block.span if _resembles(_words(now[index]), drafted_words))
        titles = [index for index in block.span if _CALLOUT.match(now[index].content)]
        if known and titles == [block.span[0]]:
            ours.update(titles)
    return ours


def _signature(scanned: Sequence[Line], block: Block) -> str:
    """Return what identifies a block of ours across syncs; empty where nothing does."""
    first = scanned[block.span[0]]
    if block.label in ("heading", "row"):
        return normal_line(first)
    if block.label == "quote" and (callout := _CALLOUT.match(first.content)):
        return f"[!{callout[1].casefold()}] {_numberless(callout[2])}"
    if block.label == "code":
        axes = (_AXIS.match(scanned[index].content) for index in block.span)
        return next((f"{normal_line(first)} {axis[1]}" for axis in axes if axis), "")
    return ""


def _numberless(text: str) -> str:
    return _NUMBER.sub("#", text)


def _words(line: Line) -> frozenset[str]:
    return frozenset(_WORD.findall(line.content.casefold()))


def _resembles(words: frozenset[str], drafted: Sequence[frozenset[str]]) -> bool:
    return any(
        len(words & other) >= _ALIKE * max(len(words), len(other)) for other in drafted if other and words
    )
