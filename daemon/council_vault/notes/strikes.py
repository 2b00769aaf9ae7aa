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
    r"|(?P<struck>(?<!~)~~(?![~\s]).+?(?<![~\s])~~(?!~)|<(?P<tag>del|s|strike)\b[^<>]*>.*?</(?P=tag)\s*>)",
    re.DOTALL | re.IGNORECASE,
)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_SHOWN = re.compile(r"[^\r\n]")


def without_strikes(text: str) -> str:
    """Return the text with spaces where it is struck out: every line and every offset stays.

    In code nothing is. What is struck out ends with its paragraph at the latest.
    """
    return "".join(_TOKEN.sub(_blank, part) for part in _paragraphs(scan(lines(text))))


def _blank(token: re.Match[str]) -> str:
    return token[0] if token["struck"] is None else _SHOWN.sub(" ", token[0])


def _paragraphs(scanned: list[Line]) -> Iterator[str]:
    """Yield the text in pieces: paragraphs whole, everything else line by line."""
    piece: list[str] = []
    for line in scanned:
        begins = line.blank or line.state != "text" or line.opens_item or _HEADING.match(line.content)
        if begins and piece:
            yield "".join(piece)
            piece = []
        piece.append(line.raw)
        if begins and not line.opens_item:
            yield "".join(piece)
            piece = []
    yield "".join(piece)
