"""Edits of a text at offsets, gathered first and made together: whatever is not named stays byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class TextEdits:
    """Edits of one text. Inserted lines end with ``newline``; insertions at one place keep their order."""

    def __init__(self, text: str, newline: str) -> None:
        self._text = text
        self._newline = newline
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, text: str) -> None:
        """Put ``text`` in the place of what stands from ``start`` to ``end``."""
        self._edits.append((start, end, text))

    def insert_lines(self, place: int, lines: Iterable[str]) -> None:
        """Put lines before the one that begins at ``place``."""
        self._edits.extend((place, place, line + self._newline) for line in lines)

    def insert_blocks(self, place: int, blocks: Iterable[Sequence[str]]) -> None:
        """Put blocks of lines before the line that begins at ``place``, with blank lines around each."""
        newline = self._newline
        text = (newline + newline).join(newline.join(block) for block in blocks) + newline
        if self._text[:place].rpartition("\n")[0].rpartition("\n")[2].strip():
            text = newline + text
        if self._text[place:].partition("\n")[0].strip():
            text += newline
        self._edits.append((place, place, text))

    def applied(self) -> str:
        """Return the text with all edits made."""
        pieces: list[str] = []
        done = 0
        for start, end, text in sorted(self._edits, key=lambda edit: edit[:2]):
            pieces += (self._text[done:start], text)
            done = end
        return "".join((*pieces, self._text[done:]))
