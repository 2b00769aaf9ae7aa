"""Texts cut to fit: at the ends of lines, fairly, and never longer than they may be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.notes.fitting import Part, fitted
from council_vault.notes.markdown import scan


def part(text, source="a.md", head=("# T", "")):
    return Part(source=source, head=head, lines=tuple(text.split("\n")))


def cut(text, limit):
    """Return what is left of a text where so many characters may be told behind the head."""
    found = fitted([part(text)], len("# T\n\n\n") + limit)
    return "\n".join(found[0].lines) if found else None


@pytest.mark.parametrize(
    ("text", "limit", "left"),
    [
        ("abc\ndef", 8, "abc\ndef"),
        ("abc\ndef", 7, "abc"),
        ("abc\ndef", 4, "abc"),
        ("abc\ndef", 3, None),
        ("abc\n\ndef", 8, "abc"),
        ("## A\nabc\n## B\ndef", 9, "## A\nabc"),
        ("## A\nabc\n## B\ndef", 14, "## A\nabc"),
        ("## A\n### B\nabc\n## C\ndef", 15, "## A\n### B\nabc"),
        ("## A\n### B\nabc", 14, None),
        ("## A\nabcdefghijk\nabc\n## B\ndef", 14, "## B\ndef"),
        ("## A\nabcdefghijk\nabc\n### B\ndef", 15, "## A\n### B\ndef"),
        ("abc\n```\ndef\n```\ng", 10, "abc"),
        ("abc\n```\ndef\n```\ng", 16, "abc\n```\ndef\n```"),
        ("abc\n```\n# def\n```\n# g\nh", 13, "abc\n# g\nh"),
    ],
)
def test_where_it_is_cut(text, limit, left):
    assert cut(text, limit) == left


def test_everything_fits_or_nothing_does():
    parts = [part("abc"), part("def", "b.md")]
    assert fitted(parts, 1000) == parts
    assert fitted(parts, 5) == []
    assert fitted([], 1000) == []


def test_what_one_does_not_need_goes_to_the_others():
    long, short = part("\n".join(["x" * 9] * 100)), part("abc", "b.md")
    one, other = fitted([long, short], 300)
    assert other == short
    assert 300 - len(other.text) - len(one.text) < 10
    again = fitted([long, Part(source="c.md", head=long.head, lines=long.lines)], 300)
    assert {len(each.text) for each in again} == {len(again[0].text)}
    assert 130 < len(again[0].text) <= 150


def test_the_last_gives_way_to_the_first():
    first, second, third = part("x" * 50), part("y" * 10, "b.md"), part("z" * 10, "c.md")
    assert [one.source for one in fitted([first, second, third], 90)] == ["a.md", "b.md"]
    assert [one.source for one in fitted([first, second, third], 60)] == ["a.md"]


def test_what_does_not_fit_at_all_leaves_its_place_to_the_others():
    first, second = part("x" * 500), part("y\ny", "b.md")
    assert fitted([first, second], 100) == [second]
    assert fitted([second, first], 100) == [second]


LINES = ["", "abc", "# A", "## B", "### C", "```", "x" * 30, "- item", "~~~"]


@given(st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=12), max_size=4), st.integers(0, 200))
@settings(max_examples=300, deadline=None)
def test_it_never_is_too_long_and_every_line_is_whole_and_in_order(texts, limit):
    parts = [Part(source=str(at), head=("# T", ""), lines=tuple(lines)) for at, lines in enumerate(texts)]
    found = fitted(parts, limit)
    assert sum(len(one.text) for one in found) <= limit
    assert [one.source for one in found] == sorted({one.source for one in found})
    for one in found:
        whole = iter(parts[int(one.source)].lines)
        assert all(line in whole for line in one.lines)
        assert one.lines
        if one.lines != parts[int(one.source)].lines:
            assert one.lines[-1] != ""
            states = [line.state for line in scan(f"{line}\n" for line in one.lines)]
            was_open = [line.state for line in scan(f"{line}\n" for line in parts[int(one.source)].lines)]
            assert states[-1] != "code" or was_open[-1] in {"code", "fence"}
            assert not one.lines[-1].startswith("#") or "fence" in states
    assert fitted(parts, limit) == found
