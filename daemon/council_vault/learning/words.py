"""The words of a text in any script, and the terms that texts are compared by.

Case, the Unicode form, invisible characters, Arabic and Hebrew vowel points and the kind of apostrophe make
no difference. Scripts that are written without spaces have no words to be seen: there each character counts as a
word, and texts are compared by pairs of characters. All work grows with the length of the text alone.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

# Thai, Lao, Tibetan, Burmese, Khmer, Tai, Balinese, Javanese, Chinese, Japanese, Yi.
_SPACELESS = (
    "\u0e00-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f\u3005-\u3007\u3040-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\ua48f\ua980-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff"
)
_FIRST_SPACELESS = "\u0e00"
_HANGUL = re.compile("[\uac00-\ud7af]")  # has spaces, but its words change with every particle
_RUN = re.compile(rf"(?P<spaceless>[{_SPACELESS}](?:[{_SPACELESS}]|[^\w\s])*)|[^\s{_SPACELESS}]+")
_CHARACTER = re.compile(rf"[{_SPACELESS}][^\w\s]*")
# Normalising is quadratic in the number of marks in a row; no word has as many.
_MARKS = re.compile(r"([^\w\s]{30})[^\w\s]+")
_APOSTROPHES = "'’ʼ‘‛′＇\u05f3"
_SHORTEST_TERM = 3
_STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are aren't as at be because been before being
    below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't
    down during each either else even ever every few for from further get gets getting give given
    gives go goes going got had hadn't has hasn't have haven't having he he's her here here's hers
    herself him himself his how how's however i i'd i'll i'm i've if in into is isn't it it's its
    itself just let let's like may me might more most much must my myself need needs neither no nor
    not now of off often on once one only or other others our ours ourselves out over own per please
    quite rather really same say says shall she she's should shouldn't since so some something still
    such tell than that that's the their theirs them themselves then there there's these they
    they're they've thing things this those through thus to too under until up upon us use used uses
    using very via want wants was wasn't way ways we we're we've well were weren't what what's when
    where where's whether which while who who's whom whose why will with within without won't would
    wouldn't yes yet you you'd you'll you're you've your yours yourself
    """.split()  # noqa: SIM905 - a hundred quoted words cannot be read
)
_VOWEL = re.compile("[aeiouy]")


def words(text: str) -> list[str]:
    """Return the words of a text, casefolded, in order; hyphens part words, apostrophes do not.

    A character of a script without spaces is a word, with the marks that belong to it.
    """
    return spelled(_normal(text).casefold())


def spelled(text: str) -> list[str]:
    """Return the words of a text as `words` does, in the case they are written in."""
    found = []
    for run in _RUN.finditer(_normal(text).translate(_SEPARATED)):
        if run["spaceless"]:
            found += _CHARACTER.findall(run[0].replace("'", ""))
        elif word := _word(run[0]):
            found.append(word)
    return found


def terms(text: str) -> list[str]:
    """Return what a text is compared by, in order: the stems of its content words.

    These have more than two characters and are no English stop words; of scripts without spaces, and of
    Korean, pairs of neighbouring characters stand for them.
    """
    found: list[str] = []
    for run in _RUN.finditer(_normal(_normal(text).casefold()).translate(_SEPARATED)):
        found += _pairs(run[0].replace("'", "")) if run["spaceless"] else _terms_of(_word(run[0]))
    return found


@lru_cache(maxsize=1 << 15)
def _terms_of(word: str) -> tuple[str, ...]:
    """Return the terms of one word; ``l'architecture`` is compared by its parts."""
    if word in _STOP_WORDS:
        return ()
    if _HANGUL.match(word):
        return _pairs(word)
    parts = word.split("'")
    return tuple(stem(part) for part in parts if len(part) >= _SHORTEST_TERM and part not in _STOP_WORDS)


def stem(word: str) -> str:
    """Return what the inflected forms of an English word have in common: ``caches``, ``caching``: ``cach``.

    Other words stay as they are, but for an ending that looks like one of these.
    """
    if len(word) <= _SHORTEST_TERM or not word.isascii():
        return word
    return _without_final_vowel(_without_ending(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-2]
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_ending(word: str) -> str:
    for ending, shortest in (("ation", 4), ("ing", 3), ("ied", 3), ("ed", 3), ("ly", 4)):
        start = word.removesuffix(ending)
        if start != word and len(start) >= shortest and _VOWEL.search(start):
            if ending == "ied":
                return start + "i"
            doubled = len(start) > _SHORTEST_TERM and start[-1] == start[-2] and start[-1] not in "lsz"
            return start[:-1] if doubled else start
    return word


def _without_final_vowel(word: str) -> str:
    if len(word) <= _SHORTEST_TERM:
        return word
    if word.endswith("e"):
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and not _VOWEL.match(word[-2]) else word


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(first + second for first, second in pairwise(run)) or (run,)


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", _MARKS.sub(r"\1", text))


def _word(run: str) -> str:
    """Return the word in a run of letters, digits, marks and apostrophes; empty where there is none."""
    word = run.strip("'")
    return word if word.isascii() or any(map(str.isalnum, word)) else ""


class _Separated(dict[int, "str | None"]):
    """For `str.translate`: what is no part of a word becomes a space; looked up once for each character."""

    def __missing__(self, code: int) -> str | None:
        self[code] = kept = self._kept(chr(code))
        return kept

    @staticmethod
    def _kept(character: str) -> str | None:
        if character in _APOSTROPHES:
            return "'"
        category = unicodedata.category(character)
        if category == "Cf" or "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
            return None
        if character == "\u0640" or (category == "Mn" and "\u0591" <= character <= "\u06ff"):
            return None  # vowel points and the stretching stroke: written or not, it is the same word
        return character if category[0] in "LNM" else " "


_SEPARATED = _Separated()
