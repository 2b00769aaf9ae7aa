"""Comments in a note, and what it says without them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.notes.comments import without_comments
from council_vault.notes.markdown import lines

PIECES = [
    "%%",
    "<!--",
    "-->",
    "`",
    "``",
    "```\n",
    "\n",
    "\r\n",
    "\n\n",
    "> ",
    "- ",
    "a",
    " ",
    "\\",
    "~~~\n",
    "# ",
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a %%b%% c", "a       c"),
        ("a <!--b--> c", "a          c"),
        ("%%a\n# b\n%% c\n", "   \n   \n   c\n"),
        ("<!--\n# b\n\n-->\nc", "    \n   \n\n   \nc"),
        ("<!--\na\n-->\n```\n%%\n```\nb", "    \n \n   \n```\n%%\n```\nb"),
        ("a <!-- b\nc --> d", "a       \n      d"),
        ("%%a\nb", "   \n "),
        ("%% <!-- %% a -->", "           a -->"),
        ("<!-- %% --> a %%b%%", "            a      "),
        ("%%a%% b %%c%%", "      b      "),
        ("<!--a--> b <!--c", "         b      "),
        ("<!--a--> b <!--c\nd-->e", "         b      \n    e"),
        ("`%%` a", "`%%` a"),
        ("`` ` %% `` a %%b%%", "`` ` %% `` a      "),
        (r"\%% a", r"\%% a"),
        ("100%% a", "100    "),
        ("```\n%%\n```\na", "```\n%%\n```\na"),
        ("```\n<!--\n```\n%%a%%", "```\n<!--\n```\n     "),
        ("- ```\n  %%\nb %%c%%", "- ```\n  %%\nb      "),
        ("%%\n```\n%%\na", "  \n   \n  \na"),
        ("> %%a\n> b%%\nc", ">    \n     \nc"),
        ("%%a\r\nb%%\r\nc\rd", "   \r\n   \r\nc\rd"),
        ("", ""),
    ],
)
def test_spaces_stand_where_comments_were(text, shown):
    assert without_comments(text) == shown


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@settings(max_examples=300, deadline=None)
def test_every_line_and_every_offset_stays(text):
    shown = without_comments(text)
    assert len(shown) == len(text)
    assert [len(line) for line in lines(shown)] == [len(line) for line in lines(text)]
    assert all(new in {old, " "} for new, old in zip(shown, text, strict=True))
    if "%%" not in text and "<!--" not in text:
        assert shown == text
