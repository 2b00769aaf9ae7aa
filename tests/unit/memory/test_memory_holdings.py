from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from council_vault.memory.decoding import decode
from council_vault.memory.glimpse import look
from council_vault.memory.holdings import (
    Index,
    Mark,
    Version,
    lost,
    mark,
    superfluous,
    version_of,
    version_seen,
)

NOON = datetime(2026, 3, 28, 12, 30, tzinfo=UTC)


def version(*numbers: int, archived: int = 0, query: str = "a", day: int = 28) -> Version:
    return Version(
        {
            f"d_202603{day}_{number:03d}": Mark(f"2026-03-{day}T10:{number:02d}:00Z", query)
            for number in numbers
        },
        archived,
    )


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        (Mark("t", "a"), Mark("t", "a"), True),
        (Mark("t", "a"), Mark("u", "a"), True),  # an agent wrote the time in another form
        (Mark("t", "a"), Mark("t", "b"), True),
        (Mark("t", "a"), Mark("u", "b"), False),
        (Mark("t", "a"), Mark("u", ""), True),  # compaction drops the hash
        (Mark("", "a"), Mark("u", "b"), True),
    ],
)
def test_marks(one: Mark, other: Mark, fits: bool) -> None:
    assert one.fits(other) is other.fits(one) is fits


def test_a_mark_is_made_of_whatever_stands_there() -> None:
    assert mark(1774688728, ["x"]) == Mark("1774688728", "")
    assert mark(None, "a1b2") == Mark("", "a1b2")


def test_what_is_missing_is_lost() -> None:
    assert lost(version(1, 2, 3), version(2, 3, 4)) == ["d_20260328_001"]
    assert lost(version(1), version(1)) == []


def test_another_record_under_an_id_does_not_stand_for_the_lost_one() -> None:
    other = Version({"d_20260328_001": Mark("2026-03-28T20:00:00Z", "b")})
    assert lost(version(1), other) == ["d_20260328_001"]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (version(3, 4, archived=7), []),
        (version(4, archived=7), ["d_20260328_003"]),  # one more than was archived
        (version(1, 2, archived=7), ["d_20260328_003", "d_20260328_004"]),  # not the oldest
        (version(archived=9), []),
        (
            version(2, archived=4),
            ["d_20260328_001", "d_20260328_003", "d_20260328_004"],
        ),  # archived went down
    ],
)
def test_what_compaction_removed_is_not_lost(after: Version, expected: list[str]) -> None:
    assert lost(version(1, 2, 3, 4, archived=5), after) == expected


def compacted(*numbers: int, archived: int, until: int) -> Version:
    """Return a version of which records were removed, the newest of them this one."""
    mark = version(until).records[f"d_20260328_{until:03d}"]
    return Version(version(*numbers).records, archived, mark.time)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (compacted(1, 4, archived=7, until=3), []),  # the first was passed over
        (compacted(1, 2, 4, archived=6, until=3), []),
        (compacted(1, 2, archived=7, until=3), [4]),  # newer than all that was removed
        (compacted(2, 4, archived=6, until=3), [3]),  # one more than was removed
        (compacted(1, 2, 3, archived=9, until=2), [4]),  # what was removed had come after
        (compacted(archived=9, until=4), []),
        (compacted(2, archived=4, until=4), [1, 3, 4]),  # an older version of the file
    ],
)
def test_compaction_passes_over_records_that_it_must_keep(after: Version, expected: list[int]) -> None:
    assert lost(version(1, 2, 3, 4, archived=5), after) == [f"d_20260328_{number:03d}" for number in expected]


def test_the_time_of_the_newest_removed_record_is_read_in_any_form() -> None:
    before = version(1, 2, 3)
    for time in ("2026-03-28T12:02:00+02:00", "1774692120", "2026-03-28 10:02"):
        assert lost(before, Version({}, 3, time)) == ["d_20260328_003"]
    assert lost(before, Version({}, 2, "soon")) == ["d_20260328_003"]


def test_a_record_of_unknown_time_can_have_been_removed() -> None:
    before = Version({"d_20260328_001": Mark("soon", ""), "d_20260328_002": Mark("2026-03-28T10:00:00Z", "")})
    assert lost(before, Version({}, 1, "2026-03-27T10:00:00Z")) == ["d_20260328_002"]


