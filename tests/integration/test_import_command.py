"""``council-vault import llm-council``: files of other councils become records, once."""

from __future__ import annotations

import json
import re

import pytest

from support.council_files import (
    ALICE,
    ANSWERS,
    BOB,
    CAROL,
    DAVE,
    QUESTION,
    SYNTHESIS,
    answered,
    as_lines,
    asked,
    conversation,
    events,
    put,
    stages,
)
from support.memory_files import record
from support.terminal import Conversation

IMPORT = ("import", "llm-council")
EARLY = "2026-02-01T09:00:00"


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def deliberations(program):
    return program.parsed()["deliberations"]


def day(number):
    return f"2026-01-{number % 28 + 1:02d}T{number // 28:02d}:00:00"


def many(folder, count, **fields):
    """Write conversations, one for each of so many questions."""
    for number in range(count):
        put(
            folder / f"{number:03d}.json",
            conversation(asked(f"Question number {number}?"), answered(), created_at=day(number), **fields),
        )
    return folder


def test_a_conversation_becomes_a_record(program):
    program.write_memory(record(1))
    ran = program(*IMPORT, put(program.base / "c.json", conversation(title="Lantern duty")))
    assert (ran.code, ran.out, ran.err) == (0, "Added 1 deliberation from 1 file.\n", "")
    imported, before = deliberations(program)
    assert before["id"] == "d_20260328_001"
    assert (imported["id"], imported["timestamp"]) == ("d_20260301_001", "2026-03-01T10:20:30Z")
    assert imported["query_summary"] == "Lantern duty"
    assert imported["rankings"] == {CAROL: 1, ALICE: 2, BOB: 3, DAVE: 4}
    assert (imported["chairman"], imported["consensus_level"]) == (CAROL, "moderate")
    assert (imported["cost_usd"], imported["latency_ms"]) == (None, None)
    assert (imported["routing_decision"], imported["routing_source"]) == ("deliberate", "explicit_command")
    assert (imported["outcome"], imported["user_rating"], imported["vault_synced"]) == (
        "unknown",
        None,
        False,
    )
    assert 0 < imported["deliberation_value_added"] <= 1
    assert program.parsed()["model_performance"][CAROL]["deliberations_participated"] == 1


def test_all_shapes_of_a_folder_go_in_by_their_times_in_one_change(program):
    folder = program.base / "councils"
    put(folder / "z.json", conversation(created_at=EARLY))
    put(folder / "deep" / "run.json", stages(query="And the fourth?", timestamp="2026-01-30T16:43:32Z"))
    (folder / "a.jsonl").write_text(as_lines(events(question="And the fifth?")))
    ran = program(*IMPORT, folder)
    assert (ran.code, ran.out) == (0, "Added 3 deliberations from 3 files.\n")
    assert [one["timestamp"][:10] for one in deliberations(program)] == [
        "2026-01-30",
        "2026-02-01",
        "2026-03-02",
    ]
    assert deliberations(program)[2]["latency_ms"] == 12346


def test_importing_twice_adds_nothing_and_writes_nothing(program):
    folder = many(program.base / "councils", 3)
    assert program(*IMPORT, folder).code == 0
    before = program.memory.read_bytes()
    ran = program(*IMPORT, folder)
    assert (ran.code, ran.out) == (0, "Added 0 deliberations from 3 files; 3 were there already.\n")
    assert program.memory.read_bytes() == before


def test_a_file_that_has_grown_adds_what_is_new(program):
    file = put(program.base / "c.json", conversation(asked(), answered()))
    program(*IMPORT, file)
    put(file, conversation(asked(), answered(), asked("And the fourth lantern?"), answered()))
    ran = program(*IMPORT, file)
    assert ran.out == "Added 1 deliberation from 1 file; 1 was there already.\n"
    assert [one["id"] for one in deliberations(program)] == ["d_20260301_001", "d_20260301_002"]


def test_a_copy_under_another_name_is_the_same(program):
    folder = program.base / "councils"
    put(folder / "a.json", conversation())
    put(folder / "b.json", conversation())
    assert program(*IMPORT, folder).out == "Added 1 deliberation from 2 files; 1 was there already.\n"


def test_a_deliberation_that_the_council_itself_had_logged_is_there(program):
    program(*IMPORT, put(program.base / "c.json", conversation()))
    document = program.parsed()
    document["deliberations"][0]["timestamp"] = "2026-03-01T10:24:00Z"
    program.write_bytes(json.dumps(document).encode())
    ran = program(*IMPORT, program.base / "c.json")
    assert ran.out == "Added 0 deliberations from 1 file; 1 was there already.\n"


