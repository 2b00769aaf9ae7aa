from __future__ import annotations

import pytest

from council_vault.syncing.report import NoteOutcome, Report

ENTRIES = "new deliberation log entries"


def report(*written, **fields):
    notes = tuple(
        NoteOutcome(kind=kind, name=f"{kind}.md", outcome="written" if kind in written else "unchanged")
        for kind in ("performance", "routing", "log")
    )
    return Report(vault="/vault", notes=notes, **fields)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (report(), "Nothing to do: the vault is up to date."),
        (
            report("performance", "routing", "log", entries=5),
            f"Vault synced: updated model performance, routing intelligence, and 5 {ENTRIES}.",
        ),
        (report("log", entries=1), "Vault synced: updated 1 new deliberation log entry."),
        (report("log"), "Vault synced: updated the deliberation log."),
        (
            report("performance", "log"),
            "Vault synced: updated model performance and the deliberation log.",
        ),
        (report(flagged=1), "Vault synced: updated 1 flag in the memory."),
        (
            report(flagged=2, ratings=2),
            "Vault synced: updated 2 ratings in the memory and 2 flags in the memory.",
        ),
        (report("log", ratings=1), "Vault synced: updated the deliberation log and 1 rating in the memory."),
        (
            report("routing", dry_run=True),
            "Nothing was written. A sync would update routing intelligence.",
        ),
        (report(failure="no"), "The vault could not be brought up to date."),
    ],
)
def test_one_sentence_sums_it_up(made, sentence):
    assert made.sentence == sentence
