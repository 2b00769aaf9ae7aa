"""``context``: what the vault says that bears on a question."""

from __future__ import annotations

import io
import sys

import pytest

from support.memory_files import record


@pytest.fixture
def context(program):
    program.write_memory(record(1))
    program.make_vault("studio")
    return lambda *given: program("--vault", program.vault, "context", *given)


def test_as_a_council_reads_it(context):
    ran = context("Should Tidewatch push?")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("# Memory (_System/MEMORY.md)\n\n## Memory\n\nWhat any assistant")
    assert "\n\n# Project Tidewatch (Projects/Tidewatch/Tidewatch.md)\n\n## Tidewatch\n" in ran.out
    assert "\n| d_20251227_001 | 2025-12-27 | Debounce a flapping" in ran.out
    assert "Gauge keys" not in ran.out


def test_within_a_budget(context):
    ran = context("Should Tidewatch push?", "--budget", "300")
    assert len(ran.out) <= 1200
    assert ran.err == (
        "Cut to 300 tokens: _System/MEMORY.md, Projects/Tidewatch/Tidewatch.md, "
        "_Shared Knowledge/Agents and Plugins/council-deliberation-log.md.\n"
    )
    assert context("x", "--budget", "0").code == 2


def test_as_json(program, context):
    whole = context("Tidewatch?").out
    found = context("Tidewatch?", "--json").json
    assert found.pop("text") == whole
    assert found.pop("tokens") == -(-len(whole) // 4)
    assert [source["name"] for source in found["sources"]][:2] == [
        "_System/MEMORY.md", "Projects/Tidewatch/Tidewatch.md",
    ]  # fmt: skip
    assert {source["whole"] for source in found.pop("sources")} == {True}
    assert found == {"vault": str(program.vault), "budget": 2000, "problems": []}


def test_a_question_that_is_piped(context, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"And the Boathouse?\n")))
    assert "# Project Boathouse (" in context("-").out


def test_without_a_vault(program, context):
    program.vault.rename(program.base / "away")
    ran = context("x")
    assert (ran.code, ran.out) == (3, "")


def test_in_a_process_of_its_own(program, context):
    ran = program.process("--vault", program.vault, "context", "Tidewatch?")
    assert (ran.code, ran.out) == (0, context("Tidewatch?").out)
