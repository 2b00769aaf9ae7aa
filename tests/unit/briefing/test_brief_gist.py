"""The gist of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.briefing.gist import gist


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Phase in,\n\tkeep a hedge ", "Phase in, keep a hedge"),
        ("a\x00b\x1b[31mc\u202ed\u2028e\ud800f", "a b [31mc d e f"),
        ("", ""),
        ("x" * 110, "x" * 110),
        ("x" * 111, "x" * 109 + "…"),
        (f"{'word ' * 21}longer than that", f"{'word ' * 20}word…"),
        (f"{'x' * 79} {'y' * 50}", f"{'x' * 79} {'y' * 29}…"),
        (f"{'x' * 80} {'y' * 50}", f"{'x' * 80}…"),
        ("杠杆" * 100, "杠杆" * 54 + "杠…"),
    ],
)
def test_gist(text, expected):
    assert gist(text) == expected


@given(st.text())
def test_is_one_line_of_at_most_110_characters(text):
    short = gist(text)

    assert len(short) <= 110
    assert len(short.splitlines()) <= 1
    assert short == gist(short)
    short.encode()
