"""Records of decisions, and context, where the vault is on Google Drive."""

from __future__ import annotations

import json

import pytest

from support.drive_sign_in import write_settings
from support.drive_vault import drive_place
from support.memory_files import record
from support.program import FOLDER

INDEX = "Projects/Boats/Boats.md"
RECORD = "Projects/Boats/11-Knowledge/DR-001-council-buy-it.md"


@pytest.fixture
def vault(emulator):
    with drive_place(emulator) as place:
        place.put("_System/MEMORY.md", b"# Memory\n\n- ~~Old~~ New\n")
        place.put(INDEX, b"# Boats\r\n\r\n## Decisions\r\n\r\n- one\r\n")
        yield place


@pytest.fixture
def decide(program, vault, tmp_path):
    program.write_memory(record(1))
    write_settings(program, vault.emulator, folder_id=vault.root)

    def run(**fields):
        file = tmp_path / "given.json"
        file.write_text(json.dumps({"deliberation_id": "d_20260328_001", "title": "Buy it?"} | fields))
        return program("decision", file)

    return run


def test_a_record_and_its_line(vault, decide):
    assert decide(project="boats") == (0, f"{RECORD}\n", f"A line on it was added to {INDEX}.\n")
    assert b"# DR-001: Buy it?\n" in vault.get(RECORD)
    line = b"- 2026-03-28: Buy it? ([[DR-001-council-buy-it|DR-001]])\r\n"
    assert vault.get(INDEX) == b"# Boats\r\n\r\n## Decisions\r\n\r\n- one\r\n" + line
    before = vault.everything()
    assert decide(project="boats") == (0, f"{RECORD}\n", "It was there already; nothing of it was changed.\n")
    assert vault.everything() == before


def test_a_project_without_notes(vault, decide):
    vault.folder("Projects/Planes")
    assert decide(project="Planes").out == "Projects/Planes/11-Knowledge/DR-001-council-buy-it.md\n"
    assert decide(project="Nothing", deliberation_id="d_20260328_002").out.startswith(f"{FOLDER}/council-")


def test_what_bears_on_a_question(vault, decide, program):
    ran = program("context", "More boats?")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "# Memory (_System/MEMORY.md)\n\n## Memory\n\n- New\n\n"
        f"# Project Boats ({INDEX})\n\n## Boats\n\n### Decisions\n\n- one\n\n"
    )
    assert vault.emulator.writes == []
