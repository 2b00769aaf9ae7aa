"""Ratings go both ways, and a stale copy of the note changes neither side."""

from __future__ import annotations

import pytest

from council_vault.vault.local import LocalVault
from support.memory_files import dump
from support.syncing import records, stats_below

ONE, TWO, THREE = "d_20260328_001", "d_20260328_002", "d_20260328_003"


@pytest.fixture
def synced(road):
    road.settle()
    return road


def rating(road, record_id=ONE):
    """Return what the memory says of a record: its rating and outcome."""
    record = road.record(record_id)
    return record["user_rating"], record["outcome"]


def rate_in_memory(road, record_id, word, **fields):
    def change(whole):
        for record in whole["deliberations"]:
            if record["id"] == record_id:
                record.update(user_rating=word, **fields)

    road.change_memory(change)


def test_a_rating_set_in_the_memory_reaches_the_row(synced):
    rate_in_memory(synced, ONE, "negative", outcome="rejected")
    report = synced.sync()
    assert synced.row(ONE)[-1] == "negative"
    assert rating(synced) == ("negative", "rejected")
    assert report.ratings == 0
    assert "1 negative" in synced.text("log")


@pytest.mark.parametrize(
    ("typed", "meant", "outcome"),
    [
        ("positive", "positive", "accepted"),
        ("Negative", "negative", "rejected"),
        ("neutral", "neutral", "accepted"),
        ("👍", "positive", "accepted"),
        ("👎🏽", "negative", "rejected"),
        ("(+)", "positive", "accepted"),
        ("(-)", "negative", "rejected"),
        ("(~)", "neutral", "accepted"),
    ],
)
def test_a_rating_typed_into_the_row_reaches_the_memory_and_stays_as_typed(synced, typed, meant, outcome):
    synced.rate(ONE, typed)
    before = synced.memory.read_bytes()
    report = synced.sync()
    assert report.ratings == 1
    assert rating(synced) == (meant, outcome)
    assert synced.row(ONE)[-1] == typed
    changed = [
        (old, new)
        for old, new in zip(before.split(b"\n"), synced.memory.read_bytes().split(b"\n"), strict=True)
        if old != new
    ]
    assert all(b"user_rating" in new or b"outcome" in new or b"last_vault_sync" in new for _, new in changed)
    synced.settle()
    assert synced.row(ONE)[-1] == typed


def test_a_stale_copy_changes_neither_side(synced):
    stale = synced.path("log").read_bytes()
    synced.rate(ONE, "positive")
    synced.sync()
    rate_in_memory(synced, TWO, "negative")
    synced.sync()
    current = synced.path("log").read_bytes()
    memory = synced.parsed()
    synced.path("log").write_bytes(stale)
    report = synced.sync()
    assert report.ratings == 0
    assert synced.parsed()["deliberations"] == memory["deliberations"]
    assert synced.path("log").read_bytes() == current
    assert (synced.row(ONE)[-1], synced.row(TWO)[-1]) == ("positive", "negative")


def test_a_stale_copy_with_a_rating_typed_into_it_before_changes_neither_side(synced):
    synced.rate(ONE, "positive")
    typed = synced.path("log").read_bytes()
    synced.sync()
    rate_in_memory(synced, ONE, "negative", outcome="rejected")
    synced.sync()
    synced.path("log").write_bytes(typed)
    synced.sync()
    assert rating(synced) == ("negative", "rejected")
    assert synced.row(ONE)[-1] == "negative"


def test_where_both_sides_changed_the_note_wins_and_the_loser_is_named(synced):
    synced.rate(ONE, "positive")
    rate_in_memory(synced, ONE, "negative", outcome="rejected")
    report = synced.sync()
    assert rating(synced) == ("positive", "accepted")
    assert synced.row(ONE)[-1] == "positive"
    assert [message for message in report.messages if ONE in message and "negative" in message]
    assert not synced.sync().messages


def test_an_emptied_cell_takes_the_rating_away(synced):
    synced.rate(ONE, "negative")
    synced.sync()
    synced.rate(ONE, "")
    synced.sync()
    assert rating(synced) == (None, "accepted")
    synced.settle()
    assert synced.row(ONE)[-1] in {"", "—"}


def test_an_emptied_cell_that_nothing_is_known_of_takes_nothing_away(synced, tmp_path):
    rate_in_memory(synced, ONE, "negative", outcome="rejected")
    synced.sync()
    synced.rate(ONE, "")
    synced.states = tmp_path / "new-states"
    synced.sync()
    assert rating(synced) == ("negative", "rejected")
    assert synced.row(ONE)[-1] == "negative"


