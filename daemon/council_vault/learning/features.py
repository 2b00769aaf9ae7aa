"""What is kept of a query: a hash, its category and signal words, a summary. Never the query itself."""

from __future__ import annotations

import hashlib
import re

from council_vault.learning.words import content_words, words
from council_vault.memory.schema import QueryFeatures

OTHER = "other"

_LONGEST_SUMMARY = 79  # characters
_SHORTEST_CUT = 40  # a summary is rather cut inside a word than shorter than this
_TELLING = 3  # words from which on a query says something that must not be kept
_FEWEST_CONTENT_WORDS = 4  # in a query of which some can be told
_MOST_TOLD = 5
_LONGEST_WORD = 24  # longer ones are keys, names of files or addresses
_UNSUITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def _signals(**forms: str) -> dict[str, re.Pattern[str]]:
    """Return what finds each signal word in words with spaces around them; ``_`` stands for a space."""
    return {signal.replace("_", " "): re.compile(f" (?:{form})(?:'s)? ") for signal, form in forms.items()}


# In the order of the spec, which is the order of precedence. Hyphens and other signs are spaces here.
_CATEGORIES = {
    "architecture_decision": _signals(
        compare=r"compar(?:e|es|ed|ing|ison|isons)",
        tradeoffs=r"trade ?offs?",
        pros_and_cons=r"pros (?:and |n |or |vs |versus )?cons",
        architecture=r"architectur(?:e|es|al|ally)",
        design=r"design(?:s|ed|ing)?",
    ),
    "compliance_security": _signals(
        compliance=r"complian(?:ce|t)|compl(?:y|ies|ied|ying)",
        security=r"security|secur(?:e|es|ed|ing|ely)",
        STIG=r"stigs?",
        CMMC=r"cmmc",
        NIST=r"nist",
        audit=r"audit(?:s|ed|ing)?",
    ),
    "code_implementation": _signals(
        code=r"cod(?:e|es|ed|ing)",
        implement=r"implement(?:s|ed|ing|ation|ations)?",
        function=r"function(?:s|ed|ing)?",
        bug=r"bugs?|buggy",
        error=r"errors?",
        debug=r"debug(?:s|ged|ging)?",
    ),
    "strategy_business": _signals(
        strategy=r"strateg(?:y|ies|ic|ically)",
        business=r"business(?:es)?",
        market=r"market(?:s|ed|ing)?",
        pricing=r"pricing",
        growth=r"growth",
    ),
    "creative_writing": _signals(
        write=r"writ(?:e|es|ing|ten)|wrote",
        draft=r"draft(?:s|ed|ing)?",
        creative=r"creativ(?:e|es|ely|ity)",
        blog=r"blog(?:s|ged|ging)?",
        content=r"contents?",
    ),
    "factual_lookup": _signals(
        what_is=r"what'?s|what (?:is|are|was|were)",
        define=r"defin(?:e|es|ed|ing|ition|itions)",
        how_does=r"how (?:does|do|did)",
        explain=r"expla(?:in|ins|ined|ining|nation|nations)",
    ),
}
_DECISION_WORDS = _signals(
    should=r"should",
    vs=r"vs|versus",
    which_is_better=r"which (?:\S+ ){0,3}?(?:is|are|would be) better",
    best=r"best",
)


