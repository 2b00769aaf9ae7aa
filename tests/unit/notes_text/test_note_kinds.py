import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.notes.kinds import KINDS, begin_marker, file_name, note_name


def test_each_note_has_its_own_name_and_marker():
    assert [file_name(kind) for kind in KINDS] == [
        "council-model-performance.md",
        "council-routing-intelligence.md",
        "council-deliberation-log.md",
    ]
    assert begin_marker("log") == (
        "%% council-vault:begin log (rewritten at every sync; your own text goes above or below) %%"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, "council-deliberation-log"),
        ("", "council-deliberation-log"),
        ("client work", "council-deliberation-log-client work"),
        ("cafe\u0301", "council-deliberation-log-café"),
        ("../../etc/x", "council-deliberation-log-etc-x"),
        ("Meta-Llama/..", "council-deliberation-log-Meta-Llama"),
        ('a|b: "c"? <d> *#^[e]', "council-deliberation-log-a-b- -c- -d- -e"),
        ("copy (1)", "council-deliberation-log-copy -1"),
        ("x.sync-conflict-2026", "council-deliberation-log-x-sync-conflict-2026"),
        ("trail. ", "council-deliberation-log-trail"),
        ("two\nlines", "council-deliberation-log-two-lines"),
    ],
)
def test_a_workspace_name_is_made_safe(name, expected):
    assert note_name("log", name) == expected


def test_names_of_which_nothing_is_left_stay_apart():
    assert note_name("log", "???") != note_name("log", "///")
    assert note_name("log", "???").removeprefix("council-deliberation-log-").isalnum()


def test_long_names_that_begin_alike_stay_apart():
    assert note_name("log", "😀" * 300) != note_name("log", "😀" * 301)


@given(st.text(min_size=1), st.sampled_from(KINDS))
def test_every_name_fits_every_file_system(name, kind):
    made = file_name(kind, name)
    assert len(made.encode()) <= 203
    assert not set(made) & set('\\/:*?"<>|#^[]')
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in made)
    assert made.removesuffix(".md") == made.removesuffix(".md").rstrip(". ")
    assert unicodedata.normalize("NFC", made) == made
    assert file_name(kind, name) == made
