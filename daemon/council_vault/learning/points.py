"""The points that a text makes, and how much of a point an answer says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from council_vault.learning.words import terms

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTENT_OF_SENTENCE = 2  # terms; an item of a list has content with one
_LINE_END = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_INDENT = re.compile(r"[\s>|]*")
_HEADING = re.compile(r"#{1,6}(?:\s|$)|(?P<mark>\*\*|__)(?:(?!(?P=mark)).)*[^.!?。！？](?P=mark)\s*$")
_ITEM = re.compile(r"(?:(?:[-*+•‣◦▪·–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+|\d{1,3}、\s*)+")
_ADDRESS = re.compile(r"\]\([^()\s]*\)|https?://[^\s)>\]]+")
_EMPHASIS = re.compile(r"[*`]+|~~|__")
_SENTENCE_END = re.compile(
    r"(?<=[.!?…؟۔।॥։።])(?<!\b[eE]\.g\.)(?<!\b[iI]\.e\.)(?<!\b[vc][sf]\.)[\"'”’»)\]]*\s+|(?<=[。！？｡។])"
)
_ANNOUNCES = (":", "：")
_DISAGREEMENT = re.compile(
    r"disagree|dissent|contradict|conflicting|contested|controvers|\bat odds\b|\bno consensus\b"
    r"|\b(?:divided|split) (?:on|over)\b|\bnot all (?:models|responses|answers|members)\b"
    r"|分歧|争议|爭議|不同意|意見が分かれ|対立|이견|разноглас|خلاف"
    r"|uneinig|widerspr|désaccord|desacuerdo|discord[aâ]n"
)
_NO_DISAGREEMENT = re.compile(
    r"\b(?:no|without|little|(?:not|n't|never) \w+) (?:\w+ )?"
    r"(?:disagree\w*|dissent\w*|contradict\w*|conflict\w*|controvers\w*|differ\w*|debate\w*|disput\w*)"
)
_VOICE = re.compile(
    r"\b(?:model|response|answer|member|council|reviewer|expert|perspective|view|opinion)s?\b"
)
_RIFT = re.compile(r"\b(?:differ(?!ent)|diverg|disput|debat|conflict|clash|vary\b|divided\b|split\b)")
_SIDE = re.compile(
    r"\b(?:model|response|answer|member) (?:[a-z]|\d+)\b|\bothers\b"
    r"|\b(?:some|most|one|two|three) (?:of the )?(?:models?|responses?|answers?|members?)\b"
)
_CONTRAST = re.compile(r"\b(?:while|whereas|unlike|but|however|instead|contrast|others)\b")
_SIDES = 2


class Point(NamedTuple):
    """One thing that is said: its terms, and whether it says that the council disagrees."""

    terms: frozenset[str]
    disagreement: bool


class Answer:
    """What an answer says: for each term, in which of its sentences it stands, as the bits of a number."""

    def __init__(self, text: str) -> None:
        self._places: dict[str, int] = {}
        place = 1
        for line in _lines(text):
            for sentence in line.sentences():
                found = _terms(sentence)
                for term in found:
                    self._places[term] = self._places.get(term, 0) | place
                place <<= bool(found)

    def says(self, point: Point) -> int:
        """Return how many of the point's terms two sentences in a row have together; 0 if not more than half.

        All sentences are counted at once: ``digits[i]`` holds, for every place, the i-th binary digit of its
        number of terms, so that a term is added to all places as two numbers are added by hand.
        """
        half = len(point.terms) / 2
        known = [self._places[term] for term in point.terms if term in self._places]
        if len(known) <= half:
            return 0
        digits: list[int] = []
        for places in known:
            carry = places | places >> 1
            for index, digit in enumerate(digits):
                digits[index], carry = digit ^ carry, digit & carry
            if carry:
                digits.append(carry)
        most, leading = 0, -1
        for index in reversed(range(len(digits))):
            if leading & digits[index]:
                leading &= digits[index]
                most += 1 << index
        return most if most > half else 0


def points(text: str) -> list[Point]:
    """Return the points of a text, each once: the list items and sentences that have content.

    Headings and what only announces a list are none; a row of a table and a line of code are sentences.
    Each line is read by itself, so that a point is the same whatever stands around it. Of a text that has
    none, what it says first is its point.
    """
    found: dict[frozenset[str], Point] = {}
    first: list[Point] = []
    for line in _lines(text):
        for sentence in line.sentences():
            terms_ = _terms(sentence)
            if terms_ and not first:
                first.append(Point(terms_, disagreement=False))
            if line.heading or sentence.endswith(_ANNOUNCES):
                continue
            if len(terms_) >= (1 if line.item else _CONTENT_OF_SENTENCE):
                found.setdefault(terms_, Point(terms_, _flags_disagreement(sentence)))
    return [*found.values()] or first


class _Line(NamedTuple):
    """A line without its decoration."""

    text: str
    heading: bool
    item: bool

    def sentences(self) -> list[str]:
        return [sentence.strip() for sentence in _SENTENCE_END.split(self.text)]


def _lines(text: str) -> Iterator[_Line]:
    for raw in _LINE_END.split(text):
        line = _INDENT.sub("", raw, count=1)
        item = _ITEM.match(line)
        bare = _ADDRESS.sub(" ", line[item.end() :] if item else line)
        yield _Line(_EMPHASIS.sub("", bare), _HEADING.match(line) is not None, item is not None)


def _terms(text: str) -> frozenset[str]:
    """Return the terms of a text and its numbers, however short."""
    return frozenset(terms(text, numbers=True))


def _flags_disagreement(sentence: str) -> bool:
    text = _NO_DISAGREEMENT.sub("", sentence.casefold())
    if _DISAGREEMENT.search(text) or (_VOICE.search(text) and _RIFT.search(text)):
        return True
    return len(_SIDE.findall(text)) >= _SIDES and _CONTRAST.search(text) is not None
