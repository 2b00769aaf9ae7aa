"""Finding rows and the newest of them quickly finds what is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.notes.log_rows import rows_in
from council_vault.notes.log_table import merge_rows
from council_vault.notes.row_order import newest, sort_key
from support.log_notes import HEAD, ids, rows_for, table

_ids = st.builds("d_202603{:02}_{:03}".format, st.integers(27, 29), st.integers(0, 10_050))


@given(st.sets(_ids, max_size=12), st.integers(-1, 14))
def test_the_newest_are_those_that_came_last(found: set[str], count: int) -> None:
    in_order = sorted(found, key=sort_key, reverse=True)
    is_newest = newest(found, count)
    assert [record_id for record_id in in_order if is_newest(record_id)] == in_order[: max(0, count)]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_line_of_a_row_ends_before_its_line_end(line_end: str) -> None:
    note = (HEAD + table(ids(3))).replace("\n", line_end)
    rows = rows_in(note)
    assert sorted(row.line for row in rows.values()) == [
        line for line in note.split(line_end) if line.startswith("| d_")
    ]
    assert len(rows) == 3


def test_a_lone_carriage_return_ends_a_row_too() -> None:
    first, second = ids(2)
    note = (HEAD + table([first, second])).rstrip("\n") + "\rWords of mine | and more\n"
    assert all(row.line.endswith("|") for row in rows_in(note).values())
    assert rows_in(note).keys() == {first, second}


TRANSLATED = "| ID | Datum | Frage | Vorsitz | Sicherheit | Kosten | Note |"


def translated(note: str) -> str:
    head = next(line for line in note.split("\n") if line.startswith("| ID |"))
    return note.replace(head, TRANSLATED)


@pytest.mark.parametrize("id_title", ["ID", "Kennung"])
def test_a_table_with_translated_titles_is_still_the_log(id_title: str) -> None:
    before = translated(HEAD + table(ids(3))).replace("| ID |", f"| {id_title} |")
    merged = merge_rows(before, rows_for(ids(5)), newline="\n", visible=50, absent=())
    assert merged.count("| d_") == 5
    assert merged.count("| Datum |") == 1
    assert "| Query Summary |" not in merged
    new = [line for line in merged.split("\n") if line not in before.split("\n")]
    assert new == [line for line in table(ids(5)).split("\n") if line in new]
    assert len(new) == 2


def test_a_table_of_another_width_with_ids_is_not_the_log() -> None:
    other = HEAD + f"| ID | Why |\n| --- | --- |\n| {ids(1)[0]} | mine |\n"
    assert rows_in(other) == {}
