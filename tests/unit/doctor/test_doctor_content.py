"""What the doctor says of a memory file, each thing once."""

from __future__ import annotations

from council_vault.doctor.finding import Finding
from council_vault.doctor.summing_up import summed_up
from support.memories import build_memory
from support.memory_files import document, record
from support.sound_memories import findings, sound


def test_a_sound_memory_has_no_findings():
    assert findings(sound(record(1), record(2))) == []
    assert findings(sound()) == []
    assert findings(build_memory(30, 6, 1)) == []


def test_a_file_of_an_older_version_is_taken_for_what_it_becomes():
    memory = sound(record(1), version="1.0", optimization_log=..., last_vault_sync=...)
    del memory["routing_model"]
    assert findings(memory) == []


def test_a_file_of_a_newer_version_is_not_held_against_this_one():
    memory = sound(record(1, outcome="exalted", confidence=7, user_rating="positive"), version="2.0")
    assert findings(memory) == []
    assert findings({**memory, "last_updated": [1]}) == [
        Finding("problem", "last_updated", "expected a time, got a list. Correct it there")
    ]


def test_a_place_is_spoken_of_once_and_first_in_the_words_of_reading():
    memory = sound(record(1), record(2))
    memory["deliberations"][0] |= {"confidence": "high", "id": "x", "outcome": "Rejected"}
    memory["model_performance"]["openai/gpt-4o"]["avg_rank"] = "two"
    assert findings(memory) == [
        Finding(
            "problem", 'model_performance["openai/gpt-4o"].avg_rank', 'expected a number, got "two"', True
        ),
        Finding("problem", "deliberations[0].confidence", 'expected a number, got "high". Correct it there'),
        Finding("problem", "deliberations[0].id", 'expected an id such as d_20260328_001, got "x"', True),
        Finding("problem", "deliberations[0].outcome", "rejected is written as “Rejected”", True),
    ]


def test_rules_are_mended_together_and_a_condition_of_ones_own_is_not():
    memory = build_memory(30, 6, 1)
    rules = memory["routing_model"]["rules"]
    rules[0]["confidence"] = 7
    rules.append({"condition": "length > 5", "action": "deliberate"})
    last = len(rules) - 1
    found = {finding.where: finding.repairable for finding in findings(memory)}
    assert found == {
        "routing_model.rules[0].confidence": True,
        f"routing_model.rules[{last}].condition": False,
    }


def test_what_is_alike_in_many_places_is_summed_up():
    memory = sound(*(record(number) for number in range(1, 11)))
    for place, element in enumerate(memory["deliberations"]):
        element["confidence"] = 80 + place
    memory["deliberations"][4]["cost_usd"] = -1
    assert [str(finding) for finding in findings(memory)] == [
        "deliberations[0].confidence: expected a number from 0 to 1, got 80. Correct it there",
        "deliberations[1].confidence: expected a number from 0 to 1, got 81. Correct it there",
        "deliberations[2].confidence: expected a number from 0 to 1, got 82. Correct it there",
        "deliberations[4].cost_usd: expected a number of at least 0, got -1. Correct it there",
        "deliberations[…].confidence: and 7 more like these",
    ]


def test_five_that_are_alike_are_all_shown():
    five = [Finding("note", f"deliberations[{place}].id", f"got {place}") for place in range(5)]
    assert list(summed_up(five)) == five
    six = [*five, Finding("note", "deliberations[99].id", "got 99")]
    assert list(summed_up(six))[3:] == [Finding("note", "deliberations[…].id", "and 3 more like these")]


def test_what_differs_in_more_than_places_and_values_is_not_alike():
    pairs = [
        Finding("note", f"{where}[{place}].x", what, repairable)
        for where, what, repairable in [
            ("a", "b", False),
            ("a", "c", False),
            ("a", "b", True),
            ("d", "b", False),
        ]
        for place in range(3)
    ]
    assert list(summed_up(pairs)) == pairs
    models = [Finding("problem", f'm["a.b{place}\\"]"].rank', f"“{place}” no") for place in range(9)]
    assert list(summed_up(models))[3:] == [Finding("problem", "m[…].rank", "and 6 more like these")]


def test_records_that_vanished_are_not_held_against_the_aggregates():
    memory = sound(record(1), record(2))
    del memory["deliberations"][1]
    assert findings(memory, vanished=True) == []
    assert {finding.repairable for finding in findings(memory)} == {True}


def test_odd_documents_are_examined_all_the_same():
    for odd in ({}, document(deliberations=5), document(record(1), model_performance=[], routing_model="x")):
        assert all(finding.what for finding in findings(odd))
