"""What a note says without what is struck out: ``~~…~~``, and ``<del>`` or ``<s>`` of HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from council_vault.notes.markdown import lines, scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.notes.markdown import Line

# Code and escapes are passed over.
_TOKEN = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\\[!-/:-@\[-`{-~]"
    r"|(?P<tildes>(?<!~)~~(?!~))|<(?P<closes>/?)(?P<tag>del|s|strike)(?:\s[^<>]*)?>",
    re.DOTALL | re.IGNORECASE,
)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_SHOWN = re.compile(r"[^\r\n]")


def without_strikes(text: str) -> str:
    """Return the text with spaces where it is struck out: every line and every offset stays.

    In code nothing is. What is struck out ends with its paragraph at the latest.
    """
    return "".join(map(_unstruck, _paragraphs(scan(lines(text)))))


def _unstruck(paragraph: list[Line]) -> str:
    text = "".join(line.raw for line in paragraph)
    if not paragraph or paragraph[0].state != "text":
        return text
    for start, end in _struck(text):
        text = text[:start] + _SHOWN.sub(" ", text[start:end]) + text[end:]
    return text


def _struck(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield where something is struck out, as offsets."""
    open_at: dict[str, int] = {}
    for token in _TOKEN.finditer(paragraph):
        start, end = token.span()
        if token["tildes"]:
            kind = "~~"
            can_close = not paragraph[start - 1 : start].isspace()
            can_open = end < len(paragraph) and not paragraph[end].isspace()
        elif token["tag"]:
            kind = token["tag"].casefold()
            can_close = bool(token["closes"])
            can_open = not can_close
        else:
            continue
        if can_close and kind in open_at:
            yield open_at.pop(kind), end
        elif can_open:
            open_at.setdefault(kind, start)


def _paragraphs(scanned: list[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each paragraph, and every other line alone."""
    paragraph: list[Line] = []
    for line in scanned:
        stands_alone = line.blank or line.state != "text" or _HEADING.match(line.content)
        if paragraph and (stands_alone or line.opens_item):
            yield paragraph
            paragraph = []
        if stands_alone:
            yield [line]
        else:
            paragraph.append(line)
    yield paragraph
