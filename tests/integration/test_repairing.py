"""What an agent got wrong, mended: everything that can be, once, and nothing else."""

from __future__ import annotations

import copy
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from council_vault.errors import MemoryReadOnly
from council_vault.memory.decoding import decode
from council_vault.memory.schema import CURRENT_VERSION
from council_vault.operations.repairing import repair
from council_vault.settings import Settings, WorkspaceSettings
from council_vault.workspace import Workspace
from support.memories import build_memory
from support.memory_files import dump, files, record, values
from support.sound_memories import NOW, findings, mended, sound


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "workspace").mkdir()
    settings_ = Settings(workspace=WorkspaceSettings(path=str(tmp_path / "workspace")))
    return Workspace(settings_, tmp_path / "states", tmp_path, {"HOME": str(tmp_path)})


def write(workspace, memory: Any) -> bytes:
    data = memory if isinstance(memory, bytes) else dump(memory)
    workspace.memory_path.write_bytes(data)
    return data


def wrong() -> dict[str, Any]:
    """Return a memory in which an agent got something wrong in every part."""
    memory = build_memory(40, 6, 4)
    first, second, third, fourth, *_ = memory["deliberations"]
    first |= {"outcome": "rejected", "user_rating": "positive", "mine": 1}
    second["id"] = first["id"]
    third |= {"id": "latest", "user_rating": "👍", "outcome": "accepted"}
    fourth["query_features"].pop("category")
    model, other, *_ = memory["model_performance"]
    memory["model_performance"][model] |= {"avg_rank": 3.9, "of_mine": [1]}
    del memory["model_performance"][other]
    memory["routing_model"] |= {"routing_accuracy": 87, "mine": True}
    memory["routing_model"]["rules"][0] |= {"confidence": 3, "mine": 2}
    return memory


def test_everything_that_can_be_is_mended_after_a_snapshot(workspace):
    data = write(workspace, wrong())
    mends = repair(workspace, NOW)
    text = workspace.memory_path.read_bytes()
    assert not [finding for finding in findings(text) if finding.level == "problem"]
    assert workspace.snapshots().newest()[0] == data
    after = json.loads(text)
    assert after["last_updated"] == "2026-06-01T12:00:00Z"
    records = after["deliberations"]
    assert records[0]["outcome"] == "accepted"
    assert records[3]["query_features"]["category"] == "other"
    assert [one["vault_synced"] for one in records[1:3]] == [False, False]
    assert len({one["id"] for one in records}) == 40
    assert {str(one).partition(": was")[0] for one in mends} >= {
        "deliberations[0].outcome",
        "deliberations[1].id",
        "deliberations[2].id",
        "deliberations[2].user_rating",
        "deliberations[3].query_features.category",
        "routing_model.rules",
        "routing_model.routing_accuracy",
    }


def test_a_mend_says_what_was_and_what_is(workspace):
    memory = sound(record(1), record(2, outcome="Accepted"))
    memory["model_performance"]["openai/gpt-4o"]["category_counts"]["other"] = 4
    memory["model_performance"]["openai/gpt-4o"]["best_categories"] = ["other", "factual_lookup"]
    write(workspace, memory)
    assert [str(one) for one in repair(workspace, NOW)] == [
        'deliberations[1].outcome: was "Accepted", is now "accepted"',
        'model_performance["openai/gpt-4o"].category_counts: was {"other": 4}, is now {}',
        'model_performance["openai/gpt-4o"].best_categories: was ["other", "factual_lookup"], is now []',
    ]


def test_long_values_are_cut_short(workspace):
    memory = sound(record(1))
    memory["model_performance"] = {}
    write(workspace, memory)
    for one in repair(workspace, NOW):
        assert one.before == "missing"
        assert len(one.after) == 100
        assert one.after.endswith("…")


def test_what_is_not_ours_stays(workspace):
    write(workspace, wrong())
    repair(workspace, NOW)
    after = json.loads(workspace.memory_path.read_bytes())
    assert after["deliberations"][0]["mine"] == 1
    assert [one["of_mine"] for one in after["model_performance"].values() if "of_mine" in one] == [[1]]
    assert after["routing_model"]["mine"] is True
    assert [rule["mine"] for rule in after["routing_model"]["rules"] if "mine" in rule] == [2]


def test_a_second_repair_finds_nothing_and_writes_nothing(workspace):
    write(workspace, wrong())
    assert repair(workspace, NOW)
    before = workspace.memory_path.read_bytes(), workspace.memory_path.stat().st_mtime_ns
    assert repair(workspace, NOW + timedelta(hours=1)) == ()
    assert (workspace.memory_path.read_bytes(), workspace.memory_path.stat().st_mtime_ns) == before


def test_a_sound_memory_is_not_touched_and_gets_no_snapshot(workspace):
    data = write(workspace, json.dumps(sound(record(1))).encode())
    assert repair(workspace, NOW) == ()
    assert workspace.memory_path.read_bytes() == data
    assert workspace.snapshots().newest() is None


def test_an_older_file_that_is_sound_is_not_brought_up_to_date(workspace):
    data = write(workspace, sound(record(1), version="1.0", optimization_log=...))
    assert repair(workspace, NOW) == ()
    assert workspace.memory_path.read_bytes() == data


