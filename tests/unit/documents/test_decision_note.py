"""The note of a decision: what it says, whatever was decided, and how it is called."""

from __future__ import annotations

import re
from datetime import date

import frontmatter as reader
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from council_vault.notes import frontmatter
from council_vault.notes.decision import (
    council_note_name,
    index_line,
    next_number,
    project_note_name,
    short_name,
    variables,
)
from council_vault.notes.decision_input import Decision
from council_vault.notes.templates import Templates
from council_vault.vault.conflict_copies import is_conflict_copy
from council_vault.vault.names import problem_with
from support.gfm import inline_types

LINKS = ("[[council-model-performance|Model performance]]", "[[council-deliberation-log|Log]]")
DECISION = Decision(
    deliberation_id="d_20260328_001",
    title="One gauge or two?",
    query=("Should we buy a second gauge for the inner basin?",),
    chairman="anthropic/claude-sonnet-4",
    rationale=("Two.\n\n1. One *fails*\n2. The other does not",),
    agreements=("Gauges fail", "Not both at once"),
    disagreements=("The price",),
    outcome=("accepted",),
    cost_usd=0.09,
    project="Tidewatch",
    category="strategy_business",
    participants=("anthropic/claude-sonnet-4", "openai/gpt-4.1"),
    date=date(2026, 3, 28),
)
HOSTILE = (
    "[[link]] ![[embed]]", "%% council-vault:end %%", "a:: b #tag ^block",
    "<% tp.file %> <b>x</b>", "`= this` $x$", "| a | b |", "# heading\n\n- item\n> quote",
    "---\ntitle: x\n---", "x" * 300, "```mermaid\n", "\u202eevil\u202c\x1b", "1. one",
    "- [ ] task", "{{ date }} {% raw %}", "\ud800", "", "\0", "😀" * 300, "?!…", "key: value",
    "- x",
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=40), st.sampled_from(HOSTILE))


def changed(**fields):
    return Decision(**({name: getattr(DECISION, name) for name in DECISION.__struct_fields__} | fields))


def drawn(decision, number=3, templates=None):
    seen = variables(decision, number=number, stamp="m-20251207T090000Z", links=LINKS)
    return (templates or Templates(None)).render("decision", seen)


def test_the_whole_note():
    assert (
        drawn(DECISION)
        == """\
---
title: "DR-003: One gauge or two?"
date: 2026-03-28
project: Tidewatch
type: decision
tags:
  - council
  - decision
  - strategy-business
participants:
  - anthropic/claude-sonnet-4
  - openai/gpt-4.1
status: active
deliberation_id: d_20260328_001
council_memory: m-20251207T090000Z
---

# DR-003: One gauge or two?

> [!summary] Outcome: accepted
>
> - **Deliberation**: d_20260328_001
> - **Chairman**: claude-sonnet-4
> - **Participants**: claude-sonnet-4, gpt-4.1
> - **Category**: Strategy
> - **Cost**: $0.09
>
> [[council-model-performance|Model performance]] · [[council-deliberation-log|Log]]

## Question

Should we buy a second gauge for the inner basin?

## Rationale

Two.

1. One fails
2. The other does not

## Agreements

- Gauges fail
- Not both at once

## Disagreements

- The price
"""
    )


def test_with_no_more_than_a_title():
    bare = Decision(deliberation_id="d_20260328_001", title="Buy", date=date(2026, 3, 28))
    note = drawn(bare, number=None)
    assert reader.loads(note).metadata == {
        "title": "Buy",
        "date": date(2026, 3, 28),
        "project": None,
        "type": "decision",
        "tags": ["council", "decision"],
        "participants": [],
        "status": "active",
        "deliberation_id": "d_20260328_001",
        "council_memory": "m-20251207T090000Z",
    }
    assert note.partition("---\n\n")[2] == (
        "# Buy\n\n> [!summary] Decided by the council on 2026-03-28\n>\n"
        f"> - **Deliberation**: d_20260328_001\n>\n> {LINKS[0]} · {LINKS[1]}\n"
    )


@pytest.mark.parametrize(
    ("outcome", "finding", "in_full"),
    [
        (("Accepted",), "Outcome: accepted", False),
        (("We buy two",), "We buy two", False),
        (("word " * 40,), "Decided by the council on 2026-03-28", True),
        (("a", "b"), "Decided by the council on 2026-03-28", True),
        (("a\n\nb",), "Decided by the council on 2026-03-28", True),
        (("\0",), "Decided by the council on 2026-03-28", False),
        ((), "Decided by the council on 2026-03-28", False),
    ],
)
def test_the_outcome_is_the_finding_unless_it_is_long(outcome, finding, in_full):
    note = drawn(changed(outcome=outcome))
    assert f"\n> [!summary] {finding}\n" in note
    assert ("\n## Outcome\n" in note) is in_full


