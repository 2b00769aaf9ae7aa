from __future__ import annotations

import pytest

from council_vault.memory.layout import Layout, winning


@pytest.mark.parametrize("oddity", [b"1", b"NaN"], ids=["measured", "walked"])
def test_places_of_members_and_records(oddity: bytes) -> None:
    body = (
        b' {"x" : {"deliberations": [0]} ,"deliberations":[ {"a":[1,"]}"]}, 5 ,"t]",[ ] ],"y":'
        + oddity
        + b"}\n"
    )
    layout = Layout(body)
    assert [(member.name, body[slice(*member.value)]) for member in layout.members] == [
        ("x", b'{"deliberations": [0]}'),
        ("deliberations", b'[ {"a":[1,"]}"]}, 5 ,"t]",[ ] ]'),
        ("y", oddity),
    ]
    expected = [b'{"a":[1,"]}"]}', b"5", b'"t]"', b"[ ]"]
    assert [bytes(text) for text in layout.texts] == expected
    assert [body[slice(*span)] for span in layout.records] == expected
    assert body[slice(*layout.root)] == body.strip()
    assert [member.name for member in layout.members_of(layout.records[0])] == ["a"]


@pytest.mark.parametrize("body", [b"{}", b'{"deliberations": 5}', b'{"deliberations": {"a": [1]}}'])
def test_no_records_where_there_is_no_list(body: bytes) -> None:
    assert (list(Layout(body).records), list(Layout(body).texts)) == ([], [])


def test_of_repeated_keys_the_last_one_wins() -> None:
    layout = Layout(b'{"a": [1], "b": 2, "a": [1, 2]}')
    assert layout.body[slice(*winning(layout.members, "a").value)] == b"[1, 2]"
    assert winning(layout.members, "c") is None


@pytest.mark.parametrize(
    ("record", "value"),
    [
        (b'{"f": false, "x": 1}', b"false"),
        (b'{"f" :\n"text" }', b'"text"'),
        (b'{"f": [1]}', None),
        (b'{"f": 1, "f": 2}', None),
        (b'{"x": "f", "f": 2}', None),
        (b'{"\\u0066": 1, "x": "\\"f"}', None),
        (b'{"\\u0066": 1, "x": {"f": 2}}', None),
        (b'{"g": 1}', None),
    ],
)
def test_a_value_found_at_a_glance_or_not_at_all(record: bytes, value: bytes | None) -> None:
    body = b'{"deliberations": [{"f": 9}, ' + record + b', {"f": 9}]}'
    layout = Layout(body)
    found = layout.value_of(layout.records[1], "f")
    assert (None if found is None else body[slice(*found)]) == value
