"""``doctor``: what is wrong, and how to mend it."""

from __future__ import annotations

import json

import pytest

from council_vault import files
from council_vault.rescued import rescued_settings
from support.memories import model_performance
from support.memory_files import record
from support.program import LOG


def write(program, *records, **fields):
    """Write records with the aggregates that they give."""
    program.write_memory(*records, **{"model_performance": model_performance(list(records)), **fields})


@pytest.fixture
def healthy(program):
    """The program with nothing to complain of."""
    program.make_vault()
    write(program, record(1), record(2))
    program("sync-vault")
    return program


def well(ran):
    """Whether there were notes at most."""
    return ran.code == 0 and ran.out.endswith("\n\nAll is well.\n") and not ran.err


def test_all_is_well(healthy):
    ran = healthy("doctor")
    assert well(ran)
    assert ran.out.count("\n\n") == 1, "one line for each note"
    assert {finding["level"] for finding in healthy("doctor", "--json").json} == {"note"}


def test_a_field_that_makes_no_sense_is_named_with_its_place(healthy):
    write(healthy, record(1, confidence="high"), record(2))
    ran = healthy("doctor")
    assert ran.code == 1
    place = f"{healthy.memory}, deliberations[0].confidence"
    assert f'{place}: expected a number, got "high". Correct it there\n' in ran.out
    assert ran.out.endswith("\n1 problem found.\n")
    assert healthy("doctor", "--json").json[:1] == [
        {
            "level": "problem",
            "where": place,
            "what": 'expected a number, got "high". Correct it there',
            "repairable": False,
        }
    ]


def test_a_folder_of_templates_that_is_gone_is_one_problem(healthy):
    healthy("config", "set", "notes.templates", healthy.base / "gone")
    ran = healthy("doctor")
    assert f"{healthy.base / 'gone'}: notes.templates names no folder" in ran.out
    assert ran.out.endswith("\n1 problem found.\n")


def test_no_vault_is_a_problem(program):
    write(program, record())
    ran = program("doctor")
    assert ran.code == 1
    assert "no vault was found" in ran.out


def test_a_note_that_must_be_left_alone_is_named(healthy):
    note = healthy.vault / LOG
    note.write_bytes(b"\xff\xfe no text")
    ran = healthy("doctor")
    assert ran.code == 1
    assert LOG in ran.out
    assert note.read_bytes() == b"\xff\xfe no text"


def test_several_problems_are_counted_and_each_is_named_once(healthy):
    write(healthy, record(1, cost_usd="much"))
    (healthy.vault / LOG).with_name("council-deliberation-log (1).md").write_text("rows")
    ran = healthy("doctor")
    assert ran.code == 1
    assert "3 problems found." in ran.out
    for once in ("d_20260328_002", "council-deliberation-log (1).md", '"much"'):
        assert ran.out.count(once) == 1


def test_templates_that_are_not_there_are_named(healthy):
    healthy("config", "set", "notes.templates", healthy.base / "nowhere")
    ran = healthy("doctor")
    assert ran.code == 1
    assert f"{healthy.base}/nowhere: notes.templates names no folder" in ran.out
    (healthy.base / "nowhere").mkdir()
    assert healthy("doctor").code == 0


def test_what_was_rescued_of_the_settings_is_named(healthy):
    rescued_settings(healthy.states).keep(healthy.config, b"[vault]\n")
    (kept,) = rescued_settings(healthy.states).files()
    ran = healthy("doctor")
    assert ran.code == 1
    assert str(kept) in ran.out
    kept.unlink()
    assert healthy("doctor").code == 0


def test_reduced_protection_is_a_note_and_no_problem(healthy, monkeypatch):
    # No file system without leases can be counted on to be mounted where this runs.
    weak = files.Protection(full=False, file_system="fuse", reason="fuse does not tell")
    monkeypatch.setattr(files, "protection", lambda _path: weak)
    ran = healthy("doctor")
    assert ran.code == 0
    for place in (healthy.memory, healthy.vault):
        assert f"{place}: reduced protection against other programs writing at the same time: fuse" in ran.out
    assert ran.out.endswith("All is well.\n")


