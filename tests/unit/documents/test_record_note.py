"""The note on one record: what its properties and its region say, whatever the record holds."""

from __future__ import annotations

import re
from datetime import date

import msgspec
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from council_vault.memory.schema import Deliberation, QueryFeatures
from council_vault.notes import frontmatter
from council_vault.notes.merge import merge_note
from council_vault.notes.record_note import (
    file_name,
    live_properties,
    properties,
    rating_in,
    source_checksum,
    variables,
)
from council_vault.notes.templates import Templates
from council_vault.shipped import shipped
from support.gfm import table_rows

ID = "d_20260328_001"
RECORD = Deliberation(
    id=ID,
    timestamp="2026-03-27T23:59:00-05:00",
    query_hash="00000001",
    query_summary="Price tiers: seats or usage",
    query_features=QueryFeatures(
        length=90, category="strategy_business", keywords=("compare",), protocol_used="voting"
    ),
    models_used=("anthropic/claude-sonnet-4", "openai/gpt-4.1", "x-ai/grok-3"),
    rankings={"openai/gpt-4.1": 2, "anthropic/claude-sonnet-4": 1, "x-ai/grok-3": 2.5},
    chairman="anthropic/claude-sonnet-4",
    confidence=0.72,
    consensus_level="moderate",
    cost_usd=0.1489,
    latency_ms=23578,
    self_preference={"x-ai/grok-3": True, "openai/gpt-4.1": False},
    deliberation_value_added=0.78,
    routing_decision="deliberate",
    outcome="accepted",
)
PROPERTIES = {
    "council_id": ID,
    "council_category": "Strategy",
    "council_chairman": "anthropic/claude-sonnet-4",
    "council_consensus": "moderate",
    "council_protocol": "voting",
    "council_routing": "deliberate",
    "council_outcome": "accepted",
    "council_models": ["anthropic/claude-sonnet-4", "openai/gpt-4.1", "x-ai/grok-3"],
    "council_confidence": 0.72,
    "council_cost_usd": 0.1489,
    "council_seconds": 23.578,
    "council_value_added": 0.78,
}
LIVE = re.compile(r"\[\[|!\[|<%|`|::|<[a-z!/]", re.IGNORECASE)


def drawn(record: Deliberation = RECORD, rating: str = "", summary: str | None = None) -> str:
    said = (record.query_summary or "") if summary is None else summary
    seen = variables(record, summary=said, rating=rating, stamp="m-20251207T112104Z", links=["[[a|Log]]"])
    return Templates(None).render("record", seen)


def block(note: str) -> dict[str, object]:
    """Return the properties, which every reader reads alike."""
    text = note.split("---\n")[1]
    old, new = yaml.safe_load(text), YAML(typ="safe").load(text)
    assert old == new
    return old


def test_properties_are_flat_and_of_one_type_each() -> None:
    assert properties(RECORD) == PROPERTIES
    assert block(drawn()) == {
        "title": "Price tiers: seats or usage",
        "date": date(2026, 3, 27),
        "type": "reference",
        "tags": ["council", "deliberation"],
        "aliases": ["Price tiers: seats or usage"],
        "status": "active",
        "rating": None,
        **PROPERTIES,
        "council_memory": "m-20251207T112104Z",
    }
    assert block(drawn(rating="positive"))["rating"] == "positive"


def test_what_is_unknown_is_left_out() -> None:
    bare = Deliberation(id=ID)
    assert properties(bare) == {"council_id": ID, "council_category": "Other"}
    found = block(drawn(bare))
    assert found["title"] == f"Deliberation {ID}"
    assert found["date"] == date(2026, 3, 28)
    assert "aliases" not in found
    assert "None" not in drawn(bare)
    assert "nan" not in drawn(bare)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_is_left_out(number: float) -> None:
    odd = msgspec.structs.replace(
        RECORD, confidence=number, cost_usd=number, latency_ms=number, deliberation_value_added=number
    )
    assert not {"council_confidence", "council_cost_usd", "council_seconds", "council_value_added"} & set(
        properties(odd)
    )
    assert "nan" not in drawn(odd)
    assert "inf" not in drawn(odd)


def test_the_ranking_is_a_table_and_says_who_favoured_itself() -> None:
    assert table_rows(drawn()) == [
        ["claude-sonnet-4", "1", "—"],
        ["gpt-4.1", "2", "no"],
        ["grok-3", "2.5", "⚠️ yes"],
    ]
    untested = msgspec.structs.replace(RECORD, self_preference={})
    assert table_rows(drawn(untested))[0] == ["claude-sonnet-4", "1"]
    assert "## Ranking" not in drawn(msgspec.structs.replace(RECORD, rankings={}))


@pytest.mark.parametrize(
    ("models", "chairman", "finding"),
    [
        (("a/one", "b/two"), "a/one", "2 models deliberated, one took the chair"),
        (("a/one", "b/two"), None, "2 models deliberated"),
        (("a/one",), "a/one", "Answered by one alone"),
        ((), "a/one", "Chaired by one"),
        ((), None, "A deliberation of the council"),
    ],
)
def test_the_finding(models: tuple[str, ...], chairman: str | None, finding: str) -> None:
    record = Deliberation(id=ID, models_used=models, chairman=chairman)
    assert f"> [!summary] {finding}\n" in drawn(record)


