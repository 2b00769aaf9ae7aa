"""``rebuild-router`` and ``reset-router``: the router's rules made anew, or forgotten."""

from __future__ import annotations

import io
import sys

import pytest

from support.memory_files import record

FEATURES = {"length": 20, "keywords": [], "protocol_used": "voting"}


def worth(number, category, value):
    """A record of a category in which deliberating is worth so much."""
    good = value > 0.5
    return record(
        number,
        query_features=FEATURES | {"category": category},
        deliberation_value_added=value,
        confidence=0.95 if good else 0.1,
        user_rating="positive" if good else "negative",
        chairman=("openai/gpt-4o", "anthropic/claude-sonnet-4")[number % 2] if good else "openai/gpt-4o",
    )


def many(count=24):
    """Records of a category that gains, one that does not, and one in between."""
    kinds = (("strategy_business", 0.95), ("factual_lookup", 0.02), ("other", 0.5))
    records = [worth(number, *kinds[number % 3]) for number in range(1, count + 1)]
    for one in records:
        if one["query_features"]["category"] == "other":
            one |= {"confidence": 0.6, "user_rating": None}
    return records


@pytest.fixture
def learned(program):
    program.write_memory(*many())
    return program


def test_the_rules_what_is_new_and_what_is_undecided(learned):
    ran = learned("rebuild-router")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "Rebuilt from 24 deliberations: 2 rules."
    assert lines[1].startswith("  factual_lookup: single model, anthropic/claude-sonnet-4, value 0.")
    assert lines[2].startswith("  strategy_business: deliberate, value 0.")
    assert "n 8, strength " in lines[2]
    assert lines[3].startswith("  other: undecided, value 0.4")
    assert "New: strategy_business: deliberate." in lines
    assert {rule["action"] for rule in learned.parsed()["routing_model"]["rules"]} == {
        "deliberate",
        "single_model",
    }


def test_one_rule_is_one(program):
    program.write_memory(*(worth(number, "strategy_business", 0.95) for number in range(1, 21)))
    assert program("rebuild-router").out.startswith("Rebuilt from 20 deliberations: 1 rule.\n")


def test_what_changes_and_what_goes(learned):
    learned("rebuild-router")

    turns = {"strategy_business": "factual_lookup", "factual_lookup": "creative_writing", "other": "other"}

    def turned(one):
        return one | {"query_features": FEATURES | {"category": turns[one["query_features"]["category"]]}}

    before = learned.parsed()
    learned.write_memory(*map(turned, many()), routing_model=before["routing_model"])
    out = learned("rebuild-router").out
    assert "Changed: factual_lookup: deliberate; it was single model, anthropic/claude-sonnet-4." in out
    assert "Gone: strategy_business: deliberate." in out
    assert "New: creative_writing: single model, anthropic/claude-sonnet-4." in out


def test_nothing_new_is_not_listed(learned):
    learned("rebuild-router")
    assert "New" not in learned("rebuild-router").out


@pytest.mark.parametrize(
    ("count", "said"), [(19, "there are 19, so 1 more is needed"), (0, "so 20 more are needed")]
)
def test_too_few_are_refused(count, said, program):
    program.write_memory(*many(count))
    before = program.memory.read_bytes()
    ran = program("rebuild-router")
    assert ran.code == 1
    assert said in ran.err
    assert program.memory.read_bytes() == before


def test_records_that_were_removed_count(program):
    program.write_memory(*many(12), archived={"count": 8})
    assert program("rebuild-router").out.startswith("Rebuilt from 20 deliberations")


def test_as_json(learned):
    made = learned("rebuild-router", "--json").json
    assert made["routing_model"]["rules"] == learned.parsed()["routing_model"]["rules"]
    assert made["undecided"]["other"]["samples"] == 8
    assert {change["category"] for change in made["changes"]} == {"factual_lookup", "strategy_business"}
    assert made["compacted"] is False


def test_the_routing_note_follows_both(learned):
    learned.make_vault()
    note = learned.vault / "_Shared Knowledge/Agents and Plugins/council-routing-intelligence.md"
    ran = learned("--vault", learned.vault, "rebuild-router")
    assert "Vault synced" in ran.err
    assert "| Strategy " in note.read_text("utf-8")
    before = note.read_text("utf-8")
    ran = learned("reset-router", "--yes")
    assert "routing intelligence" in ran.err
    assert note.read_text("utf-8") != before


def test_reset_forgets_the_rules_and_keeps_the_records(learned):
    learned("rebuild-router")
    before = learned.parsed()
    ran = learned("reset-router", "--yes")
    assert ran.out == "The router has forgotten its rules. The records are all there.\n"
    after = learned.parsed()
    assert after["deliberations"] == before["deliberations"]
    assert after["routing_model"] == {
        "last_rebuilt": None,
        "sample_size": 0,
        "routing_accuracy": None,
        "rules": [],
    }
    content = learned.memory.read_bytes()
    assert learned("reset-router", "--yes").out == "The router has no rules.\n"
    assert learned.memory.read_bytes() == content


def test_reset_keeps_what_it_does_not_know(program):
    program.write_memory(*many(), routing_model={"rules": [{"condition": "x"}], "mine": 1})
    program("reset-router", "--yes")
    assert program.parsed()["routing_model"]["mine"] == 1


def test_reset_asks_only_on_a_terminal(learned, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    ran = learned("reset-router")
    assert ran.code == 2
    assert "Give --yes" in ran.err


@pytest.mark.parametrize(("answer", "forgotten"), [("y", True), ("n", False)])
def test_reset_asks_on_a_terminal(answer, forgotten, learned, monkeypatch):
    class Tty(io.StringIO):
        def isatty(self):
            return True

    learned("rebuild-router")
    monkeypatch.setattr(sys, "stdin", Tty(f"{answer}\n"))
    ran = learned("reset-router")
    assert (learned.parsed()["routing_model"]["rules"] == []) is forgotten
    assert (ran.code == 0) is forgotten


def test_it_is_said_that_old_records_were_reduced(program):
    program.write_memory(*many(24), *(record(number, "20260327") for number in range(1, 500)))
    out = program("rebuild-router").out
    assert out.endswith("Old records were reduced to what rules and statistics need.\n")
    assert program.parsed()["archived"]["count"] > 0


def test_a_rule_without_a_preferred_model(program):
    program.write_memory(*(one | {"rankings": {}} for one in many()))
    assert "factual_lookup: single model, value" in program("rebuild-router").out
