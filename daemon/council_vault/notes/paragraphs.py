"""Any text of many lines as paragraphs and lists of a note; nothing live in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from council_vault.notes.cell_text import undecorated
from council_vault.notes.prose import line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LINE_END = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|(?P<number>\d{1,9})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_OWN_LINE = re.compile(r"[ \t]*(?:[>|]|```|~~~|(?:[-=*_][ \t]*){3,}$)")  # what ends a paragraph, and is none
_LONGEST = 5_000  # characters of one paragraph


class _Block(NamedTuple):
    """A paragraph, a heading or an item of a list, which begins with a mark; its lines."""

    kind: Literal["text", "heading", "item", "number"]
    mark: str
    lines: list[str]

    def markdown(self) -> str:
        shown = line("\n".join(self.lines)[: 2 * _LONGEST], _LONGEST)
        return f"**{shown}**" if shown and self.kind == "heading" else shown and self.mark + shown


def paragraphs(text: str) -> str:
    """Return the Markdown of a text: its paragraphs and lists stay, headings are bold, all else is text."""
    pieces: list[str] = []
    before = "text"
    for block in _blocks(text):
        if shown := block.markdown():
            is_list = block.kind == before and block.kind in {"item", "number"}
            pieces += ("\n" if is_list else "\n\n", shown)
            before = block.kind
    return "".join(pieces[1:])


def items(texts: Iterable[str]) -> str:
    """Return the Markdown of a list."""
    return "\n".join(f"- {shown}" for text in texts if (shown := line(text, _LONGEST)))


def prose(texts: Sequence[str]) -> str:
    """Return the Markdown of one text as it is, and of several as a list."""
    return paragraphs(texts[0]) if len(texts) == 1 else items(texts)


def points(texts: Sequence[str]) -> str:
    """Return the Markdown of texts that each make a point: a list, unless one of many lines makes all."""
    return paragraphs(texts[0]) if len(texts) == 1 and "\n" in texts[0].strip() else items(texts)


def is_same(first: str, second: str) -> bool:
    """Tell whether two texts say the same, but for decoration, case and spaces."""
    return undecorated(first).casefold() == undecorated(second).casefold()


def _blocks(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    goes_on = False
    for raw in _LINE_END.split(text):
        item = _ITEM.match(raw)
        stands_alone = _OWN_LINE.match(raw) or _HEADING.match(raw)
        if not raw.strip():
            goes_on = False
        elif goes_on and not item and not stands_alone:
            blocks[-1].lines.append(raw)
        elif item:
            number = item["number"]
            mark = f"{number}. " if number else "- "
            blocks.append(_Block("number" if number else "item", mark, [raw[item.end() :]]))
            goes_on = True
        else:
            blocks.append(_Block("heading" if _HEADING.match(raw) else "text", "", [raw]))
            goes_on = not stands_alone
    return blocks