def test_importing_again_after_compaction_adds_nothing(program):
    folder = many(program.base / "councils", 530)
    assert program(*IMPORT, folder).out == "Added 530 deliberations from 530 files.\n"
    document = program.parsed()
    assert len(document["deliberations"]) == 500
    assert document["archived"]["count"] == 30
    assert sum("query_hash" in one for one in document["deliberations"]) == 200
    before = program.memory.read_bytes()
    ran = program(*IMPORT, folder)
    assert (ran.code, ran.out) == (0, "Added 0 deliberations from 530 files; 500 were there already.\n")
    assert len(ran.err.splitlines()) == 30
    assert "000.json: it is no newer than the oldest record in the memory" in ran.err
    assert program.memory.read_bytes() == before


def test_rules_are_learned_once_when_a_multiple_of_ten_was_crossed(program):
    ran = program(*IMPORT, many(program.base / "councils", 23), "--json")
    assert ran.json["rebuilt"]
    assert program.parsed()["routing_model"]["sample_size"] == 23
    more = put(program.base / "more.json", conversation(created_at="2026-02-20T00:00:00"))
    assert not program(*IMPORT, more, "--json").json["rebuilt"]
    assert program.parsed()["routing_model"]["sample_size"] == 23


def test_a_dry_run_says_what_would_be_added_and_writes_nothing(program):
    folder = program.base / "councils"
    put(folder / "a.json", conversation(title="Lantern duty"))
    put(
        folder / "b.json",
        conversation(
            asked("one?"), {"role": "assistant", **stages({ALICE: ANSWERS[ALICE]}, {})}, created_at=EARLY
        ),
    )
    before = files_below(program.base)
    ran = program(*IMPORT, folder, "--dry-run")
    assert ran.code == 0
    assert ran.out.splitlines()[0].startswith("2026-02-01 09:00 | 1 model")
    assert re.search(r'2026-03-01 10:20 \| 4 models \| "Lantern duty" .*carol', ran.out)
    assert ran.out.endswith("Would add 2 deliberations from 2 files.\n")
    assert files_below(program.base) == before
    assert not program.memory.exists()


def test_a_dry_run_that_would_rebuild_the_rules_writes_nothing_either(program):
    program.make_vault()
    folder = many(program.base / "councils", 23)
    before = {path: path.read_bytes() for path in files_below(program.base)}
    ran = program("--vault", program.vault, *IMPORT, folder, "--dry-run", "--json")
    assert (ran.json["rebuilt"], len(ran.json["added"])) == (True, 23)
    after = {path: path.read_bytes() for path in files_below(program.base)}
    assert {path: after[path] for path in after if program.states not in path.parents} == before


def test_a_dry_run_on_a_memory_tells_new_from_old_and_leaves_it_alone(program):
    program(*IMPORT, put(program.base / "a.json", conversation()))
    before = program.memory.read_bytes()
    put(program.base / "b.json", conversation(created_at=EARLY))
    ran = program(*IMPORT, program.base / "a.json", program.base / "b.json", "--dry-run", "--json")
    assert program.memory.read_bytes() == before
    assert (ran.json["dry_run"], ran.json["already"], ran.json["files"]) == (True, 1, 2)
    assert [one["record"]["timestamp"] for one in ran.json["added"]] == ["2026-02-01T09:00:00Z"]


def test_json_names_all_that_was_added_and_all_that_was_not(program):
    message = answered()
    message["stage2"][0] = {"model": ALICE, "ranking": "I will not choose."}
    file = put(program.base / "c.json", conversation(asked(), message, asked("unanswered?")))
    ran = program(*IMPORT, file, "--json")
    (added,) = ran.json["added"]
    assert added["source"] == {"file": str(file), "where": "deliberation 1"}
    assert added["reviews_left_out"] == 1
    assert added["record"] == deliberations(program)[0]
    assert ran.json["unusable"] == [
        {"source": {"file": str(file), "where": "deliberation 2"}, "reason": "the question got no answer"}
    ]
    assert (ran.json["dry_run"], ran.json["rebuilt"]) == (False, False)


def test_what_cannot_be_used_is_named_and_the_rest_is_used(program):
    folder = program.base / "councils"
    message = answered()
    message["stage2"][0] = {"model": ALICE, "ranking": "I will not choose."}
    put(folder / "a.json", conversation(asked(), message))
    (folder / "b.json").write_text("{")
    put(folder / "c.json", {"a": 1})
    (folder / "d.json").symlink_to("nowhere")
    ran = program(*IMPORT, folder)
    assert (ran.code, ran.out) == (0, "Added 1 deliberation from 4 files.\n")
    bad = "it is no JSON: expecting property name enclosed in double quotes (line 1, column 2)"
    assert ran.err.splitlines() == [
        f"{folder}/b.json: {bad}",
        f"{folder}/c.json: it is no conversation, run or event of a council",
        f"{folder}/d.json: no such file or directory",
        f"{folder}/a.json: no ranking could be read from 1 review",
    ]


