"""What contradicts itself in the routing model."""

from __future__ import annotations

import json

import pytest

from council_vault.learning.rebuild import routing_model
from council_vault.memory.decoding import decode
from support.memories import build_memory
from support.memory_files import dump, record
from support.sound_memories import NOW, discrepancies, mended, sound, told

RULES = "routing_model.rules"
GPT, CLAUDE = "openai/gpt-4o", "anthropic/claude-sonnet-4"


def learned(size=24, **fields):
    """Return a memory of one category whose rule says single_model, made of its records."""
    low = {
        "deliberation_value_added": 0.05,
        "confidence": 0.4,
        "user_rating": "negative",
        "outcome": "rejected",
    }
    records = [
        record(number, query_features={"category": "factual_lookup"}, **{**low, **fields})
        for number in range(1, size + 1)
    ]
    memory = sound(*records)
    memory["routing_model"] = routing_model(decode(dump(memory)).memory, NOW)
    return memory


def rule_is(**fields):
    """Return what is said of the routing model when its rule has other values."""
    memory = learned()
    memory["routing_model"]["rules"][0] |= fields
    return {where: what for where, what in told(memory).items() if where.startswith("routing_model")}


def test_rules_made_from_the_records_are_right():
    memory = learned()
    assert memory["routing_model"]["rules"][0]["action"] == "single_model"
    assert discrepancies(memory) == []
    for size in (20, 45, 300):
        assert [one for one in discrepancies(build_memory(size, 6, size)) if one.level == "problem"] == []


def test_rounded_numbers_are_right():
    value = learned()["routing_model"]["rules"][0]["value_score"]
    assert rule_is(value_score=round(value, 2), confidence=round(min(0.95, value * 2), 2)) == {}


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"action": "deliberate"}, "is none to deliberate by"),
        ({"value_score": 0.55, "confidence": 0.95}, "a value score of 0.55 is none to ask a single model by"),
        ({"action": "Ask"}, "“Ask” is nothing that the router can do"),
        ({"action": None}, "it says nothing to do"),
        ({"sample_count": 2, "confidence": 0.02}, "it rests on 2 deliberations, and a rule needs 3"),
        ({"sample_count": 99}, "it rests on 99 deliberations, and there were 24"),
        ({"confidence": 0.9}, "its confidence is 0.9, and its own numbers make it 0."),
        ({"condition": "category == 'other'"}, "there is no deliberation about other"),
        ({"preferred_model": "nobody/nothing"}, "nobody/nothing took part in no deliberation"),
        (
            {"sample_count": 20, "confidence": None},
            "it rests on 20 deliberations, and its time has 24 to go by",
        ),
        ({"value_score": 0.0, "confidence": None, "strength": None}, ""),
    ],
)
def test_a_rule_that_contradicts_itself_or_the_records(fields, part):
    found = rule_is(**fields)
    if part:
        assert part in found[f"{RULES}[0]"]
    else:
        assert found == {}


@pytest.mark.parametrize("field", ["confidence", "value_score", "strength"])
def test_shares_are_from_0_to_1(field):
    assert rule_is(**{field: 1.5}) == {f"{RULES}[0].{field}": "a share is from 0 to 1, and 1.5 is not"}


def test_of_two_rules_for_a_category_the_second_is_named():
    memory = learned()
    rules = memory["routing_model"]["rules"]
    rules.append(dict(rules[0]))
    assert told(memory) == {f"{RULES}[1]": "it is the second one for factual_lookup, and the first counts"}


def test_a_value_that_no_later_rating_explains():
    memory = learned()
    rule = memory["routing_model"]["rules"][0]
    score = rule["value_score"]
    for element in memory["deliberations"]:  # rated otherwise since: the score may have been another one
        element |= {"user_rating": "positive", "outcome": "accepted"}
    assert not [one for one in discrepancies(memory) if one.level == "problem"]
    for element in memory["deliberations"]:
        element["deliberation_value_added"] = 0.9
    assert told(memory)[f"{RULES}[0]"].startswith(
        f"its value score is {score:g}, and the records of its time"
    )


def test_records_that_came_later_contradict_no_rule():
    memory = learned(20, user_rating=None, outcome="accepted")
    memory["routing_model"]["last_rebuilt"] = memory["deliberations"][-1]["timestamp"]
    for number in range(21, 30):
        memory["deliberations"].append(
            record(
                number,
                query_features={"category": "factual_lookup"},
                deliberation_value_added=1.0,
                confidence=1.0,
                user_rating="positive",
            )
        )
    found = [one for one in discrepancies(memory) if one.path[0] == "routing_model"]
    assert [(one.level, one.path) for one in found] == [("note", ("routing_model", "rules"))]
    assert "would change what is done about factual_lookup" in found[0].what
    assert "at 30 deliberations" in found[0].what