def test_a_newer_file_is_not_touched(workspace):
    data = write(workspace, wrong() | {"version": "2.0"})
    with pytest.raises(MemoryReadOnly):
        repair(workspace, NOW)
    assert workspace.memory_path.read_bytes() == data
    assert workspace.snapshots().newest() is None


def test_aggregates_wait_for_vanished_records(workspace):
    whole = sound(record(1), record(2, vault_synced=True), record(3, vault_synced=True))
    write(workspace, whole)
    workspace.snapshots().save(dump(whole), NOW)
    write(workspace, {**whole, "deliberations": whole["deliberations"][:1]})
    assert repair(workspace, NOW) == ()
    workspace.snapshots().dismiss(("d_20260328_002", "d_20260328_003"))
    where = {one.where.rpartition(".")[2] for one in repair(workspace, NOW)}
    assert "deliberations_participated" in where
    assert (
        json.loads(workspace.memory_path.read_bytes())["model_performance"]["openai/gpt-4o"][
            "deliberations_participated"
        ]
        == 1
    )


def test_a_record_that_lost_its_id_to_another_one_gets_it_back_and_nothing_waits(workspace):
    whole = sound(record(1), record(1, day="20260329", vault_synced=True))
    write(workspace, whole)
    workspace.snapshots().save(dump(whole), NOW)
    first, second = whole["deliberations"]
    for aggregates in whole["model_performance"].values():
        aggregates["deliberations_participated"] = 99
    write(workspace, {**whole, "deliberations": [first, {**second, "id": first["id"]}]})

    assert {one.where for one in repair(workspace, NOW)} >= {
        "deliberations[1].id",
        'model_performance["openai/gpt-4o"].deliberations_participated',
    }
    memory = workspace.memory_file().read().memory
    assert list(memory.identified) == ["d_20260328_001", "d_20260329_001"]
    assert workspace.snapshots().vanished(memory) == ()
    assert {one.deliberations_participated for one in memory.model_performance.values()} == {2}


def test_what_was_changed_last_is_never_before_the_newest_record(workspace):
    ahead = record(1, day="20260602", timestamp="2026-06-02T10:00:00Z")
    write(workspace, sound(ahead, last_updated="2026-05-01"))
    (mend,) = repair(workspace, NOW)
    assert mend.after == '"2026-06-02T10:00:00Z"'
    write(workspace, sound(record(1), last_updated="2026-03-01"))
    (mend,) = repair(workspace, NOW)
    assert mend.after == '"2026-06-01T12:00:00Z"'


# Whatever an agent does to a memory


_ODD = (
    st.sampled_from(
        [None, "x", "", "high", "0.7", "$0.01", -1, 0, 1, 3, 7.5, 85, 1e9, True, [], ["other"], {}, {"a": 1}]
    )
    | st.sampled_from([float("nan"), float("-inf"), 10**400, "\ud800"])
    | values
)
_WORDS = st.sampled_from(
    ["positive", "Negative", "👍", "accepted", "Rejected", "unknown", "partial", "single-model", "learned"]
)


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    """Return a whole memory after an agent has been at it: values changed, dropped and doubled at random."""
    memory = copy.deepcopy(_WHOLE[draw(st.sampled_from(sorted(_WHOLE)))])
    for _ in range(draw(st.integers(1, 6))):
        inside: Any = memory
        key: Any = draw(st.sampled_from(sorted(memory)))
        for _ in range(draw(st.integers(0, 4))):
            below = inside[key]
            if not (isinstance(below, (dict, list)) and below):
                break
            inside = below
            key = draw(st.sampled_from(sorted(below) if isinstance(below, dict) else range(len(below))))
        match draw(st.sampled_from(["odd", "word", "drop", "double"])):
            case "odd":
                inside[key] = copy.deepcopy(draw(_ODD))
            case "word":
                inside[key] = draw(_WORDS)
            case "drop":
                del inside[key]
            case "double" if isinstance(inside, list):
                inside.append(copy.deepcopy(inside[key]))
        if not memory:
            break
    return memory


_WHOLE = {size: build_memory(size, 5, size) for size in (3, 19, 25)}


@settings(deadline=None, max_examples=120)
@given(memory=damaged())
def test_repairing_is_done_at_once_and_leaves_nothing_that_can_be_repaired(memory):
    data = dump(memory)
    assume(decode(data).memory.version <= CURRENT_VERSION)  # what is newer is not touched
    mends, after = mended(data)
    again, same = mended(after)
    assert again == ()
    assert same == after
    assert [finding for finding in findings(after) if finding.repairable] == []
    assert any(finding.repairable for finding in findings(data)) == bool(mends)


@settings(deadline=None, max_examples=60)
@given(data=files())
def test_any_file_can_be_repaired_and_no_record_is_lost(data):
    mends, after = mended(data)
    assert mended(after)[0] == ()
    before, now = decode(data).memory, decode(after).memory
    assert len(now.deliberations) == len(before.deliberations)
    for old, new in zip(before.deliberations, now.deliberations, strict=True):
        assert old.query_summary == new.query_summary
        assert old.id in {None, new.id}
    assert len(mends) == len({one.where for one in mends})
