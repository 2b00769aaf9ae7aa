"""Lines of prose: any text, with nothing live in it and no structure of its own."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from council_vault.notes.prose import LONGEST_LINE, line, property_text

NASTY = "a [[b]] ![[c]] %%d%% e::f #tag <% g %> <b>h</b> `i` $j$ $k$ ^l {{date}} | m"
SIGNS = r"[[ ]] %% :: <% %> ` $ # - + * 1. 2) > | --- === {{ }} [ ] ! _ ~ ^ \ & council-vault:begin"
PIECES = st.lists(
    st.one_of(
        st.sampled_from(SIGNS.split()), st.sampled_from(["\n", "word", "é", "天"]), st.text(max_size=4)
    ),
    max_size=12,
).map(" ".join)


def test_a_line_shows_its_text():
    assert line("Phase in, keep a hedge (cs_b1, 100% right)") == "Phase in, keep a hedge (cs_b1, 100% right)"
    assert line("⚠ a long id: cs_0123456789abcdef0123456789") == "⚠ a long id: cs_0123456789abcdef0123456789"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. first", "1\\. first"),
        ("3) third", "3\\) third"),
        ("2026. Then", "2026\\. Then"),
        ("- - x", "\\- x"),
        ("3.5 percent", "3.5 percent"),
        ("-5 percent", "-5 percent"),
        ("", ""),
    ],
)
def test_a_line_is_no_list(text, expected):
    assert line(text) == expected


def test_a_line_is_cut_at_its_limit():
    assert line("x" * 1000) == "x" * (LONGEST_LINE - 1) + "…"
    assert line("some words", 6) == "some…"


def test_nothing_in_it_is_live():
    made = line(NASTY)
    for sign in ("[[", "%%", "::", "#tag", "<%", "<b>", "^l"):
        assert sign not in made
    assert not re.search(r"(?<!\\)[`$|]", made)


@given(PIECES)
@example("` >")
@example("`# x")
@example("`---")
@settings(max_examples=300, deadline=None)
def test_a_list_item_holds_one_paragraph_of_plain_text(text):
    tokens = MarkdownIt("commonmark").enable("table").parse(f"- {line(text)}\n")
    kinds = [token.type for token in tokens]
    assert kinds.count("list_item_open") == 1
    assert set(kinds) <= {
        "bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close",
        "list_item_close", "bullet_list_close",
    }  # fmt: skip
    for token in tokens:
        assert {child.type for child in token.children or ()} <= {"text", "text_special"}


@given(PIECES)
@settings(max_examples=300, deadline=None)
def test_the_raw_text_holds_nothing_live_either(text):
    made = line(text)
    assert "\n" not in made
    for sign in ("[[", "%%", "::", "<"):
        assert sign not in made
    assert "council-vault:begin" not in made


@given(PIECES)
@settings(max_examples=300, deadline=None)
def test_a_property_holds_nothing_live_either(text):
    made = property_text(text)
    for sign in ("[[", "%%", "::", "<%", "{{", "`", "\n"):
        assert sign not in made


def test_a_property_reads_as_it_was():
    assert (
        property_text("Council Brief: 100% of [a] or {b}: c < d?")
        == "Council Brief: 100% of [a] or {b}: c < d?"
    )
    assert property_text(NASTY) == "a b c % %d% % e: :f #tag < % g %> <b>h</b> i $j$ $k$ ^l { {date}} | m"