def test_where_the_records_of_the_rebuild_cannot_be_known_nothing_is_held_against_a_rule():
    memory = learned()
    memory["routing_model"]["rules"][0] |= {"sample_count": 20, "confidence": None}
    for odd in ("2026-01-01T00:00:00Z", None, "once"):
        memory["routing_model"]["last_rebuilt"] = odd
        assert not [one for one in discrepancies(memory) if one.level == "problem"]


def test_a_rule_from_records_without_any_value():
    memory = learned()
    for element in memory["deliberations"]:
        element["deliberation_value_added"] = None
    assert "have no deliberation about factual_lookup to go by" in told(memory)[f"{RULES}[0]"]


def test_where_records_have_vanished_only_what_a_rule_says_of_itself_counts():
    memory = learned()
    rule = memory["routing_model"]["rules"][0]
    rule["preferred_model"] = "gone/model"
    memory["routing_model"]["sample_size"] = 40
    rule["confidence"] = min(0.95, 24 / 40 * rule["value_score"] * 2)
    (note,) = discrepancies(memory)
    assert (note.level, note.path) == ("note", ("routing_model", "sample_size"))
    assert "40 deliberations, and 24 are known" in note.what
    rule["action"] = "deliberate"
    assert [one.path for one in discrepancies(memory)][1:] == [("routing_model", "rules", 0)]


@pytest.mark.parametrize(("accuracy", "right"), [(87, 1.0), (-0.1, 1.0)])
def test_an_accuracy_that_is_no_share_is_counted_anew(accuracy, right):
    memory = learned()
    for element in memory["deliberations"]:
        element["deliberation_value_added"] = 0.2
    memory["routing_model"] = routing_model(decode(dump(memory)).memory, NOW) | {"routing_accuracy": accuracy}
    (found,) = discrepancies(memory)
    assert (found.path, found.right) == (("routing_model", "routing_accuracy"), right)


def test_an_accuracy_without_a_decision_is_unknown():
    memory = sound(record(1, routing_source="explicit_command"))
    memory["routing_model"]["routing_accuracy"] = 50
    (found,) = discrepancies(memory)
    assert found.right is None


def test_fields_that_are_missing_say_nothing():
    found = discrepancies(sound(routing_model={}))
    assert [(one.path[1], one.right) for one in found] == [
        ("last_rebuilt", None),
        ("sample_size", 0),
        ("rules", []),
    ]


@pytest.mark.parametrize("rules", ["none", 5, {"a": 1}, [5, "x", None]])
def test_rules_that_cannot_be_read_are_left_to_reading(rules):
    memory = sound(record(1))
    memory["routing_model"]["rules"] = rules
    assert discrepancies(memory) == []


def test_a_condition_that_names_no_category_is_left_to_the_schema():
    memory = learned()
    memory["routing_model"]["rules"].append({"condition": "length > 5", "action": "explode", "confidence": 7})
    assert discrepancies(memory) == []


# Mended


def routing_of(after):
    return decode(after).memory.routing_model


def test_from_20_deliberations_on_rules_are_made_anew_and_what_is_not_ours_stays():
    memory = learned()
    right = routing_model(decode(dump(memory)).memory, NOW)
    routing = memory["routing_model"]
    routing["mine"] = 1
    routing["rules"][0] |= {"action": "deliberate", "because": "I said so"}
    routing["rules"] += [{"condition": "length > 5"}, "a word"]
    routing["last_rebuilt"] = "2026-04-01T00:00:00Z"
    mends, after = mended(memory)
    assert [one.where for one in mends] == ["routing_model.last_rebuilt", "routing_model.rules"]
    stored = json.loads(after)["routing_model"]
    assert stored["mine"] == 1
    assert stored["rules"] == [
        {**right["rules"][0], "because": "I said so"},
        {"condition": "length > 5"},
        "a word",
    ]
    assert stored["last_rebuilt"] == "2026-06-01T12:00:00Z"
    assert mended(after)[0] == ()


def test_before_20_deliberations_a_wrong_rule_is_dropped():
    memory = learned(19)
    good = memory["routing_model"]["rules"][0]
    memory["routing_model"]["rules"] = [
        dict(good, action="deliberate", condition="category == 'other'"),
        good,
    ]
    memory["routing_model"]["last_rebuilt"] = "2026-04-01T00:00:00Z"
    mends, after = mended(memory)
    assert [one.where for one in mends] == ["routing_model.rules"]
    assert [rule.condition for rule in routing_of(after).rules] == ["category == 'factual_lookup'"]
    assert mended(after)[0] == ()


def test_rules_wait_until_vanished_records_are_back():
    memory = learned()
    memory["routing_model"]["rules"][0]["action"] = "deliberate"
    assert mended(memory, vanished=True)[0] == ()
