"""Records are found by the text of their ids, and their places reckoned, only where that cannot go wrong."""

from __future__ import annotations

import json

import pytest

from council_vault.memory.edits import Edits, apply
from council_vault.memory.layout import Layout

ID, OTHER = "d_20260328_001", "d_20260328_002"
FLAGGED = Edits(flags=frozenset({ID}))


def flags(data):
    return [record.get("vault_synced") for record in json.loads(data)["deliberations"]]


@pytest.mark.parametrize(
    "elements",
    [
        b'{"a": 1},\n  {"a": 22},\n  []',
        b'{"a": 1}, {"a": 22},[]',
        b'{"a": 1}, {"a": 22},  []',
        b'{"a": 1},{"a": 22}, []',
        b'\n {"a": 1} , {"a": 22} ,\t[]\n',
    ],
    ids=["alike", "one closer", "one wider", "the last wider", "around"],
)
def test_places_are_the_same_however_elements_are_set_apart(elements):
    layout = Layout(b'{"x": [], "deliberations": [' + elements + b'], "y": {}}')

    assert [layout.body[slice(*layout.record(index))] for index in range(3)] == [
        b'{"a": 1}',
        b'{"a": 22}',
        b"[]",
    ]
    assert layout.records == [layout.record(index) for index in range(3)]


def test_the_element_at_a_place():
    layout = Layout(b'{"x": 1, "deliberations": [{"a": 1}, {"a": 2}], "y": 2}')
    places = [layout.body.index(text) for text in (b'"x"', b'{"a": 1', b"1}", b'{"a": 2', b'"y"')]

    assert [layout.index_at(place) for place in places] == [-1, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ('{"deliberations": [{"id": "ID"}, {"id": "OTHER"}]}', [True, None]),
        ('{"deliberations": [{"id": "OTHER", "repeat_of": "ID"}, {"id": "ID"}]}', [None, True]),
        ('{"note": "ID", "deliberations": [{"id": "OTHER"}, {"id": "ID"}]}', [None, True]),
        ('{"deliberations": [{"id": "OTHER"}], "note": {"id": "ID"}}', [None]),
        ('{"deliberations": [{"id": "d_2026\\u00303\\u00328_001"}, {"id": "ID"}]}', [True, None]),
        ('{"deliberations": [{"id": "ID"}, {"id": "ID"}]}', [True, None]),
        ('{"deliberations": [{"x": {"id": "ID"}}, {"id": "ID"}]}', [None, True]),
        ('{"deliberations": [["ID"], {"id": "ID"}, {"query_summary": "\\\\ \\u00e9"}]}', [True, None]),
    ],
)
def test_the_record_of_an_id_is_found_wherever_else_its_text_stands(text, flagged):
    data = text.replace("ID", ID).replace("OTHER", OTHER).encode()
    records = json.loads(data)["deliberations"]
    expected = flagged if all(isinstance(one, dict) for one in records) else [None, *flagged]

    edited = json.loads(apply(data, FLAGGED))["deliberations"]

    assert [one.get("vault_synced") if isinstance(one, dict) else None for one in edited] == expected


def test_many_ids_are_found_at_once():
    ids = [f"d_20260328_{number:03}" for number in range(1, 30)]
    data = json.dumps({"deliberations": [{"id": id_} for id_ in ids]}).encode()

    assert flags(apply(data, Edits(flags=frozenset(ids[5:])))) == [None] * 5 + [True] * 24


def test_a_value_at_the_top():
    layout = Layout(b'{"version": "1.2", "deliberations": [], "version": "1.3"}')

    assert (layout.value("version"), layout.value("created")) == ("1.3", None)