def test_without_state_a_value_beats_none_and_of_two_the_memorys_stays(synced, tmp_path):
    synced.rate(ONE, "positive")
    synced.rate(TWO, "positive")
    rate_in_memory(synced, TWO, "negative", outcome="rejected")
    rate_in_memory(synced, THREE, "neutral")
    synced.states = tmp_path / "new-states"
    report = synced.sync()
    assert [rating(synced, one)[0] for one in (ONE, TWO, THREE)] == ["positive", "negative", "neutral"]
    assert [synced.row(one)[-1] for one in (ONE, TWO, THREE)] == ["positive", "negative", "neutral"]
    assert [message for message in report.messages if TWO in message]


def test_an_unknown_word_stays_and_is_named_once(synced):
    synced.rate(ONE, "meh")
    report = synced.sync()
    assert [message for message in report.messages if "'meh'" in message and ONE in message]
    assert rating(synced) == (None, "accepted")
    assert synced.row(ONE)[-1] == "meh"
    synced.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    for _ in range(3):
        assert not [message for message in synced.sync().messages if "meh" in message]
    assert synced.row(ONE)[-1] == "meh"


def test_a_newer_memory_is_read_and_never_written(road):
    road.write_memory(*records(2), version="1.4", novelty={"a": [1]})
    before = road.memory.read_bytes()
    report = road.sync()
    assert road.memory.read_bytes() == before
    assert road.ids() == [TWO, ONE]
    assert any("1.4" in text for text in [*map(str, report.problems), *report.messages, report.failure])
    road.rate(ONE, "positive")
    for _ in range(3):
        road.sync()
        assert road.memory.read_bytes() == before
        assert road.row(ONE)[-1] == "positive"
    quiet = stats_below(road.vault, road.folder)
    road.sync()
    assert stats_below(road.vault, road.folder) == quiet
    road.memory.write_bytes(before.replace(b'"1.4"', b'"1.3"'))
    road.sync()
    assert rating(road) == ("positive", "accepted")
    assert road.flagged() == {ONE, TWO}


def test_a_rating_lost_by_an_agent_that_wrote_from_an_old_reading_comes_back(synced):
    stale = synced.parsed()
    synced.rate(ONE, "negative")
    synced.sync()
    stale["deliberations"].extend(records(1, "20260401"))
    synced.memory.write_bytes(dump(stale))
    synced.sync()
    assert rating(synced) == ("negative", "rejected")
    assert synced.row(ONE)[-1] == "negative"
    assert synced.flagged() == {ONE, TWO, THREE, "d_20260401_001"}


def test_other_cells_stay_as_edited_until_the_record_itself_changes(synced):
    synced.edit("log", "Question 1 of 20260328", "My better words")
    synced.settle()
    assert synced.row(ONE)[2] == "My better words"
    rate_in_memory(synced, ONE, "positive")
    synced.sync()
    assert synced.row(ONE)[2] == "My better words"

    def reword(whole):
        whole["deliberations"][0]["query_summary"] = "Asked anew"

    synced.change_memory(reword)
    synced.sync()
    assert synced.row(ONE)[2] == "Asked anew"


def test_a_rating_typed_while_a_sync_runs_is_taken_by_the_next_one(synced, monkeypatch):
    synced.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    write = LocalVault.write

    def slow(vault, name, content, expected):
        if "deliberation-log" in name and synced.row(ONE)[-1] != "positive":
            synced.rate(ONE, "positive")
        return write(vault, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", slow)
    synced.sync()
    assert synced.row(ONE)[-1] == "positive"
    assert rating(synced)[0] is None
    synced.sync()
    assert rating(synced)[0] == "positive"
    assert len(synced.ids()) == 4


def test_a_rating_typed_in_a_sync_that_writes_nothing_is_not_forgotten(synced, monkeypatch):
    """The note is read for ratings, then for drawing; between the two the person types."""
    synced.change_memory(lambda whole: whole.update(optimization_log=[{"a": 1}]))
    read = LocalVault.read
    reads = []

    def typing(vault, name):
        if "deliberation-log" in name:
            reads.append(name)
            if len(reads) == 3:
                synced.rate(ONE, "positive")
        return read(vault, name)

    monkeypatch.setattr(LocalVault, "read", typing)
    synced.sync()
    monkeypatch.undo()
    assert len(reads) == 3
    assert synced.row(ONE)[-1] == "positive"
    assert rating(synced)[0] is None
    synced.sync()
    assert rating(synced)[0] == "positive"


def test_a_rating_in_a_quarters_callout_counts_too(road):
    road.settings["notes"] = {"visible_rows": 2}
    road.write_memory(*records(2, "20260101"), *records(2))
    road.settle()
    line = next(line for line in road.text("log").split("\n") if "d_20260101_001" in line)
    assert line.startswith("> |")
    road.edit("log", line, line[: line.rstrip("| ").rindex("|")] + "| 👎 |")
    road.sync()
    assert rating(road, "d_20260101_001") == ("negative", "rejected")
