"""Ballots that are prose: the list under ``FINAL RANKING``, however it is marked up.

Numbered, bulleted, bold, in a table, on one line, ``C > A > B``, with remarks behind or below each entry.
Labels that do not exist are dropped, of repeated ones the first mention counts, and of several such sections
the last.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from council_vault.importers.ballot_lines import Entry, read_line

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_HEADING = re.compile(
    r"final[\s_*-]+rank(?:ings?|ed)?(?![a-z])(?:[^\n:]{0,60}:|[\s*_]*\b(?:is|are)\b)?", re.IGNORECASE
)
_NEW_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$|__[^_]+__:?\s*$)")
_NOTHING = re.compile(r"[\s>|:*_=`~-]*(?:json|text)?\s*")
_HEADINGS_TRIED = 20  # a text that was written in a loop has thousands
_LINES_BEFORE = 5  # between the heading and its list: an introduction, the head of a table
_LONGEST = 200  # lines of a list, remarks included
_A_RANKING = 2  # labels that a list without a heading must have


def under_heading(text: str, known: Container[str]) -> list[str]:
    """Return the letters of the labels under the last ``FINAL RANKING`` that has a list, best first."""
    for heading in list(_HEADING.finditer(text))[: -_HEADINGS_TRIED - 1 : -1]:
        if found := _list_in(text[heading.end() :].split("\n", _LONGEST)[:_LONGEST], known):
            return found
    return []


def last_list(text: str, known: Container[str]) -> list[str]:
    """Return the letters of the labels in the last list of a text that names at least two, best first."""
    lines = text.split("\n")
    starts = []
    inside = False
    for place, line in enumerate(lines):
        entry = read_line(line)
        if entry is not None and (entry.number == 1 or (entry.number is None and not inside)):
            starts.append(place)
        if not _NOTHING.fullmatch(line):
            inside = entry is not None
    for start in reversed(starts):
        found = _list_in(lines[start : start + _LONGEST], known)
        if len(found) >= _A_RANKING:
            return found
    return []


def _list_in(lines: list[str], known: Container[str]) -> list[str]:
    """Return the labels of the list with which the lines begin, an introduction apart."""
    entries = _entries(lines)
    if all(entry.number is None for entry in entries):
        tails = [entry.tail for entry in entries]
        if sorted(tail or 0 for tail in tails) == list(range(1, len(entries) + 1)):
            entries.sort(key=lambda entry: entry.tail or 0)
    return _first_mentions((letters for entry in entries for letters in entry.labels), known)


def _entries(lines: list[str]) -> list[Entry]:
    said = [(line, read_line(line)) for line in lines if not _NOTHING.fullmatch(line)]
    before = next((place for place, (_, entry) in enumerate(said[:_LINES_BEFORE]) if entry is not None), None)
    entries: list[Entry] = []
    for line, entry in said[before:] if before is not None else []:
        if entries and _ends(entries[-1], entry, line):
            break
        if entry is not None and (not entries or _alike(entries[-1], entry)):
            entries.append(entry)
    return entries


def _ends(last: Entry, entry: Entry | None, line: str) -> bool:
    """Say whether a line ends the list; remarks below an entry do not."""
    if last.number is None and len(last.labels) > 1:
        return True  # the list stands on one line
    if entry is None:
        return bool(_NEW_HEADING.match(line)) or (last.number is None and not line[:1].isspace())
    if last.number is None:
        return not (_alike(last, entry) or line[:1].isspace())
    return entry.number is not None and entry.number < last.number


def _alike(last: Entry, entry: Entry) -> bool:
    """Say whether both are entries of one list: numbered, or bulleted, or neither."""
    if last.number is None or entry.number is None:
        return last.number is entry.number and last.bulleted == entry.bulleted
    return True


def _first_mentions(labels: Iterable[str], known: Container[str]) -> list[str]:
    return list(dict.fromkeys(letters for letters in labels if letters in known))
