"""Which deliberations the memory has already."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from council_vault.importers.known import Known, Mark, Standing, mark_of
from council_vault.learning.compaction import KEPT
from council_vault.learning.log_input import read_log_input
from council_vault.memory.schema import Archived, Deliberation, Memory

NEW, THERE, TOO_OLD = Standing.NEW, Standing.THERE, Standing.TOO_OLD
START = datetime(2026, 3, 1, 10, 20, 30, tzinfo=UTC)
MODELS = frozenset({"m/a", "m/b"})


def mark(hash_="aaaaaaaa", when=START, models=MODELS):
    return Mark(when, frozenset(models), hash_)


def record(hash_="aaaaaaaa", when=START, models=MODELS, number=1):
    return Deliberation(
        id=f"d_{when:%Y%m%d}_{number:03d}",
        timestamp=when.isoformat(),
        query_hash=hash_,
        models_used=tuple(models),
    )


def known(*records, archived=0):
    return Known(Memory(deliberations=records, archived=Archived(count=archived)))


def test_what_a_deliberation_is_known_by():
    given = read_log_input(
        {"query_text": "abc", "models_used": ["m/b", "m/a"], "timestamp": "2026-03-01T10:20:30.9Z"}
    )
    assert mark_of(given) == mark("ba7816bf")


def test_a_record_with_time_models_and_query_is_the_same():
    assert known(record()).sort_out([mark()]) == [THERE]


def test_another_time_query_or_council_is_new():
    others = [mark(when=START + timedelta(seconds=1)), mark("bbbbbbbb"), mark(models={"m/a"})]
    assert known(record()).sort_out(others) == [NEW] * 3


def test_compacted_records_are_known_without_their_query():
    assert known(record(None)).sort_out([mark("bbbbbbbb"), mark("cccccccc")]) == [THERE, NEW]


def test_the_record_of_the_very_query_goes_before_one_that_lost_it():
    assert known(record(None), record("bbbbbbbb", number=2)).sort_out(
        [mark("bbbbbbbb"), mark("cccccccc"), mark("dddddddd")]
    ) == [THERE, THERE, NEW]


def test_a_file_that_has_grown_adds_what_is_new_in_it():
    grown = [mark("aaaaaaaa"), mark("bbbbbbbb"), mark("cccccccc")]
    assert known(record("aaaaaaaa"), record("bbbbbbbb", number=2)).sort_out(grown) == [THERE, THERE, NEW]
    assert known(record(None), record(None, number=2)).sort_out(grown) == [THERE, THERE, NEW]


def test_the_same_question_twice_in_one_file_is_two_and_a_copy_of_the_file_adds_nothing():
    memory = known()
    assert memory.sort_out([mark(), mark()]) == [NEW, NEW]
    assert memory.sort_out([mark(), mark()]) == [THERE, THERE]
    assert memory.sort_out([mark(), mark(), mark()]) == [THERE, THERE, NEW]


def test_a_record_without_a_time_is_of_its_day():
    bare = Deliberation(id="d_20260301_001", query_hash="aaaaaaaa", models_used=tuple(MODELS))
    assert known(bare).sort_out([mark(when=datetime(2026, 3, 1, tzinfo=UTC))]) == [THERE]


def test_where_records_were_removed_older_ones_cannot_be_told():
    memory = known(record(), record(when=START + timedelta(days=1)), archived=3)
    assert memory.sort_out(
        [
            mark(),
            mark("bbbbbbbb"),
            mark(when=START - timedelta(days=9)),
            mark(when=START + timedelta(hours=1)),
        ]
    ) == [THERE, TOO_OLD, TOO_OLD, NEW]
    assert known(archived=3).sort_out([mark()]) == [NEW]


def test_records_that_waited_for_the_vault_do_not_tell_how_far_back_records_go():
    newer = [record(when=START + timedelta(hours=hour)) for hour in range(1, KEPT + 1)]
    memory = known(record(when=START - timedelta(days=30)), *newer, archived=1)
    assert memory.sort_out([mark(when=START), mark(when=START + timedelta(minutes=90))]) == [TOO_OLD, NEW]


def test_what_the_memory_says_of_removed_records_counts_and_not_how_many_are_kept():
    waiting = record(when=START - timedelta(days=30))  # not in the vault yet, so that it was kept
    archived = Archived(count=2, newest=(START + timedelta(minutes=5)).isoformat())
    known_ones = Known(Memory(deliberations=(waiting,), archived=archived))
    assert known_ones.sort_out([mark(when=START), mark(when=START + timedelta(minutes=6))]) == [TOO_OLD, NEW]
