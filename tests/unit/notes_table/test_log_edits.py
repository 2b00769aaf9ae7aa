from __future__ import annotations

import re

import pytest

from council_vault.memory.edits import RatingEdit
from council_vault.notes.log_rows import rows_in
from council_vault.notes.written_rows import WrittenRow, decode_rows, encode_rows, source_checksum
from support.log_notes import HEAD, ids, table
from support.log_world import World

A, B, C = ids(3)


@pytest.fixture
def world() -> World:
    """Three records, synced, and seen by a later read."""
    world = World()
    for record_id in (A, B, C):
        world.add(record_id, cost_usd=0.09, chairman="gpt-4.1", confidence=0.7)
    world.sync()
    world.sync()
    return world


def assert_quiet(world: World) -> None:
    """A further sync changes nothing and says nothing."""
    note, records = world.note, dict(world.records)
    edits = world.sync()
    assert (world.note, world.records) == (note, records)
    assert not edits.ratings
    assert not edits.messages


@pytest.mark.parametrize(
    ("typed", "rating", "outcome"),
    [
        ("positive", "positive", None),
        ("👎", "negative", "rejected"),
        ("(~)", "neutral", None),
        (" **Negative** ", "negative", "rejected"),
    ],
)
def test_a_typed_rating_reaches_the_memory_and_stays_as_typed(world, typed, rating, outcome) -> None:
    world.type(A, typed)
    edits = world.sync()
    assert edits.ratings == {A: RatingEdit(rating, outcome)}
    assert world.records[A].user_rating == rating
    assert world.cell(A) == typed.strip()
    assert_quiet(world)


def test_a_rating_in_the_memory_reaches_the_row(world) -> None:
    world.change(A, user_rating="negative")
    assert not world.sync().ratings
    assert world.cell(A) == "negative"
    assert_quiet(world)
    world.change(A, user_rating="positive")
    world.sync()
    assert world.cell(A) == "positive"
    assert_quiet(world)


def test_a_rating_in_the_memory_replaces_a_sign_that_meant_another(world) -> None:
    world.type(A, "👍")
    world.sync()
    world.change(A, user_rating="negative")
    world.sync()
    assert world.cell(A) == "negative"
    assert_quiet(world)


def test_where_both_sides_changed_the_note_wins_and_the_loser_is_named(world) -> None:
    world.type(A, "positive")
    world.change(A, user_rating="negative", outcome="rejected")
    edits = world.sync()
    assert edits.ratings == {A: RatingEdit("positive", "accepted")}
    assert edits.messages == (
        f"{A} was rated positive in the note and negative in the memory; the note counts.",
    )
    assert world.records[A].user_rating == "positive"
    assert_quiet(world)


def test_both_sides_to_the_same_is_no_news(world) -> None:
    world.type(A, "👍")
    world.change(A, user_rating="positive")
    edits = world.sync()
    assert not edits.ratings
    assert not edits.messages
    assert world.cell(A) == "👍"
    assert_quiet(world)


@pytest.mark.parametrize("emptied", ["", "—", "-"])
def test_an_emptied_cell_unrates(world, emptied) -> None:
    world.type(A, "negative")
    world.sync()
    assert world.records[A].outcome == "rejected"
    world.type(A, emptied)
    edits = world.sync()
    assert edits.ratings == {A: RatingEdit(None, "accepted")}
    assert world.records[A].user_rating is None
    assert world.cell(A) == emptied
    assert_quiet(world)


def test_an_emptied_cell_wins_over_a_new_rating_and_this_is_said(world) -> None:
    world.change(A, user_rating="positive")
    world.sync()
    world.type(A, "")
    world.change(A, user_rating="negative")
    edits = world.sync()
    assert edits.ratings == {A: RatingEdit(None, None)}
    assert edits.messages == (
        f"{A} was rated negative in the memory, and its rating was taken out of the note; the note counts.",
    )
    assert_quiet(world)


def test_without_state_an_emptied_cell_unrates_nothing(world) -> None:
    world.change(A, user_rating="positive")
    world.sync()
    world.type(A, "")
    world.forget()
    assert not world.sync().ratings
    assert world.cell(A) == "positive"
    assert_quiet(world)


def test_without_state_a_value_beats_none_and_of_two_the_memory_s_stays(world) -> None:
    world.forget()
    world.type(A, "positive")
    world.change(B, user_rating="neutral")
    world.type(C, "👍")
    world.change(C, user_rating="negative")
    edits = world.sync()
    assert edits.ratings == {A: RatingEdit("positive", None)}
    assert edits.messages == (
        f"{C} was rated negative in the memory and positive in the note; the memory counts.",
    )
    assert [world.records[some].user_rating for some in (A, B, C)] == ["positive", "neutral", "negative"]
    assert [world.cell(some) for some in (A, B, C)] == ["positive", "neutral", "negative"]
    assert_quiet(world)


