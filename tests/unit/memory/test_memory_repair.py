from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from council_vault.memory.canonical import parse, render
from council_vault.memory.decoding import decode
from council_vault.memory.restore import NewId, give_new_ids
from council_vault.memory.times import moment
from support import memory_files as made


def test_the_later_record_of_two_with_one_id_gets_the_next_free_one_and_is_pending() -> None:
    records = [
        made.record(1, vault_synced=True),
        made.record(7),
        made.record(1, vault_synced=True, query_summary="later"),
        made.record(1, query_summary="latest", vault_synced=...),
        made.record(2, id="x"),
        5,
        made.record(3, day="20260327"),
        made.record(7, timestamp="2026-03-30T01:00:00+02:00"),
        made.record(7, timestamp="last week"),
    ]
    document = parse(made.dump(made.document(*records)))
    assert give_new_ids(document) == (
        NewId(2, "d_20260328_001", "d_20260328_008"),
        NewId(3, "d_20260328_001", "d_20260328_009"),
        NewId(4, "x", "d_20260328_010"),
        NewId(7, "d_20260328_007", "d_20260329_001"),
        NewId(8, "d_20260328_007", "d_20260328_011"),
    )
    after = decode(render(document)).memory
    assert [one.id for one in after.deliberations] == [
        "d_20260328_001",
        "d_20260328_007",
        "d_20260328_008",
        "d_20260328_009",
        "d_20260328_010",
        "d_20260327_003",
        "d_20260329_001",
        "d_20260328_011",
    ]
    assert after.identified["d_20260328_008"].query_summary == "later"
    assert after.pending == (
        "d_20260328_007",
        "d_20260328_008",
        "d_20260328_009",
        "d_20260328_010",
        "d_20260327_003",
        "d_20260329_001",
        "d_20260328_011",
    )
    assert json.loads(render(document))["deliberations"][2] == records[2] | {
        "id": "d_20260328_008",
        "vault_synced": False,
    }


@pytest.mark.parametrize("deliberations", [..., None, 5, {}, []])
def test_nothing_to_mend_where_there_are_no_records(deliberations: object) -> None:
    document = made.document(deliberations=deliberations)
    assert give_new_ids(document) == ()
    assert document == made.document(deliberations=deliberations)


@pytest.mark.parametrize(
    ("fields", "new"),
    [
        ({"id": "d_2026-03-28_1"}, "d_20260328_001"),
        ({"id": ..., "timestamp": "2026-03-28T23:30:00-02:00"}, "d_20260329_001"),
        ({"id": 7, "timestamp": 1774688728}, "d_20260328_001"),
        ({"id": None, "timestamp": None}, None),
        ({"id": "d_20260230_001", "timestamp": "soon"}, None),
    ],
)
def test_a_record_without_an_id_gets_one_of_the_day_of_its_time(fields: Any, new: str | None) -> None:
    document = parse(made.dump(made.document(made.record(1, **fields), "no record")))
    old = fields["id"] if fields["id"] is not ... else None
    assert give_new_ids(document) == (() if new is None else (NewId(0, old, new),))
    assert [one.id for one in decode(render(document)).memory.deliberations] == [new]


@given(data=made.files())
def test_afterwards_every_record_with_an_id_or_a_time_has_one_and_nothing_else_has_changed(
    data: bytes,
) -> None:
    document = parse(data)
    before = decode(data).memory.deliberations
    given_ids = give_new_ids(document)
    after = decode(render(document))
    assert not [problem for problem in after.problems if "already the id" in problem.what]
    assert len(after.memory.deliberations) == len(before)
    assert {one.id for one in before} - {None} <= {one.id for one in after.memory.deliberations}
    assert all(moment(one.timestamp) is None for one in after.memory.deliberations if one.id is None)
    assert give_new_ids(parse(render(document))) == ()
    assert len(given_ids) == len(after.memory.identified) - len({one.id for one in before} - {None})
