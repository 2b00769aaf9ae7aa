"""Texts of many lines, as paragraphs and lists of a note."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.notes.paragraphs import is_same, items, paragraphs, points, prose
from support.gfm import blocks, inline_types


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("One\ntwo\n\nthree", "One two\n\nthree"),
        ("a\r\n\r\nb\u2028c", "a\n\nb c"),
        ("Why:\n- one\n  more\n* two\n\nThen", "Why:\n\n- one more\n- two\n\nThen"),
        ("1. one\n2) two\n- three", "1. one\n2. two\n\n- three"),
        ("- a\n\n- b", "- a\n- b"),
        ("- [ ] a\n- [x] b", "- a\n- b"),
        ("## Why\nbecause", "**Why**\n\nbecause"),
        ("a\n# b\nc", "a\n\n**b**\n\nc"),
        ("a\n> q\nb", "a\n\nq\n\nb"),
        ("a\n```py\nb\n```\nc", "a\n\npy\n\nb\n\nc"),
        ("a\n---\nb", "a\n\nb"),
        ("| a | b |\n|---|---|", "\\| a \\| b \\|\n\n\\|---\\|---\\|"),
        ("- - a", "- a"),
        ("- # a", "- a"),
        ("-", "\\-"),
        ("2026. A year", "2026. A year"),
        ("", ""),
        ("\n \n%%\n", "%&#37;"),
    ],
)
def test_paragraphs_and_lists_stay(text, markdown):
    assert paragraphs(text) == markdown


def test_one_text_is_prose_and_several_are_a_list():
    assert prose(("a\n\nb",)) == "a\n\nb"
    assert prose(("a\n\nb", "", "c")) == "- a b\n- c"
    assert points(("a",)) == "- a"
    assert points(("a\n- b",)) == "a\n\n- b"
    assert points(("a", "b\nc")) == "- a\n- b c"
    assert items(()) == ""


def test_texts_that_say_the_same():
    assert is_same(" **Buy**  now?", "buy now?")
    assert not is_same("Buy now?", "Buy now")


def test_a_paragraph_is_cut_where_nobody_reads_on():
    assert len(paragraphs("word " * 10_000)) <= 5_000
    assert paragraphs("x\n\n" + "y" * 20_000 + "\n\nz").endswith("…\n\nz")


LIVE = [
    "[[x]]", "![[x]]", "%%", "a:: b", "#tag", "^id", "<b>", "<%", "`", "$x$", "\u202e", "\x00",
    "\ud800", "==x==", "| a |", "- ", "1. ", "# ", "> ", "```", "---", "\n", "\n\n", "word",
    "~~x~~", "[^1]", "https://x.y",
]  # fmt: skip


@given(st.lists(st.sampled_from(LIVE), max_size=12).map("".join))
@settings(max_examples=300, deadline=None)
def test_nothing_in_it_is_live(text):
    markdown = paragraphs(text)
    for sign in ("[[", "%%", "::", "<%", "<b", "`", "\u202e", "\x00", "\ud800", "=="):
        assert sign not in markdown
    assert not re.search(r"(?<!\\)\$|(?<![\\&])#(?=[^\W\d])|\^\w|(?<!\\)\[", markdown)
    assert set(blocks(markdown)) <= {
        "paragraph_open", "paragraph_close", "inline", "bullet_list_open", "bullet_list_close",
        "ordered_list_open", "ordered_list_close", "list_item_open", "list_item_close",
    }  # fmt: skip
    assert inline_types(markdown) <= {
        "text",
        "softbreak",
        "text_special",
        "strong_open",
        "strong_close",
        "entity",
    }
