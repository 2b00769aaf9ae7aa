"""A note for each deliberation: what is written where, what stays, and how it is rated."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
import yaml
from ruamel.yaml import YAML

from council_vault.errors import WriteFailed
from council_vault.notes.base import base
from council_vault.operations.restoring import kind_named, restore_note
from council_vault.shipped import shipped
from council_vault.state import Remembering, open_state
from council_vault.syncing import record_notes
from council_vault.syncing.settled import settled_report
from council_vault.vault.local import LocalVault
from support.memory_files import dump
from support.record_notes import RECORDS, RecordRoad
from support.syncing import FOLDER, contents_below, records, stats_below

ONE, TWO, THREE, FOUR, FIVE = (f"d_20260328_00{number}" for number in range(1, 6))


@pytest.fixture
def road(tmp_path):
    """Return a workspace with five records and their notes."""
    made = RecordRoad(tmp_path)
    made.settings["notes"] = {"records": True}
    made.write_memory(*records(5))
    return made


@pytest.fixture
def settled(road):
    road.settle()
    return road


def outcome(report):
    (found,) = [note for note in report.notes if note.kind == "records"]
    return found.outcome


def more(road, number=1, day="20260401"):
    road.change_memory(lambda whole: whole["deliberations"].extend(records(number, day)))


# What is written


def test_none_unless_asked_for(tmp_path):
    road = RecordRoad(tmp_path)
    road.write_memory(*records(3))
    report = road.sync()
    assert not (road.vault / RECORDS).exists()
    assert not road.base_file.exists()
    assert report.records == 0
    assert "records" not in {note.kind for note in report.notes}


def test_each_record_gets_one_and_this_is_said(road):
    report = road.sync()
    assert road.notes() == [ONE, TWO, THREE, FOUR, FIVE]
    assert report.records == 5
    assert report.sentence.endswith("5 new deliberation log entries, and 5 record notes.")
    assert road.flagged() == {ONE, TWO, THREE, FOUR, FIVE}


def test_nothing_is_written_when_nothing_has_changed(settled):
    before = stats_below(settled.folder, settled.vault)
    for _ in range(3):
        assert not settled.sync().changed
    assert stats_below(settled.folder, settled.vault) == before


def test_that_nothing_is_to_do_is_seen_at_a_glance_and_so_is_a_rating(settled):
    assert settled_report(settled.workspace())
    settled.tap(ONE, "positive")
    assert settled_report(settled.workspace()) is None
    settled.settle()
    moved = settled.vault / "Elsewhere.md"
    settled.note(ONE).rename(moved)
    assert settled_report(settled.workspace()) is None
    settled.settle()
    assert settled_report(settled.workspace())
    moved.write_text(moved.read_text().replace("rating: positive", "rating: negative"))
    assert settled_report(settled.workspace()) is None


def test_an_idle_sync_reads_none_of_them(settled, monkeypatch):
    settled.sync()
    read, names = LocalVault.read, []
    monkeypatch.setattr(LocalVault, "read", lambda vault, name: names.append(name) or read(vault, name))
    assert not settled.sync().changed
    assert names
    assert not [name for name in names if RECORDS in name]


def test_one_new_record_makes_one_note_and_reads_no_other(settled, monkeypatch):
    read, names = LocalVault.read, []
    monkeypatch.setattr(LocalVault, "read", lambda vault, name: names.append(name) or read(vault, name))
    more(settled)
    assert settled.sync().records == 1
    assert settled.notes() == [ONE, TWO, THREE, FOUR, FIVE, "d_20260401_001"]
    assert {name for name in names if RECORDS in name} == {f"{RECORDS}/2026 Q2/d_20260401_001.md"}


def test_old_and_new_yaml_read_the_properties_alike(settled):
    block = settled.read(ONE).split("---\n")[1]
    old, new = yaml.safe_load(block), YAML(typ="safe").load(block)
    assert old == new
    assert list(old)[:7] == ["title", "date", "type", "tags", "aliases", "status", "rating"]
    assert list(old)[-1] == "council_memory"
    ours = [name for name in old if name.startswith("council_")]
    assert old["council_id"] == ONE
    assert {type(old[name]) for name in ours} == {str, float, list}
    assert old["council_confidence"] == 0.4
    assert old["council_models"] == ["openai/gpt-4o", "anthropic/claude-sonnet-4"]


def test_a_dry_run_shows_them_and_writes_nothing(road):
    before = contents_below(road.vault)
    report = road.sync(dry_run=True)
    assert contents_below(road.vault) == before
    assert report.records == 5
    (shown,) = [note.diff for note in report.notes if note.kind == "records"]
    assert shown.count("\n+council_id: d_20260328_00") == 5
    assert road.sync().records == 5


def test_a_record_that_changes_changes_its_note_alone(settled):
    before = {one: settled.read(one) for one in (TWO, THREE, FOUR, FIVE)}
    settled.change_memory(lambda whole: whole["deliberations"][0].update(cost_usd=3.25))
    assert settled.sync().records == 1
    assert "council_cost_usd: 3.25\n" in settled.read(ONE)
    assert "> - **Cost**: $3.25\n" in settled.read(ONE)
    assert {one: settled.read(one) for one in before} == before


def test_compaction_changes_none_of_them(settled):
    def shorten(whole):
        for record in whole["deliberations"]:
            del record["query_summary"], record["query_hash"]
            del record["query_features"]["length"], record["query_features"]["keywords"]

    before = contents_below(settled.vault / RECORDS)
    settled.change_memory(shorten)
    assert settled.sync().records == 0
    settled.change_memory(lambda whole: whole["deliberations"].pop(0))
    assert settled.sync().records == 0
    assert contents_below(settled.vault / RECORDS) == before


def test_a_summary_that_compaction_took_is_taken_from_the_log(road):
    road.settings["notes"] = {"records": False}
    road.settle()
    road.change_memory(lambda whole: whole["deliberations"][0].pop("query_summary"))
    road.settings["notes"] = {"records": True}
    road.sync()
    assert "\ntitle: Question 1 of 20260328\n" in road.read(ONE)


def test_a_suffix_keeps_the_notes_of_two_workspaces_apart(road):
    road.settings["workspace"] = {"name": "Lab"}
    road.sync()
    folder = road.vault / FOLDER
    assert (folder / "Council Records-Lab" / "2026 Q1" / f"{ONE}.md").is_file()
    assert not (road.vault / RECORDS).exists()
    assert 'council_memory == "m-20260301T000000Z"' in (folder / "council-Lab.base").read_text()


# What is the person's


def test_words_and_properties_of_theirs_stay_byte_for_byte(settled):
    text = settled.read(ONE).replace("\n", "\r\n")
    text = text.replace("status: active\r\n", "status: archived # done\r\nmine: [[Home]] and\r\n")
    text = text.replace("title: Question 1 of 20260328", 'title:   "My own title"')
    text = text.replace("%% council-vault:begin", "Above it.\r\n\r\n%% council-vault:begin")
    settled.write(ONE, text + "\r\nBelow it.  \r\n")
    settled.change_memory(
        lambda whole: whole["deliberations"][0].update(cost_usd=3.25, chairman="openai/gpt-4o")
    )
    settled.sync()
    after = settled.read(ONE)
    for theirs in ("status: archived # done\r\n", "mine: [[Home]] and\r\n", 'title:   "My own title"\r\n'):
        assert theirs in after
    assert "Above it.\r\n\r\n%%" in after
    assert after.endswith("\r\nBelow it.  \r\n")
    assert "\n" not in after.replace("\r\n", "")
    if "mine: [[Home]] and" in after:  # no YAML, so the properties are left as they are
        assert "council_cost_usd: 0.01\r\n" in after
    settled.write(ONE, after.replace("mine: [[Home]] and\r\n", "mine: 'Home'\r\n"))
    settled.sync()
    assert "council_cost_usd: 3.25\r\n" in settled.read(ONE)
    assert "mine: 'Home'\r\n" in settled.read(ONE)
    assert "**Cost**: $3.25" in settled.read(ONE)


def test_what_they_write_into_the_region_moves_below_it(settled):
    settled.change(ONE, "## Ranking\n", "My thought on this.\n\n## Ranking\n")
    settled.sync()
    text = settled.read(ONE)
    assert text.count("My thought on this.") == 1
    assert text.index("My thought on this.") > text.index("council-vault:end")
    assert not settled.sync().changed


def test_sorted_properties_are_not_fought_over(settled):
    head, block, body = settled.read(ONE).split("---\n", 2)
    sorted_block = yaml.safe_dump(yaml.safe_load(block), sort_keys=True, allow_unicode=True)
    settled.write(ONE, f"{head}---\n{sorted_block}---\n{body}")
    before = settled.read(ONE)
    assert not settled.sync().changed
    assert settled.read(ONE) == before


@pytest.mark.parametrize("place", ["Elsewhere/My thoughts.md", f"{RECORDS}/renamed.md", "Top.md"])
def test_a_moved_note_is_found_and_kept_up_to_date_where_it_is(settled, place):
    moved = settled.vault / place
    moved.parent.mkdir(exist_ok=True)
    settled.note(ONE).rename(moved)
    assert not settled.sync().changed
    settled.rate_in_memory(ONE, "negative")
    assert settled.sync().records == 1
    assert "\nrating: negative\n" in moved.read_text()
    moved.write_text(moved.read_text().replace("rating: negative", "rating: positive"))
    settled.sync()
    assert settled.record(ONE)["user_rating"] == "positive"
    assert ONE not in settled.notes()
    before = stats_below(settled.vault)
    assert not settled.sync().changed
    assert not settled.sync().changed
    assert stats_below(settled.vault) == before


def test_a_deleted_note_stays_deleted_until_all_are_wanted(settled):
    settled.note(TWO).unlink()
    settled.sync()
    settled.rate_in_memory(TWO, "positive", cost_usd=9.0)
    settled.sync()
    more(settled)
    settled.sync()
    assert TWO not in settled.notes()
    assert settled.row(TWO)[-1] == "positive"
    report = settled.sync(full=True)
    assert report.records == 1
    assert settled.tapped(TWO) == "positive"
    settled.settle()
    assert TWO in settled.notes()


def test_a_deleted_note_that_is_back_is_kept_up_to_date(settled):
    content = settled.note(TWO).read_bytes()
    settled.note(TWO).unlink()
    settled.sync()
    settled.note(TWO).write_bytes(content)
    settled.rate_in_memory(TWO, "negative")
    settled.sync()
    assert settled.tapped(TWO) == "negative"


def test_most_of_them_gone_at_once_are_made_again_and_this_is_said_once(settled):
    for record_id in (ONE, TWO, THREE):
        settled.note(record_id).unlink()
    report = settled.sync()
    assert settled.notes() == [ONE, TWO, THREE, FOUR, FIVE]
    assert [message for message in report.messages if "3 record notes were gone" in message]
    assert not settled.sync().messages


def test_notes_of_records_that_are_gone_from_the_memory_are_not_made_again(settled):
    settled.change_memory(lambda whole: whole["deliberations"].clear())
    for record_id in (ONE, TWO, THREE):
        settled.note(record_id).unlink()
    report = settled.sync()
    assert not [message for message in report.messages if "made again" in message]
    assert settled.notes() == [FOUR, FIVE]
    assert not settled.sync().changed


def test_another_note_of_that_name_is_left_alone(road):
    road.note(ONE).parent.mkdir(parents=True)
    road.write(ONE, "---\ncouncil_id: d_20250101_001\n---\n\nAnother thing.\n")
    road.write(TWO, "No properties.\n")
    before = road.read(ONE), road.read(TWO)
    road.settle()
    assert (road.read(ONE), road.read(TWO)) == before
    assert road.notes() == [ONE, f"{ONE}-2", TWO, f"{TWO}-2", THREE, FOUR, FIVE]


def test_a_note_that_says_another_id_now_is_refused_and_named(settled):
    settled.change(ONE, f"council_id: {ONE}", f"council_id: {TWO}")
    before = settled.read(ONE)
    settled.rate_in_memory(ONE, "positive")
    report = settled.sync()
    assert outcome(report) == "refused"
    assert report.failed
    assert [reason for reason in report.reasons if f"{ONE}.md" in reason]
    assert settled.read(ONE) == before


def test_conflict_copies_are_left_alone_and_named_once(settled):
    copy = settled.note(ONE).with_name(f"{ONE}.sync-conflict-20260401-101010-ABC.md")
    copy.write_text(settled.read(ONE).replace("rating:\n", "rating: negative\n"))
    before = copy.read_bytes()
    report = settled.sync()
    assert [message for message in report.messages if copy.name in message]
    assert not settled.sync().messages
    assert copy.read_bytes() == before
    assert settled.record(ONE)["user_rating"] is None
    settled.note(ONE).unlink()
    settled.sync()
    assert copy.read_bytes() == before


def test_turned_off_they_stay_where_they_are_and_nothing_touches_them(settled):
    settled.settings["notes"] = {"records": False}
    before = contents_below(settled.vault / RECORDS)
    settled.tap(ONE, "negative")
    settled.rate_in_memory(TWO, "positive")
    more(settled)
    report = settled.sync()
    assert settled.record(ONE)["user_rating"] is None
    assert "records" not in {note.kind for note in report.notes}
    now = contents_below(settled.vault / RECORDS)
    assert [name for name in before if before[name] != now[name]] == [f"2026 Q1/{ONE}.md"]
    assert now.keys() == before.keys()
    settled.settings["notes"] = {"records": True}
    settled.sync()
    assert settled.ratings(ONE) == ("negative", "negative", "negative")
    assert settled.ratings(TWO) == ("positive", "positive", "positive")


def test_lost_state_makes_no_note_twice_and_changes_none(settled, tmp_path):
    settled.note(TWO).rename(settled.vault / "Mine.md")
    before = stats_below(settled.vault)
    settled.states = tmp_path / "new-states"
    assert settled.sync().records == 0
    assert stats_below(settled.vault) == before
    settled.rate_in_memory(TWO, "positive")
    settled.sync()
    assert "\nrating: positive\n" in (settled.vault / "Mine.md").read_text()
    assert settled.notes() == [ONE, THREE, FOUR, FIVE]


def test_notes_of_another_memory_are_not_taken_for_this_ones(settled):
    settled.write_memory(*records(2), created="2024-05-05T00:00:00Z")
    for record in ("performance", "routing", "log"):
        settled.path(record).unlink()
    before = settled.read(ONE)
    settled.states = settled.base / "new-states"
    settled.sync()
    assert settled.read(ONE) == before
    assert f"{ONE}-2" in settled.notes()


def test_a_template_of_their_own_is_used_and_a_broken_one_is_named(settled, tmp_path):
    own = tmp_path / "templates"
    own.mkdir()
    text = (shipped("templates") / "council-record.md.j2").read_text()
    (own / "council-record.md.j2").write_text(text.replace("> [!summary]", "> [!tip]"))
    settled.settings["notes"] |= {"templates": str(own)}
    assert settled.sync().records == 5
    assert "> [!tip] 2 models deliberated" in settled.read(ONE)
    (own / "council-record.md.j2").write_text(text.replace("council_memory:", "other:"))
    report = settled.sync()
    assert [message for message in report.messages if "council_memory" in message]
    assert "> [!summary] 2 models deliberated" in settled.read(ONE)


# Ratings


@pytest.mark.parametrize(
    ("typed", "meant", "outcome"),
    [
        ("positive", "positive", "accepted"),
        ("👎", "negative", "rejected"),
        ("Neutral", "neutral", "accepted"),
    ],
)
def test_a_rating_set_in_the_note_reaches_the_memory_and_the_row(settled, typed, meant, outcome):
    settled.tap(ONE, typed)
    report = settled.sync()
    assert report.ratings == 1
    assert (settled.record(ONE)["user_rating"], settled.record(ONE)["outcome"]) == (meant, outcome)
    assert settled.row(ONE)[-1] == meant
    assert settled.tapped(ONE) == typed
    settled.settle()
    assert settled.tapped(ONE) == typed


@pytest.mark.parametrize("list_", ["rating: [positive]", "rating:\n  - positive", 'rating: "positive"'])
def test_a_rating_in_whatever_form_obsidian_gives_it_is_read(settled, list_):
    settled.change(ONE, "rating:\n", f"{list_}\n")
    settled.sync()
    assert settled.record(ONE)["user_rating"] == "positive"
    assert f"\n{list_}\n" in settled.read(ONE)


def test_ratings_can_be_set_taken_away_and_set_again(settled):
    for word in ("positive", "", "negative", "", "positive", "neutral", "positive", ""):
        settled.tap(ONE, word)
        settled.sync()
        assert settled.ratings(ONE) == ((word or None),) * 3
        settled.settle()


def test_a_removed_property_takes_the_rating_away_and_does_not_come_back(settled):
    settled.tap(ONE, "positive")
    settled.settle()
    settled.change(ONE, "rating: positive\n", "")
    settled.sync()
    assert settled.ratings(ONE) == (None, None, None)
    assert "\nrating:" not in settled.read(ONE)
    settled.settle()
    settled.rate_in_memory(ONE, "negative")
    settled.sync()
    assert settled.tapped(ONE) == "negative"


def test_a_rating_in_the_memory_reaches_both(settled):
    settled.rate_in_memory(ONE, "negative", outcome="rejected")
    settled.sync()
    assert settled.ratings(ONE) == ("negative", "negative", "negative")
    settled.settle()


def test_a_rating_in_the_log_reaches_both_and_so_does_its_end(settled):
    settled.rate(ONE, "negative")
    settled.sync()
    assert settled.ratings(ONE) == ("negative", "negative", "negative")
    settled.settle()
    settled.rate(ONE, "")
    settled.sync()
    assert settled.ratings(ONE) == (None, None, None)
    assert "\nrating:\n" in settled.read(ONE)
    settled.settle()


def test_where_log_and_note_disagree_the_note_counts_and_the_loser_is_named(settled):
    settled.rate(ONE, "positive")
    settled.tap(ONE, "negative")
    report = settled.sync()
    assert settled.ratings(ONE) == ("negative", "negative", "negative")
    assert report.ratings == 1
    (said,) = [message for message in report.messages if ONE in message]
    assert (
        said == f"{ONE} was rated positive in the log and rated negative in its own note; the latter counts."
    )
    assert not settled.sync().messages
    settled.settle()


def test_where_all_three_disagree_the_note_counts(settled):
    settled.rate(ONE, "positive")
    settled.tap(ONE, "negative")
    settled.rate_in_memory(ONE, "neutral")
    settled.sync()
    assert settled.ratings(ONE) == ("negative", "negative", "negative")
    settled.settle()


def test_a_rating_beats_one_that_was_taken_away(settled):
    for record_id in (ONE, TWO):
        settled.tap(record_id, "positive")
    settled.settle()
    settled.rate(ONE, "negative")
    settled.tap(ONE, "")
    settled.rate(TWO, "")
    settled.tap(TWO, "negative")
    report = settled.sync()
    assert settled.ratings(ONE) == ("negative", "negative", "negative")
    assert settled.ratings(TWO) == ("negative", "negative", "negative")
    assert len([message for message in report.messages if "in its own note" in message]) == 2
    settled.settle()


def test_where_note_and_memory_disagree_the_note_counts(settled):
    settled.tap(ONE, "positive")
    settled.rate_in_memory(ONE, "negative", outcome="rejected")
    report = settled.sync()
    assert settled.ratings(ONE) == ("positive", "positive", "positive")
    assert [message for message in report.messages if ONE in message and "negative" in message]
    settled.settle()


def test_a_rating_in_the_note_that_the_memory_has_too_beats_another_one_in_the_log(settled):
    settled.rate(ONE, "negative")
    settled.tap(ONE, "positive")
    settled.rate_in_memory(ONE, "positive")
    settled.sync()
    assert settled.ratings(ONE) == ("positive", "positive", "positive")
    settled.settle()


def test_a_rating_in_the_log_that_the_memory_has_too_beats_one_that_was_taken_away(settled):
    settled.rate(ONE, "positive")
    settled.tap(ONE, "positive")
    settled.settle()
    settled.rate(ONE, "negative")
    settled.tap(ONE, "")
    settled.rate_in_memory(ONE, "negative")
    settled.sync()
    assert settled.ratings(ONE) == ("negative", "negative", "negative")
    settled.settle()


def test_a_rating_taken_away_in_the_note_counts_in_an_old_copy_of_the_log_too(settled):
    settled.rate(ONE, "positive")
    old = settled.path("log").read_bytes()
    settled.settle()
    settled.edit("log", "# Council Deliberation Log", "# My Log")
    settled.settle()
    settled.path("log").write_bytes(old)
    settled.tap(ONE, "")
    settled.sync()
    assert settled.ratings(ONE) == (None, None, None)
    settled.settle()


def test_a_note_that_is_no_text_is_left_alone_and_named(settled):
    settled.note(ONE).write_bytes(b"\xff\xfe\x00 no text")
    report = settled.sync()
    assert outcome(report) == "refused"
    assert settled.note(ONE).read_bytes() == b"\xff\xfe\x00 no text"
    assert settled.notes() == [ONE, TWO, THREE, FOUR, FIVE]


def test_one_that_goes_away_while_it_is_looked_at_is_not_made_again(settled, monkeypatch):
    settled.tap(ONE, "positive")
    read = LocalVault.read

    def going(vault, name):
        if name.endswith(f"{ONE}.md"):
            settled.note(ONE).unlink(missing_ok=True)
        return read(vault, name)

    monkeypatch.setattr(LocalVault, "read", going)
    settled.sync()
    monkeypatch.undo()
    settled.sync()
    settled.settle()
    assert ONE not in settled.notes()
    assert settled.record(ONE)["user_rating"] is None


def test_many_that_changed_are_read_a_few_at_a_time(settled):
    for record_id in (ONE, TWO, THREE, FOUR):
        settled.tap(record_id, "positive")
    report = settled.sync(most_records=3)
    assert report.ratings == 3
    assert outcome(report) == "later"
    report = settled.sync(most_records=3)
    assert report.ratings == 1
    settled.settle()
    assert all(settled.ratings(one) == ("positive",) * 3 for one in (ONE, TWO, THREE, FOUR))


def test_the_same_in_both_is_no_disagreement(settled):
    settled.rate(ONE, "👍")
    settled.tap(ONE, "positive")
    report = settled.sync()
    assert settled.ratings(ONE) == ("positive", "👍", "positive")
    assert not report.messages
    settled.settle()


def test_an_unknown_word_stays_and_is_named_once(settled):
    settled.tap(ONE, "5")
    report = settled.sync()
    assert [message for message in report.messages if "'5'" in message and ONE in message]
    for _ in range(3):
        more(settled, day=f"2026050{settled.now.hour % 9 + 1}")
        assert not [message for message in settled.sync().messages if ONE in message]
    assert settled.tapped(ONE) == 5
    settled.rate_in_memory(ONE, "positive")
    settled.sync()
    assert settled.tapped(ONE) == "positive"


def test_a_rating_that_an_agent_lost_comes_back(settled):
    stale = settled.parsed()
    settled.tap(ONE, "negative")
    settled.settle()
    settled.delete_rows(ONE)
    settled.sync()
    settled.memory.write_bytes(dump(stale))
    settled.sync()
    assert settled.record(ONE)["user_rating"] == "negative"
    assert settled.tapped(ONE) == "negative"


def test_a_stale_copy_says_nothing_of_ratings(settled):
    content, times = settled.note(ONE).read_bytes(), settled.note(ONE).stat()
    settled.tap(ONE, "positive")
    settled.settle()
    settled.note(ONE).write_bytes(content)
    os.utime(settled.note(ONE), ns=(times.st_atime_ns, times.st_mtime_ns))
    settled.sync()
    assert settled.ratings(ONE) == ("positive", "positive", "positive")


def test_without_state_a_value_beats_none_and_of_two_the_memorys_stays(settled, tmp_path):
    settled.tap(ONE, "positive")
    settled.tap(TWO, "positive")
    settled.rate_in_memory(TWO, "negative")
    settled.states = tmp_path / "new-states"
    settled.sync()
    assert settled.ratings(ONE) == ("positive", "positive", "positive")
    assert settled.ratings(TWO) == ("negative", "negative", "negative")


def test_a_newer_memory_is_read_and_ratings_wait(road):
    road.write_memory(*records(2), version="1.4")
    road.settle()
    before = road.memory.read_bytes()
    road.tap(ONE, "positive")
    for _ in range(3):
        road.sync()
    assert road.memory.read_bytes() == before
    assert road.tapped(ONE) == "positive"
    road.memory.write_bytes(before.replace(b'"1.4"', b'"1.3"'))
    road.sync()
    assert road.ratings(ONE) == ("positive", "positive", "positive")


def test_a_flag_depends_on_the_log_alone(road, monkeypatch):
    monkeypatch.setattr(record_notes, "write_notes", lambda *_: {})
    road.sync()
    assert road.flagged() == {ONE, TWO, THREE, FOUR, FIVE}
    monkeypatch.undo()
    more(road)
    road.edit("log", "%% council-vault:end %%", "")
    report = road.sync()
    assert report.failed
    assert "d_20260401_001" in road.notes()
    assert road.pending() == {"d_20260401_001"}


def test_a_note_somebody_is_writing_in_is_left_until_it_is_quiet(settled):
    settled.tap(ONE, "positive")
    report = settled.sync(quiet_for=10.0)
    assert outcome(report) == "later"
    assert settled.record(ONE)["user_rating"] is None
    moment = time.time() - 11
    os.utime(settled.note(ONE), (moment, moment))
    settled.sync(quiet_for=10.0)
    assert settled.record(ONE)["user_rating"] == "positive"


def test_a_sync_of_the_log_alone_leaves_them(settled):
    more(settled)
    report = settled.sync(only_log=True)
    assert (report.records, report.failed) == (0, False)
    assert settled.sync().records == 1


def test_a_few_at_a_time_ratings_and_the_newest_first(road):
    more(road, 2)
    report = road.sync(most_records=3)
    assert (report.records, outcome(report)) == (3, "later")
    assert road.notes() == [FIVE, "d_20260401_001", "d_20260401_002"]
    road.tap(FIVE, "positive")
    report = road.sync(most_records=1)
    assert road.record(FIVE)["user_rating"] == "positive"
    assert road.sync(most_records=2).records == 2
    assert road.sync(most_records=10).records == 2
    road.settle()


@pytest.mark.parametrize("before", [None, "neutral"])
def test_a_rating_typed_while_its_note_is_written_is_taken_by_the_next_sync(settled, monkeypatch, before):
    settled.rate_in_memory(ONE, before)
    settled.settle()
    settled.change_memory(lambda whole: whole["deliberations"][0].update(cost_usd=3.25))
    write = LocalVault.write

    def slow(vault, name, content, expected):
        if name.endswith(f"{ONE}.md") and settled.tapped(ONE) == before:
            settled.tap(ONE, "positive")
        return write(vault, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", slow)
    settled.sync()
    assert settled.tapped(ONE) == "positive"
    assert settled.record(ONE)["user_rating"] == before
    settled.sync()
    assert settled.ratings(ONE) == ("positive", "positive", "positive")
    assert "council_cost_usd: 3.25\n" in settled.read(ONE)


class _Killed(BaseException):
    pass


@pytest.mark.parametrize("when", ["written", "announced"])
def test_what_a_killed_sync_wrote_is_no_rating_of_the_persons(settled, monkeypatch, when):
    settled.rate_in_memory(ONE, "positive")

    def killed(*_arguments, **_options):
        raise _Killed

    if when == "written":
        monkeypatch.setattr(record_notes.RecordComposer, "after", killed)
    else:
        monkeypatch.setattr(LocalVault, "write", _except_for_the_log(killed))
    with pytest.raises(_Killed):
        settled.sync()
    monkeypatch.undo()
    assert settled.tapped(ONE) == ("positive" if when == "written" else None)
    settled.rate_in_memory(ONE, "negative")
    settled.sync()
    assert settled.ratings(ONE) == ("negative", "negative", "negative")
    settled.settle()


def _except_for_the_log(killed):
    write = LocalVault.write

    def writing(vault, name, content, expected):
        return killed() if RECORDS in name else write(vault, name, content, expected)

    return writing


def test_a_disk_that_is_full_is_said_and_made_up_for(road, monkeypatch):
    write = LocalVault.write

    def full(vault, name, content, expected):
        if RECORDS in name:
            raise WriteFailed("no room is left", where=name)
        return write(vault, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", full)
    report = road.sync()
    assert report.failed
    assert outcome(report) == "failed"
    assert [reason for reason in report.reasons if "no room is left" in reason]
    monkeypatch.undo()
    assert road.sync().records == 5


# Bases


def test_the_view_is_written_once_and_what_they_make_of_it_stays(settled):
    assert settled.base_file.read_text() == base(None)
    settled.base_file.write_text(base(None) + "# mine\n")
    more(settled)
    settled.sync()
    settled.sync(full=True)
    assert settled.base_file.read_text() == base(None) + "# mine\n"


def test_a_deleted_view_stays_deleted_until_all_are_wanted(settled):
    settled.base_file.unlink()
    more(settled)
    settled.sync()
    assert not settled.base_file.exists()
    settled.sync(full=True)
    assert settled.base_file.read_text() == base(None)


def test_a_view_that_is_as_an_earlier_version_of_ours_wrote_it_is_brought_up_to_date(settled):
    with open_state(settled.workspace().folder) as state:
        old = msgspec.structs.replace(state.facts, base="views: []\n")
        state.remember(Remembering(facts=old))
    settled.base_file.write_text("views: []\n")
    more(settled)
    settled.sync()
    assert settled.base_file.read_text() == base(None)


def test_a_view_that_was_there_before_is_left_alone(road):
    road.base_file.parent.mkdir(parents=True, exist_ok=True)
    road.base_file.write_text("views: []\n")
    road.sync()
    road.sync(full=True)
    assert road.base_file.read_text() == "views: []\n"


# Earlier versions


def test_an_earlier_version_can_be_brought_back(settled):
    before = settled.read(ONE)
    settled.change_memory(lambda whole: whole["deliberations"][0].update(cost_usd=3.25))
    settled.sync()
    assert settled.read(ONE) != before
    kind = kind_named(f"{RECORDS}/2026 Q1/{ONE}.md")
    restore_note(settled.workspace(), kind, 1, datetime.now(UTC) + timedelta(hours=1))
    assert settled.read(ONE) == before
