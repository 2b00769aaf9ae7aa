"""Rules of thumb: how a question is routed before there is enough to learn from."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from council_vault.learning.features import keywords_in
from council_vault.learning.words import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from council_vault.learning.routing import Action

SMALLEST_BUDGET = 0.03  # USD; no council costs less
SHORT_BELOW = 20
LONG_ABOVE = 100

_COMPARING = frozenset({"compare", "tradeoffs", "pros and cons"})
_DECIDING = frozenset({"should", "vs", "which is better", "best"})
_GAINING = frozenset({"architecture_decision", "strategy_business", "compliance_security"})

# The following look at the words of a question, with one space around each.
_COMPARED = re.compile(r"\S (?:vs|versus|compared (?:to|with)) \S")
_SECOND_CLAUSE = re.compile(
    r"\S (?:and|but|or) (?:\S+ ){0,2}?"  # "and how …", "but then is it …", but not "salt and pepper"
    r"(?:what|how|why|when|where|whether|who|whose|whom|which"
    r"|is|are|was|were|am|do|does|did|can|could|should|would|will|shall|may|might|must|has|have|had"
    r"|i|you|we|they|he|she|it"
    r"|compare|define|describe|draft|explain|give|list|name|show|suggest|summari[sz]e|tell|write)"
    r"(?:n't|'\w+)? "
)
_CHOOSING = re.compile(
    r" (?:should (?:i|we|one)|which (?:\S+ ){0,6}?(?:better|best)"
    r"|best (?:approach(?:es)?|choices?|methods?|options?|practices?|ways?)) "
)
# A question mark ends something: not "page?id=1". There is no space behind a wide one, and Greek asks with a
# semicolon.
_QUESTION = re.compile(
    r"[？︖][？！︖]*|[?؟՞፧⸮⁇⁈⁉‽][?!؟⁇⁈⁉]*(?=\W|\Z)|(?<=[\u0370-\u03ff\u1f00-\u1fff])\s?[;\u037e]"
)


class Thumb(NamedTuple):
    """What a rule of thumb says: what to do, how sure it is (0..1), and why, as half a sentence."""

    action: Action
    confidence: float
    why: str


class _Asked(NamedTuple):
    """A question: its text on one line, its words, its category and signal words, the budget in USD."""

    text: str
    words: str
    category: str
    signals: frozenset[str]
    budget: float | None


def rule_of_thumb(query: str, category: str, budget: float | None) -> Thumb:
    """Return what the first rule of thumb says that fits a question.

    Args:
        query: the question.
        category: its category, as `features.category_of` finds it.
        budget: USD for this deliberation, ``None`` where there is no limit.
    """
    asked = _Asked(
        text=" ".join(query.split()),
        words=f" {' '.join(words(query))} ",
        category=category,
        signals=frozenset(keywords_in(query)),
        budget=budget,
    )
    return next(thumb for fits, thumb in _RULES if fits(asked))


def extent(text: str) -> int:
    """Return how much a text says, in letters of an alphabet.

    An ideograph, a kana or a syllable of Hangul says as much as two letters, and is as wide: ten of them are
    a whole question. What only dresses another character, or cannot be seen, adds nothing.
    """
    return sum(
        2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
        if unicodedata.category(character) not in {"Mn", "Me", "Cf", "Cc"}
    )


def _is_over_budget(asked: _Asked) -> bool:
    return asked.budget is not None and asked.budget < SMALLEST_BUDGET


def _is_short(asked: _Asked) -> bool:
    return extent(asked.text) < SHORT_BELOW


def _is_one_fact(asked: _Asked) -> bool:
    if asked.category != "factual_lookup":
        return False
    return not _COMPARED.search(asked.words) and not _SECOND_CLAUSE.search(asked.words)


def _is_plain_code(asked: _Asked) -> bool:
    return asked.category == "code_implementation" and not asked.signals & _DECIDING


def _compares(asked: _Asked) -> bool:
    return bool(asked.signals & _COMPARING)


def _chooses(asked: _Asked) -> bool:
    return "which is better" in asked.signals or _CHOOSING.search(asked.words) is not None


def _asks_much(asked: _Asked) -> bool:
    return extent(asked.text) > LONG_ABOVE and len(_QUESTION.findall(asked.text)) > 1


def _gains_from_views(asked: _Asked) -> bool:
    return asked.category in _GAINING


def _is_creative(asked: _Asked) -> bool:
    return asked.category == "creative_writing"


def _is_anything(_asked: _Asked) -> bool:
    return True


_RULES: tuple[tuple[Callable[[_Asked], bool], Thumb], ...] = (
    (_is_over_budget, Thumb("single_model", 0.95, f"the budget is below ${SMALLEST_BUDGET}")),
    (_is_short, Thumb("single_model", 0.7, f"the question is shorter than {SHORT_BELOW} characters")),
    (_is_one_fact, Thumb("single_model", 0.75, "it asks for one fact")),
    (_is_plain_code, Thumb("single_model", 0.65, "it is about code, and there is nothing to decide")),
    (_compares, Thumb("deliberate", 0.9, "it compares, or weighs pros and cons")),
    (_chooses, Thumb("deliberate", 0.85, "it asks what is best, or what should be done")),
    (_asks_much, Thumb("deliberate", 0.8, "it is long and asks more than one question")),
    (
        _gains_from_views,
        Thumb("deliberate", 0.8, "architecture, strategy and compliance gain from several views"),
    ),
    (_is_creative, Thumb("deliberate", 0.7, "writing gains from several drafts")),
    (_is_anything, Thumb("deliberate", 0.5, "nothing speaks for a short answer")),
)
