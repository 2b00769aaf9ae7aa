"""Whatever a memory holds, a note is one that every reader takes alike, and nothing in it is live."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from council_vault.memory.schema import (
    Archived,
    ArchivedCategory,
    ArchivedDecisions,
    Deliberation,
    Memory,
    ModelPerformance,
    QueryFeatures,
    RoutingModel,
    RoutingRule,
    Sum,
)
from council_vault.notes import frontmatter
from council_vault.notes.kinds import END_MARKER, KINDS, TITLES, begin_marker
from support.documents import LINKS, STAMP, drafted, memory_of
from support.memories import build_memory

if TYPE_CHECKING:
    from council_vault.notes.kinds import Kind

MARKDOWN = MarkdownIt("commonmark").enable("table")
SIZES = [(0, 1), (1, 1), (1, 4), (5, 2), (18, 24), (60, 5), (60, 60), (300, 12)]
MEAN = [
    "A|B",
    "[[Note|Alias]]",
    "%% council-vault:end %%",
    "<% tp.file.title %>",
    "`= this.file`",
    "a\nb",
    "![[x]]",
    "key:: value",
    "#tag",
    "$x$ $y$",
    "---",
    "{{ 7 * 7 }}",
    '"]',
    "%%{init: {}}%%",
    "a\\",
    "",
    "   ",
    "\ud800",
    "\u202ereversed",
    "```",
]

words = st.one_of(st.sampled_from(MEAN), st.text(max_size=12)).filter(
    lambda text: "None" not in text and "nan" not in text
)
numbers = st.one_of(
    st.none(),
    st.floats(0, 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([-0.0, -0.001, 1e300, 65.0]),
)
counts = st.integers(-3, 60)
some_words = st.one_of(st.none(), words)
models = st.sampled_from(["a/b", "b", "c/b", "us.x.y-v1:0", "[[m]]", "p|q", "<% x %>", ""])
categories = st.one_of(
    st.sampled_from(["architecture_decision", "other", "factual_lookup", "data_migration"]), words
)
times = st.one_of(
    st.none(),
    st.sampled_from(["2026-03-28T14:30:00Z", "2026-13-45", 1774688728, "soon", "28 Mar 2026"]),
    words,
)
sums = st.builds(Sum, sum=st.floats(-1, 100), count=counts)
records = st.builds(
    Deliberation,
    id=st.none(),
    timestamp=times,
    query_features=st.builds(QueryFeatures, category=st.one_of(st.none(), categories)),
    models_used=st.lists(models, max_size=4).map(tuple),
    rankings=st.dictionaries(models, st.one_of(st.floats(1, 6), st.floats(allow_nan=False)), max_size=4),
    chairman=st.one_of(st.none(), models),
    confidence=numbers,
    cost_usd=numbers,
    deliberation_value_added=numbers,
    ranking_spread=numbers,
    routing_decision=st.sampled_from([None, "deliberate", "single_model", "explicit_command", "maybe"]),
    routing_source=st.sampled_from([None, "learned", "always_deliberate", "explicit_command", "x"]),
    user_rating=st.sampled_from([None, "positive", "negative", "neutral", "great"]),
)
performance = st.builds(
    ModelPerformance,
    deliberations_participated=counts,
    avg_rank=numbers,
    rank_square_sum=numbers,
    chairman_selections=counts,
    win_rate=numbers,
    self_preference_rate=numbers,
    self_preference_count=counts,
    self_preference_tested=st.one_of(st.none(), counts),
    category_ranks=st.dictionaries(categories, st.floats(allow_nan=False), max_size=3),
    category_counts=st.dictionaries(categories, counts, max_size=3),
)
rules = st.builds(
    RoutingRule,
    condition=st.one_of(
        some_words, st.sampled_from(["category == 'other'", 'category == "data_migration"', "length > 3"])
    ),
    action=st.sampled_from([None, "deliberate", "single_model", "ask|me", "[[x]]"]),
    preferred_model=st.one_of(st.none(), models),
    confidence=numbers,
    sample_count=st.one_of(st.none(), counts),
    value_score=numbers,
    strength=numbers,
)
archives = st.builds(
    Archived,
    count=st.integers(0, 50),
    cost=sums,
    ratings=st.dictionaries(words, counts, max_size=2),
    decisions=st.builds(ArchivedDecisions, hits=counts, misses=counts, wastes=counts),
    categories=st.dictionaries(
        categories,
        st.builds(
            ArchivedCategory,
            count=counts,
            value=sums,
            confidence=sums,
            spread=sums,
            rated=counts,
            positive=counts,
            chairmen=st.dictionaries(models, counts, max_size=2),
        ),
        max_size=2,
    ),
)
memories = st.builds(
    Memory,
    created=times,
    deliberations=st.lists(records, max_size=8).map(tuple),
    routing_model=st.builds(
        RoutingModel,
        last_rebuilt=times,
        sample_size=counts,
        routing_accuracy=numbers,
        rules=st.lists(rules, max_size=3).map(tuple),
    ),
    model_performance=st.dictionaries(models, performance, max_size=4),
    archived=archives,
)


def frontmatter_of(note: str) -> str:
    return note.split("---\n")[1]


def unquoted(note: str) -> list[str]:
    return [line.removeprefix("> ") for line in note.split("\n")]


def check_tables(note: str) -> int:
    """Every row has as many cells as its table's header, and is a row for an independent parser as well."""
    body = note.split("---\n", 2)[2]
    rows = [line for line in unquoted(body) if line.startswith("|")]
    tokens = MARKDOWN.parse(body)
    parsed: list[int] = []
    for token in tokens:
        if token.type == "tr_open":
            parsed.append(0)
        elif token.type in {"th_open", "td_open"}:
            parsed[-1] += 1
    rules_of_tables = [row for row in rows if set(row) <= set("|-: ")]
    assert len(rows) - len(rules_of_tables) == len(parsed)
    cells = [len(re.split(r"(?<!\\)\|", row)) - 2 for row in rows if row not in rules_of_tables]
    assert cells == parsed
    width = 0
    for line in unquoted(body):
        width = 0 if not line.startswith("|") else width or len(re.split(r"(?<!\\)\|", line))
        assert not line.startswith("|") or len(re.split(r"(?<!\\)\|", line)) == width
    return len(parsed)


