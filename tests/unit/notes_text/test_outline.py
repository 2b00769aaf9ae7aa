"""The headings of a note."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from council_vault.notes.markdown import lines, scan
from council_vault.notes.outline import headings


def outline(text):
    return [(one.line, one.end, one.level, one.text) for one in headings(scan(lines(text)))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A\n\n###### B", [(0, 1, 1, "A"), (2, 3, 6, "B")]),
        ("## A ##  \n", [(0, 1, 2, "A")]),
        ("   ## A#\n", [(0, 1, 2, "A#")]),
        ("#\n##\t\n### ###\n", [(0, 1, 1, ""), (1, 2, 2, ""), (2, 3, 3, "")]),
        ("#tag\n####### seven\n    # code\n", []),
        ("A\n===\n\nB\n--\n", [(0, 2, 1, "A"), (3, 5, 2, "B")]),
        ("# A\nB\n---\n", [(0, 1, 1, "A"), (1, 3, 2, "B")]),
        ("A\n---\nB\n---\n", [(0, 2, 2, "A"), (2, 4, 2, "B")]),
        ("a\n b \n---\nc\n", [(0, 3, 2, "a b")]),
        ("A\n-\nb\n", [(0, 2, 2, "A")]),
        ("A\n=\n\nB\n--  \n", [(0, 2, 1, "A"), (3, 5, 2, "B")]),
        ("#tag\n---\n", [(0, 2, 2, "#tag")]),
        ("a\n\n-\n", []),
        ("a\n***\n---\n", []),
        ("a\n| b |\n| - |\n---\n", []),
        ("- A\n  ---\n", [(0, 2, 2, "A")]),
        ("- a\n-\n", []),
        ("> a\nb\n---\n", []),
        ("```\na\n```\n---\n", []),
        ("- a\n---\n", []),
        ("> a\n---\n", []),
        ("---\n---\n", []),
        ("| a |\n---\n", []),
        ("A\n", []),
        ("```\n# A\n```\n# B\n", [(3, 4, 1, "B")]),
        ("<!--\n# A\n-->\n# B\n", [(3, 4, 1, "B")]),
        ("> # A\n> a\n> ---\n", [(0, 1, 1, "A"), (1, 3, 2, "a")]),
        ("- # A\n", [(0, 1, 1, "A")]),
        ("# A\r\n## B\r", [(0, 1, 1, "A"), (1, 2, 2, "B")]),
    ],
)
def test_headings(text, found):
    assert outline(text) == found


PIECES = [
    "A", "B c", "   t", "  x", "#tag", "-", "--", "---", "  ---", "=", "===", "***", "# H", "## K ##", "",
    "> q", "> ---", "> # A", "- i", "1. n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=6))
@settings(max_examples=400, deadline=None)
def test_headings_are_those_of_commonmark(pieces):
    """But for items that begin with a blank line, which hold what stands below that for us."""
    text = "\n".join(pieces).replace("-\n\n", "-\nA\n") + "\n"
    parsed = MarkdownIt("commonmark").parse(text)
    theirs = [(*token.map, int(token.tag[1])) for token in parsed if token.type == "heading_open"]
    assert [found[:3] for found in outline(text)] == theirs
