"""What is kept of a query: hash, category, signal words."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning.features import category_of, keywords_in, query_features, query_hash
from council_vault.learning.words import words

CATEGORIES = {
    "architecture_decision": [
        "Compare Kafka and RabbitMQ",
        "It compares poorly",
        "Kafka compared with RabbitMQ",
        "comparing the two",
        "A comparison of queues",
        "The trade-off here",
        "tradeoffs, please",
        "Trade offs of caching",
        "TRADE\u2010OFFS",
        "Pros and cons of tabs",
        "pros & cons",
        "pros/cons?",
        "What is the best architecture?",
        "Architectural styles",
        "the architecture's limits",
        "Design a queue",
        "designing, designed, designs",
        "re-design it",
        "Should the security architecture cover audit?",
    ],
    "compliance_security": [
        "GDPR compliance",
        "Is this compliant?",
        "We must comply",
        "Security of tokens",
        "How do I secure a server?",
        "which STIGs apply",
        "cmmc level 2",
        "NIST 800-53",
        "They audited the code",
    ],
    "code_implementation": [
        "Code review",
        "coding style",
        "How do I implement a heap?",
        "The implementation",
        "a function that sorts",
        "Fix these bugs",
        "error 500",
        "Debugging in production",
        "Write code for a blog",
    ],
    "strategy_business": [
        "Our strategy",
        "strategic goals",
        "businesses like ours",
        "enter the market",
        "Marketing on a budget",
        "pricing tiers",
        "growth next year",
        "Write about growth",
    ],
    "creative_writing": [
        "Write a poem",
        "writing about the sea",
        "Who wrote Faust?",
        "Draft a letter",
        "something creative",
        "a blog post",
        "content for a page",
    ],
    "factual_lookup": [
        "What is a monad?",
        "what's a monad",
        "What’s a monad",
        "What are monads",
        "Define entropy",
        "Definition of entropy",
        "How does TCP work?",
        "How do birds fly",
        "Explain TLS",
        "an explanation",
        "¿Qué es TLS? Explain.",
    ],
    "other": [
        "",
        "   ",
        "Designate a driver for the designer",
        "incomparable",
        "A trader offsets",
        "securities",
        "codex and codec",
        "functional",
        "terror",
        "supermarket",
        "marketplace",
        "typewriter",
        "malcontent",
        "undefined",
        "what a day, how strange",
        "price of bread",
        "Welche Datenbank?",
        "微服务还是单体？",
        "\ud800",
    ],
}


@pytest.mark.parametrize(
    ("query", "category"),
    [(query, category) for category, queries in CATEGORIES.items() for query in queries],
)
def test_category(query: str, category: str) -> None:
    assert category_of(query) == category
    assert category_of(query.upper()) == category


@pytest.mark.parametrize(
    ("query", "keywords"),
    [
        ("Compare the tradeoffs of both, and compare again", ("compare", "tradeoffs")),
        ("Should we use Go vs. Rust?", ("should", "vs")),
        ("Go versus Rust for us", ("vs",)),
        ("Which is better for a team, tabs or spaces?", ("which is better",)),
        ("Which of the two would be better now?", ("which is better",)),
        ("What's the best NIST and STIG audit?", ("STIG", "NIST", "audit", "what is", "best")),
        ("Explain how TLS does it", ("explain",)),
        ("Bestow it upon us, shoulder it", ()),
        ("", ()),
    ],
)
def test_keywords_are_in_their_basic_form_and_in_the_specs_order(
    query: str, keywords: tuple[str, ...]
) -> None:
    assert keywords_in(query) == keywords


@pytest.mark.parametrize(
    ("query", "keywords"),
    [
        ("Pros and cons?", ()),
        ("Which is better?", ()),
        ("Compare: pros and cons", ("compare",)),
        ("compare tradeoffs design", ("compare", "tradeoffs")),
        ("Compare design tradeoffs", ("compare", "tradeoffs", "design")),
        ("Compare!", ("compare",)),
        ("security audit", ("security", "audit")),
    ],
)
def test_keywords_do_not_say_the_query(query: str, keywords: tuple[str, ...]) -> None:
    assert keywords_in(query) == keywords


SIGNALS = """
compare tradeoffs design code error strategy write define explain should vs versus best what is how does pros
and cons which better STIG kafka a
"""


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(SIGNALS.split()), min_size=3, max_size=8).map(" ".join))
def test_a_query_stands_in_no_keywords(query: str) -> None:
    keywords = keywords_in(query)
    asked = " ".join(words(query))
    assert asked not in " ".join(keywords).casefold()
    assert all(asked not in keyword.casefold() for keyword in keywords)


def test_hash_is_of_the_exact_query() -> None:
    assert query_hash("abc") == "ba7816bf"  # the standard's own example
    assert query_hash("Abc") != query_hash("abc")
    assert query_hash("é") != query_hash("e\u0301")
    assert query_hash("\ud83d") == hashlib.sha256(b"\xed\xa0\xbd").hexdigest()[:8]


def test_features_of_a_query() -> None:
    features = query_features("Compare microservices vs monolith for an early SaaS!", "voting")
    assert features.length == 52
    assert features.category == "architecture_decision"
    assert features.keywords == ("compare", "vs")
    assert features.protocol_used == "voting"


def test_features_of_an_endless_query() -> None:
    features = query_features("which is " * 20_000, None)
    assert (features.length, features.category, features.keywords) == (180_000, "other", ())
