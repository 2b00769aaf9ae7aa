"""Rows that a killed sync was about to write are known for ours, cell by cell, as far as they stand."""

from __future__ import annotations

from council_vault.notes.announced_rows import with_announced
from council_vault.notes.log_rows import rows_in
from council_vault.notes.written_rows import UNREAD, WrittenRow

ID = "d_20260328_001"
KNOWN = WrittenRow(("2026-03-28", "Old words", "gpt-4.1", "★★★", "$0.09", "—"), 5, 7)
COMING = WrittenRow(("2026-03-28", "New words", "gpt-4.1", "★★★★", "$0.09", "positive"), 6, UNREAD)
HEAD = (
    "| ID | Date | Query Summary | Chairman | Confidence | Cost | Rating |\n"
    "| --- | --- | --- | --- | --- | ---: | --- |\n"
)


def known_of(row, written, announced=COMING):
    rows = rows_in(HEAD + row) if row else {}
    return with_announced(written, {ID: announced}, rows).get(ID)


def row(summary, confidence, rating):
    return f"| {ID} | 2026-03-28 | {summary} | gpt-4.1 | {confidence} | $0.09 | {rating} |\n"


def test_a_row_that_came_to_stand_is_known_as_announced():
    assert known_of(row("New words", "★★★★", "positive"), {ID: KNOWN}) == COMING


def test_a_new_row_that_stands_is_known_as_announced_whatever_was_typed_into_it():
    assert known_of(row("New words", "★★★★", "negative"), {}) == COMING


def test_a_row_that_does_not_stand_is_known_as_before():
    assert known_of("", {ID: KNOWN}) == KNOWN
    assert known_of("", {}) is None


def test_a_row_that_was_never_written_keeps_what_was_known_of_its_cells():
    found = known_of(row("Old words", "★★★", "—"), {ID: KNOWN})

    assert (found.values, found.line) == (KNOWN.values, KNOWN.line)


def test_what_a_person_typed_after_the_kill_stays_theirs():
    found = known_of(row("New words", "★★★★", "negative"), {ID: KNOWN})

    assert found.values == ("2026-03-28", "New words", "gpt-4.1", "★★★★", "$0.09", "—")
    assert found.source == 0


def test_a_cell_of_the_persons_own_that_was_written_along_is_kept():
    kept = {"Query Summary": "Mine"}
    coming = WrittenRow(COMING.values, 6, UNREAD, kept)

    found = known_of(row("Mine", "★★★★", "negative"), {ID: KNOWN}, coming)

    assert found.kept == kept
    assert found.values[1] == "New words"


def test_a_column_that_the_table_does_not_have_counts_as_written():
    narrow = f"| ID | Query Summary | Rating |\n| --- | --- | --- |\n| {ID} | New words | positive |\n"

    found = with_announced({ID: KNOWN}, {ID: COMING}, rows_in(narrow))

    assert found[ID] == COMING
