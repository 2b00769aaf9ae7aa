"""Templates: the built-in ones, the user's own, and what happens when these are broken."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from jinja2 import Environment
from jinja2.meta import find_undeclared_variables

from council_vault.notes.kinds import FILE_NAMES, KINDS
from council_vault.notes.templates import Templates
from council_vault.shipped import shipped
from support.documents import drafted, memory_of
from support.memories import build_memory

if TYPE_CHECKING:
    from pathlib import Path

    from council_vault.notes.kinds import Kind

MEMORY = memory_of(build_memory(25, 5, seed=2))
PROPERTIES = """---
title: {{ title | yaml }}
date: {{ date | yaml }}
type: reference
tags:
  - council
status: active
council_memory: {{ council_memory | yaml }}
---
"""


def own(folder: Path, text: str, kind: Kind = "log") -> Templates:
    (folder / f"{FILE_NAMES[kind]}.md.j2").write_text(text, encoding="utf-8")
    return Templates(folder)


def whole(body: str) -> str:
    return f"{PROPERTIES}\n{{{{ begin }}}}\n\n{body}\n\n{{{{ end }}}}\n"


def test_a_template_of_the_users_own_replaces_the_built_in_one(tmp_path: Path) -> None:
    templates = own(tmp_path, whole("{{ finding }}: {{ deliberations }} {{ links.routing }}"))
    note = drafted("log", MEMORY, templates=templates)
    assert "25 deliberations, latest on" in note
    assert ": 25 [[council-routing-intelligence|Routing]]\n" in note
    assert "# Council" not in note
    assert templates.problems == []
    assert drafted("routing", MEMORY, templates=templates) == drafted("routing", MEMORY)


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_of_a_built_in_template_makes_the_same_note(kind: Kind, tmp_path: Path) -> None:
    text = (shipped("templates") / f"{FILE_NAMES[kind]}.md.j2").read_text(encoding="utf-8")
    templates = own(tmp_path, text, kind)
    assert drafted(kind, MEMORY, templates=templates) == drafted(kind, MEMORY)
    assert templates.problems == []


def test_windows_line_ends_a_bom_and_a_missing_last_line_end_make_no_difference(tmp_path: Path) -> None:
    (tmp_path / f"{FILE_NAMES['log']}.md.j2").write_bytes(
        b"\xef\xbb\xbf" + whole("{{ finding }}").rstrip().replace("\n", "\r\n").encode()
    )
    templates = Templates(tmp_path)
    note = drafted("log", MEMORY, templates=templates)
    assert templates.problems == []
    assert note.startswith("---\ntitle:")
    assert "\r" not in note
    assert note.endswith("%% council-vault:end %%\n")


def test_a_correction_is_seen_at_once(tmp_path: Path) -> None:
    templates = own(tmp_path, whole("{{ finding"))
    assert drafted("log", MEMORY, templates=templates) == drafted("log", MEMORY)
    assert len(templates.problems) == 1
    own(tmp_path, whole("corrected"))
    path = tmp_path / f"{FILE_NAMES['log']}.md.j2"
    os.utime(path, (1, 1))
    assert "\ncorrected\n" in drafted("log", MEMORY, templates=templates)
    assert templates.problems == []


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        ("{% if %}", 13, "Expected an expression"),
        ("{{ findng }}", 13, "'findng' is undefined"),
        ("\n\n{{ facts[0].nothing }}", 15, "has no attribute 'nothing'"),
        ("{{ links.nothing }}", 13, "has no attribute 'nothing'"),
        ("{{ 1 / 0 }}", 13, "division by zero"),
        ("{{ finding + 1 }}", 13, "can only concatenate"),
        ("{{ finding | nofilter }}", 13, "No filter named 'nofilter'"),
        ("{{ finding.__class__.__mro__ }}", 13, "is unsafe"),
        ("{{ facts.append(1) }}", 13, "append"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", 13, "recursion"),
        ("{% for n in range(10 ** 9) %}{% endfor %}", 13, "more than 100000 steps"),
        (
            "{% for n in range(90000) %}{% for m in range(90000) %}{% endfor %}{% endfor %}",
            13,
            "more than 100000 steps",
        ),
        ("{{ 'a' * 10 ** 9 }}", 13, "more than 5000000 characters"),
        ("{{ 10 ** 9 * [1] }}", 13, "more than 5000000 characters"),
        ("{{ 2 ** 999 }}", 13, "exponent above 64"),
        ("{% include 'missing.j2' %}", 13, "missing.j2"),
        ("{{ facts | table('l') }}", 13, "cells in a row, but 1 letters in 'l'"),
    ],
)
def test_a_broken_template_is_named_with_its_line_and_the_built_in_one_used(
    body: str, line: int, reason: str, tmp_path: Path
) -> None:
    templates = own(tmp_path, whole(body))
    assert drafted("log", MEMORY, templates=templates) == drafted("log", MEMORY)
    (problem,) = templates.problems
    assert problem.startswith(f"{tmp_path / FILE_NAMES['log']}.md.j2:{line}: ")
    assert reason in problem
    assert problem.endswith("The built-in template is used until this is corrected")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (whole("").replace("title: {{ title | yaml }}", "title: {{ links.log }} x"), "line 2"),
        (whole("").replace("status: active\n", ""), "status"),
        ("# No properties\n\n{{ begin }}\n\n{{ end }}\n", "does not begin with"),
        (f"{PROPERTIES}\ntext\n", "begin log"),
        (f"{PROPERTIES}\n{{{{ begin }}}}\n\ntext\n", "council-vault:end"),
        (f"{PROPERTIES}\n{{{{ end }}}}\n\n{{{{ begin }}}}\n", "ends before it begins"),
        (f"{PROPERTIES}\n{{{{ begin }}}}\n\n```\n\n{{{{ end }}}}\n", "in code, a comment"),
        (f"{PROPERTIES}\n<!--\n{{{{ begin }}}}\n\n{{{{ end }}}}\n", "in code, a comment"),
        (f"{PROPERTIES}\n<!--\n{{{{ begin }}}}\n\n{{{{ end }}}}\n-->\n", "in code, a comment"),
        (whole("{{ begin }}"), "2 times"),
        (whole("{% for n in range(90000) %}{{ 'a' * 100 }}{% endfor %}"), "more than 5000000 characters"),
    ],
)
def test_what_cannot_be_kept_as_a_note_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    templates = own(tmp_path, text)
    assert drafted("log", MEMORY, templates=templates) == drafted("log", MEMORY)
    (problem,) = templates.problems
    assert problem.startswith(str(tmp_path / FILE_NAMES["log"]))
    assert reason in problem


def test_a_template_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / f"{FILE_NAMES['log']}.md.j2"
    path.write_bytes(b"\xff\xfe\x00")
    templates = Templates(tmp_path)
    assert drafted("log", MEMORY, templates=templates) == drafted("log", MEMORY)
    assert templates.problems[0].startswith(str(path))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    templates = Templates(tmp_path / "nowhere")
    assert drafted("log", MEMORY, templates=templates) == drafted("log", MEMORY)
    drafted("routing", MEMORY, templates=templates)
    (problem,) = templates.problems
    assert problem.startswith(f"{tmp_path / 'nowhere'}: notes.templates names no folder")


def test_templates_can_build_on_each_other_and_on_the_built_in_ones(tmp_path: Path) -> None:
    (tmp_path / "greeting.j2").write_text("Hello, {{ deliberations }}\n", encoding="utf-8")
    templates = own(tmp_path, whole("{% include 'greeting.j2' %}"))
    assert "\nHello, 25\n" in drafted("log", MEMORY, templates=templates)
    (tmp_path / "more").mkdir()
    extended = own(tmp_path / "more", "{% extends 'council-deliberation-log.md.j2' %}", kind="performance")
    assert "> - To rate one, type `positive`" in drafted("performance", MEMORY, templates=extended)
    assert extended.problems == []


def test_what_data_says_is_never_run(tmp_path: Path) -> None:
    document = build_memory(25, 5, seed=2)
    for record in document["deliberations"]:
        record["query_features"]["category"] = "{{ 7 * 191 }}"
    note = drafted("routing", memory_of(document), templates=own(tmp_path, whole("x"), "performance"))
    assert "1337" not in note
    assert "{{ 7 * 191 }}" in note


@pytest.mark.parametrize("kind", KINDS)
def test_each_built_in_template_names_its_variables_at_the_top(kind: Kind) -> None:
    text = (shipped("templates") / f"{FILE_NAMES[kind]}.md.j2").read_text(encoding="utf-8")
    comment, _, code = text.partition("#}")
    environment = Environment(autoescape=True)
    environment.filters.update(yaml=str, table=str, quote=str)
    used = find_undeclared_variables(environment.parse(code))
    assert used
    assert [name for name in sorted(used) if f" {name} " not in comment] == []
