"""The view of the record notes, by the syntax that Obsidian documents for Bases."""

from __future__ import annotations

import re

import pytest
import yaml
from ruamel.yaml import YAML

from council_vault.notes.base import base

STAMP = "m-20251207T112104Z"
NOTE_PROPERTIES = {
    "rating",
    "date",
    "council_category",
    "council_chairman",
    "council_confidence",
    "council_cost_usd",
    "council_value_added",
}
# What the documentation gives to files, strings and notes.
FUNCTIONS = {"file.hasProperty", "file.asLink", "rating.isEmpty"}


@pytest.fixture(params=[None, STAMP])
def parsed(request):
    """Return what the file says, which every reader reads alike."""
    text = base(request.param)
    old, new = yaml.safe_load(text), YAML(typ="safe").load(text)
    assert old == new
    assert text.endswith("\n")
    return old


def test_it_has_the_sections_of_a_base_and_three_views(parsed):
    assert list(parsed) == ["filters", "formulas", "properties", "views"]
    assert [view["name"] for view in parsed["views"]] == ["All", "Unrated", "By category"]
    assert {view["type"] for view in parsed["views"]} == {"table"}
    documented = {"type", "name", "filters", "groupBy", "order", "limit", "summaries", "sort"}
    assert all(set(view) <= documented for view in parsed["views"])


def test_every_column_is_there_and_has_a_name(parsed):
    formulas = {f"formula.{name}" for name in parsed["formulas"]}
    for view in parsed["views"]:
        assert set(view["order"]) == NOTE_PROPERTIES | formulas
        assert view["order"][:2] == ["formula.deliberation", "rating"]
    assert set(parsed["properties"]) == NOTE_PROPERTIES | formulas
    assert all(list(about) == ["displayName"] for about in parsed["properties"].values())


def test_unrated_and_grouped(parsed):
    _, unrated, grouped = parsed["views"]
    assert unrated["filters"] == {"and": ["rating.isEmpty()"]}
    assert grouped["groupBy"] == {"property": "council_category", "direction": "ASC"}
    assert all("filters" not in view for view in parsed["views"] if view is not unrated)


def test_only_documented_functions_are_called(parsed):
    expressions = [*parsed["filters"]["and"], *parsed["formulas"].values(), "rating.isEmpty()"]
    called = {call for one in expressions for call in re.findall(r"([\w.]+)\(", one)}
    assert called == FUNCTIONS


def test_the_notes_of_one_memory_among_several():
    assert yaml.safe_load(base(None))["filters"] == {"and": ['file.hasProperty("council_id")']}
    assert yaml.safe_load(base(STAMP))["filters"] == {
        "and": ['file.hasProperty("council_id")', f'council_memory == "{STAMP}"']
    }
