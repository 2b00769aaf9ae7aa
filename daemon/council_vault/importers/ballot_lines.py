"""What a line of a ballot says: which labels, and which place they are given."""

from __future__ import annotations

import re
from typing import NamedTuple

from council_vault.importers.labels import WORD

_MEDALS = "🥇🥈🥉"
_DECORATION = r"[\s>*_#|`~•·+\"'“”‘’\[(–—-]*"
_NUMBER = (
    r"(?:(?i:no\.?|rank|place|position)\s*#?\s*)?"
    rf"(?:(?P<number>\d{{1,3}})(?i:st|nd|rd|th)?(?!\d)(?i:\s*place\b)?|(?P<medal>[{_MEDALS}]))"
    r"[\ufe0f\u20e3]*[\s.):\]|*_–—-]*"
)
_PREFIX = re.compile(rf"{_DECORATION}(?:{_NUMBER})?{_DECORATION}")
# With its word a label may be in small letters; without it, `A clear winner …` must not be taken for one.
_LABEL = re.compile(
    rf"(?i:{WORD}[\s_#:*\[(-]*(?P<named>[a-z]{{1,2}})(?![a-z0-9]))"
    r"|(?P<bare>[A-Z]{1,2}|[a-z](?=\s*(?:$|[>≻)])))(?=\W*$|\s*[-–—:.,;)\]>≻=≈|*_(\"])"
)
_BULLET = re.compile(r"\s*[-*+•·|]\s")
_CLOSING = r"[*_`\"'”’\])]*"
_CHAIN = re.compile(rf"{_CLOSING}\s*(?:>+|≻|=|≈|~|→|->|&|/|\band\b|\bthen\b)\s*{_DECORATION}")
_ENUMERATION = re.compile(rf"{_CLOSING}\s*[,;]\s*(?:(?:and|then)\b)?\s*{_DECORATION}")
_NEXT_NUMBER = re.compile(rf"{_CLOSING}[\s,;]+\d{{1,3}}[.):]\s*{_DECORATION}")
_TAIL = re.compile(
    r"[\s*_`:=|(–—-]*(?i:rank(?:ed)?|place|position)?\s*[:#]*\s*(\d{1,3})(?i:st|nd|rd|th)?(?i:\s*place)?[\s*_`|)]*$"
)


class Entry(NamedTuple):
    """One line of a list.

    ``number`` stands before the label, ``tail`` alone behind it (``Response A: 2``); ``labels`` are the
    letters, several where the line holds several.
    """

    labels: tuple[str, ...]
    number: int | None
    tail: int | None
    bulleted: bool


def read_line(line: str) -> Entry | None:
    """Read a line that begins with a label, markup and a number apart; ``None`` for any other."""
    prefix = _PREFIX.match(line)
    end = prefix.end() if prefix else 0
    first = _LABEL.match(line, end)
    if prefix is None or first is None:
        return None
    number = _number(prefix)
    links = (_CHAIN, _NEXT_NUMBER) if number is not None else (_CHAIN, _ENUMERATION)
    labels = [_letters(first)]
    end = first.end()
    while following := _following(line, end, links):
        labels.append(_letters(following))
        end = following.end()
    tail = _TAIL.match(line, end) if number is None and len(labels) == 1 else None
    return Entry(tuple(labels), number, int(tail[1]) if tail else None, bool(_BULLET.match(line)))


def _following(line: str, end: int, links: tuple[re.Pattern[str], ...]) -> re.Match[str] | None:
    for link in links:
        between = link.match(line, end)
        label = _LABEL.match(line, between.end()) if between else None
        if label is not None:
            return label
    return None


def _letters(label: re.Match[str]) -> str:
    return (label["named"] or label["bare"]).upper()


def _number(prefix: re.Match[str]) -> int | None:
    if prefix["medal"]:
        return _MEDALS.index(prefix["medal"]) + 1
    return int(prefix["number"]) if prefix["number"] else None
