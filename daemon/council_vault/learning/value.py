"""What deliberating has added: the points of a synthesis that the best single answer lacks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from council_vault.learning.answers import is_answer, without_thinking
from council_vault.learning.words import terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_UNIQUE_WEIGHT, _BREADTH_WEIGHT, _DEPTH_WEIGHT = 0.5, 0.3, 0.2
_MODELS_FOR_BREADTH = 3
_SAME_POINT = 0.6  # share of a point's terms that a source must say together
_CONTENT_OF_SENTENCE = 2  # terms

_LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_QUOTE_AND_INDENT = re.compile(r"[\s>|]*")
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]+\*\*:?\s*$|__[^_]+__:?\s*$")
_ITEM = re.compile(r"(?:[-*+•‣◦·–—]|\(?\d{1,3}[.)、]|\(?[a-zA-Z][.)])\s+(?:\[[ xX]\]\s+)?")
_ADDRESS = re.compile(r"\]\([^()\s]*\)|https?://[^\s)>\]]+")
_EMPHASIS = re.compile(r"[*`]+|~~")
_SENTENCE_END = re.compile(r"(?<=[.!?…؟۔।॥։።])[\"'”’»)\]]*\s+|(?<=[。！？｡។])|[\n]")
_DISAGREEMENT = re.compile(
    r"disagree|dissent|diverg|contradict|conflict|controvers|contested|disput|debat|at odds"
    r"|opinions? (?:differ|var)|views? differ"
    r"|(?:models?|responses?|answers?|members?) (?:differ|vary|split|are divided)"
    r"|no consensus|divided on|split on|minority|not all (?:models|responses|answers|members)"
    r"|分歧|争议|爭議|不同意|意見が分かれ|対立|uneinig|widerspr|désaccord|desacuerdo"
)


class _Point(NamedTuple):
    """One thing that is said: its terms, and whether it says that the models disagree."""

    terms: frozenset[str]
    disagreement: bool


def value_added(synthesis: str | None, top_answer: str | None, other_answers: Sequence[str]) -> float | None:
    """Return what a synthesis adds to the best single answer, 0..1; ``None`` where one of them is missing.

    Each point of the synthesis, a list item or a sentence, is credited to one source: to the top answer
    where that says it, else to the other answer that says most of it, else to the chairman. The score is that
    of the pattern memory's operation 2: half for the share of points that the top answer lacks, 0.3 when at
    least three models are credited (both, in a council of two), 0.2 when a disagreement is flagged that the
    top answer lacks.

    Args:
        synthesis: the chairman's text.
        top_answer: the answer of the model that is ranked best.
        other_answers: the answers of the other models; those that are none do not count.
    """
    if synthesis is None or top_answer is None or not (is_answer(synthesis) and is_answer(top_answer)):
        return None
    points = _points(without_thinking(synthesis))
    top = _Source(without_thinking(top_answer))
    unique = [point for point in points if top.share(point.terms) < _SAME_POINT]
    others = [_Source(without_thinking(answer)) for answer in other_answers if is_answer(answer)]
    credited = {_credited(point.terms, others) for point in unique} - {None}
    models = len(credited) + (len(unique) < len(points))
    breadth = models >= (min(_MODELS_FOR_BREADTH, len(others) + 1) if others else _MODELS_FOR_BREADTH)
    depth = any(point.disagreement for point in unique)
    share = len(unique) / len(points) if points else 0.0
    return share * _UNIQUE_WEIGHT + breadth * _BREADTH_WEIGHT + depth * _DEPTH_WEIGHT


def _credited(terms: frozenset[str], others: Sequence[_Source]) -> int | None:
    shares = [source.share(terms) for source in others]
    best = max(shares, default=0.0)
    return shares.index(best) if best >= _SAME_POINT else None


class _Source:
    """What an answer says, sentence by sentence; for each term, in which sentences it stands, as bits."""

    def __init__(self, text: str) -> None:
        self._places: dict[str, int] = {}
        place = 1
        for line in _lines(text):
            for sentence in _SENTENCE_END.split(line.text):
                for term in _ground(sentence):
                    self._places[term] = self._places.get(term, 0) | place
                place <<= 1

    def share(self, terms: frozenset[str]) -> float:
        """Return the largest share of ``terms`` that two sentences in a row say together, 0..1."""
        slices: list[int] = []  # bits of the numbers of terms at each place, lowest first
        for term in terms:
            carry = self._places.get(term, 0)
            carry |= carry >> 1
            for index, bits in enumerate(slices):
                slices[index], carry = bits ^ carry, bits & carry
            if carry:
                slices.append(carry)
        most, candidates = 0, -1
        for index in range(len(slices) - 1, -1, -1):
            if candidates & slices[index]:
                candidates &= slices[index]
                most |= 1 << index
        return most / len(terms)


class _Line(NamedTuple):
    text: str
    heading: bool
    item: bool


def _lines(text: str) -> Iterable[_Line]:
    for raw in _LINE_END.split(text):
        line = raw[_QUOTE_AND_INDENT.match(raw).end() :]  # type: ignore[union-attr]
        heading = _HEADING.match(line) is not None
        item = _ITEM.match(line)
        bare = _EMPHASIS.sub("", _ADDRESS.sub(" ", line[item.end() :] if item else line)).strip()
        yield _Line(bare, heading or bare.endswith((":", "：")), item is not None)


def _points(text: str) -> list[_Point]:
    """Return the points of a text, each once; every line is read by itself, so that no two can merge."""
    points: dict[frozenset[str], _Point] = {}
    for line in _lines(text):
        if line.heading:
            continue
        for sentence in _SENTENCE_END.split(line.text):
            ground = _ground(sentence)
            if len(ground) >= (1 if line.item else _CONTENT_OF_SENTENCE):
                points.setdefault(
                    ground, _Point(ground, _DISAGREEMENT.search(sentence.casefold()) is not None)
                )
    whole = _ground(text)
    return list(points.values()) or ([_Point(whole, disagreement=False)] if whole else [])


def _ground(text: str) -> frozenset[str]:
    return frozenset((*terms(text), *filter(str.isdecimal, words(text))))