def check_frontmatter(kind: Kind, note: str) -> dict[str, Any]:
    block = frontmatter_of(note)
    old, new = yaml.safe_load(block), YAML(typ="safe").load(block)
    assert old == dict(new)
    frontmatter.validate(note)
    assert list(old) == ["title", "date", "type", "tags", "status", "council_memory"]
    assert old["title"] == TITLES[kind]
    assert isinstance(old["date"], date)
    assert old["council_memory"] == STAMP
    return old


def check_region(kind: Kind, note: str) -> None:
    lines = note.split("\n")
    assert lines.count(begin_marker(kind)) == lines.count(END_MARKER) == 1
    assert note.endswith(f"\n\n{END_MARKER}\n")
    assert f"\n\n{begin_marker(kind)}\n\n" in note
    assert note.count("council-vault:") == 2
    assert "\n\n\n" not in note


def check_nothing_is_live(kind: Kind, note: str) -> None:
    text = note
    for link in LINKS.values():
        text = text.replace(link, "")
    text = text.replace(begin_marker(kind), "").replace(END_MARKER, "")
    text = re.sub(r"^%%\{init: .*\}%%$", "", text, flags=re.MULTILINE)
    for sign in ("[[", "]]%%", "%%", "<%", "::", "None", "nan", "inf%", "$x$", "-0.0", "-0%", "\u202e", "\r"):
        assert sign not in text, sign
    text.encode("utf-8")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("count", "models"), SIZES)
def test_notes_of_every_size(kind: Kind, count: int, models: int) -> None:
    note = drafted(kind, memory_of(build_memory(count, models, seed=count + models)))
    check_frontmatter(kind, note)
    check_region(kind, note)
    check_nothing_is_live(kind, note)
    assert check_tables(note) > 0 or count < 2 or kind == "log"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(memory=memories, mode=st.sampled_from(["learned", "always_deliberate", "always_shortcut", "[[x]]"]))
def test_notes_of_any_memory(memory: Memory, mode: str) -> None:
    for kind in KINDS:
        note = drafted(kind, memory, mode=mode)
        check_frontmatter(kind, note)
        check_region(kind, note)
        check_tables(note)
        check_nothing_is_live(kind, note)


@pytest.mark.parametrize("text", MEAN)
def test_mean_names_in_a_note_with_a_leaderboard_and_rules(text: str) -> None:
    document = build_memory(60, 5, seed=1)
    name, category = f"x/{text}", f"{text} kind"
    for record in document["deliberations"]:
        if record["query_features"]["category"] == "compliance_security":
            record["query_features"]["category"] = category
        for key in ("rankings", "self_preference"):
            record[key] = {name if model == "x-ai/grok-3" else model: v for model, v in record[key].items()}
        record["models_used"] = [name if model == "x-ai/grok-3" else model for model in record["models_used"]]
    document["model_performance"][name] = document["model_performance"].pop("x-ai/grok-3")
    document["routing_model"]["rules"][0].update(
        condition=f'category == "{category}"', action="single_model", preferred_model=name
    )
    memory = memory_of(document)
    for kind in KINDS:
        note = drafted(kind, memory)
        check_frontmatter(kind, note)
        check_region(kind, note)
        check_tables(note)
        check_nothing_is_live(kind, note)