def test_an_unknown_word_stays_and_is_named_once(world) -> None:
    world.type(A, "so-so, I think, all in all")
    edits = world.sync()
    assert edits.messages == (
        f"The rating 'so-so, I think, all…' of {A} is not understood. Type positive, neutral or negative.",
    )
    assert not edits.ratings
    assert_quiet(world)
    assert world.cell(A) == "so-so, I think, all in all"
    world.type(A, "positive")
    assert world.sync().ratings
    assert_quiet(world)


def test_an_unknown_word_without_state_stays_too(world) -> None:
    world.change(A, user_rating="positive")
    world.type(A, "fine")
    world.forget()
    assert len(world.sync().messages) == 1
    assert world.cell(A) == "fine"
    assert world.records[A].user_rating == "positive"
    assert_quiet(world)


def test_a_new_rating_in_the_memory_replaces_an_unknown_word(world) -> None:
    world.type(A, "fine")
    world.sync()
    world.change(A, user_rating="positive")
    world.sync()
    assert world.cell(A) == "positive"
    assert_quiet(world)


def test_a_word_of_the_memory_s_that_we_do_not_know_is_no_news(world) -> None:
    world.change(A, user_rating="ok|ish")
    world.sync()
    assert world.cell(A) == r"ok\|ish"
    assert_quiet(world)


def test_a_rating_that_an_agent_s_rewrite_lost_comes_back(world) -> None:
    world.type(A, "👍")
    world.sync()
    world.change(A, user_rating=None, outcome="accepted")
    assert world.sync().ratings == {A: RatingEdit("positive", None)}
    assert world.cell(A) == "👍"
    assert_quiet(world)


def test_a_rating_lost_between_the_edit_and_the_write_is_made_again(world) -> None:
    world.type(A, "negative")
    assert world.sync(lose_edits=True).ratings
    assert world.cell(A) == "negative"
    assert world.sync().ratings == {A: RatingEdit("negative", "rejected")}
    assert_quiet(world)
    world.type(A, "")
    world.sync(lose_edits=True)
    assert world.sync().ratings == {A: RatingEdit(None, "accepted")}
    assert_quiet(world)


def test_a_memory_that_must_not_be_changed_keeps_typed_ratings_waiting(world) -> None:
    world.type(A, "positive")
    world.add("d_20260101_001")
    for _ in range(2):
        edits = world.sync(read_only=True)
        assert not edits.ratings
        assert edits.pending == {A}
        assert world.cell(A) == "positive"
        assert world.records[A].user_rating is None
    assert world.sync().ratings == {A: RatingEdit("positive", None)}
    assert_quiet(world)


def test_the_same_without_state(world) -> None:
    world.type(A, "positive")
    world.forget()
    world.sync(read_only=True)
    assert world.sync().ratings == {A: RatingEdit("positive", None)}
    assert_quiet(world)


def test_nothing_in_an_old_copy_is_an_edit(world) -> None:
    before = world.note
    world.type(A, "👍")
    world.type(B, "My own [[words]]", "Query Summary")
    world.change(C, user_rating="negative")
    world.sync()
    world.sync()
    now, records = world.note, dict(world.records)
    world.note = before
    edits = world.sync()
    assert not edits.ratings
    assert not edits.messages
    assert world.records == records
    assert world.note == now
    assert_quiet(world)


def test_rows_that_an_old_copy_lacks_or_has_too_many(world) -> None:
    before = world.note
    world.add("d_20260101_001")
    world.sync()
    world.delete_row(A)
    world.sync()
    assert world.deleted == {A}
    world.note = before
    assert world.sync().deleted == {A}
    assert rows_in(world.note).keys() == {A, B, C, "d_20260101_001"}  # a row that is there is never removed
    world.sync()
    assert world.deleted == frozenset()
    assert_quiet(world)


def test_a_deleted_row_stays_deleted_until_it_is_asked_for(world) -> None:
    world.delete_row(B)
    edits = world.sync()
    assert edits.deleted == {B}
    assert not edits.messages
    assert rows_in(world.note).keys() == {A, C}
    world.change(B, user_rating="negative", query_summary="News")
    world.sync()
    assert rows_in(world.note).keys() == {A, C}
    assert_quiet(world)
    edits = world.sync(full=True)
    assert not edits.messages
    assert world.deleted == frozenset()
    assert world.cell(B) == "negative"
    assert_quiet(world)


def test_a_missing_row_that_no_later_read_has_seen_is_put_back(world) -> None:
    world.add("d_20260101_001")
    world.sync()
    world.delete_row("d_20260101_001")
    edits = world.sync()
    assert edits.put_back == {"d_20260101_001"}
    assert edits.messages == (
        "A row of the log was gone, and not as if deleted by hand: a sync puts it back.",
    )
    assert world.cell("d_20260101_001") == "—"
    assert_quiet(world)


def test_half_of_the_rows_gone_are_put_back_as_they_stood(world) -> None:
    world.type(A, "👍")
    world.type(B, "Mine", "Query Summary")
    world.sync()
    world.sync()
    before = world.note
    world.delete_row(A)
    world.delete_row(B)
    edits = world.sync()
    assert edits.put_back == {A, B}
    assert edits.messages == (
        "2 rows of the log were gone, and not as if deleted by hand: a sync puts them back.",
    )
    assert world.note == before
    assert_quiet(world)


