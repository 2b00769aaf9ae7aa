"""The ground of a directive, and finding those on the same one."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.briefing.ground import ground, is_same, jaccard, telling_words

pieces = st.sampled_from(
    [
        *("should", "would", "what", "the", "they", "we", "is", "it's", "don't", "why"),
        *(
            "cache",
            "caches",
            "caching",
            "cached",
            "l'architecture",
            "btc",
            "BTC",
            "cash-flow",
            "2026",
            "Straße",
        ),
        *("ที่", "ควร", "เพิ่มเลเวอเรจ", "ไหม", "增加杠杆", "杠杆", "的", "日本", "레버리지를", "전망", "가"),
    ]
)
directives = st.lists(pieces, max_size=7).map(" ".join)


@pytest.mark.parametrize(
    ("directive", "expected"),
    [
        ("Should we raise the leverage?", {"should", "raise", "the", "leverage"}),
        ("To be or not", {"not"}),
        ("is AI ok", set()),
        ("", set()),
        ("cash-flow, don't", {"cash", "flow", "don't"}),
        ("增加杠杆", {"增加", "加杠", "杠杆"}),
        ("Should I buy 比特币 now", {"should", "buy", "now", "比特", "特币"}),
        ("Bitcoin 比", {"bitcoin", "比"}),
        ("ที่", {"ที", "ี่"}),
    ],
)
def test_ground(directive, expected):
    assert ground(directive) == expected


def test_a_letter_with_its_marks_is_no_long_word():
    assert not is_same(ground("ที่บ้าน"), ground("ที่ทำงาน"))
    assert is_same(ground("ควรเพิ่มเลเวอเรจไหม"), ground("ควรเพิ่มเลเวอเรจ"))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("abc", "abc", 1.0), ("abcd", "abce", 0.6), ("ab", "cd", 0.0), ("", "", 0.0), ("a", "", 0.0)],
)
def test_jaccard(first, second, expected):
    assert jaccard(frozenset(first), frozenset(second)) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("abcd", "abce", True), ("abcdef", "abcxyz", False), ("abc", "abcde", True), ("abc", "abcdef", False)],
)
def test_the_same_from_six_tenths_on(first, second, expected):
    assert is_same(frozenset(first), frozenset(second)) is expected


class TestTellingWords:
    @settings(max_examples=400, deadline=None)
    @given(st.lists(directives, min_size=1, max_size=12))
    def test_every_session_on_the_same_ground_has_one(self, drawn):
        grounds = [ground(directive) for directive in drawn]
        counts = Counter(word for one in grounds for word in one)

        def rarest_first(words):
            return sorted((word for word in words if word in counts), key=lambda word: (counts[word], word))

        for own in grounds:
            telling = telling_words(own, rarest_first)
            for other in grounds:
                if is_same(own, other):
                    assert other & set(telling)

    def test_they_are_few_and_rare(self):
        own = frozenset(f"word{n}" for n in range(10))

        assert telling_words(own, sorted) == ["word0", "word1", "word2", "word3", "word4"]

    def test_nothing_is_looked_for_where_too_few_words_are_known(self):
        own = frozenset(f"word{n}" for n in range(10))

        assert telling_words(own, lambda words: sorted(words)[:5]) == []
        assert telling_words(own, lambda words: sorted(words)[:6]) == ["word0"]

    def test_nor_for_no_ground(self):
        assert telling_words(frozenset(), sorted) == []