def test_records_that_share_an_id_get_ids_of_their_own(healthy):
    write(healthy, record(1), record(2), record(2, query_summary="Another"), record(2))
    ran = healthy("doctor", "--repair")
    assert 'deliberations[2].id: was "d_20260328_002", is now "d_20260328_003"\n' in ran.out
    assert [one["id"][-3:] for one in healthy.parsed()["deliberations"]] == ["001", "002", "003", "004"]
    healthy("sync-vault")
    assert well(healthy("doctor"))


def test_repaired_as_json_keeps_to_json(healthy):
    write(healthy, record(1), record(1))
    ran = healthy("doctor", "--repair", "--json")
    assert isinstance(ran.json, list)
    assert ran.err == 'deliberations[1].id: was "d_20260328_001", is now "d_20260328_002"\n'


def test_what_needs_no_repair_is_not_rewritten(healthy):
    write(healthy, record(1), record(2))
    healthy.write_bytes(healthy.memory.read_bytes().replace(b"\n", b"\r\n"))
    before = healthy.memory.read_bytes(), healthy.memory.stat().st_mtime_ns
    healthy("doctor", "--repair")
    assert (healthy.memory.read_bytes(), healthy.memory.stat().st_mtime_ns) == before


def test_a_file_of_a_newer_version_is_not_repaired(healthy):
    write(healthy, record(1), record(1), version="2.0")
    before = healthy.memory.read_bytes()
    ran = healthy("doctor", "--repair")
    assert ran.code == 1
    assert "2.0, which is newer than 1.3" in ran.err
    assert healthy.memory.read_bytes() == before


def test_what_an_agent_got_wrong_is_named_and_mended(healthy):
    wrong = model_performance([record(1), record(2)])
    wrong["openai/gpt-4o"]["avg_rank"] = 1.2
    rated = record(2, user_rating="negative", vault_synced=True)
    write(healthy, record(1, vault_synced=True), rated, model_performance=wrong)
    healthy("sync-vault")
    ran = healthy("doctor")
    assert ran.code == 1
    assert (
        f'{healthy.memory}, model_performance["openai/gpt-4o"].avg_rank: '
        "1.2 stands there, and the records say 2\n"
    ) in ran.out
    assert "rated negative, and accepted: rejected follows\n" in ran.out
    assert ran.out.endswith(
        "\n\n2 problems found. `council-vault doctor --repair` mends 2 of what is said above.\n"
    )
    repairable = [one["where"] for one in healthy("doctor", "--json").json if one["repairable"]]
    assert len(repairable) == 2
    ran = healthy("doctor", "--repair")
    assert ran.code == 0
    assert ran.out.startswith(
        'deliberations[1].outcome: was "accepted", is now "rejected"\n'
        'model_performance["openai/gpt-4o"].avg_rank: was 1.2, is now 2.0\n'
    )
    healthy("sync-vault")
    ran = healthy("doctor", "--repair")
    assert well(ran)
    assert "is now" not in ran.out


def test_what_a_sync_would_do_is_said(healthy):
    write(healthy, record(1, vault_synced=True), record(2, vault_synced=True), record(3))
    ran = healthy("doctor")
    assert ran.code == 0
    assert "1 new deliberation log entry. `council-vault sync-vault` does it." in ran.out
    assert json.loads(healthy.memory.read_bytes())["deliberations"][2]["vault_synced"] is False


def test_a_row_that_is_gone_from_under_its_flag_comes_back_by_a_sync(healthy):
    (healthy.vault / LOG).unlink()
    ran = healthy("doctor")
    assert "A sync would update" in ran.out
    healthy("sync-vault")
    assert "A sync would" not in healthy("doctor").out
    assert (healthy.vault / LOG).read_text().count("d_20260328_00") == 2


def test_a_note_that_can_be_mended_leaves_all_well(healthy):
    write(healthy, record(1, vault_synced=True), record(2, vault_synced=True), last_updated="2026-03-01")
    healthy("sync-vault")
    ran = healthy("doctor")
    assert ran.code == 0
    assert ran.out.endswith(
        "\n\nAll is well. `council-vault doctor --repair` mends 1 of what is said above.\n"
    )