def query_hash(query: str) -> str:
    """Return the first 8 hexadecimal digits of the SHA-256 of the exact query in UTF-8."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def category_of(query: str) -> str:
    """Return a query's category: the first in the spec's order of which a signal word is found."""
    text = _spaced(words(query))
    for category, signals in _CATEGORIES.items():
        if any(signal.search(text) for signal in signals.values()):
            return category
    return OTHER


def keywords_in(query: str) -> tuple[str, ...]:
    """Return the signal words of all categories that are found in a query, then its decision words.

    Each once, in its basic form and in the spec's order, whatever the query's. Where a query says nothing
    else, the last ones are left out, so that they do not say it too.
    """
    asked = words(query)
    text = _spaced(asked)
    found = [name for signals in _ALL_SIGNALS for name, signal in signals.items() if signal.search(text)]
    while found and len(asked) >= _TELLING and text in _spaced(words(" ".join(found))):
        found.pop()
    return tuple(found)


def query_features(query: str, protocol: str | None) -> QueryFeatures:
    """Return what is kept of a query beside its hash and summary; its length is in characters."""
    return QueryFeatures(
        length=len(query),
        category=category_of(query),
        keywords=keywords_in(query),
        protocol_used=protocol,
    )


def summary(query: str, category: str, given: str | None) -> str:
    """Return a summary of below 80 characters, on one line, that does not give the query away.

    Args:
        query: the whole query.
        category: its category, as `category_of` gives it.
        given: the caller's summary. It is taken unless it is the query, holds it, or is its beginning or a
            good part of it; else one is made from the category and at most half of the query's content words.
    """
    line = " ".join(_UNSUITABLE.sub(" ", given or "").split())
    short = _cut(line)
    if short and not _gives_away(line, query) and not _gives_away(short, query):
        return short
    return _made(query, category)


def _made(query: str, category: str) -> str:
    name = category.replace("_", " ").capitalize()
    told = _told(query)
    while told:
        made = f"{name}: {', '.join(told)}"
        if len(made) <= _LONGEST_SUMMARY and not _gives_away(made, query):
            return made
        told.pop()
    return name


def _told(query: str) -> list[str]:
    """Return the longest content words of a query, at most half of them, in its order.

    Signal words are told by the category; words with digits, and very long ones, can be secrets.
    """
    content: dict[str, str] = {}
    for word in content_words(query):
        content.setdefault(word.casefold(), word)
    if len(content) < _FEWEST_CONTENT_WORDS:
        return []
    plain = [
        word
        for word in content.values()
        if len(word) <= _LONGEST_WORD and not any(map(str.isdigit, word)) and not _is_signal(word)
    ]
    longest = sorted(plain, key=len, reverse=True)[: min(len(content) // 2, _MOST_TOLD)]
    return [word for word in plain if word in longest]


def _is_signal(word: str) -> bool:
    return any(
        signal.fullmatch(f" {word.casefold()} ") for signals in _ALL_SIGNALS for signal in signals.values()
    )


def _gives_away(text: str, query: str) -> bool:
    """Return whether a text is a query, holds it, or is its beginning or more than half of it in one piece.

    Case, punctuation and spaces make no difference. Queries of one or two words can be named by any text.
    """
    asked, told = words(query), words(text)
    if asked == told or (len(query.split()) >= _TELLING and _plain(query) in _plain(text)):
        return True
    if len(asked) < _TELLING:
        return False
    if "".join(asked) in "".join(told):  # also where the words are run together
        return True
    question, said = " ".join(asked), " ".join(told)
    piece = len(told) >= _TELLING and said in question
    return piece and (question.startswith(said) or 2 * len(told) > len(asked))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _cut(text: str) -> str:
    """Return the text below 80 characters, cut between words, or else between graphemes, with ``…``."""
    if len(text) <= _LONGEST_SUMMARY:
        return text
    kept = text[:_LONGEST_SUMMARY].rpartition(" ")[0]
    if len(kept) < _SHORTEST_CUT:
        kept = _graphemes(text, _LONGEST_SUMMARY - 1)
    return kept.rstrip(" ,;:-–—") + "…"


def _graphemes(text: str, limit: int) -> str:
    """Return the whole graphemes among the first ``limit`` characters."""
    if text.isascii():
        return text[:limit]
    import regex  # noqa: PLC0415 - few summaries are long, not ASCII and without spaces

    ends = (grapheme.end() for grapheme in regex.finditer(r"\X", text[: 2 * limit]))
    return text[: max((end for end in ends if end <= limit), default=limit)]


def _spaced(found: list[str]) -> str:
    return f" {' '.join(found)} "


_ALL_SIGNALS = (*_CATEGORIES.values(), _DECISION_WORDS)
