"""What stands in the person's files commands no terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from council_vault.cli.options import visible
from support.memory_files import record

BAD = "\x1b[31mX\x07\x9b2J\u202ey\rz"
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
EVERY_ONE = (
    ("doctor",),
    ("doctor", "--repair"),
    ("rebuild-router",),
    ("rate", "great"),
    ("rate", "great", "--id", BAD),
    ("route", "Plan a week of dinners for four people"),
    ("stats",),
    ("stats", "models"),
    ("stats", "history"),
    ("stats", "optimization"),
    ("stats", "optimization", "--benchmarks"),
    ("status",),
    ("-v", "sync-vault"),
    ("sync-vault", "--dry-run", "--full"),
    ("import", "llm-council", "odd\x1b[31m.json"),
)


@pytest.fixture
def hostile(program):
    """A memory in which every text is an attempt on the terminal."""
    records = [
        record(
            number,
            chairman=f"{BAD}/m",
            query_summary=f"Question {BAD}",
            models_used=[f"{BAD}/m", "b"],
            rankings={f"{BAD}/m": 1, "b": 2},
            query_features={"category": BAD},
            deliberation_value_added=0.9,
            confidence=BAD,
            user_rating=BAD,
            outcome=BAD,
        )
        for number in range(1, 25)
    ]
    rule = {"condition": f"category == '{BAD}'", "action": "single_model", "preferred_model": BAD}
    other = {"condition": "category == 'other'", "action": "single_model", "preferred_model": BAD}
    program.write_memory(
        *records,
        records[0],
        routing_model={"rules": [rule, other, {"condition": BAD, "action": BAD}], "sample_size": BAD},
        optimization_log=[{"experiment_id": BAD, "decision": BAD, "variable_modified": BAD}],
        model_performance={BAD: {"avg_rank": BAD}},
        **{BAD: BAD},
    )
    return program


@pytest.mark.parametrize("arguments", EVERY_ONE, ids=" ".join)
def test_no_command_lets_it_through(hostile, arguments):
    Path("odd\x1b[31m.json").write_text("{}")
    ran = hostile(*arguments)
    assert ran.out + ran.err
    assert _COMMANDS.findall(ran.out + ran.err) == []


def test_lines_and_tabs_stay_and_all_else_is_shown_by_its_number():
    assert visible("a\tb\nc\r\nd é 你") == "a\tb\nc\r\nd é 你"
    assert visible("\x1b[1m\r\x9b\u202e") == r"\x1b[1m\r\x9b\u202e"
