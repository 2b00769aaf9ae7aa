"""How many columns of a terminal a text takes, and texts made to fit.

Terminals differ on what is rare; this is what most of them do. Other programs' libraries for it are slow to
import, and a report that is piped should not wait for them.
"""

from __future__ import annotations

import re
import unicodedata

_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_NO_WIDTH = frozenset({"Mn", "Me", "Cf"})
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_LEFT_TO_RIGHT_MARK = "\u200e"


def width(text: str) -> int:
    """Return how many columns a text without control characters takes."""
    if text.isascii():
        return len(text)
    columns, last, joined = 0, 0, False
    for character in text:
        if character == _EMOJI_STYLE:
            own = 1 if last == 1 else 0
        elif unicodedata.category(character) in _NO_WIDTH or (character in _SKIN_TONES and last == 2):
            own = 0
        else:
            last = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            own = 0 if joined and last == 2 else last  # a family is drawn as one emoji
        joined = character == _JOINER
        columns += own
    return columns


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """Return a text with spaces behind it, or before it, so that it takes so many columns."""
    spaces = " " * (columns - width(text))
    return spaces + text if right else text + spaces


def clipped(text: str, columns: int, ellipsis: str = "…") -> str:
    """Return at most so many columns of a text, whole graphemes, with an ellipsis where it is longer."""
    if width(text) <= columns:
        return text
    room = columns - width(ellipsis)
    start = pieces(text, room)[0].rstrip()
    return (start if width(start) <= room else "") + ellipsis


def pieces(text: str, columns: int) -> list[str]:
    """Return a text in pieces of at most so many columns; one grapheme at least is in each."""
    if width(text) <= columns:
        return [text]
    if text.isascii():
        graphemes = list(text)
    else:
        import regex  # noqa: PLC0415 - few texts are both long and not ASCII

        graphemes = regex.findall(r"\X", text)
    found = [""]
    for grapheme in graphemes:
        if found[-1] and width(found[-1] + grapheme) > columns:
            found.append("")
        found[-1] += grapheme
    return found


def contained(text: str) -> str:
    """Return a text so that, written from right to left, it does not draw in what follows it."""
    return text + _LEFT_TO_RIGHT_MARK if _RIGHT_TO_LEFT.search(text) else text
