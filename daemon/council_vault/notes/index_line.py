"""A line added to a list in somebody's own note, below a heading that is there; every other byte stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from council_vault.notes import frontmatter
from council_vault.notes.cell_text import undecorated
from council_vault.notes.comments import without_comments
from council_vault.notes.markdown import is_break, lines, scan
from council_vault.notes.outline import headings
from council_vault.notes.text import dominant_newline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from council_vault.notes.markdown import Line
    from council_vault.notes.outline import Heading

# What a section is called that lists decisions, or what happens; the first kind that there is counts.
_SECTIONS = (
    re.compile(r"\bdecisions\b|\bdecision (?:log|records?|history)\b"),
    re.compile(r"\bactivity\b|\bactivities\b"),
)
_NOT_YET = re.compile(r"\b(?:open|pending|upcoming|future|planned|needed|due|to (?:make|take|do))\b")
_BULLET = re.compile(r" {0,3}[-*+][ \t]+(?=\S)")
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_NEW_BULLET = "- "


class _Place(NamedTuple):
    """Where a line can go: before which line, behind which bullet; ``apart``: it begins a list."""

    before: int
    bullet: str
    apart: bool


def with_line(note: str, line: str, title: str) -> str | None:
    """Return a note with one line more in its list of decisions, or of what happens.

    The line goes to the end of the first list below the heading, or to its top where the newest stands
    first; where there is no list, it begins one.

    Args:
        note: the text, without BOM.
        line: Markdown on one line, without a bullet, with nothing live in it but links.
        title: what the note as a whole is called; a heading that says just that is the note's own.

    Returns:
        ``None`` where there is no such heading, or where nothing below it would be seen.
    """
    body = frontmatter.body_start(note)
    raw_lines = lines(note[body:])
    scanned = scan(lines(without_comments(note[body:])))
    outline = [found for found in headings(scanned) if _is_in_plain_view(scanned[found.line])]
    section = _section(outline, title)
    if section is None:
        return None
    end = next((other.line for other in outline if other.line > section.line), len(scanned))
    for place in _places(scanned, section.end, end):
        added = _with_line_at(raw_lines, place, line, dominant_newline(note))
        if _is_seen(added, place, line):
            return note[:body] + added
    return None


def mentions(note: str, name: str) -> bool:
    """Tell whether a note links to another one, or names it: ``name`` is as links use it, without ``.md``."""
    names = "|".join(re.escape(form) for form in {name, quote(name)})
    return re.search(rf"(?<![\w-])(?:{names})(?![\w-])", note, re.IGNORECASE) is not None


def _section(outline: Sequence[Heading], title: str) -> Heading | None:
    """Return the heading that decisions are listed below."""
    named = [(heading, undecorated(heading.text).casefold()) for heading in outline]
    for kind in _SECTIONS:
        for heading, text in named:
            if kind.search(text) and not _NOT_YET.search(text) and text != title.casefold():
                return heading
    return None


def _is_in_plain_view(line: Line) -> bool:
    return not line.quotes and not line.items


def _places(scanned: Sequence[Line], start: int, end: int) -> Iterator[_Place]:
    """Yield the places in a section, from ``start`` to ``end``, the best one first."""
    first = next((index for index in range(start, end) if _bullet(scanned[index])), None)
    if first is not None:
        yield _place_in_list(scanned, first, end)
    last = end
    while last > start and (scanned[last - 1].blank or is_break(scanned[last - 1].content)):
        last -= 1
    yield _Place(last, _NEW_BULLET, apart=True)
    yield _Place(start, _NEW_BULLET, apart=True)


def _place_in_list(scanned: Sequence[Line], first: int, end: int) -> _Place:
    """Return the place in the list that begins with a line, where the list is in order."""
    bullet = _bullet(scanned[first])
    items, last = [first], first
    for index in range(first + 1, end):
        line = scanned[index]
        if line.blank:
            continue
        is_lazy = last == index - 1 and line.state == "text" and not is_break(line.content)
        if _is_in_plain_view(line) and not is_lazy:  # a paragraph may go on without its indent
            break
        if line.items == 1 and line.opens_item:
            if _bullet(line).strip() != bullet.strip():
                break
            items.append(index)
        last = index
    days = [day[0] for index in items if (day := _DAY.search(scanned[index].content))]
    newest_first = len(days) > 1 and days[0] > days[-1]
    return _Place(first if newest_first else last + 1, bullet, apart=False)


def _bullet(line: Line) -> str:
    """Return the bullet that a line of a list begins with, its indent and the space behind it included."""
    found = _BULLET.match(line.raw) if line.opens_item and line.items == 1 and not line.quotes else None
    return found[0] if found else ""


def _with_line_at(raw_lines: Sequence[str], place: _Place, line: str, newline: str) -> str:
    before, after = raw_lines[: place.before], raw_lines[place.before :]
    is_ended = before[-1].endswith(("\n", "\r"))
    gap_before = newline if place.apart and before[-1].strip() else ""
    gap_after = newline if place.apart and after and after[0].strip() else ""
    text = f"{place.bullet}{line}"
    text = f"{gap_before}{text}{newline}{gap_after}" if is_ended else f"{newline}{gap_before}{text}"
    return "".join((*before, text, *after))


def _is_seen(text: str, place: _Place, line: str) -> bool:
    """Whether the line stands in the text as an item of a list: not in code, nor in a comment."""
    scanned = scan(lines(without_comments(text)))
    return any(
        _bullet(found) == place.bullet and found.raw.strip() == f"{place.bullet}{line}".strip()
        for found in scanned[place.before : place.before + 2]
    )
