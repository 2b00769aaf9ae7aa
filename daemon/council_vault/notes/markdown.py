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
    scanner = _Scanner()
    return [scanner.line(raw) for raw in raw_lines]


class _Scanner:
    """What is open between one line and the next: containers, and a fence or comment in the innermost."""

    def __init__(self) -> None:
        self._containers: list[int] = []
        self._fence = ""
        self._comment = False

    def line(self, raw: str) -> Line:
        text = raw.rstrip("\r\n").expandtabs(4)
        matched, rest = self._continue_containers(text)
        if matched < len(self._containers):
            del self._containers[matched:]
            self._fence = ""
            self._comment = False
        if self._fence:
            return self._line(raw, rest, self._in_fence(rest))
        if self._comment:
            self._comment = "-->" not in rest
            return self._line(raw, rest, "comment")
        rest, opens_item = self._open_containers(rest)
        return self._line(raw, rest, self._leaf(rest), opens_item=opens_item)

    def _line(self, raw: str, content: str, state: State, *, opens_item: bool = False) -> Line:
        quotes = self._containers.count(_IN_QUOTE)
        items = len(self._containers) - quotes
        return Line(raw, content, state, quotes, items, opens_item)

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

    def _open_containers(self, text: str) -> tuple[str, bool]:
        opens_item = False
        while True:
            if quote := _QUOTE.match(text):
                self._containers.append(_IN_QUOTE)
                text = text[quote.end() :]
                opens_item = False
            elif (item := _ITEM.match(text)) and not is_break(text):
                self._containers.append(max(item.end(), 2))
                text = text[item.end() :]
                opens_item = True
            else:
                return text, opens_item

    def _leaf(self, text: str) -> State:
        if fence := _FENCE.match(text):
            self._fence = fence[1] or fence[3]
            return "fence"
        if text.lstrip(" ").startswith("<!--") and not text.startswith("    "):
            self._comment = "-->" not in text
            return "comment"
        return "text"

    def _in_fence(self, text: str) -> State:
        closing = text.strip()
        if text.startswith("    ") or len(closing) < len(self._fence) or set(closing) != {self._fence[0]}:
            return "code"
        self._fence = ""
        return "fence"
