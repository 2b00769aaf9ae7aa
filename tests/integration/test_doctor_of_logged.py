"""What the program itself keeps is sound: the doctor has nothing to say of it."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta

import pytest

from council_vault.learning.log_input import read_log_input
from council_vault.operations.log import log
from council_vault.settings import Settings, WorkspaceSettings
from council_vault.workspace import Workspace
from support import sound_memories
from support.memory_files import REAL_DATA, dump
from support.sound_memories import findings

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
MODELS = ("openai/gpt-4.1", "anthropic/claude-sonnet-4", "x-ai/grok-3", "qwen/qwen3-32b")
QUERIES = (
    "Compare Postgres and MySQL for a ledger",
    "What is a vector clock",
    "Write a blog post about Raft",
    "Debug this function",
    "Should we raise the price",
)


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "workspace").mkdir()
    settings = Settings(workspace=WorkspaceSettings(path=str(tmp_path / "workspace")))
    return Workspace(settings, tmp_path / "states", tmp_path, {"HOME": str(tmp_path)})


def given(dice: random.Random, number: int) -> dict:
    """Return log input of a council of any size, down to one model, with ballots that favour anybody."""
    members = dice.sample(MODELS, dice.randint(1, 4))
    council = {
        "reviewer_rankings_raw": {member: dice.sample(members, len(members)) for member in members},
        "chairman": dice.choice(MODELS),
        "stage1_responses": {member: f"- point one two\n- from {member}" for member in members},
        "synthesis_text": f"- point one two\n- something else {number}\n- they disagree about latency",
        "routing_decision": "deliberate",
    }
    alone = {"routing_decision": "single_model"}
    return {
        "query_text": f"{dice.choice(QUERIES)} {number}",
        "models_used": members,
        "cost_usd": round(dice.random(), 3),
        **(council if len(members) > 1 else alone),
    }


def test_after_every_log_the_memory_is_sound(workspace, monkeypatch):
    dice, now = random.Random(5), START
    workspace.memory_file().create(now)
    for number in range(1, 41):
        now += timedelta(minutes=37)
        monkeypatch.setattr(sound_memories, "NOW", now)
        log(workspace, read_log_input(given(dice, number)), now)
        problems = [one for one in findings(workspace.memory_path.read_bytes()) if one.level == "problem"]
        assert problems == [], number


def test_an_agents_memory_is_as_sound_after_a_log_as_before(workspace):
    file = REAL_DATA / "council-memory.json"
    if not file.exists():
        pytest.skip(f"{REAL_DATA} is not here")
    workspace.memory_path.write_bytes(dump(json.loads(file.read_text("utf-8"))))
    now = datetime(2026, 5, 1, tzinfo=UTC)
    log(workspace, read_log_input(given(random.Random(2), 1)), now)
    assert findings(workspace.memory_path.read_bytes()) == []
