"""Search terms: whatever people call their folders, it is a name and nothing else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.vault.drive_queries import children_of, folders_named, quoted


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Vault", "'Vault'"),
        ("Ben's Vault", r"'Ben\'s Vault'"),
        ("What's \\ next", r"'What\'s \\ next'"),
        ("\\'", r"'\\\''"),
        ("x' or name contains '", r"'x\' or name contains \''"),
    ],
)
def test_backslashes_are_escaped_before_quotes(text, term):
    assert quoted(text) == term


def unquoted(term):
    """Read a string as Drive does; return it, and what is left behind it."""
    assert term[0] == "'"
    text, place = "", 1
    while term[place] != "'":
        place += term[place] == "\\"
        text += term[place]
        place += 1
    return text, term[place + 1 :]


@given(st.text(alphabet=st.sampled_from("'\\ab =()") | st.characters()))
def test_any_text_comes_out_as_it_went_in(text):
    assert unquoted(quoted(text)) == (text, "")


@given(st.text())
def test_a_name_ends_where_it_should_in_either_form(name):
    names, rest = set(), folders_named(name).removeprefix("(")
    while rest.startswith(("name = ", " or name = ")):
        found, rest = unquoted(rest.partition("name = ")[2])
        names.add(found)
    assert names == {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}
    assert rest.startswith(") and (mimeType = 'application/vnd.google-apps.folder' or ")


def test_children_of_several_folders():
    assert children_of(["a", "b'"]) == r"('a' in parents or 'b\'' in parents) and trashed = false"
