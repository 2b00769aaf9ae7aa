"""The lines of a Markdown text, and what each stands in: quotes, list items, code fences, HTML comments.

It follows CommonMark's block structure as far as needed to tell text from code. Fences are found in callouts
and list items too, may be longer than three characters, hold shorter ones, and may never be closed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

State = Literal["text", "fence", "code", "comment"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?! )| (?= )|$)")
_FENCE = re.compile(r" {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$")
_BREAK = re.compile(r" {0,3}([-*_])(?:[ ]*\1){2,} *$")
_COMMENT = re.compile(r" {0,3}<!--")
_ATX = re.compile(r" {0,3}#{1,6}(?: |$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+) *$")
_PLAIN = re.compile(r" {0,3}[^\s>*+\-\d`~#<_]")  # begins with what begins nothing but text
_DEEPEST = 100  # containers in containers; what is deeper is text, as for every renderer
_IN_QUOTE = 0  # in the list of containers; a list item stands there as the width of its indent


class Line(msgspec.Struct, frozen=True):
    """One line and what it stands in.

    ``raw`` is the line with its line end; ``content`` what is left behind the marks of quotes and list items;
    ``quotes`` and ``items`` count how many of them it stands in; ``opens_item``: a list item begins here.
    A line of ``state`` "fence" opens or closes a code block, one of "code" is inside.
    """

    raw: str
    content: str
    state: State
    quotes: int = 0
    items: int = 0
    opens_item: bool = False

    @property
    def blank(self) -> bool:
        """Whether there is nothing on the line but marks of quotes."""
        return self.state == "text" and not self.opens_item and not self.content.strip()


def lines(text: str) -> list[str]:
    r"""Split ``text`` at ``\n``, ``\r\n`` and ``\r`` alone, each line with its end."""
    return _LINE.findall(text)


def is_break(content: str) -> bool:
    """Whether the content of a line is a horizontal rule."""
    return _BREAK.match(content) is not None


def scan(raw_lines: Iterable[str]) -> list[Line]:
    """Say of each line what it stands in."""
    scanner = Scanner()
    return [scanner.line(raw) for raw in raw_lines]


class Scanner:
    """Takes one line after the other, and knows what is open between two of them.

    That is containers, and in the innermost a fence, a comment or a paragraph.
    """

    def __init__(self) -> None:
        self._containers: list[int] = []
        self._fence = ""
        self._comment = False
        self._paragraph = False

    def line(self, raw: str) -> Line:
        """Say of the next line what it stands in."""
        text = raw.rstrip("\r\n").expandtabs(4)
        matched, rest = self._continue_containers(text)
        if matched < len(self._containers):
            if self._paragraph and _is_prose(rest):
                return _line(raw, rest, "text", self._containers[:matched])
            del self._containers[matched:]
            self._fence = ""
            self._comment = self._paragraph = False
        if self._fence:
            return _line(raw, rest, self._in_fence(rest), self._containers)
        if self._comment:
            self._comment = "-->" not in rest
            return _line(raw, rest, "comment", self._containers)
        if _PLAIN.match(rest):
            self._paragraph = not self._ends_with(rest)
            return _line(raw, rest, "text", self._containers)
        rest = self._open_containers(rest)
        opens_item = len(self._containers) > matched and self._containers[-1] != _IN_QUOTE
        state = self._leaf(rest)
        self._paragraph = state == "text" and _is_prose(rest) and not self._ends_with(rest)
        return _line(raw, rest, state, self._containers, opens_item=opens_item)

    def _ends_with(self, text: str) -> bool:
        """Whether a line makes a heading of the paragraph above it, and so ends it."""
        return self._paragraph and _UNDERLINE.match(text) is not None

    def _continue_containers(self, text: str) -> tuple[int, str]:
        matched = 0
        for width in self._containers:
            if width == _IN_QUOTE:
                quote = _QUOTE.match(text)
                if quote is None:
                    break
                text = text[quote.end() :]
            elif text.strip():
                if not text.startswith(" " * width):
                    break
                text = text[width:]
            matched += 1
        return matched, text

    def _open_containers(self, text: str) -> str:
        while len(self._containers) < _DEEPEST:
            if quote := _QUOTE.match(text):
                self._containers.append(_IN_QUOTE)
                text = text[quote.end() :]
            elif (item := _ITEM.match(text)) and not is_break(text):
                if self._paragraph and not text[item.end() :].strip():
                    break  # an item that is empty ends no paragraph; a single dash makes a heading of it
                self._containers.append(max(item.end(), 2))
                text = text[item.end() :]
            else:
                break
        return text

    def _leaf(self, text: str) -> State:
        if fence := _FENCE.match(text):
            self._fence = fence[1] or fence[3]
            return "fence"
        if _COMMENT.match(text):
            self._comment = "-->" not in text
            return "comment"
        return "text"

    def _in_fence(self, text: str) -> State:
        closing = text.strip()
        if text.startswith("    ") or len(closing) < len(self._fence) or set(closing) != {self._fence[0]}:
            return "code"
        self._fence = ""
        return "fence"


def _line(raw: str, content: str, state: State, containers: list[int], *, opens_item: bool = False) -> Line:
    quotes = containers.count(_IN_QUOTE)
    return Line(raw, content, state, quotes, len(containers) - quotes, opens_item)


def _is_prose(text: str) -> bool:
    """Whether a line continues the paragraph before it, even where it lacks the marks of its containers."""
    begins = (_QUOTE, _ITEM, _FENCE, _BREAK, _COMMENT, _ATX)
    return bool(_PLAIN.match(text) or (text.strip() and not any(pattern.match(text) for pattern in begins)))