def test_a_version_knows_what_was_archived_until_when() -> None:
    text = b'{"deliberations": [], "archived": {"count": 3, "newest": 1774692120}}'
    assert version_seen(look(text)) == version_of(decode(text).memory) == Version({}, 3, "1774692120")
    for odd in (b"[]", b"{}", b'{"count": "3", "newest": null}'):
        assert version_seen(look(b'{"archived": ' + odd + b"}")) == Version()


def test_the_oldest_are_so_by_time_and_then_by_id() -> None:
    before = Version(
        {
            "d_20260328_1000": Mark("", ""),
            "d_20260328_999": Mark("", ""),
            "d_20260401_001": Mark("2026-03-01T00:00:00Z", ""),
        }
    )
    after = Version({"d_20260328_1000": Mark("", "")}, archived=2)
    assert lost(before, after) == []
    assert lost(before, Version({"d_20260401_001": Mark("", "")}, archived=2)) == ["d_20260328_1000"]


def test_the_index_remembers_what_no_later_version_holds() -> None:
    index = Index()
    index.advance("v1", version(1, 2, 3))
    index.advance("v2", version(3))
    index.advance("v3", version(3, 4))
    assert [(held.id, held.snapshot) for held in index.gone] == [
        ("d_20260328_001", "v1"),
        ("d_20260328_002", "v1"),
    ]
    assert [held.id for held in index.missing(version(1, 4))] == ["d_20260328_002", "d_20260328_003"]
    index.advance("v4", version(2, 3, 4))
    assert [held.id for held in index.gone] == ["d_20260328_001"]


def test_a_kept_content_is_missing_what_nobody_else_has_and_each_record_once() -> None:
    index = Index()
    index.advance("v1", version(1, 2))
    index.kept = {"k1": version(1, 2, 5), "k2": version(5), "k3": Version()}
    assert [(held.id, held.snapshot) for held in index.missing(version(1))] == [
        ("d_20260328_002", "v1"),
        ("d_20260328_005", "k1"),
    ]


def test_dismissed_records_stay_so_until_they_come_back_by_themselves() -> None:
    index = Index()
    index.advance("v1", version(1, 2, 3))
    index.advance("v2", version(2, 3))
    index.kept = {"k1": version(7)}
    index.dismiss(frozenset({"d_20260328_001", "d_20260328_003", "d_20260328_007", "x"}))
    assert index.missing(version(2)) == []
    assert index.gone == []
    index.advance("v3", version(2))
    assert index.missing(version(2)) == []
    index.advance("v4", version(1, 2, 3))
    index.advance("v5", version(2))
    assert [held.id for held in index.missing(version(2))] == ["d_20260328_001", "d_20260328_003"]


def test_a_kept_memory_is_settled_once_all_its_records_are_accounted_for() -> None:
    index = Index()
    index.kept = {"k1": version(1, 2), "unreadable": Version()}
    index.advance("v1", version(1))
    assert index.settled() == []
    index.dismiss(frozenset({"d_20260328_002"}))
    assert index.settled() == ["k1"]


def times(*ages: timedelta) -> list[tuple[str, datetime]]:
    return sorted(((str(age), NOON - age) for age in ages), key=lambda pair: pair[1])


def test_the_ten_newest_stay_whatever_their_age() -> None:
    versions = times(*(timedelta(days=400 + day) for day in range(12)))
    assert superfluous(versions, frozenset(), NOON) == [versions[0][0], versions[1][0]]


def test_one_an_hour_for_a_day_and_one_a_day_for_a_month() -> None:
    ages = [timedelta(minutes=10 * count) for count in range(6 * 24 * 40)]
    versions = times(*ages)
    gone = set(superfluous(versions, frozenset({versions[0][0]}), NOON))
    staying = [NOON - time for name, time in versions if name not in gone]
    assert staying[0] == ages[-1]
    recent = [age for age in staying if age <= timedelta(days=1)]
    assert len(recent) == 10 + 23
    daily = [age for age in staying[1:] if age > timedelta(days=1)]
    assert len(daily) == 30
    assert len({(NOON - age).date() for age in daily}) == len(daily)
    assert max(daily) <= timedelta(days=31)