def test_notes_are_sorted_into_quarters() -> None:
    days = {"20260101": "2026 Q1", "20260331": "2026 Q1", "20260401": "2026 Q2", "20251231": "2025 Q4"}
    for day, quarter in days.items():
        assert file_name(f"d_{day}_001") == f"{quarter}/d_{day}_001.md"
    with pytest.raises(ValueError, match="no record's id"):
        file_name("council-brief")


def test_nothing_that_compaction_takes_is_in_what_is_kept_true() -> None:
    features = msgspec.structs.replace(RECORD.query_features, length=None, keywords=())
    short = msgspec.structs.replace(RECORD, query_summary=None, query_hash=None, query_features=features)
    assert source_checksum(short, "") == source_checksum(RECORD, "")
    whole = drawn().encode()
    merged = merge_note(drawn(short), whole, kind="record", written_region=None, live=live_properties(short))
    assert merged.text.text.encode() == whole


@pytest.mark.parametrize(
    "field",
    [
        "timestamp",
        "models_used",
        "rankings",
        "chairman",
        "confidence",
        "consensus_level",
        "cost_usd",
        "latency_ms",
        "self_preference",
        "deliberation_value_added",
        "routing_decision",
        "outcome",
    ],
)
def test_the_checksum_tells_every_change_of_what_a_note_says(field: str) -> None:
    other = msgspec.structs.replace(RECORD, **{field: getattr(Deliberation(), field)})
    assert source_checksum(other, "") != source_checksum(RECORD, "")
    assert drawn(other) != drawn()


def test_the_checksum_tells_nothing_of_rating_and_flag() -> None:
    other = msgspec.structs.replace(RECORD, user_rating="positive", vault_synced=True)
    assert source_checksum(other, "") == source_checksum(RECORD, "")
    assert source_checksum(RECORD, "a") != source_checksum(RECORD, "b")
    odd = msgspec.structs.replace(RECORD, chairman="\ud800", cost_usd=10**30)
    assert source_checksum(odd, "") != source_checksum(RECORD, "")


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(codec=None), max_size=60)
    | st.sampled_from(["<% tp %>", "`= this`", "[[x]]", "%% c %%", "a:: b", "{{date}}", "---", "NO", "1e10"])
)
def test_whatever_a_record_says_the_note_is_valid_and_nothing_in_it_lives(text: str) -> None:
    record = msgspec.structs.replace(
        RECORD,
        query_summary=text,
        chairman=text,
        consensus_level=text,
        routing_decision=text,
        outcome=text,
        models_used=(text, "openai/gpt-4.1"),
        rankings={text: 1, "openai/gpt-4.1": 2},
        query_features=QueryFeatures(category=text, protocol_used=text),
    )
    note = drawn(record, rating=text)
    frontmatter.validate(note, ("rating", "council_id"))
    found = block(note)
    for name, value in found.items():
        if name.startswith("council_"):
            assert isinstance(value, type(PROPERTIES.get(name, "")))
    merged = merge_note(note, None, kind="record", written_region=None, live=live_properties(record))
    assert merged.text.text == note
    body = note.split("---\n", 2)[2]
    ours = (
        "%% council-vault",
        "- [[a|Log]]",
        "[[a|Log]]",
        "`rating`",
        "`positive`",
        "`neutral`",
        "`negative`",
    )
    for mark in ours:
        body = body.replace(mark, "")
    unescaped = re.sub(r"\\.", "", body)
    assert not LIVE.search(unescaped)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("rating: positive", "positive"),
        ("rating: 'negative'", "negative"),
        ("rating:", ""),
        ("rating: null", ""),
        ("mine: 1", ""),
        ("rating: 👍", "👍"),
        ("rating: [positive]", "positive"),
        ("rating:\n  - positive", "positive"),
        ("rating: []", ""),
        ("rating: [null]", ""),
        ("rating: [a, b]", "a, b"),
        ("rating: 5", "5"),
        ("rating: true", "True"),
        ("rating: Why: a", None),
    ],
)
def test_what_stands_as_rating(written: str, meant: str | None) -> None:
    assert rating_in(f"---\n{written}\n---\n") == meant


def test_a_note_without_properties_has_no_place_for_a_rating() -> None:
    assert rating_in("Just text.\n") is None


def test_a_template_must_keep_what_the_note_is_found_and_rated_by(tmp_path) -> None:
    text = (shipped("templates") / "council-record.md.j2").read_text(encoding="utf-8")
    seen = variables(RECORD, summary="", rating="", stamp="m-20251207T112104Z", links=[])
    for broken in (
        text.replace("\nrating:{{", "\nrated:{{"),
        text.replace("{% for name, value in properties %}", "{% for name, value in [] %}"),
        text.replace("{{ name }}: {{ value | yaml }}", "{{ name }}: wrong"),
        text.replace("{{ end }}\n", ""),
    ):
        assert broken != text
        (tmp_path / "council-record.md.j2").write_text(broken, encoding="utf-8")
        templates = Templates(tmp_path)
        assert templates.render("record", seen) == Templates(None).render("record", seen)
        assert templates.problems
    (tmp_path / "council-record.md.j2").write_text(
        text.replace("# {{ heading }}", "# Mine"), encoding="utf-8"
    )
    own = Templates(tmp_path)
    assert "\n# Mine\n" in own.render("record", seen)
    assert not own.problems
