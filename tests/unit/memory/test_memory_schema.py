from __future__ import annotations

from datetime import date

import pytest

from council_vault.memory.ids import RecordId, next_id, parse_id
from council_vault.memory.schema import Archived, Deliberation, Memory, Problem


def test_ids_are_matched_exactly() -> None:
    assert parse_id("d_20260328_001") == RecordId(date(2026, 3, 28), 1)
    assert parse_id("d_20260328_1000") == RecordId(date(2026, 3, 28), 1000)
    assert str(parse_id("d_20260328_1000")) == "d_20260328_1000"
    assert str(RecordId(date(2026, 3, 28), 7)) == "d_20260328_007"


@pytest.mark.parametrize(
    "text",
    [
        "d_20260328_01",
        "d_20260230_001",
        " d_20260328_001",
        "d_20260328_001\n",
        "d_٢٠٢٦0328_001",
        5,
        None,
        "d_20260328_" + "9" * 5000,
    ],
)
def test_what_is_no_id(text: object) -> None:
    assert parse_id(text) is None


def test_ids_are_ordered_by_day_and_number_and_not_by_letters() -> None:
    texts = ["d_20260328_1000", "d_20260328_999", "d_20251231_001"]
    assert sorted(texts, key=parse_id) == ["d_20251231_001", "d_20260328_999", "d_20260328_1000"]


def test_the_next_id_follows_the_highest_of_its_day_and_is_never_a_count() -> None:
    ids = ["d_20260328_001", "d_20260328_041", "d_20260327_099", None, "x"]
    assert next_id(ids, date(2026, 3, 28)) == "d_20260328_042"
    assert next_id(ids, date(2026, 3, 29)) == "d_20260329_001"
    assert next_id(["d_20260328_999"], date(2026, 3, 28)) == "d_20260328_1000"


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2026, 3, 27), "d_20260327_031"),
        (date(2026, 3, 28), "d_20260328_042"),
        (date(2026, 3, 29), "d_20260329_001"),
    ],
)
def test_no_id_that_a_removed_record_can_have_had_is_given_again(day: date, expected: str) -> None:
    ids = ["d_20260328_041", "d_20260327_002"]
    assert next_id(ids, day, "d_20260328_030") == expected
    assert next_id(ids, date(2026, 3, 28), "no id") == "d_20260328_042"


def test_a_memory_counts_removed_records_and_shows_who_is_pending() -> None:
    memory = Memory(
        deliberations=(
            Deliberation(id="d_20260328_001", vault_synced=True),
            Deliberation(),
            Deliberation(id="d_20260328_002"),
        ),
        archived=Archived(count=10),
    )
    assert memory.total == 13
    assert list(memory.identified) == ["d_20260328_001", "d_20260328_002"]
    assert memory.pending == ("d_20260328_002",)
    assert memory.deliberations[1].category == "other"


def test_a_problem_reads_as_a_line() -> None:
    assert str(Problem("version", "it is missing")) == "version: it is missing"
