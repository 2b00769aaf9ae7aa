"""The headings of a note."""

from __future__ import annotations

import pytest

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