def test_where_nothing_can_be_used_the_import_has_failed_and_no_memory_is_begun(program):
    put(program.base / "councils" / "c.json", {"a": 1})
    ran = program(*IMPORT, program.base / "councils")
    assert (ran.code, ran.out) == (1, "Added 0 deliberations from 1 file.\n")
    assert not program.memory.exists()


def test_paths_that_lead_to_no_file(program):
    assert program(*IMPORT, program.base / "nowhere").code == 2
    assert program(*IMPORT).code == 2
    (program.base / "empty").mkdir()
    ran = program(*IMPORT, program.base / "empty")
    assert (ran.code, ran.err) == (
        1,
        f"council-vault: {program.base}/empty: there is no *.json or *.jsonl file\n",
    )


def test_a_memory_that_is_broken_or_newer_is_left_alone(program):
    file = put(program.base / "c.json", conversation())
    program.write_bytes(b"{")
    assert program(*IMPORT, file).code == 4
    program.write_memory(version="9.0")
    ran = program(*IMPORT, file)
    assert (ran.code, ran.out) == (1, "")
    assert "newer than 1.3" in ran.err


def test_of_an_answer_that_was_imported_nobody_has_said_that_it_was_not_accepted(program):
    folder = program.base / "councils"
    put(
        folder / "a.json",
        conversation(asked(), {"role": "assistant", **stages({ALICE: ANSWERS[ALICE]}, {})}, created_at=EARLY),
    )
    put(folder / "b.json", conversation())
    ran = program(*IMPORT, folder)
    assert ran.code == 0
    single, council = deliberations(program)
    assert (single["user_rating"], single["outcome"]) == (None, "unknown")
    assert council["repeat_of"] == "d_20260201_001"


def test_the_vault_follows_when_it_is_due(program):
    program.make_vault()
    ran = program("--vault", program.vault, *IMPORT, many(program.base / "councils", 5), "-v")
    assert ran.code == 0
    assert "5 new deliberation log entries" in ran.err
    assert ran.out.count(" | ") == 5 * 4
    assert all(one["vault_synced"] for one in deliberations(program))
    assert all(one["id"] in program.log() for one in deliberations(program))


def test_no_sentence_that_was_asked_or_answered_is_kept_anywhere(program):
    program.make_vault()
    files = program.base / "councils"
    for number in range(5):
        put(
            files / f"{number}.json",
            conversation(asked(f"{QUESTION} {number}"), answered(), title=QUESTION, created_at=day(number)),
        )
    (files / "bad.json").write_text(
        json.dumps(conversation(asked(QUESTION), answered(), created_at=QUESTION))
    )
    ran = program("--vault", program.vault, *IMPORT, files, "-v")
    assert ran.code == 0
    kept = b"".join(path.read_bytes() for path in files_below(program.base) if files not in path.parents)
    texts = [QUESTION, SYNTHESIS, *ANSWERS.values()]
    for sentence in (part for text in texts for part in re.split(r"(?<=[.?])\s+", text)):
        for place in (kept.decode(errors="replace"), ran.out, ran.err):
            assert sentence.casefold().rstrip(".?") not in place.casefold()


@pytest.mark.parametrize(("count", "shown"), [(30, True), (3, False)])
def test_a_long_import_shows_how_far_it_is_to_somebody_who_is_looking(program, count, shown):
    folder = many(program.base / "councils", count)
    terminal = Conversation(lambda side: program.start(*IMPORT, folder, stdin=side, stdout=side, stderr=side))
    assert terminal.end() == 0
    assert ("Reading" in terminal.shown) == shown
    assert ("100%" in terminal.shown) == shown
    assert f"Added {count} deliberations" in terminal.shown


def test_a_pipe_shows_no_progress(program):
    ran = program.process(*IMPORT, many(program.base / "councils", 25))
    assert (ran.code, ran.out) == (0, "Added 25 deliberations from 25 files.\n")
    assert "Reading" not in ran.err


def test_a_warning_of_the_vault_leaves_the_records_safe(program):
    ran = program(*IMPORT, many(program.base / "councils", 5))
    assert (ran.code, ran.out) == (0, "Added 5 deliberations from 5 files.\n")
    assert "The vault was not synced" in ran.err
    assert len(deliberations(program)) == 5
