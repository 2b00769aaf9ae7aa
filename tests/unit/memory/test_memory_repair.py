from __future__ import annotations

import json

import pytest
from hypothesis import given

from council_vault.memory.canonical import parse, render
from council_vault.memory.decoding import decode
from council_vault.memory.restore import NewId, give_new_ids
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
    ]
    document = parse(made.dump(made.document(*records)))
    assert give_new_ids(document) == (
        NewId("d_20260328_001", "d_20260328_008"),
        NewId("d_20260328_001", "d_20260328_009"),
    )
    after = decode(render(document)).memory
    assert [one.id for one in after.deliberations] == [
        "d_20260328_001",
        "d_20260328_007",
        "d_20260328_008",
        "d_20260328_009",
        None,
        "d_20260327_003",
    ]
    assert after.identified["d_20260328_008"].query_summary == "later"
    assert after.pending == ("d_20260328_007", "d_20260328_008", "d_20260328_009", "d_20260327_003")
    assert json.loads(render(document))["deliberations"][2] == records[2] | {
        "id": "d_20260328_008",
        "vault_synced": False,
    }


@pytest.mark.parametrize("deliberations", [..., None, 5, {}, []])
def test_nothing_to_mend_where_there_are_no_records(deliberations: object) -> None:
    document = made.document(deliberations=deliberations)
    assert give_new_ids(document) == ()
    assert document == made.document(deliberations=deliberations)


@given(data=made.files())
def test_afterwards_all_valid_ids_are_different_and_nothing_else_has_changed(data: bytes) -> None:
    document = parse(data)
    before = decode(data).memory.deliberations
    given_ids = {new: old for old, new in give_new_ids(document)}
    after = decode(render(document))
    assert not [problem for problem in after.problems if "already the id" in problem.what]
    assert len(after.memory.deliberations) == len(before)
    assert {one.id for one in before} - {None} <= {one.id for one in after.memory.deliberations}
    assert give_new_ids(parse(render(document))) == ()
    assert len(given_ids) == len(after.memory.identified) - len({one.id for one in before} - {None})
