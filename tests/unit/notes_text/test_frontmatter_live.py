"""Properties of a note that are kept true besides those of every note."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from council_vault.notes import frontmatter

OURS = """title: A question
date: 2026-03-28
type: reference
tags:
  - council
status: active
"""
STAMP = "council_memory: m-20251207T112104Z\n"
LIVE = ("rating", "council_id", "council_models", "council_cost_usd")


def note(*lines: str) -> str:
    block = "\n".join([*lines, ""])
    return f"---\n{OURS}{block}{STAMP}---\n\nText.\n"


DRAFT = note(
    "rating: positive",
    "council_id: d_20260328_001",
    "council_models:\n  - a/one\n  - b/two",
    "council_cost_usd: 0.5",
)


def merged(text: str, draft: str = DRAFT, live: tuple[str, ...] = LIVE) -> str:
    result = frontmatter.merge(text, draft, live)
    assert result.problem is None
    return result.text


def test_what_says_the_same_stays_as_it_is_written():
    text = note(
        "council_cost_usd:   5.0e-1 # mine",
        "council_models: [a/one, 'b/two']",
        'council_id: "d_20260328_001"',
        "rating: positive",
    )
    assert merged(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("council_cost_usd: 0.1  # dollars", "council_cost_usd: 0.5  # dollars"),
        ("council_models: [b/two]", "council_models: [a/one, b/two]"),
        ("council_models:\n- b/two", "council_models: [a/one, b/two]"),
        ("council_models:\n  - b/two\n  - a/one", "council_models: [a/one, b/two]"),
        ("council_id:", "council_id: d_20260328_001"),
        ("rating: negative", "rating: positive"),
    ],
)
def test_what_says_something_else_is_put_right_in_place(before, after):
    name = before.partition(":")[0]
    lines = [
        "mine: 1",
        *(
            line
            for line in DRAFT.split("---\n")[1].removeprefix(OURS).removesuffix(STAMP).split("\n")
            if line
        ),
    ]
    kept = [
        line for line in lines if not line.startswith((name, "  - ") if name == "council_models" else name)
    ]
    assert merged(note(before, *kept)) == note(after, *kept)


def test_missing_ones_are_put_in_behind_ours_in_their_order():
    lines = merged(note("mine: 1")).split("---\n")[1]
    assert lines.endswith(STAMP)
    assert list(yaml.safe_load(lines))[-7:] == ["status", *LIVE, "mine", "council_memory"]


def test_one_that_the_draft_does_not_have_stays():
    text = note("council_cost_usd: 9", "rating: meh")
    assert merged(text, note("council_id: d_20260328_001")).count("council_cost_usd: 9\n") == 1


def test_one_that_is_not_live_stays():
    text = note("rating: meh", "council_id: d_20260328_001")
    assert "\nrating: meh\n" in merged(text, live=("council_id",))


def test_nothing_is_written_as_an_empty_value():
    draft = note("rating:")
    assert merged(note("rating: positive"), draft, ("rating",)) == note("rating:")
    assert merged(note("rating: positive # mine"), draft, ("rating",)) == note("rating: # mine")
    text = merged(note("rating:\n  - positive"), draft, ("rating",))
    assert yaml.safe_load(text.split("---\n")[1])["rating"] is None


def test_an_alias_is_left_alone_and_named():
    text = note("mine: &a d_20250101_001", "council_id: *a")
    result = frontmatter.merge(text, DRAFT, ("council_id",))
    assert result.text == text
    assert "council_id: d_20260328_001" in (result.problem or "")


names = st.sampled_from(["mine", "Rating", "rating2", "council", "council_idea", "ÄÖ", "cssclasses"])
values = st.sampled_from(["1", "'a b'", "[x, y]", "{a: 1}", "2026-01-01", "|\n  block\n  text", "# nothing"])
ours = st.sampled_from(
    [
        "rating: negative",
        "rating: [positive]",
        "council_id: other",
        "council_cost_usd: 0.25",
        "council_models:\n  - c/three",
        "council_models: []",
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(names, values, max_size=4),
    st.lists(ours, max_size=3, unique_by=lambda line: line.partition(":")[0]),
    st.randoms(),
)
def test_every_line_of_theirs_stays_and_ours_say_what_they_should(theirs, lines, random):
    own = [f"{name}: {value}" for name, value in theirs.items()]
    mixed = [*own, *lines]
    random.shuffle(mixed)
    text = merged(note(*mixed))
    block = text.split("---\n")[1]
    old, new = yaml.safe_load(block), YAML(typ="safe").load(block)
    assert old == new
    for line in own:
        assert f"{line}\n" in text
    assert [old[name] for name in LIVE] == ["positive", "d_20260328_001", ["a/one", "b/two"], 0.5]
    assert merged(text) == text
