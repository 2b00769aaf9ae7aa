"""Ratings in three places, changed at random between syncs: who wins, and that all agree afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.record_notes import RecordRoad
from support.syncing import records

IDS = ("d_20260328_001", "d_20260328_002")
_KEEP = "keep"
words = st.sampled_from([_KEEP, _KEEP, None, "positive", "negative", "neutral"])
# What becomes of one record's rating between two syncs: in the memory, the log and its note.
changes = st.tuples(words, words, words)


def expected(agreed, memory, log, note):
    """Return what all three say after a sync, where they said ``agreed`` before."""
    memory, log, note = (agreed if word == _KEEP else word for word in (memory, log, note))
    typed = [word for word in (note, log) if word != agreed]
    values = [word for word in typed if word is not None]
    if values:
        return values[0]
    if memory is None and agreed is not None:
        # As by an agent that writes from an old reading: who still has it brings it back.
        return agreed if agreed in {log, note} else None
    return None if typed else memory


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(changes, changes), min_size=1, max_size=4))
def test_who_wins(rounds):
    with tempfile.TemporaryDirectory() as folder:
        road = RecordRoad(Path(folder))
        road.settings["notes"] = {"records": True}
        road.write_memory(*records(2))
        road.settle()
        agreed = dict.fromkeys(IDS)
        for number, of_records in enumerate(rounds):
            # So that no version of the log is an earlier one, which would count as an old copy.
            road.path("log").write_text(f"{road.text('log')}\nRound {number}.\n")
            for record_id, (memory, log, note) in zip(IDS, of_records, strict=True):
                if memory != _KEEP:
                    road.rate_in_memory(record_id, memory)
                if log != _KEEP:
                    road.rate(record_id, log or "")
                if note != _KEEP:
                    road.tap(record_id, note or "")
                agreed[record_id] = expected(agreed[record_id], memory, log, note)
            assert not road.sync().failed
            for record_id in IDS:
                assert road.ratings(record_id) == (agreed[record_id],) * 3
            road.settle()
