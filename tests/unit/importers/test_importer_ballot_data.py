"""Ballots that are data, alone or in the middle of prose."""

from __future__ import annotations

import pytest

from council_vault.importers.ballot_data import order_in, order_in_prose
from council_vault.importers.labels import Labels, label, letters_of


@pytest.mark.parametrize(
    ("value", "letters"),
    [
        (["B", "A"], "BA"),
        ([{"response": "B", "rank": 2}, {"response": "A", "rank": 1}], "AB"),
        ([{"label": "B", "position": "2"}, {"label": "A", "place": 1.5}], "AB"),
        ({"ranking": ["B", "A"]}, "BA"),
        ({"reasoning": "long", "final_ranking": ["B", "A"]}, "BA"),
        ({"FinalRanking": {"A": 2, "B": 1}}, "BA"),
        ({"A": 2, "B": 1}, "BA"),
        ({"result": 1, "rankings": [{"model": "B", "rank": 1}]}, "B"),
        ([], ""),
        ({}, ""),
        (None, ""),
        ("B, A", ""),
        ([{"response": "B"}], ""),
        ([{"response": "B", "rank": None}, {"response": "A", "rank": 1}], ""),
        ([{"response": 3, "rank": 1}], ""),
        (["B", 1], ""),
        ([["B"], "A"], ""),
        ({"A": True, "B": 1}, ""),
        ({"ranking": {"ranking": {"ranking": {"ranking": ["A"]}}}}, ""),
    ],
)
def test_the_order_in_data(value, letters):
    assert order_in(value) == list(letters)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ('Good.\n```json\n{"ranking": ["Response C", "Response A"]}\n```', ["Response C", "Response A"]),
        ('{"ranking": ["C"]} or rather {"ranking": ["A"]}', ["A"]),
        ('{"ranking": ["C"]} and {"other": ["x", "y"]}', ["C"]),
        ('[{"response": "C", "rank": 1}] {broken', ["C"]),
        ('{"ranking": ["C", ', []),
        ("nothing {at all}", []),
        ("", []),
    ],
)
def test_the_last_ballot_in_prose(text, order):
    assert order_in_prose(text, lambda name: letters_of(name) in {"A", "C"}) == order


def test_a_text_that_is_nested_without_end_holds_no_ballot():
    assert order_in_prose('{"a":' * 50_000 + "[" * 100_000, lambda _: True) == []


def test_labels_go_on_behind_z():
    assert [label(place) for place in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Response A", "A"), ("response b", "B"), ("**Response C**", "C"), ("D", "D"), ("Answer_E", "E"),
        ("Response AB", "AB"), ("Responsible", ""), ("", ""), ("Response", ""), ("Response 1", ""),
        ("A or B", ""),
    ],
)  # fmt: skip
def test_the_letters_of_a_label(name, letters):
    assert letters_of(name) == letters


def test_a_label_leads_to_its_model_and_so_does_the_models_own_name():
    labels = Labels({"Response A": "x/one", "B": "y/two"})
    assert [labels.model(name) for name in ("A", "response b", "x/one", "C", "")] == [
        "x/one", "y/two", "x/one", None, None,
    ]  # fmt: skip
    assert labels.letters == {"A", "B"}
    assert Labels.in_order(["m", "n"]).model("Response B") == "n"
