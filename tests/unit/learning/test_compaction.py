"""What compaction shortens and removes, what it leaves alone, and that no statistic notices."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning import compaction
from council_vault.learning.compaction import Compacted, compact
from council_vault.memory import canonical
from council_vault.memory.canonical import Verbatim
from support.learned_records import differences, every_statistic, in_parts, learned_records, memory_of
from support.memories import build_memory
from support.memory_files import document, record

SMALL = {"KEPT_IN_FULL": 3, "KEPT": 6}
DROPPED = {"query_summary", "query_hash"}


def compacted(
    whole: dict[str, Any], *, keep_pending: bool = False, size: int | None = None
) -> Compacted | None:
    """Compact a document; the size is that of the file unless another one is told."""
    parsed = canonical.parse(canonical.render(whole))
    return compact(
        parsed["deliberations"],
        memory_of(whole),
        whole.get("archived", {}),
        size=len(canonical.render(whole)) if size is None else size,
        keep_pending=keep_pending,
    )


def after(whole: dict[str, Any], **how: Any) -> dict[str, Any]:
    """Return a document as it is once compacted."""
    done = compacted(whole, **how)
    return whole if done is None else {**whole, "deliberations": done.elements, "archived": done.archived}


def ids(whole: dict[str, Any]) -> list[str]:
    return [one["id"] for one in whole["deliberations"] if isinstance(one, dict)]


def shortened(whole: dict[str, Any]) -> list[str]:
    return [one["id"] for one in whole["deliberations"] if "query_summary" not in one]


def numbered(count: int, **fields: Any) -> list[dict[str, Any]]:
    """Return records of one minute after the other."""
    start = datetime(2026, 3, 28, 6, tzinfo=UTC)
    times = [(start + timedelta(minutes=number)).isoformat() for number in range(1, count + 1)]
    return [record(number, **{"timestamp": time, **fields}) for number, time in enumerate(times, 1)]


def id_of(number: int) -> str:
    return record(number)["id"]


def test_up_to_five_hundred_records_in_a_small_file_stay_as_they_are() -> None:
    whole = document(*numbered(500, vault_synced=True))
    assert compacted(whole, size=390_000) is None


def test_two_hundred_in_full_three_hundred_as_summaries_the_rest_as_sums() -> None:
    whole = document(*numbered(510, models_used=["a", "b"], rankings={"a": 1, "b": 2}, self_preference={}))
    done = after(whole)
    assert ids(done) == [id_of(number) for number in range(11, 511)]
    assert shortened(done) == [id_of(number) for number in range(11, 311)]
    assert done["deliberations"][300:] == whole["deliberations"][310:]
    assert done["archived"]["count"] == 10


def test_a_summary_lacks_four_fields_and_keeps_the_others_in_their_order() -> None:
    one = record(
        1, theirs={"a": [1]}, query_features={"length": 9, "category": "other", "keywords": [], "x": 1}
    )
    with patch.multiple(compaction, KEPT_IN_FULL=0, KEPT=1):
        done = after(document(one, record(2)), size=10**6)
    (summary,) = [found for found in done["deliberations"] if found["id"] == id_of(2)]
    assert "query_hash" not in summary
    with patch.multiple(compaction, KEPT_IN_FULL=1, KEPT=2):
        done = after(document(one, record(2)), size=10**6)
    summary = done["deliberations"][0]
    assert list(summary) == [name for name in one if name not in DROPPED]
    assert summary["query_features"] == {"category": "other", "x": 1}
    assert summary["theirs"] == {"a": [1]}


def test_nothing_that_was_handed_in_is_changed() -> None:
    whole = build_memory(20, 4, seed=2)
    before = copy.deepcopy(whole)
    with patch.multiple(compaction, **SMALL):
        assert compact(whole["deliberations"], memory_of(whole), {}, size=0, keep_pending=False) is not None
    assert whole == before


def test_a_large_file_is_shortened_before_there_are_five_hundred_records() -> None:
    whole = document(*numbered(300, vault_synced=True))
    done = after(whole, size=390_001)
    assert ids(done) == ids(whole)
    assert shortened(done) == [id_of(number) for number in range(1, 101)]
    assert "archived" not in done or done["archived"] == {}
    assert compacted(done, size=390_001) is None


def test_the_order_is_that_of_the_times_then_of_the_places() -> None:
    early, late = "2026-03-01T00:00:00Z", "2026-03-02T01:00:00+02:00"  # the second one is 23:00 UTC
    whole = document(
        record(1, timestamp="2026-03-02T00:00:00Z"),
        record(2, timestamp=late),
        record(3, timestamp=early),
        record(4, timestamp=early),
        record(5, timestamp="soon"),  # the day in its id, which is later
    )
    with patch.multiple(compaction, KEPT_IN_FULL=1, KEPT=2):
        done = after(whole)
    assert ids(done) == [id_of(1), id_of(5)]
    assert shortened(done) == [id_of(1)]
    with patch.multiple(compaction, KEPT_IN_FULL=1, KEPT=4):
        assert ids(after(whole)) == [id_of(number) for number in (1, 2, 4, 5)]


def test_what_is_not_in_the_vault_yet_is_not_reduced_where_a_vault_is_known() -> None:
    whole = document(*numbered(9, vault_synced=True))
    for number in (2, 5):
        whole["deliberations"][number - 1]["vault_synced"] = False
    whole["deliberations"][0].pop("vault_synced")
    with patch.multiple(compaction, **SMALL):
        done = after(whole, keep_pending=True)
        assert ids(done) == [id_of(number) for number in (1, 2, 4, 5, 6, 7, 8, 9)]
        assert shortened(done) == [id_of(number) for number in (4, 6)]
        assert ids(after(whole, keep_pending=False)) == [id_of(number) for number in range(4, 10)]


def test_what_is_no_record_with_an_id_of_its_own_stays_as_it_is() -> None:
    odd: list[Any] = [{"id": "x"}, 5, None, {"query_summary": "no id"}, record(7)]
    whole = document(*odd, *numbered(9, vault_synced=True))
    with patch.multiple(compaction, **SMALL):
        done = after(whole)
    kept = [one for one in done["deliberations"] if isinstance(one, Verbatim)]
    assert [one.value for one in kept][:4] == odd[:4]
    assert len(ids(done)) == 6
    assert done["archived"]["count"] == 3


def test_a_record_that_judges_one_that_stays_stays_as_well() -> None:
    single = {
        "models_used": ["a"],
        "rankings": {},
        "routing_decision": "single_model",
        "routing_source": "learned",
    }
    again = {"repeat_of": id_of(9), "deliberation_value_added": 0.9, "vault_synced": True}
    whole = document(
        record(1, **again),  # its time is wrong: it judges a later record
        record(2, **{**again, "repeat_of": id_of(1)}),
        *(record(number, vault_synced=True) for number in range(3, 9)),
        record(9, **single, deliberation_value_added=None, vault_synced=True),
    )
    with patch.multiple(compaction, KEPT_IN_FULL=1, KEPT=3):
        done = after(whole)
    assert ids(done) == [id_of(number) for number in (1, 2, 7, 8, 9)]
    assert not differences(every_statistic(memory_of(whole)), every_statistic(memory_of(done)))


def test_repeats_go_together_with_what_they_judge() -> None:
    whole = document(*(record(number) for number in range(1, 10)))
    whole["deliberations"][1]["repeat_of"] = id_of(1)
    whole["deliberations"][2]["repeat_of"] = id_of(3)
    with patch.multiple(compaction, **SMALL):
        assert ids(after(whole)) == [id_of(number) for number in range(4, 10)]


def test_unknown_fields_of_the_archive_are_kept_and_only_its_newest_day() -> None:
    theirs = {
        "note": "ours",
        "count": 2,
        "cost": {"sum": 1.0, "count": 2, "x": 1},
        "days": {"2026-03-01": {"sum": 1.0, "count": 2}},
        "categories": {"other": {"count": 2, "deliberated": 2, "y": [2]}},
    }
    whole = {**document(*numbered(7)), "archived": theirs}
    with patch.multiple(compaction, **SMALL):
        done = after(whole)
    archived = done["archived"]
    assert archived["note"] == "ours"
    assert archived["count"] == 3
    assert archived["cost"] == {"sum": pytest.approx(1.09), "count": 3, "x": 1}
    assert archived["categories"]["other"]["y"] == [2]
    assert list(archived["days"]) == ["2026-03-28"]


def test_large_records_leave_as_many_summaries_as_fit() -> None:
    whole = build_memory(700, 6, seed=1)
    for one in whole["deliberations"]:
        one["note"] = "é" * 250  # two bytes each
    done = after(whole)
    assert len(canonical.render(done)) < 390_500
    assert 200 < len(ids(done)) < 400
    assert ids(done) == ids(whole)[-len(ids(done)) :]
    assert done["deliberations"][-200:] == whole["deliberations"][-200:]
    assert not differences(every_statistic(memory_of(whole)), every_statistic(memory_of(done)))
    huge = after({**whole, "deliberations": [{**one, "more": "x" * 3000} for one in whole["deliberations"]]})
    assert len(ids(huge)) == 200


def test_records_do_not_make_room_for_whatever_else_is_in_the_file() -> None:
    whole = build_memory(560, 4, seed=1)
    without = after(whole)
    whole["optimization_log"] = [{"experiment_id": f"opt_20260328_{number:03d}"} for number in range(9000)]
    assert len(ids(after(whole))) > len(ids(without)) - 90


@pytest.mark.parametrize(("models", "note"), [(5, 0), (40, 100), (12, 130), (60, 160)])
def test_compacting_again_changes_nothing(models: int, note: int) -> None:
    whole = build_memory(700, models, seed=3)
    for one in whole["deliberations"]:
        one["note"] = "x" * note
    done = after(whole)
    assert len(canonical.render(done)) <= 390_000
    assert (len(ids(done)) < 500) is (note > 0)
    assert compacted(done) is None


@settings(max_examples=60, deadline=None)
@given(records=learned_records(14), keep_pending=st.booleans())
def test_no_statistic_changes(records: list[dict[str, Any]], keep_pending: bool) -> None:
    whole = document(*records)
    before = memory_of(whole)
    with patch.multiple(compaction, **SMALL):
        done = after(whole, keep_pending=keep_pending)
    now = memory_of(done)
    assert not differences(every_statistic(before), every_statistic(now))
    assert set(ids(done)) >= set(before.pending if keep_pending else ())
    assert len(ids(done)) + now.archived.count == len(records)


@settings(max_examples=40, deadline=None)
@given(records=learned_records(20), sizes=st.lists(st.integers(1, 6), max_size=5))
def test_however_often_it_ran_in_between(records: list[dict[str, Any]], sizes: list[int]) -> None:
    whole = document()
    with patch.multiple(compaction, **SMALL):
        for part in in_parts(records, sizes):
            whole = after({**whole, "deliberations": [*whole["deliberations"], *part]})
    assert not differences(every_statistic(memory_of(document(*records))), every_statistic(memory_of(whole)))