def test_a_question_that_the_title_tells_is_not_told_twice():
    assert "## Question" not in drawn(changed(query=("one  gauge or **two**?",)))
    assert "## Question" not in drawn(changed(query=()))


@pytest.mark.parametrize("category", [None, "other", "tidal maths", "Strategy-Business"])
def test_only_a_known_category_is_a_tag(category):
    tags = reader.loads(drawn(changed(category=category))).metadata["tags"]
    assert tags[2:] == (["strategy-business"] if category == "Strategy-Business" else [])


@given(st.lists(TEXTS, min_size=10, max_size=10), st.sampled_from([None, 1, 999, 1000]))
@settings(max_examples=150, deadline=None)
def test_whatever_was_decided_nothing_in_the_note_is_live(texts, number):
    title, query, chairman, rationale, agreed, other, outcome, project, category, participant = texts
    decision = changed(
        title=title, query=(query,), chairman=chairman, rationale=(rationale,), agreements=(agreed, other),
        disagreements=(other,), outcome=(outcome,), project=project, category=category,
        participants=(participant, chairman),
    )  # fmt: skip
    note = drawn(decision, number=number).replace(LINKS[0], "").replace(LINKS[1], "")
    frontmatter.validate(note, ("project", "participants", "deliberation_id"))
    properties = reader.loads(note).metadata
    assert len(properties) == 9
    assert properties == YAML(typ="safe").load(note.split("\n---\n")[0].removeprefix("---\n"))
    assert note.encode()
    for sign in ("[[", "%%", "::", "<%", "`", "\x1b", "\x00", "\u202e", "{{", "{%"):
        assert sign not in note.replace("{{ date }} {% raw %}", "")
    body = note[frontmatter.body_start(note) :]
    assert not re.search(r"<[a-z]|(?<!\\)\$(?!\d)|(?m:^\^)", body)
    assert not re.search(r"(?m)(?<![\\&\w])#(?=[^\W\d])", body)
    titles = re.findall("^#+ .*", body, re.MULTILINE)
    assert len(titles) == len([one for one in titles if one.startswith("## ")]) + 1
    assert {one[3:] for one in titles[1:]} <= {
        "Question",
        "Outcome",
        "Rationale",
        "Agreements",
        "Disagreements",
    }
    assert inline_types(body) <= {
        "text",
        "softbreak",
        "text_special",
        "strong_open",
        "strong_close",
        "entity",
    }
    line = index_line(decision, "LINK")
    assert re.fullmatch(r"2026-03-28: [^\r\n]+ \(LINK\)", line)
    assert len(line) < 2000


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_whatever_the_title_is_the_names_are_safe(title):
    for name in (council_note_name(changed(title=title)), project_note_name(changed(title=title), 7)):
        assert problem_with(f"{name}.md") is None
        assert not is_conflict_copy(f"{name}.md")
        assert len(name.encode()) < 200
        assert name.startswith(("council-decision-", "DR-007-council-"))
        assert not re.search(r"[\s.\[\]|#^%:*?\"<>\\/`]", name)


def test_how_the_notes_are_called():
    assert project_note_name(DECISION, 3) == "DR-003-council-one-gauge-or-two"
    assert project_note_name(DECISION, 1000) == "DR-1000-council-one-gauge-or-two"
    assert council_note_name(DECISION) == "council-decision-one-gauge-or-two-2026-03-28"
    assert short_name("dr-7 old.md") == "DR-007"
    assert short_name("Renamed.md") == "record"


@pytest.mark.parametrize(
    ("names", "number"),
    [
        ([], 1),
        (["DR-001 a.md", "P/DR-041-b.md", "dr-7.md", "xDR-99.md"], 42),
        (["DR-20260328 a.md", "DR-2.md"], 3),
        (["DR-999.md"], 1000),
        (["DR-x.md", "ADR-5.md"], 1),
    ],
)
def test_the_next_number(names, number):
    assert next_number(names) == number


def test_a_template_of_the_persons_own(tmp_path):
    own = tmp_path / "council-decision.md.j2"
    head = drawn(DECISION).partition("\n# ")[0]
    templates = Templates(tmp_path)
    own.write_text(f"{head}\n{{{{ finding }}}} {{{{ sections | length }}}}\n", "utf-8")
    assert drawn(DECISION, templates=templates).endswith("---\n\nOutcome: accepted 4\n")
    assert templates.problems == []
    for broken, said in (
        (head.replace("deliberation_id:", "id:"), "missing or invalid: deliberation_id"),
        (head.replace("project:", "projects:"), "missing or invalid: project"),
        (head.replace("d_20260328_001", "d_20260328_002"), "the property deliberation_id must say"),
        (head.replace("type: decision", "type: x"), "missing or invalid: type"),
    ):
        own.write_text(f"{broken}\n", "utf-8")
        assert drawn(DECISION, templates=templates) == drawn(DECISION)
        assert said in templates.problems[0]
