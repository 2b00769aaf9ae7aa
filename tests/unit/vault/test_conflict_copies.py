"""Conflict copies are told from notes by their names alone."""

from __future__ import annotations

import pytest

from council_vault.vault.conflict_copies import conflict_copies, is_conflict_copy

COPIES = [
    "council-deliberation-log (conflicted copy 2026-03-28).md",
    "council-deliberation-log (Conflicted Copy 2026-03-28 101010).md",
    "council-deliberation-log (Ben O'Hara's conflicted copy 2026-03-28).md",
    "council-deliberation-log (Case Conflict).md",
    "council-deliberation-log (case clash from laptop).md",
    "council-deliberation-log [conflicted].md",
    "council-deliberation-log (SFConflict ines@example.org 2026-03-28-10-10-10).md",
    "council-deliberation-log.sync-conflict-20260328-101010-ABCDEFG.md",
    "council-deliberation-log.SYNC-CONFLICT-20260328-101010-ABCDEFG.md",
    "council-deliberation-log_conflict-20260328-101010.md",
    "council-deliberation-log (1).md",
    "council-deliberation-log (12).md",
    "council-deliberation-log (1) (conflicted copy 2026-03-28).md",
    "council-deliberation-log.conflict1.md",
    "council-deliberation-log.md.conflict1",
    "council-deliberation-log.Conflict.md",
    "council-deliberation-log.CONFLICT2.MD",
    "COUNCIL-Deliberation-Log (1).md",
]
NO_COPIES = [
    "council-deliberation-log.md",
    "council-deliberation-log (2026).md",
    "council-deliberation-log 1.md",
    "Conflict.md",
    "How to end a conflict.md",
    "A note (about conflicts of interest).md",
    "Reasons (draft).md",
    "2026-03-28.md",
    "(1).md",
    "council-deliberation-log (one).md",
    "council-deliberation-log-conflict.md",
]


@pytest.mark.parametrize("name", COPIES)
def test_conflict_copies_are_known_in_every_folder_and_belong_to_their_note(name):
    assert is_conflict_copy(name)
    assert is_conflict_copy(f"Projects (1)/{name}")
    listing = ["Home.md", f"Shared/{name}"]
    assert conflict_copies(["Shared/council-deliberation-log.md"], listing) == (f"Shared/{name}",)
    assert conflict_copies(["council-model-performance.md"], listing) == ()


@pytest.mark.parametrize("name", NO_COPIES)
def test_other_notes_are_none(name):
    assert not is_conflict_copy(name)
    assert not is_conflict_copy(f"Old (1)/x (conflicted copy)/{name}")


def test_a_bare_number_counts_only_beside_the_known_name():
    listing = ["log.md", "log 1.md", "log 12.md", "log 2026.md", "Chapter 1.md", "1.md"]
    assert conflict_copies(["log.md"], listing) == ("log 1.md", "log 12.md")


def test_neighbours_of_the_memory_file():
    listing = [
        "council-memory.json",
        "council-memory.sync-conflict-20260328-101010-ABCDEFG.json",
        "council-memory (1).json",
        "council-memory.json.conflict2",
        "council-memory.json.bak",
        "notes.sync-conflict-20260328-101010-ABCDEFG.json",
    ]
    assert conflict_copies(["council-memory.json"], listing) == (
        "council-memory (1).json",
        "council-memory.json.conflict2",
        "council-memory.sync-conflict-20260328-101010-ABCDEFG.json",
    )


def test_the_original_is_known_in_either_unicode_form():
    assert conflict_copies(["caf\u00e9.md"], ["Cafe\u0301 (1).md"]) == ("Cafe\u0301 (1).md",)


def test_long_odd_names_are_decided_quickly():
    for name in ("(" * 5000 + ".md", "a (conflict" * 2000 + ".md", " (1)" * 2000, ".conflict" * 2000):
        assert isinstance(is_conflict_copy(name), bool)
