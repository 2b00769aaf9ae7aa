"""Whether what is left of removed records adds up."""

from __future__ import annotations

import copy

import msgspec
import pytest

from council_vault.learning.archiving import archived as what_stays
from council_vault.memory.decoding import decode
from support.memories import build_memory
from support.memory_files import dump
from support.sound_memories import told


@pytest.fixture(scope="module")
def whole():
    memory = build_memory(60, 5, 8)
    views = decode(dump(memory)).memory
    stays = msgspec.to_builtins(what_stays(views, views.deliberations[:30]))
    return {**memory, "deliberations": memory["deliberations"][30:], "archived": stays}


def changed(whole, path, more):
    memory = copy.deepcopy(whole)
    inside = memory["archived"]
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] += more
    return {where: what for where, what in told(memory).items() if where.startswith("archived")}


def test_what_compaction_leaves_adds_up(whole):
    assert whole["archived"]["count"] == 30
    assert [where for where in told(whole) if where.startswith("archived")] == []


@pytest.mark.parametrize(
    ("path", "more", "where"),
    [
        (("cost", "count"), 1, "cost.count"),
        (("latency", "count"), 1, "latency.count"),
        (("confidence", "count"), 9, "confidence.count"),
        (("ratings", "positive"), 30, "ratings"),
        (("decisions", "misses"), 30, "decisions"),
        (("sizes", "4", "count"), 1, "sizes"),
        (("sizes", "4", "count"), -1, "sizes"),
        (("categories", "other", "count"), 1, "categories"),
        (("categories", "other", "deliberated"), 9, 'categories["other"].deliberated'),
        (("categories", "other", "value", "count"), 9, 'categories["other"].value.count'),
        (("categories", "other", "confidence", "count"), 9, 'categories["other"].confidence.count'),
        (("categories", "other", "spread", "count"), 9, 'categories["other"].spread.count'),
        (("categories", "other", "rated"), 9, 'categories["other"].rated'),
        (("categories", "other", "positive"), 9, 'categories["other"].positive'),
        (("categories", "other", "chairmen", "anthropic/claude-sonnet-4"), 9, 'categories["other"].chairmen'),
    ],
)
def test_counts_that_cannot_be_are_named(whole, path, more, where):
    found = changed(whole, path, more)
    assert f"archived.{where}" in found
    assert "`council-vault restore`" in found[f"archived.{where}"]


def test_a_count_of_removed_records_that_is_not_theirs(whole):
    found = changed(whole, ("count",), 1)
    assert set(found) == {"archived.sizes", "archived.categories"}
