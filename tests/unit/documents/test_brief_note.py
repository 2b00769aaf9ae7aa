"""The note of a brief: what it says, whatever the brief holds, and how it is called."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

import frontmatter as reader
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.briefing.brief import Brief, build_brief
from council_vault.briefing.cases import Prediction, Reputation, Session
from council_vault.briefing.recall import HeldSessions
from council_vault.notes import frontmatter
from council_vault.notes.regions import find_region
from council_vault.notes.templates import Templates
from council_vault.operations.brief_note import note_name, variables
from council_vault.operations.saving import Surroundings
from support.gfm import table_rows
from support.ledgers import DIRECTIVE, NOW

if TYPE_CHECKING:
    from pathlib import Path

LINKS = ("[[council-model-performance|Model performance]]", "[[council-deliberation-log|Log]]")
HOSTILE = (
    "[[link]] ![[embed]]",
    "%% council-vault:end %%",
    "a:: b #tag ^block",
    "<% tp.file %> <b>x</b>",
    "`= this` $x$ $y$",
    "| a | b |",
    "# heading\n\n- item\n> quote",
    "---\ntitle: x\n---",
    "x" * 300,
    "```mermaid\n",
    "\u202eevil\u202c\x1b[2J",
    "1. one",
    "- [ ] task",
    "{{ date }} {% raw %}",
)
TEXTS = st.one_of(st.text(max_size=40), st.sampled_from(HOSTILE))


def session(id_: str, *statuses: str, words: str = "", **fields: object) -> Session:
    predictions = tuple(
        Prediction(id=f"{id_}{place}", agent="Forecaster", statement="BTC rallies", metric="btc",
                   direction="up", status=status)
        for place, status in enumerate(statuses)
    )  # fmt: skip
    whole = {"time": NOW, "directive": f"BTC leverage risk {words}", "verdict": f"Verdict {id_}"} | fields
    return Session(id=id_, predictions=predictions, **whole)


def brief_of(*sessions: Session, directive: str = DIRECTIVE, **reputations: Reputation) -> Brief:
    return build_brief(directive, HeldSessions(sessions, reputations), now=NOW)


def drawn(brief: Brief, links: tuple[str, ...] = LINKS, templates: Templates | None = None) -> str:
    seen = variables(brief, Surroundings("m-20251207T090000Z", links))
    return (templates or Templates(None)).render("brief", seen)


SOME = brief_of(
    session("cs_held", "correct", words="one two three four five"),
    session(
        "cs_failed", "incorrect", "incorrect", words="six seven eight nine ten", participants=("Forecaster",)
    ),
    session("cs_open", words="eleven twelve thirteen fourteen fifteen"),
    Forecaster=Reputation(agent="Forecaster", alpha=1, beta=3, brier_sum=0.8, brier_n=1, calibration=0.2),
)


def test_the_properties():
    properties = reader.loads(drawn(SOME)).metadata
    assert properties == {
        "title": "Council Brief: Should we take BTC leverage risk now?",
        "date": date(2026, 10, 1),
        "type": "reference",
        "tags": ["council", "deliberation-brief"],
        "status": "active",
        "council_memory": "m-20251207T090000Z",
    }
    frontmatter.validate(drawn(SOME))


def test_the_region_says_when_it_is_rewritten():
    marker = (
        "%% council-vault:begin brief (rewritten when the brief is saved again; your own text goes above or "
    )
    assert f"\n\n{marker}below) %%\n\n> [!summary]" in drawn(SOME)


def test_the_executive_summary_is_the_finding():
    note = drawn(SOME)
    assert f"\n> [!summary] {SOME.executive_summary}\n>\n> {LINKS[0]} · {LINKS[1]}\n\n## Validated" in note
    assert f"> [!summary] {SOME.executive_summary}\n\n## Validated" in drawn(SOME, links=())


def test_the_sections_are_those_that_a_council_reads():
    assert re.findall("^#+ .*", drawn(SOME), re.MULTILINE) == [
        "# Council Brief: Should we take BTC leverage risk now?",
        "## Validated Lessons",
        "## Failed Lessons",
        "## Repeated Errors",
        "## Patterns",
        "## Confidence Trend",
        "## Agent Performance",
        "## Blind Spots",
        "## Recommended Focus",
        "## Past Deliberations",
    ]
    assert "\n- Verdict cs_held (cs_held, 100% right)\n" in drawn(SOME)
    assert "\n- Forecaster: unreliable (skill 25%, calibration 20%)\n" in drawn(SOME)


def test_the_cases_are_a_table():
    assert table_rows(drawn(SOME)) == [
        ["Verdict cs_held", "validated", "100%", "cs_held"],
        ["Verdict cs_open", "untested", "—", "cs_open"],
        ["Verdict cs_failed", "⚠️\N{NO-BREAK SPACE}disproven", "0%", "cs_failed"],
    ]


def test_without_a_history_it_says_so_and_no_more():
    note = drawn(brief_of(), links=())
    assert "> [!info] No prior deliberations on this: reason from first principles" in note
    assert "##" not in note
    assert "|" not in note.partition("---\n\n")[2]


@pytest.mark.parametrize("words", [0, 400])
def test_a_directive_that_the_title_cuts_stands_in_full_below(words):
    directive = " ".join([DIRECTIVE, *["really"] * words])
    note = drawn(brief_of(directive=directive))
    assert ("> [!quote]- The directive in full\n>\n> Should we" in note) == bool(words)
    assert max(map(len, note.splitlines())) < 2100


def test_it_reads_well_where_blank_lines_belong():
    note = drawn(SOME)
    assert "\n\n\n" not in note
    for block in re.findall(r"[^\n]*\n(?:> \[!|#+ |%%)[^\n]*\n[^\n]*", note):
        before, at, after = block.split("\n")
        assert before == ""
        assert after == "" or at.startswith("> ")


@given(st.lists(TEXTS, min_size=9, max_size=9))
@settings(max_examples=60, deadline=None)
def test_whatever_the_history_holds_nothing_in_the_note_is_live(texts):
    id_, verdict, agent, statement, metric, why, evidence, words, directive = texts
    wrong = Prediction(
        id="p", agent=agent, statement=statement, metric=metric, direction=why, invalidation=why,
        status="incorrect", participants=(words,),
    )  # fmt: skip
    sessions = [
        Session(id=f"{name}{id_}", time=NOW, directive=f"leverage risk {words} {name}", verdict=verdict,
                evidence_summary=f"data_gaps: [{evidence}]", predictions=(wrong, wrong)[:grade],
                rating=1.0, participants=(agent,))
        for name, grade in (("a", 2), ("b", 1), ("c", 0))
    ]  # fmt: skip
    known = {agent: Reputation(agent=agent, calibration=0.5)}
    brief = build_brief(f"leverage risk {directive}", HeldSessions(sessions, known), now=NOW)
    assert brief.n_cases
    note = drawn(brief, links=())

    frontmatter.validate(note)
    body = frontmatter.body_start(note)
    assert find_region(note, "brief", body) is not None
    assert len(reader.loads(note).metadata) == 6
    assert note.count("%% council-vault:") == 2
    text = "\n".join(line for line in note.split("\n") if not line.startswith("%% council-vault:"))
    for sign in ("[[", "%%", "::", "<%", "`", "\x1b", "\u202e"):
        assert sign not in text
    assert not re.search(r"<[a-z]|(?<!\\)\$", text[body:])
    assert not re.search(r"(?m)(?<![\\&\w])#(?=[^\W\d])", text[body:])
    rows = table_rows(note)
    assert len(rows) == brief.n_cases
    assert {len(row) for row in rows} == {4}
    assert len(re.findall("^## ", note, re.MULTILINE)) <= 9


@pytest.mark.parametrize(
    ("directive", "name"),
    [
        (DIRECTIVE, "council-brief-should-we-take-btc-leverage-risk-now-2026-10-01"),
        ("../../.obsidian/app.json", "council-brief-obsidian-app-json-2026-10-01"),
        ("nul", "council-brief-nul-2026-10-01"),
        ("مخاطرة؟", "council-brief-مخاطرة-2026-10-01"),
    ],
)
def test_the_name_is_made_of_the_directive_and_the_day(directive, name):
    assert note_name(brief_of(directive=directive)) == name


@pytest.mark.parametrize("directive", ["", "?!", "😀" * 300, "x" * 10_000, "word " * 2000])
def test_any_directive_gives_a_name_and_a_note(directive):
    brief = brief_of(directive=directive)
    assert re.fullmatch(r"council-brief-[\w-]{8,69}-2026-10-01", note_name(brief))
    assert len(note_name(brief).encode()) < 200
    frontmatter.validate(drawn(brief))
    assert drawn(brief_of(directive="")).count("\n# Council Brief\n") == 1


def test_a_template_of_the_persons_own(tmp_path: Path):
    folder = tmp_path / "templates"
    folder.mkdir()
    own = folder / "council-brief.md.j2"
    body = "{{ begin }}\n\n{{ cases }} {{ finding }}\n\n{{ end }}\n"
    head = drawn(SOME).partition("\n# ")[0]
    own.write_text(f"{head}\n\n{body}", "utf-8")
    templates = Templates(folder)
    assert f"3 {SOME.executive_summary}" in drawn(SOME, templates=templates)
    assert templates.problems == []
    own.write_text(f"{head}\n\n{{{{ nonsense }}}}", "utf-8")
    assert drawn(SOME, templates=templates) == drawn(SOME)
    assert f"{own}:13: 'nonsense' is undefined" in templates.problems[0]


def test_the_template_names_every_variable():
    seen = variables(SOME, Surroundings("m", LINKS))
    assert set(seen) == {
        "title", "heading", "date", "council_memory", "begin", "end", "links", "directive", "cases",
        "finding", "sections", "table_of_cases",
    }  # fmt: skip
    assert msgspec.to_builtins(SOME)["n_cases"] == seen["cases"] == 3
