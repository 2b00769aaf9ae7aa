from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from council_vault.notes.cell_text import cell_text, cut, escape, is_empty_cell, plain, undecorated
from support.gfm import inline_types, table_rows

MARKS = st.text(alphabet="ab1 |\\`*_~=[]()<>!#$%&;:^{}-+.\"'@/x–\n\tü", max_size=60)
ANYTHING = st.one_of(
    MARKS,
    st.text(max_size=120),
    st.lists(
        st.sampled_from(
            [
                "[[",
                "]]",
                "![[",
                "%%",
                "::",
                "#tag",
                " ^block",
                "<b>",
                "<%",
                "%>",
                "`",
                "```",
                "$x$",
                "\\",
                "|",
                "\\|",
                "&lt;",
                "&#37;",
                "**",
                "__",
                "==",
                "~~",
                "word",
                " ",
                "[a](b)",
                "council-vault:begin",
                "https://x.y",
                "- ",
                "> ",
            ]
        ),
        max_size=25,
    ).map("".join),
)


def in_row(cell: str) -> str:
    return f"| a | b | c |\n| --- | --- | --- |\n| x | {cell} | y |\n"


@given(ANYTHING)
@settings(max_examples=400, deadline=None)
@example("A|B or `x|y` per [[Note|Alias]] and a\\|b \\")
@example("a\\")
@example("\\|\\")
def test_a_cell_is_one_cell_and_shows_its_text(text: str) -> None:
    shown = cut(undecorated(text), 80)
    cell = escape(shown)
    (row,) = table_rows(in_row(cell))
    assert row == ["x", shown, "y"]
    assert plain(cell) == ("" if shown in {"—", "-"} else shown)
    (tight,) = (
        table_rows(in_row(cell).replace("| ", "|").replace(" |", "|")) if "| " not in shown + cell else (row,)
    )
    assert tight == row


@given(ANYTHING)
@settings(max_examples=400, deadline=None)
def test_nothing_in_a_cell_is_live(text: str) -> None:
    cell = cell_text(text)
    for live in (
        "[[",
        "%%",
        "::",
        "<",
        "`",
        "://",
        "council-vault:",
        "\n",
        "\r",
        "\x00",
        "\u202e",
        "\u2028",
        "\ufeff",
    ):
        assert live not in cell
    assert not re.search(r"(?<!\\)\$", cell)
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", cell)
    assert not re.search(r"#(?!\d+;)[^\s\d]", cell)
    assert not re.search(r"(?:^|\s)\^\w", cell)
    assert not any(0xD800 <= ord(character) <= 0xDFFF for character in cell)
    assert not any(unicodedata.category(character) == "Cc" for character in cell)
    assert inline_types(cell) <= {"text", "text_special", "entity"}
    assert inline_types(in_row(cell)) <= {"text", "text_special", "entity"}


@given(ANYTHING)
@settings(max_examples=300, deadline=None)
def test_a_cell_is_short_and_runs_in_it_can_be_broken(text: str) -> None:
    shown = plain(cell_text(text))
    assert len(shown) <= 80
    assert all(len(run) <= 16 for run in re.findall(r"[a-zA-Z0-9]+", shown))
    assert not shown[:1].isspace()
    assert not shown[-1:].isspace()


