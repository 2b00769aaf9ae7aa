"""Padded Markdown tables, for people who read a note as text."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NARROWEST_RULE = 3
_EMOJI_STYLE = "\ufe0f"


def table(rows: Sequence[Sequence[str]], align: str) -> str:
    """Return a table whose columns are padded to one width.

    Args:
        rows: the header and the rows below it; cells are Markdown, and as safe as they must be.
        align: a letter for each column, ``l`` or ``r``.

    Raises:
        ValueError: a row has not as many cells as there are letters.
    """
    odd = next((row for row in rows if len(row) != len(align)), None)
    if odd is not None:
        raise ValueError(f"{len(odd)} cells in a row, but {len(align)} letters in {align!r}")
    columns = [
        (max(_NARROWEST_RULE, *(width(row[place]) for row in rows)), side) for place, side in enumerate(align)
    ]
    rule = ["-" * (wide - 1) + (":" if side == "r" else "-") for wide, side in columns]
    lines = [
        [_padded(cell, wide, side) for cell, (wide, side) in zip(row, columns, strict=True)] for row in rows
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))


def quote(text: str) -> str:
    """Return text as the content of a callout: every line with ``>`` before it."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def width(text: str) -> int:
    """Return how many columns of a fixed-width font a text takes."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if character == _EMOJI_STYLE:
            columns += 1  # the sign before it is drawn as a wide emoji
        elif unicodedata.category(character) not in {"Cf", "Mn", "Me"}:
            columns += 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
    return columns


def _padded(cell: str, wide: int, side: str) -> str:
    space = " " * (wide - width(cell))
    return space + cell if side == "r" else cell + space
