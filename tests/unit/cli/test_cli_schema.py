"""``schema``: what a memory file looks like, for other programs."""

from __future__ import annotations

from council_vault.shipped import shipped


def test_the_schema_is_printed_without_a_workspace(program):
    program.workspace.rmdir()
    ran = program("schema")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.json["title"] == "Council memory 1.3"
    assert ran.out == (shipped("docs") / "council-memory.schema.json").read_text("utf-8")


def test_it_comes_as_utf_8_through_a_pipe(program):
    ran = program.process("schema", environment={"PYTHONIOENCODING": "ascii:backslashreplace"})
    assert ran.code == 0
    assert ran.json["$schema"] == "http://json-schema.org/draft-07/schema#"
