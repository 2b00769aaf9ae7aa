"""Names that may be written, names that look alike, names that travel."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.errors import NoteRefused
from council_vault.vault.names import comparable
from council_vault.vault.portable_names import MAXIMUM_BYTES, portable_name
from council_vault.vault.store import is_conflict_copy, within_vault


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


@pytest.mark.parametrize(
    "text",
    [
        'What/why: A|B? <x> "q" *#^[]\\ ',
        "openrouter/deepseek/deepseek-r1:free",
        "Meta-Llama/..",
        "../../etc/x",
        ".",
        "CON",
        "com1.txt",
        "trail. ",
        ".hidden",
        "🏛" * 300,
        "e\u0301" * 300,
        "👩‍👩‍👧" * 40,
        "\0",
        "",
        "???",
        "log (1)",
        "x (conflicted copy 2026-01-01)",
        "x_conflict-2026",
        "x.sync-conflict-1",
        "(conflict) CON",
        "CON (1)",
        "conflict",
        "lone \ud800 surrogate",
        "line\u2028end",
    ],
)
def test_portable_names(text):
    _check(portable_name(text, "note"))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_every_text_gives_a_portable_name(text):
    _check(portable_name(text, "note"))


def _check(name: str) -> None:
    assert name
    assert name == name.strip() == name.strip(".")
    assert not set(name) & set('\\/:*?"<>|#^[]\0\n\r\t%')
    assert all(unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"} for character in name)
    assert len(name.encode()) <= MAXIMUM_BYTES + len("note ")
    assert name.casefold().partition(".")[0] not in {"con", "prn", "aux", "nul", "com1", "lpt9"}
    assert not is_conflict_copy(f"{name}.md")
    assert not is_conflict_copy(f"council-deliberation-log {name}.md")
    assert within_vault(f"{name}.md") == f"{name}.md"
    assert portable_name(name, "note") == name


def test_portable_names_say_what_the_text_said():
    assert portable_name("openai/gpt-4.1", "note") == "openai gpt-4.1"
    assert portable_name("Ben O'Hara: 1. plan?", "note") == "Ben O'Hara 1. plan"
    assert portable_name("CON", "note") == "note CON"
    assert portable_name("???", "note") == "note"
    assert portable_name("x (1)", "note") == "x 1"
    assert portable_name("e\u0301" * 300, "note") == "\u00e9" * 100
    assert portable_name("a" + "x\u0301" * 100, "note") == "a" + "x\u0301" * 66
    assert portable_name("a" * 199 + "👩‍👩‍👧", "note") == "a" * 199


def test_names_compare_as_on_other_systems():
    assert comparable("API design.md") == comparable("Api Design.md")
    assert comparable("caf\u00e9") == comparable("CAFE\u0301")
    assert comparable("a") != comparable("b")
