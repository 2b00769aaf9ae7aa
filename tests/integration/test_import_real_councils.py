"""Real councils' files: all of them import, and the notes show them. Skipped where they are not at hand."""

from __future__ import annotations

import json

import pytest

from support.memory_files import REAL_DATA

pytestmark = pytest.mark.skipif(not REAL_DATA.is_dir(), reason="../shared/council-data is not here")

IMPORT = ("import", "llm-council")
LLAMA, HERMES = "meta-llama/llama-3.2-3b-instruct:free", "nousresearch/hermes-3-llama-3.1-405b:free"
GPT, GEMINI, CLAUDE, GROK = (
    "openai/gpt-5.1",
    "google/gemini-3-pro-preview",
    "anthropic/claude-sonnet-4.5",
    "x-ai/grok-4",
)
RANKS = {
    "karpathy-clean-1.json": {GPT: 1, GROK: 2, GEMINI: 3, CLAUDE: 4},
    "karpathy-clean-2.json": {GPT: 1, GEMINI: 2, GROK: 3, CLAUDE: 4},
    "karpathy-tie-error-synthesis.json": {LLAMA: 1, HERMES: 1},
    "karpathy-one-answer-no-reviews.json": {},
    "karpathy-think-blocks-odd-labels.json": {"llama-3.3-70b-versatile": 1, "qwen/qwen3-32b": 2},
    "assembled-repeated-labels.json": {
        "mistral.mistral-large-2407-v1:0": 1,
        "us.anthropic.claude-opus-4-5-20251101-v1:0": 2,
        "us.deepseek.r1-v1:0": 3,
        "us.amazon.nova-premier-v1:0": 4,
    },
    "governance-empty-answer.json": {
        "google/gemma-2-9b-it": 1,
        "qwen/qwen-2.5-7b-instruct": 2,
        "meta-llama/llama-3.1-8b-instruct": 3,
    },
    "events-per-reviewer-labels.jsonl": {
        "anthropic/claude-opus-4.6": 1,
        "openai/gpt-5.3-codex": 2,
        "google/gemini-3.1-pro-preview": 3,
        "x-ai/grok-4": 4,
    },
}


@pytest.fixture
def records(program):
    """The records by the file they came from."""
    ran = program(*IMPORT, REAL_DATA, "--json")
    assert ran.code == 0
    assert [(one["source"]["file"], one["reason"]) for one in ran.json["unusable"]] == [
        (f"{REAL_DATA}/council-memory.json", "it is a memory file, which is not imported")
    ]
    assert not any(one["reviews_left_out"] for one in ran.json["added"])
    return {one["source"]["file"].rpartition("/")[2]: one["record"] for one in ran.json["added"]}


def test_every_file_gives_its_deliberation_with_the_right_ranks(records):
    assert {name: record["rankings"] for name, record in records.items()} == RANKS


def test_what_is_odd_in_them(records):
    tie = records["karpathy-tie-error-synthesis.json"]
    assert (tie["chairman"], tie["deliberation_value_added"]) == (LLAMA, None)
    single = records["karpathy-one-answer-no-reviews.json"]
    assert (single["models_used"], single["deliberation_value_added"]) == ([LLAMA], None)
    assert (single["routing_decision"], single["routing_source"]) == ("single_model", "explicit_command")
    benchmark = records["governance-empty-answer.json"]
    assert benchmark["query_summary"] == "GSM8K: gsm8k_2"
    assert "mistralai/mistral-7b-instruct" not in benchmark["models_used"]
    assert (benchmark["chairman"], benchmark["latency_ms"]) == (None, 32076)
    assert records["events-per-reviewer-labels.jsonl"]["latency_ms"] == 147498
    assert records["karpathy-clean-2.json"]["query_summary"] == "Crypto investment advice 2025"


def test_ranks_models_and_times_are_those_of_the_memory_file_made_of_the_same_councils(records):
    memory = json.loads((REAL_DATA / "council-memory.json").read_bytes())
    known = {record["timestamp"].replace("+00:00", "Z"): record for record in memory["deliberations"]}
    compared = 0
    for name, record in records.items():
        same = known.get(record["timestamp"])
        if same is None or name.startswith("events"):  # there the models have their names for ids
            continue
        assert set(record["models_used"]) == set(same["models_used"])
        assert record["rankings"] == same["rankings"]
        compared += 1
    assert compared >= 6


def test_they_import_once_and_the_vault_shows_them(program):
    program.make_vault()
    program("--vault", program.vault, *IMPORT, REAL_DATA)
    again = program("--vault", program.vault, *IMPORT, REAL_DATA)
    assert again.out == "Added 0 deliberations from 9 files; 8 were there already.\n"
    assert program("--vault", program.vault, "sync-vault").code == 0
    records = program.parsed()["deliberations"]
    assert len(records) == 8
    assert all(record["vault_synced"] for record in records)
    rows = program.log()
    assert all(rows.count(f"| {record['id']} |") == 1 for record in records)


def test_no_question_and_no_answer_is_in_a_file_that_was_written(program):
    program.make_vault()
    ran = program("--vault", program.vault, *IMPORT, REAL_DATA, "-v")
    written = [path.read_text("utf-8", "replace") for path in program.base.rglob("*") if path.is_file()]
    said = "\n".join([*written, ran.out, ran.err]).casefold()
    for file in REAL_DATA.glob("karpathy-*.json"):
        for message in json.loads(file.read_bytes())["messages"]:
            assert message.get("content", "\ue000").casefold() not in said
            for answer in message.get("stage1", []):
                assert answer["response"][:60].casefold() not in said
