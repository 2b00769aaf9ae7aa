"""Names that may be written, and names that look alike."""

from __future__ import annotations

import pytest

from council_vault.errors import NoteRefused
from council_vault.vault.names import comparable, within_vault


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Home.md", "Home.md"),
        ("a//b/./c.md", "a/b/c.md"),
        ("_Shared Knowledge/Agents and Plugins/", "_Shared Knowledge/Agents and Plugins"),
        ("Q: who?.md", "Q: who?.md"),
        ("a..b/c...md", "a..b/c...md"),
    ],
)
def test_names_in_the_vault_come_out_plain(name, plain):
    assert within_vault(name) == plain


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../x.md", "leads out"),
        ("a/../../x.md", "leads out"),
        ("a/..", "leads out"),
        ("/etc/x.md", "absolute"),
        ("C:/x.md", "absolute"),
        ("C:\\x.md", "absolute"),
        ("\\\\server\\x.md", "absolute"),
        ("a\\..\\..\\x.md", "leads out"),
        (".obsidian/app.json", "dot"),
        ("a/.trash/x.md", "dot"),
        (".hidden.md", "dot"),
        ("", "empty"),
        ("./", "empty"),
        ("a\0b.md", "characters"),
        ("a\nb.md", "characters"),
        ("a\ud800.md", "characters"),
        ("ä" * 128 + ".md", "longer"),
    ],
)
def test_names_that_leave_the_vault_are_refused(name, why):
    with pytest.raises(NoteRefused, match=why):
        within_vault(name)


def test_names_compare_as_on_other_systems():
    assert comparable("API design.md") == comparable("Api Design.md")
    assert comparable("caf\u00e9") == comparable("CAFE\u0301")
    assert comparable("a") != comparable("b")
