from __future__ import annotations

import copy
import json
import math

import pytest
from hypothesis import given

from council_vault.errors import MemoryUnreadable
from council_vault.memory.canonical import RepeatedKeys, Verbatim, WrittenNumber, parse, parse_record, render
from support import memory_files as made

CANONICAL = """{
  "version": "1.3",
  "deliberations": [
    {"id":"d_20260328_001","query_summary":"Café 🏛️, at: noon","rankings":{"a":1,"b":2},"cost_usd":0.10},
    {"id":"d_20260328_002","models_used":["a","b"],"x":[],"y":{}}
  ],
  "routing_model": {
    "rules": [
      {"condition":"category == 'other'","confidence":1E2}
    ],
    "sample_size": 2
  },
  "model_performance": {
    "openai/gpt-4o": {
      "best_categories": [
        "other"
      ],
      "deliberations": [
        {
          "a": 1
        }
      ],
      "worst_categories": []
    }
  },
  "optimization_log": [
    {"experiment_id":"opt_20260328_001","criteria_delta":{"C1_synthesis_superiority":-0}}
  ],
  "archived": {
    "cost": {
      "sum": 1.5,
      "count": 2
    },
    "categories": {
      "other": {"count":2,"ranks":{"a":{"sum":3.0,"count":2}}}
    },
    "months": {}
  }
}
""".encode()


def test_the_canonical_form_to_the_byte() -> None:
    assert render(parse(CANONICAL)) == CANONICAL


@pytest.mark.parametrize("style", made.STYLES, ids=str)
def test_every_style_becomes_the_canonical_form(style: dict) -> None:
    plain = CANONICAL.replace(b"0.10", b"0.125").replace(b"1E2", b"7").replace(b"-0", b"3")
    assert render(parse(json.dumps(json.loads(plain), **style).encode())) == plain


@pytest.mark.parametrize(
    "number",
    [
        "0.10",
        "1E2",
        "1.0e5",
        "-0",
        "-0.0",
        "1e400",
        "9" * 5000,
        "0.30000000000000004",
        "12345678901234567890",
        "1.5",
    ],
)
def test_a_number_that_was_not_touched_keeps_its_text(number: str) -> None:
    data = b'{\n  "x": ' + number.encode() + b"\n}\n"
    assert render(parse(data)) == data


def test_numbers_can_be_reckoned_with() -> None:
    number = parse(b'{"x": 0.10}')["x"]
    assert isinstance(number, WrittenNumber)
    assert number + 1 == 1.1
    assert render({"x": number * 3}) == b'{\n  "x": 0.30000000000000004\n}\n'
    assert copy.deepcopy(number).text == "0.10"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_nan_is_ever_written(value: float) -> None:
    assert render({"x": value, "deliberations": [{"confidence": value}]}) == (
        b'{\n  "x": null,\n  "deliberations": [\n    {"confidence":null}\n  ]\n}\n'
    )
    found = parse(
        b'{"deliberations": [{"id": "d_20260328_001", "confidence": NaN}, {"confidence": -Infinity}]}'
    )
    assert b'"d_20260328_001","confidence":null}' in render(found)
    assert b'{"confidence":null}' in render(found)
    assert found["deliberations"][0]["confidence"] is None  # as it is going to be written


def test_what_is_no_record_with_an_id_of_its_own_is_carried_over_as_it_is() -> None:
    odd = [
        b'{"id":"x",  "cost_usd":0.10,"s":"\\u00e9 \\n"}',
        b"5",
        b"null",
        b'"text"',
        b"[1,2 ,3]",
        b'{"id": "d_20260328_001","a":1,"a":2}',
    ]
    data = b'{"deliberations": [{"id": "d_20260328_001"}, ' + b",\r\n".join(odd) + b"]}"
    document = parse(data)
    first, *others = document["deliberations"]
    assert first == {"id": "d_20260328_001"}
    assert all(isinstance(one, Verbatim) for one in others)
    assert others[0].value == {"id": "x", "cost_usd": 0.1, "s": "é \n"}
    lines = render(document).splitlines()
    assert lines[2:-2] == [
        b'    {"id":"d_20260328_001"},',
        *(b"    " + one + b"," for one in odd[:-1]),
        b"    " + odd[-1],
    ]
    assert parse(render(document)) == document


def test_one_that_stood_on_several_lines_stands_on_one() -> None:
    data = b'{"deliberations": [{\r\n    "id": 5,\r\n    "s": "a  b"\r\n  }]}'
    assert b'    { "id": 5, "s": "a  b" }\n' in render(parse(data))


def test_repeated_keys_are_all_kept_and_the_last_one_counts() -> None:
    document = parse(b'{"deliberations": [{"id": "d_20260328_001", "a": 1, "b": 2, "a": 3, "a": 4}]}')
    record = document["deliberations"][0]
    assert isinstance(record, RepeatedKeys)
    assert record["a"] == 4
    record["a"] = 5
    assert b'{"a":1,"a":3,"id":"d_20260328_001","b":2,"a":5}' in render(document)
    assert json.loads(render(document))["deliberations"][0] == {"id": "d_20260328_001", "a": 5, "b": 2}
    assert render(parse(render(document))) == render(document)


def test_half_characters_are_written_as_escapes() -> None:
    document = parse(b'{"x": "\\ud800 \\u00e9 \\ud83d\\ude00", "\\udfff": 1}')
    assert render(document) == '{\n  "x": "\\ud800 é 😀",\n  "\\udfff": 1\n}\n'.encode()


def test_encodings_become_utf_8_without_a_mark() -> None:
    text = '{\r\n  "x": "é"\r\n}'
    for data in (text.encode("utf-8-sig"), ("\ufeff" + text).encode("utf-16-le")):
        assert render(parse(data)) == '{\n  "x": "é"\n}\n'.encode()


def test_what_is_no_json_value_is_refused() -> None:
    with pytest.raises(TypeError, match="set is no JSON value"):
        render({"x": {1}})


def test_tuples_are_lists() -> None:
    assert render({"x": (1, 2)}) == render({"x": [1, 2]})


@pytest.mark.parametrize("deliberations", [b"5", b"null", b"{}"])
def test_deliberations_that_are_no_list_stay(deliberations: bytes) -> None:
    data = b'{\n  "deliberations": ' + deliberations + b"\n}\n"
    assert render(parse(data)) == data


def test_a_broken_file_is_not_parsed() -> None:
    with pytest.raises(MemoryUnreadable, match="ends too early"):
        parse(b'{"deliberations": [')


@given(data=made.files())
def test_rendering_says_the_same_and_is_stable(data: bytes) -> None:
    document = parse(data)
    rendered = render(document)
    codec = {b"\xef": "utf-8-sig", b"\xff": "utf-16", b"\xfe": "utf-16"}.get(data[:1], "utf-8")
    assert json.loads(rendered) == json.loads(data.decode(codec))
    assert list(json.loads(rendered)) == list(json.loads(data.decode(codec)))
    assert render(parse(rendered)) == rendered


@given(record=made.records)
def test_a_record_s_text_is_parsed_like_in_a_file(record: dict) -> None:
    assert parse_record(json.dumps(record)) == record
