"""``decision``: the record of a decision."""

from __future__ import annotations

import io
import json
import sys

import pytest

from support.memory_files import record
from support.program import FOLDER
from support.syncing import contents_below

GIVEN = {
    "deliberation_id": "d_20260328_001",
    "title": "One gauge or two?",
    "project": "tidewatch",
    "outcome": "Two",
}
NAME = "Projects/Tidewatch/11-Knowledge/DR-003-council-one-gauge-or-two.md"
INDEX = "Projects/Tidewatch/Tidewatch.md"


@pytest.fixture
def decide(program, monkeypatch):
    def run(given, *options):
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return program("--vault", program.vault, "decision", *options)

    program.write_memory(record(1))
    program.make_vault("studio")
    return run


def test_the_path_is_printed_and_what_else_was_done_is_said(program, decide):
    assert decide(GIVEN) == (0, f"{NAME}\n", f"A line on it was added to {INDEX}.\n")
    note = (program.vault / NAME).read_text("utf-8")
    assert "\n# DR-003: One gauge or two?\n\n> [!summary] Two\n" in note
    line = "- 2026-03-28: One gauge or two? ([[DR-003-council-one-gauge-or-two|DR-003]])\n"
    assert (program.vault / INDEX).read_text("utf-8").endswith(f"([[DR-001 Alerts by SMS]])\n{line}")


def test_a_second_time_it_says_where_it_is(program, decide):
    decide(GIVEN)
    before = contents_below(program.vault)
    assert decide(GIVEN, "-") == (0, f"{NAME}\n", "It was there already; nothing of it was changed.\n")
    assert contents_below(program.vault) == before


def test_as_json(program, decide):
    ran = decide(GIVEN, "--json")
    assert ran.json == {
        "vault": str(program.vault), "name": NAME, "written": True, "index": INDEX, "problems": [],
    }  # fmt: skip
    again = decide(GIVEN, "--json").json
    assert (again["written"], again["index"]) == (False, None)


def test_from_a_file(program, decide, tmp_path):
    file = tmp_path / "given.json"
    file.write_text(json.dumps(GIVEN | {"project": None}))
    ran = program("--vault", program.vault, "decision", file)
    assert ran == (0, f"{FOLDER}/council-decision-one-gauge-or-two-2026-03-28.md\n", "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "council-vault: deliberation_id: required, but missing"),
        (
            GIVEN | {"cost_usd": "much"},
            'council-vault: cost_usd: expected USD from 0 to 1 000 000, got "much"',
        ),
        ({"deliberation_id": "d_20260101_001"}, "council-vault: title: required, but missing"),
        (b"{", "line 1"),
    ],
)
def test_bad_input_writes_nothing(program, decide, given, said):
    before = contents_below(program.vault)
    ran = decide(given)
    assert ran.code == 2
    assert said in ran.err
    assert contents_below(program.vault) == before


def test_without_a_vault(program, decide):
    program.vault.rename(program.base / "away")
    ran = decide(GIVEN)
    assert (ran.code, ran.out) == (3, "")
    assert not program.vault.exists()


def test_in_a_process_of_its_own(program, decide, tmp_path):
    file = tmp_path / "given.json"
    file.write_text(json.dumps(GIVEN))
    ran = program.process("--vault", program.vault, "decision", file)
    assert (ran.code, ran.out) == (0, f"{NAME}\n")
    assert (program.vault / NAME).exists()
