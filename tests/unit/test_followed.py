"""What is said of the sync that followed."""

from __future__ import annotations

import pytest

from council_vault.operations.following import Followed
from council_vault.syncing.report import NoteOutcome, Report

NOTE = NoteOutcome(kind="log", name="log.md", outcome="refused", reason="two regions")
QUIET = Report(vault="/vault")
TROUBLED = Report(vault="/vault", notes=(NOTE,), messages=("A note was moved.",), failure="The disk is full.")


@pytest.mark.parametrize(
    ("followed", "verbose", "said"),
    [
        (Followed(), True, []),
        (Followed(warnings=("One.", "Two.")), False, ["One.", "Two."]),
        (Followed(synced=QUIET), False, []),
        (Followed(synced=QUIET), True, ["Nothing to do: the vault is up to date."]),
        (
            Followed(synced=TROUBLED),
            False,
            ["log.md: two regions", "A note was moved.", "The disk is full."],
        ),
        (Followed(left_to_another=True), False, []),
        (
            Followed(left_to_another=True),
            True,
            ["Another council-vault is syncing, and will sync again."],
        ),
    ],
)
def test_what_is_said(followed, verbose, said):
    assert list(followed.sentences(verbose=verbose)) == said