def test_a_missing_note_or_table_is_no_deletion(world) -> None:
    for record_id in ids(12):
        world.add(record_id)
    world.sync()
    world.sync()
    before = world.note
    world.note = HEAD + "\nMy words.\n"
    assert len(world.sync().put_back) == 12
    assert rows_in(world.note).keys() == set(ids(12))
    world.sync()
    world.note = re.sub(r"^\|.*\n", "", before, flags=re.MULTILINE)  # most rows are left, in the quarter
    edits = world.sync()
    assert not edits.deleted
    assert len(edits.put_back) == 4
    assert_quiet(world)


def test_rows_of_records_that_compaction_removed_stay_and_come_back(world) -> None:
    del world.records[A]
    world.sync()
    assert rows_in(world.note).keys() == {A, B, C}
    assert_quiet(world)
    world.type(A, "positive")
    assert not world.sync().ratings
    assert world.cell(A) == "positive"
    assert_quiet(world)
    world.note = HEAD + "\nMy words.\n"
    assert world.sync().put_back == {A, B, C}
    assert world.cell(A, "Query Summary") == f"About {A[2:]}"
    assert_quiet(world)
    world.delete_row(A)
    assert world.sync().deleted == {A}
    assert_quiet(world)


def test_a_cell_the_user_edited_is_kept_until_the_record_s_own_changes(world) -> None:
    world.type(A, "My *own* words", "Query Summary")
    world.type(A, "", "Cost")
    world.sync()
    world.change(A, user_rating="positive", confidence=0.95)
    world.sync()
    assert world.cell(A, "Query Summary") == "My *own* words"
    assert world.cell(A, "Cost") == ""
    assert world.cell(A, "Confidence") == "★★★★★"
    assert_quiet(world)
    world.change(A, query_summary="A new summary", cost_usd=0.5)
    world.sync()
    assert world.cell(A, "Query Summary") == "A new summary"
    assert world.cell(A, "Cost") == "$0.50"
    assert_quiet(world)


def test_a_cell_that_was_changed_back_is_the_record_s_again(world) -> None:
    world.type(A, "Mine", "Query Summary")
    world.change(B, user_rating="positive")
    world.sync()
    world.type(A, f"About {A[2:]}", "Query Summary")
    world.sync()
    world.note = HEAD + "\nMy words.\n"
    world.sync()
    assert world.cell(A, "Query Summary") == f"About {A[2:]}"
    assert_quiet(world)


def test_a_value_never_gives_way_to_none(world) -> None:
    world.change(A, query_summary=None, cost_usd=None, chairman=None, timestamp=None, confidence=None)
    assert_quiet(world)
    world.note = HEAD + "\nMy words.\n"
    world.sync()
    assert world.cell(A, "Query Summary") == f"About {A[2:]}"
    world.change(A, query_summary=f"About {A[2:]}")
    assert_quiet(world)


def test_without_state_cells_stay_as_they_are(world) -> None:
    world.type(A, "Mine", "Query Summary")
    world.forget()
    world.sync()
    assert world.cell(A, "Query Summary") == "Mine"
    assert_quiet(world)


def test_a_dropped_column_unrates_nothing_when_it_comes_back(world) -> None:
    world.change(A, user_rating="positive")
    world.sync()
    world.sync()
    whole = world.note
    world.note = re.sub(r" [^|\n]* \|$", "", whole, flags=re.MULTILINE).replace("| Rating", "")
    world.sync()
    world.sync()
    assert "Rating" not in rows_in(world.note)[A].cells
    world.note = whole.replace("positive", "").replace("| $0.09 |", "| |") + "\n"
    edits = world.sync()
    assert not edits.ratings
    assert world.cell(A) == "positive"
    assert_quiet(world)


def test_rows_an_agent_wrote_itself_are_taken_as_they_are() -> None:
    world = World()
    world.note = HEAD + "\n" + table([A, B]).replace("$0.09", "about 9 ct")
    world.add(A, cost_usd=0.09)
    world.add(B, user_rating="negative")
    world.sync()
    assert world.cell(A, "Cost") == "about 9 ct"
    assert world.cell(B) == "negative"
    assert_quiet(world)


def test_what_is_remembered_is_read_again_or_forgotten() -> None:
    rows = {A: WrittenRow(("a", "b", "c", "d", "e", "f"), 5, 6, {"Cost": None, "Rating": "👍"})}
    assert decode_rows(encode_rows(rows)) == rows
    assert decode_rows(None) == {}
    assert decode_rows(b"\xff") == {}
    assert decode_rows(b"\x81\xa1a\x05") == {}


def test_odd_values_have_checksums() -> None:
    world = World()
    world.add(A, query_summary="\ud83d", timestamp=10**30)
    world.add(B, query_summary="\ud83d!", timestamp=10**30)
    assert source_checksum(world.records[A], "") != source_checksum(world.records[B], "")
    assert source_checksum(world.records[A], "") == source_checksum(world.records[A], "")
    assert source_checksum(world.records[A], "x") != source_checksum(world.records[A], "")
