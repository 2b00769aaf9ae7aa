"""What is kept of a query: a hash, its category and signal words, a summary. Never the query itself."""

from __future__ import annotations

import hashlib
import re

from council_vault.learning.words import spelled, terms, words
from council_vault.memory.schema import QueryFeatures

OTHER = "other"
_LONGEST_SUMMARY = 79  # characters: below 80
_SENTENCE = 3  # words from which on a query says something that must not be kept
_FEWEST_CONTENT_WORDS = 4  # in a query of which some can be told
_MOST_CONTENT_WORDS = 5
_LONGEST_WORD = 24  # longer ones are keys, addresses or names of files

# Signal word as it is kept: the words of a text that stand for it, hyphens and other signs being spaces.
_SIGNALS = {
    "architecture_decision": {
        "compare": r"compar(?:e|es|ed|ing|ison|isons)",
        "tradeoffs": r"trade ?offs?",
        "pros and cons": r"pros (?:and |n |or |vs |versus )?cons",
        "architecture": r"architectur(?:e|es|al|ally)",
        "design": r"design(?:s|ed|ing)?",
    },
    "compliance_security": {
        "compliance": r"complian(?:ce|t)|compl(?:y|ies|ied|ying)",
        "security": r"security|secur(?:e|es|ed|ing|ely)",
        "STIG": r"stigs?",
        "CMMC": r"cmmc",
        "NIST": r"nist",
        "audit": r"audit(?:s|ed|ing)?",
    },
    "code_implementation": {
        "code": r"cod(?:e|es|ed|ing)",
        "implement": r"implement(?:s|ed|ing|ation|ations)?",
        "function": r"function(?:s|ed|ing)?",
        "bug": r"bugs?|buggy",
        "error": r"errors?",
        "debug": r"debug(?:s|ged|ging)?",
    },
    "strategy_business": {
        "strategy": r"strateg(?:y|ies|ic|ically)",
        "business": r"business(?:es)?",
        "market": r"market(?:s|ed|ing)?",
        "pricing": r"pricing",
        "growth": r"growth",
    },
    "creative_writing": {
        "write": r"writ(?:e|es|ing|ten)|wrote",
        "draft": r"draft(?:s|ed|ing)?",
        "creative": r"creativ(?:e|es|ely|ity)",
        "blog": r"blog(?:s|ged|ging)?",
        "content": r"contents?",
    },
    "factual_lookup": {
        "what is": r"what(?:'?s| is| are| was| were)",
        "define": r"defin(?:e|es|ed|ing|ition|itions)",
        "how does": r"how (?:does|do|did)",
        "explain": r"expla(?:in|ins|ined|ining|nation|nations)",
    },
}
_DECISIONS = {
    "should": r"should",
    "vs": r"vs|versus",
    "which is better": r"which (?:\S+ ){0,3}?(?:is|are|would be) better",
    "best": r"best",
}


def _pattern(forms: str) -> re.Pattern[str]:
    return re.compile(f" (?:{forms}) ")


_CATEGORIES = {
    category: {signal: _pattern(forms) for signal, forms in signals.items()}
    for category, signals in _SIGNALS.items()
}
_DECISION_WORDS = {signal: _pattern(forms) for signal, forms in _DECISIONS.items()}


def query_hash(query: str) -> str:
    """Return the first 8 hexadecimal digits of the SHA-256 of the exact query in UTF-8."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def category_of(query: str) -> str:
    """Return a query's category: the first in the spec's order of which a signal word is found."""
    text = _spaced(query)
    return next(
        (
            category
            for category, signals in _CATEGORIES.items()
            if any(pattern.search(text) for pattern in signals.values())
        ),
        OTHER,
    )


def keywords_in(query: str) -> tuple[str, ...]:
    """Return the signal words of all categories that are found in a query, then its decision words.

    Each once, in its basic form and in the spec's order, whatever the query's. Where the query is hardly
    more than its signal words, so many are left out at the end that they do not say the query.
    """
    text = _spaced(query)
    patterns = [*(item for signals in _CATEGORIES.values() for item in signals.items())]
    found = [signal for signal, pattern in (*patterns, *_DECISION_WORDS.items()) if pattern.search(text)]
    while found and _is_sentence(query) and text in _spaced(" ".join(found)):
        found.pop()
    return tuple(found)


def query_features(query: str, protocol: str | None) -> QueryFeatures:
    """Return what is kept of a query beside its hash and summary; the length in characters."""
    return QueryFeatures(
        length=len(query),
        category=category_of(query),
        keywords=keywords_in(query),
        protocol_used=protocol,
    )


def summary(query: str, category: str, given: str | None) -> str:
    """Return a summary of below 80 characters that does not give the query away.

    Args:
        query: the whole query.
        category: its category, as `category_of` gives it.
        given: the caller's summary, which is taken unless it is the query or a good part of it. Else the
            summary is made from the category and at most half of the query's content words.
    """
    short = _cut(" ".join(_PLAIN.sub(" ", given or "").split()))
    if short and not (_gives_away(given or "", query) or _gives_away(short, query)):
        return short
    return _made(query, category)


_PLAIN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


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
    """Return the longest content words of a query, at most half of them, in its order, as it writes them."""
    content: dict[str, str] = {}
    signals = set(words(" ".join(keywords_in(query))))
    for word in spelled(query):
        if terms(word):
            content.setdefault(word.casefold(), word)
    if len(content) < _FEWEST_CONTENT_WORDS:
        return []
    plain = [
        word
        for folded, word in content.items()
        if folded.isalpha() and len(folded) <= _LONGEST_WORD and folded not in signals
    ]
    longest = sorted(plain, key=len, reverse=True)[: min(len(content) // 2, _MOST_CONTENT_WORDS)]
    return [word for word in plain if word in longest]


def _gives_away(text: str, query: str) -> bool:
    asked, told = words(query), words(text)
    if asked == told:
        return True
    if len(asked) < _SENTENCE:
        return False
    return f" {' '.join(asked)} " in f" {' '.join(told)} "


def _is_sentence(query: str) -> bool:
    return len(words(query)) >= _SENTENCE


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_SUMMARY:
        return text
    return text[: _LONGEST_SUMMARY - 1].rpartition(" ")[0] + "…"