@given(ANYTHING)
@settings(max_examples=300, deadline=None)
def test_making_a_cell_again_from_what_it_shows_does_not_double_its_escapes(text: str) -> None:
    shown = plain(escape(undecorated(text)))
    assert plain(escape(shown)) == shown


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        (
            "<project> ## llm_council/__init__.py ```py from importlib.metadata import",
            r"&lt;project> llm_council/\_\_i… py from importlib.metad… import",
        ),
        ("MMLU-College Physics: mmlu_college_physics_1", "MMLU-College Physics: mmlu_college_ph…"),
        (
            "# Council Deliberation **Date:** 2026-01-30 16:43:32 **Question:**",
            "Council Deliberation Date: 2026-01-30 16:43:32 Question:",
        ),
        ("A|B or `x|y` per [[Note|Alias]] and a\\|b \\", "A\\|B or x\\|y per Alias and a&#92;\\|b &#92;"),
        ("line1\nline2", "line1 line2"),
        ("a\r\nb", "a b"),
        ("a\rb", "a b"),
        ("a\u2028b\u2029c", "a b c"),
        ("a\x85b\x0bc\x0cd\x1ce\x1ff", "a b c d e f"),
        ("   ", ""),
        (" \t \n", ""),
        ("", ""),
        ("## Title\n- one\n* [x] two\n> quoted\n---\n1. three", "Title one two quoted 1. three"),
        ("- dash", "dash"),
        ("Title\n=====\ntext", "Title text"),
        (
            "***really*** _so_ __very__ ~~not~~ ==marked== **bold _and_ italic**",
            "really so very not marked bold and italic",
        ),
        ("snake_case_name and 2*3*4 and a ** b and ~5", r"snake_case_name and 2\*3\*4 and a \*\* b and ~5"),
        ("see [the page](https://x.y/z(1)) and ![image](a.png)", "see the page and image"),
        ("![[embed.png]] [[Target]] [[Target#Part|shown]]", "embed.png Target shown"),
        ("[draft] and [^1]", r"\[draft] and \[&#94;1]"),
        ("a [[ b", r"a \[\[ b"),
        ("<% tp.x %> <b>", "&lt;% tp.x %> &lt;b>"),
        ("100%% sure", "100%&#37; sure"),
        ("%%%", "%&#37;&#37;"),
        ("key:: value :::", "key:&#58; value :&#58;&#58;"),
        ("C# #tag #12 #12a # alone", "C# &#35;tag #12 &#35;12a alone"),
        ("note ^block x^2 a ^ b", "note &#94;block x&#94;2 a ^ b"),
        ("$5 or $6", r"\$5 or \$6"),
        ("AT&amp;T &copy; R&D", "AT&amp;amp;T &amp;copy; R&D"),
        ("~a~ and ~b", r"\~a\~ and \~b"),
        ("a == b", "a =&#61; b"),
        ("https://example.org", "https&#58;//example…"),
        (r"C:\new \_ \* end", r"C:\new \\\_ \\\* end"),
        ("%% council-vault:end %%", "%&#37; council-vault&#58;end %&#37;"),
        ("council-vault:end", "council-vault&#58;end"),
        ("\ud83d and \ude00", "\ufffd and \ufffd"),
        ("a\u202eb\u200bc\x07d\ufeffe\xadf", "abcdef"),
        ("中文" * 30, "中文" * 30),
        ("🏛️ Café 中文 👩‍👩‍👧", "🏛️ Café 中文 👩‍👩‍👧"),
    ],
)
def test_cells_of_texts_seen_in_the_wild(text: str, cell: str) -> None:
    assert cell_text(text) == cell


def test_a_very_long_text_ends_in_an_ellipsis() -> None:
    cell = cell_text("word " * 4000)
    assert len(cell) <= 80
    assert cell.endswith("word…")


def test_no_grapheme_is_cut() -> None:
    family = "👩‍👩‍👧"
    shown = cut(family * 40, 80)
    assert shown == family * 15 + "…"
    accent = "e\u0301"
    assert cut(accent * 30, 16) == accent * 7 + "…"
    assert cut("a" + "\u0301" * 500, 80) == "…"


def test_long_runs_are_cut_without_splitting_a_grapheme() -> None:
    assert cell_text("e\u0301" * 30) == "e\u0301" * 7 + "…"
    assert (
        cell_text("self-explanatory-hyphenated-words-are-fine")
        == "self-explanatory-hyphenated-words-are-fine"
    )


@pytest.mark.parametrize("cell", ["", "  ", "—", "-", " — ", "&mdash;", r"\-", "&nbsp;"])
def test_empty_cells(cell: str) -> None:
    assert is_empty_cell(cell)
    assert plain(cell) == ""


def test_what_a_cell_shows() -> None:
    assert plain(r" a\|b \_c\_ &lt;d> &#37;&#x25; C:\new ") == r"a|b _c_ <d> %% C:\new"
    assert plain(r"\&lt; &amp;lt;") == "&lt; &lt;"
    assert not is_empty_cell("0")
