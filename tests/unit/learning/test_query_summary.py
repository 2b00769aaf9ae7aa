"""The summary of a query: readable, short, and never the query."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from council_vault.learning.features import category_of, summary
from council_vault.learning.words import words

QUERY = "Compare microservices vs monolith for an early SaaS with three engineers"


def summarized(query: str, given_: str | None = None) -> str:
    return summary(query, category_of(query), given_)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (QUERY, "Architecture decision: microservices, monolith, engineers"),
        (
            "Should our team of 5 move from a Django monolith to microservices?",
            "Other: monolith, microservices",
        ),
        ("Explain quantum entanglement", "Factual lookup"),
        ("Kubernetes", "Other"),
        ("", "Other"),
        ("微服务和单体架构哪个更适合我们的团队？", "Other"),
        ("데이터베이스 인덱스를 어떻게 설계해야 하나요", "Other: 데이터베이스, 인덱스를"),
        ("क्या हमें अपनी टीम के लिए पोस्टग्रेस चुनना चाहिए", "Other: क्या, पोस्टग्रेस, चुनना, चाहिए"),
        (
            "Fix the key sk-live-4f9a8b7c6d5e, host db01.example.com and user admin",
            "Other: live, host, example, user, admin",
        ),
        (
            "architecture decision microservices kubernetes",
            "Architecture decision",
        ),
        (
            "Compliance security audit: penetration testing vendors",
            "Compliance security: penetration, testing, vendors",
        ),
    ],
)
def test_made_from_the_category_and_some_words(query: str, expected: str) -> None:
    assert summarized(query) == expected


@pytest.mark.parametrize(
    "given_",
    [
        "Compare microservices vs monolith for early SaaS",
        "Microservices or monolith",
        "RBAC for multi-tenant SaaS",
        "マイクロサービスとモノリスの比較",
        "early SaaS",
        "Compare microservices",
        "monolith for an early SaaS",
    ],
)
def test_the_callers_own_is_taken(given_: str) -> None:
    assert summarized(QUERY, given_) == given_


@pytest.mark.parametrize(
    "given_",
    [
        QUERY,
        QUERY.upper() + "?!",
        "\n".join(QUERY.split()),
        "".join(QUERY.split()),
        f"On {QUERY.title().replace(' ', '')}",
        "Compare micro\u00adservices vs. ＭＯＮＯＬＩＴＨ, for an early SaaS (with three engineers)",
        f"The user asks: “{QUERY}” and wants an answer",
        f"{'Some long words before it. ' * 5}{QUERY}",
        QUERY[:40] + "…",
        "Compare microservices vs mono",
        "microservices vs monolith for an early SaaS with",
        "",
        "   ",
        "\x00\n\ud800",
        None,
    ],
)
def test_a_summary_that_gives_the_query_away_is_not_taken(given_: str | None) -> None:
    assert summarized(QUERY, given_) == "Architecture decision: microservices, monolith, engineers"


@pytest.mark.parametrize(
    ("query", "given_", "expected"),
    [
        ("RBAC", "RBAC", "Other"),
        ("rbac design", "RBAC, design!", "Architecture decision"),
        ("RBAC", "RBAC for multi-tenant SaaS", "RBAC for multi-tenant SaaS"),
        ("什么是递归", "什么是递归？", "Other"),
        ("什么是递归", "问题：什么是递归", "Other"),
        ("什么是递归", "递归的定义", "递归的定义"),
        ("🍎 🍌 🍒", "Which of 🍎 🍌 🍒", "Other"),
        ("🍎 🍌 🍒", "Fruit", "Fruit"),
        ("!", "?", "Other"),
    ],
)
def test_short_queries_and_other_scripts(query: str, given_: str, expected: str) -> None:
    assert summarized(query, given_) == expected


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("one line\r\nand\tanother\u2028\x07end", "one line and another end"),
        ("half \ud83d a pair", "half a pair"),
        ("w" * 79, "w" * 79),
        ("w" * 80, "w" * 78 + "…"),
        ("word " * 17, ("word " * 15).strip() + "…"),
        (
            "A summary that goes on and on, with commas in it, until it is cut off after, one then more",
            "A summary that goes on and on, with commas in it, until it is cut off after…",
        ),
        ("微" * 100, "微" * 78 + "…"),
        ("e\u0301" * 100, "e\u0301" * 39 + "…"),
        ("x" + "👨‍👩‍👧" * 40, "x" + "👨‍👩‍👧" * 15 + "…"),
        ("a" + "\u0301" * 200, "a" + "\u0301" * 77 + "…"),
        ("Short " + "w" * 100, "Short " + "w" * 72 + "…"),
    ],
)
def test_cut_below_eighty_characters(given_: str, expected: str) -> None:
    assert summarized(QUERY, given_) == expected
    assert len(expected) < 80


SOME_WORDS = """
compare design architecture decision other compliance security microservices monolith engineers team a b what
is the best c++ don't l'eau 微服务 体 สวัสดี हिन्दी 🍎 -- … NIST kubernetes db01 should
"""
QUERIES = st.lists(st.sampled_from(SOME_WORDS.split()), min_size=3, max_size=30).map(" ".join) | st.text(
    min_size=5, max_size=120
)


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


@settings(max_examples=100, deadline=None)
@given(QUERIES, QUERIES)
@example("a b c", "alpha b cat")
@example("c++ -- rust", "C++ -- Rust!")
def test_the_query_is_never_in_it(query: str, other: str) -> None:
    part = query[: len(query) * 3 // 4]
    for given_ in (
        None,
        query,
        query.upper(),
        f"Asked: {query}",
        part,
        f"{query} {query}",
        other,
        other + query,
    ):
        found = summarized(query, given_)
        assert 0 < len(found) < 80
        if len(query.split()) >= 3:
            assert plain(query) not in plain(found)
        if len(words(query)) >= 3:
            assert " ".join(words(query)) not in " ".join(words(found))


@settings(max_examples=100, deadline=None)
@given(QUERIES)
def test_at_most_half_of_the_words_are_told(query: str) -> None:
    _, _, told = summarized(query).partition(": ")
    content = {word for word in words(query) if len(word) > 2}
    assert len(told.split(", ")) <= max(1, len(content) / 2)


def test_a_query_of_a_hundred_thousand_characters() -> None:
    query = "Should we " + "rewrite everything in Rust or not, " * 2_900
    assert summarized(query, query) == "Other"
    assert summarized(query, "Rewrite in Rust?") == "Rewrite in Rust?"
