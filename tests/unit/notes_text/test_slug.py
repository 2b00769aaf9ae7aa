"""Slugs: any text as a part of a file name."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.notes.slug import slug
from council_vault.vault.conflict_copies import is_conflict_copy
from council_vault.vault.names import problem_with


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Should we use 3x leverage on BTC now?", "should-we-use-3x-leverage-on-btc-now"),
        ("  Ship\tit —\nor  not?! ", "ship-it-or-not"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:/Windows", "c-windows"),
        ("CON", "con"),
        ("don't", "don-t"),
        ("3.5 or 35", "3-5-or-35"),
        ("ﬁne", "fine"),
        ("e\u0301te\u0301", "été"),
        ("Straße", "strasse"),
        ("ＡＢＣ ①", "abc-1"),
        ("1\ufe0f", "1"),
        ("หรือไม่ควรลงทุน", "หรือไม่ควรลงทุน"),
        ("天空是什么颜色的？", "天空是什么颜色的"),
        ("هل نستثمر؟", "هل-نستثمر"),
        ("\u202ehidden\u202c\u200b", "hidden"),
        ("note.sync-conflict-20260101 (conflicted copy)", "note-sync-conflict-20260101-conflicted-copy"),
    ],
)
def test_words_with_hyphens_between_them(text, expected):
    assert slug(text) == expected


@pytest.mark.parametrize("text", ["", "?!...", "..", "😀" * 300, "\u0301", "❤️", "\ud800", "---", "#"])
def test_without_words_a_digest_stands_for_them(text):
    assert re.fullmatch("[0-9a-f]{8}", slug(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C#"),
        ("C++", "C"),
        ("$100 or 100%", "100 or 100"),
        ("Buy 🍎?", "Buy 🍊?"),
        ("😀" * 300, "😀" * 301),
        ("word " * 2000, "word " * 2001),
        ("x" * 10_000, "x" * 10_001),
        ("a\0b", "a b"),
        ("?", "!"),
    ],
)
def test_what_is_lost_keeps_texts_apart(one, other):
    assert slug(one) != slug(other)


@pytest.mark.parametrize("other", ["buy  NOW", "Buy, now!", "(buy) now…", "buy/now"])
def test_the_same_words_are_one(other):
    assert slug(other) == slug("Buy now?")


def test_a_long_text_is_cut_between_words():
    assert re.fullmatch(r"(word-)+[0-9a-f]{8}", slug("word " * 2000))
    assert re.fullmatch(r"x{60}-[0-9a-f]{8}", slug("x" * 10_000))
    assert re.fullmatch(r"short-x{54}-[0-9a-f]{8}", slug("short " + "x" * 10_000))
    assert re.fullmatch(r"天{40}-[0-9a-f]{8}", slug("天" * 300)), "which is 120 bytes"


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_a_slug_fits_every_file_system_and_link(text):
    made = slug(text)
    assert made
    assert len(made.encode()) <= 129
    assert not any(sign in made for sign in '\\/:*?"<>|#^[]`() .\n')
    assert {unicodedata.category(sign)[0] for sign in made} <= {"L", "M", "N", "P"}
    assert made.strip("-") == made
    assert "--" not in made
    assert unicodedata.normalize("NFC", made) == made
    name = f"council-brief-{made}-2026-03-28.md"
    assert problem_with(name) is None
    assert not is_conflict_copy(name)
    assert slug(made) == made or len(made) > 60
