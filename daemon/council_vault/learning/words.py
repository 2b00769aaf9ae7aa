"""The words of a text in any script, and the terms that texts are compared by.

Case, the Unicode form, invisible characters, Arabic and Hebrew vowel points and the kind of apostrophe make
no difference. Scripts that are written without spaces show no words: there each character counts as one, and
texts are compared by pairs of characters. All work grows with the length of the text alone.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from operator import add
from typing import TYPE_CHECKING

from council_vault.learning.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

# Thai, Lao, Tibetan, Burmese, Khmer, Tai, Balinese, Javanese, Chinese, Japanese, Yi.
_SPACELESS = (
    "\u0e00-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f\u3005-\u3007\u3040-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\ua48f\ua980-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff"
)
_BASE = rf"[{_SPACELESS}](?<=\w)"  # and not a mark that belongs to nothing
_RUN = rf"(?P<spaceless>{_BASE}(?:[{_SPACELESS}]|[^\w\s])*)|[^\s{_SPACELESS}]+"
_ASCII_RUN = re.compile(r"\S+")
_CHARACTER = rf"{_BASE}[^\w\s]*"
_HANGUL = ("\uac00", "\ud7af")  # has spaces, but its words change with every particle
# Normalising takes time quadratic in the number of marks in a row; in no word are there as many.
_LONG = 1000
_MANY_MARKS = re.compile(r"([^\w\s]{30})[^\w\s]+")
_APOSTROPHES = "'’‘‛ʼʹ′\u05f3"
_SHORTEST_TERM = 3
_VOWEL = re.compile("[aeiouy]")
_ENDINGS = (("ation", 4), ("ing", 3), ("ied", 3), ("ed", 3), ("ly", 4))  # and the least that stays


def words(text: str) -> list[str]:
    """Return the words of a text, casefolded, in order; hyphens part words, apostrophes do not.

    A character of a script without spaces is a word, with the marks that belong to it.
    """
    found: list[str] = []
    for run, spaceless in _runs(_folded(text)):
        if spaceless:
            found += _compiled(_CHARACTER).findall(run)
        else:
            found.append(run)
    return found


def terms(text: str, *, numbers: bool = False) -> list[str]:
    """Return what a text is compared by, in order: the stems of its content words.

    These have more than two characters and are no stop words. Of scripts without spaces, and of
    Korean, pairs of neighbouring characters stand for them.

    Args:
        text: any text.
        numbers: whether numbers count however short they are.
    """
    found: list[str] = []
    for run, spaceless in _runs(_folded(text)):
        if spaceless:
            found += _pairs(run)
        elif numbers and run.isdecimal():
            found.append(run)
        else:
            found += _terms_of(run)
    return found


def named_terms(text: str) -> Iterator[tuple[str, str]]:
    """Yield the `terms` of a text, in order, each with the casefolded word that it stands for there."""
    for run, spaceless in _runs(_folded(text)):
        for term in _pairs(run) if spaceless else _terms_of(run):
            yield term, term if spaceless else run


def content_words(text: str) -> list[str]:
    """Return the words that `terms` are made of, in order and as they are written.

    There are none in scripts without spaces.
    """
    runs = _runs(_normal(text))
    return [run for run, spaceless in runs if not spaceless and _terms_of(run.casefold())]


def is_stop_word(word: str) -> bool:
    """Tell whether a casefolded word says nothing of what a text is about."""
    return word in STOP_WORDS


def stem(word: str) -> str:
    """Return what the inflected forms of an English word have in common: ``caches``, ``caching``: ``cach``.

    The word is casefolded. It loses a plural, a common ending and a final ``e``; what remains need not be a
    word. In other scripts words stay as they are.
    """
    if len(word) < _SHORTEST_TERM or not word.isascii():
        return word
    if len(word) > _SHORTEST_TERM:
        word = _without_ending(_singular(word))
    if word.endswith("y") and not _VOWEL.match(word[-2]):
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_TERM else word


def _singular(word: str) -> str:
    if word.endswith(("ies", "sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _without_ending(word: str) -> str:
    for ending, least in _ENDINGS:
        start = word.removesuffix(ending)
        if start == word or len(start) < least or not _VOWEL.search(start) or word.endswith("eed"):
            continue
        if ending == "ied":
            return start + "i"
        doubled = len(start) > _SHORTEST_TERM and start[-1] == start[-2] and start[-1] not in "lsz"
        return start[:-1] if doubled else start
    return word


@lru_cache(maxsize=1 << 15)
def _terms_of(word: str) -> tuple[str, ...]:
    """Return the terms of one casefolded word; ``l'architecture`` is compared by its parts."""
    if _HANGUL[0] <= word[:1] <= _HANGUL[1]:
        return _pairs(word)
    if is_stop_word(word):
        return ()
    parts = word.split("'")
    return tuple(stem(part) for part in parts if len(part) >= _SHORTEST_TERM and not is_stop_word(part))


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(map(add, run, run[1:])) or (run,)


def _normal(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _MANY_MARKS.sub(r"\1", text) if len(text) > _LONG else text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: these take longer than all else here to load."""
    return re.compile(pattern)


def _folded(text: str) -> str:
    normal = _normal(text)
    folded = normal.casefold()
    return folded if folded == normal else _normal(folded)


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Give the words of a normal text, but what is written without spaces in one piece, which is said."""
    separated = text.translate(_SEPARATED)
    for run in (_ASCII_RUN if separated.isascii() else _compiled(_RUN)).finditer(separated):
        if run.lastgroup:  # it is spaceless
            yield run[0].replace("'", ""), True
        else:
            word = run[0].strip("'")
            if any(map(str.isalnum, word)):  # and not only marks
                yield word, False


class _Separated(dict[int, "str | None"]):
    """For `str.translate`: what is no part of a word becomes a space; worked out once for each character."""

    def __missing__(self, code: int) -> str | None:
        self[code] = kept = self._kept(chr(code))
        return kept

    @staticmethod
    def _kept(character: str) -> str | None:
        if character in _APOSTROPHES:
            return "'"
        category = unicodedata.category(character)
        if category == "Cf" or "\ufe00" <= character <= "\ufe0f" or character >= "\U000e0000":
            return None  # cannot be seen
        if character == "\u0640" or (category == "Mn" and "\u0591" <= character <= "\u06ff"):
            return None  # the stretching stroke and vowel points: with or without them it is the same word
        return character if category[0] in "LNM" else " "


_SEPARATED = _Separated()
