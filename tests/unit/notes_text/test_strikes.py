"""What is struck out in a note."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.notes.markdown import lines
from council_vault.notes.strikes import without_strikes

PIECES = [
    "~~",
    "~",
    "<s>",
    "</s>",
    "<del>",
    "</del>",
    "`",
    "\n",
    "\n\n",
    "- ",
    "a",
    " ",
    "\\",
    "```\n",
    "# ",
    "> ",
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a ~~b~~ c", "a       c"),
        ("~~a~~~~b~~", "          "),
        ("~~a~~ b ~~c~~", "      b      "),
        ("~~a\nb~~ c", "   \n    c"),
        ("~~a\n\nb~~ c", "~~a\n\nb~~ c"),
        ("- ~~a\n- b~~", "- ~~a\n- b~~"),
        ("- ~~a\n  b~~ c", "-    \n      c"),
        ("# ~~a\nb~~", "# ~~a\nb~~"),
        ("# ~~a~~", "#      "),
        ("a ~~ b ~~ c", "a ~~ b ~~ c"),
        ("a~~b~~c", "a     c"),
        ("~~~\n~~a~~\n~~~\n~~b~~", "~~~\n~~a~~\n~~~\n     "),
        ("`~~a~~` ~~b~~", "`~~a~~`      "),
        ("~~a `~~` b~~", "            "),
        (r"\~~a~~", r"\~~a~~"),
        ("a <s>b</s> <DEL class='x'>c</del> d", "a" + " " * 33 + "d"),
        ("<s>a</del> b", "<s>a</del> b"),
        ("<small>a</small>", "<small>a</small>"),
        ("> ~~a~~ b", ">       b"),
        ("~~a\r\nb~~", "   \r\n   "),
    ],
)
def test_spaces_stand_where_something_was_struck_out(text, shown):
    assert without_strikes(text) == shown


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@settings(max_examples=300, deadline=None)
def test_every_line_and_every_offset_stays(text):
    shown = without_strikes(text)
    assert len(shown) == len(text)
    assert [len(line) for line in lines(shown)] == [len(line) for line in lines(text)]
    assert all(new in {old, " "} for new, old in zip(shown, text, strict=True))


def test_much_that_is_never_closed_takes_no_longer():
    text = "~~a " * 100_000 + "<s>" * 100_000
    assert without_strikes(text) == text
