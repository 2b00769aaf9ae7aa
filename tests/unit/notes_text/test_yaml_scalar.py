import math
from datetime import UTC, date, datetime

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from council_vault.notes.yaml_scalar import scalar

ODD = [
    "1e10",
    "12345e67",
    "1e3",
    "12e03",
    "1e-7",
    "1E400",
    "NO",
    "no",
    "y",
    "on",
    "08",
    "0o17",
    "0x1F",
    "0b1",
    "1_000",
    "12:30",
    "1.10",
    "0123",
    "2023_0129",
    "2026-03-28",
    "2026-03-28T09:05:28-06:00",
    "null",
    "~",
    "Null",
    "true",
    "",
    " ",
    "a ",
    " a",
    "-",
    "- dash",
    "---",
    "x\n---\ny",
    "...",
    "?",
    "? x",
    ":",
    "a: b",
    "a:",
    "a #b",
    "#tag",
    "@x",
    "[[Note|A]]",
    "*star",
    "&anchor",
    "!tag",
    "`tick`",
    "%pc",
    "'",
    '"q"',
    '\\"',
    "a: b\nrating: 5",
    "<<",
    "=",
    "Why: a trade-off?",
    ".inf",
    ".nan",
    "NaN",
    "inf",
    "+1",
    "x" * 300,
    "🏛️ Café 中文 👩‍👩‍👧",
    "{{ 7*7 }}",
    "{a: b}",
    "a,b",
    "tab\there",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeffx",
    "\x00",
    "\x7f",
    "\x9f",
    "\ufffe",
    "\uffff",
    "%%",
    "e5",
    "Council Model Performance",
    "m-20251207T112104Z",
    "claude-sonnet-4",
    "AND/OR (both)",
    "\xa0",
    "x\xa0",
]


def both(text):
    return yaml.safe_load(text), YAML(typ="safe", pure=True).load(text)


@pytest.mark.parametrize("value", ODD)
def test_odd_text_is_read_back_as_the_same_text_everywhere(value):
    written = scalar(value)
    assert len(written.splitlines()) == 1
    assert both(f"key: {written}\nrating: 5\n") == ({"key": value, "rating": 5},) * 2
    assert both(f"key: [{written}, b]\n") == ({"key": [value, "b"]},) * 2


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30))
@example("a - b")
def test_any_text_is_read_back_as_the_same_text_everywhere(value):
    written = scalar(value)
    assert len(written.splitlines()) == 1
    assert both(f"key: {written}\n") == ({"key": value},) * 2


@pytest.mark.parametrize(
    "value", ["Council Model Performance", "active", "m-20251207T112104Z", "model-performance"]
)
def test_plain_words_stay_plain(value):
    assert scalar(value) == value


def test_characters_beyond_ascii_stand_as_they_are():
    assert scalar("🏛️ Café 中文: 1") == '"🏛️ Café 中文: 1"'


def test_half_a_character_becomes_a_replacement_character():
    assert scalar("x\ud83c") == '"x\ufffd"'


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (17, "17"),
        (date(2026, 3, 28), "2026-03-28"),
        (1.5, "1.5"),
        (1e-07, "1.0e-07"),
        (1e22, "1.0e+22"),
        (math.inf, ".inf"),
        (-math.inf, "-.inf"),
    ],
)
def test_other_values_are_read_back_everywhere(value, written):
    assert scalar(value) == written
    assert both(f"key: {written}\n") == ({"key": value},) * 2


def test_not_a_number_is_said_as_such():
    assert all(math.isnan(read["key"]) for read in both(f"key: {scalar(math.nan)}\n"))


def test_a_moment_is_written_as_text():
    moment = datetime(2026, 3, 28, 9, 5, 28, tzinfo=UTC)
    assert both(f"key: {scalar(moment)}\n") == ({"key": "2026-03-28T09:05:28+00:00"},) * 2


@pytest.mark.parametrize("value", [[1], {"a": 1}, object()])
def test_what_is_no_scalar_is_refused(value):
    with pytest.raises(TypeError, match="is no YAML scalar"):
        scalar(value)
