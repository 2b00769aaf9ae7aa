from __future__ import annotations

import gc
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.errors import MemoryUnreadable
from council_vault.memory import decoding, fields
from council_vault.memory.decoding import decode, version_in
from council_vault.memory.glimpse import look, pending_ids
from council_vault.memory.parsing import loads
from council_vault.memory.schema import Deliberation, Memory
from support import memory_files as made


def problems(data: bytes) -> list[str]:
    return [str(problem) for problem in decode(data).problems]


def with_record(**changes: object) -> bytes:
    return made.dump(made.document(made.record(), made.record(2, **changes)))


def test_a_whole_memory_is_read_without_a_word() -> None:
    decoded = decode(made.dump(made.document(made.record(), made.record(2, vault_synced=True))))
    assert decoded.problems == ()
    first, second = decoded.memory.deliberations
    assert (first.id, first.category, first.rankings["openai/gpt-4o"]) == (
        "d_20260328_001",
        "architecture_decision",
        2.0,
    )
    assert decoded.memory.pending == ("d_20260328_001",)
    assert second.vault_synced
    assert decoded.memory.model_performance["openai/gpt-4o"].avg_rank == 1.8
    assert decoded.memory.total == 2


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("cost_usd", "null", None),
        ("cost_usd", '"0.0123"', 0.0123),
        ("cost_usd", '"$0.01"', 0.01),
        ("cost_usd", '" 1e-3 "', 0.001),
        ("cost_usd", "-0.001", -0.001),
        ("cost_usd", "0", 0.0),
        ("cost_usd", "0.000004", 0.000004),
        ("confidence", "7", 7.0),
        ("latency_ms", "4200", 4200.0),
    ],
)
def test_numbers_however_they_are_written(field: str, text: str, value: float | None) -> None:
    data = with_record(**{field: "HERE"}).replace(b'"HERE"', text.encode())
    assert problems(data) == []
    assert getattr(decode(data).memory.deliberations[1], field) == value


@pytest.mark.parametrize(
    ("field", "text", "complaint"),
    [
        ("cost_usd", "NaN", "expected a number, got NaN"),
        ("cost_usd", "Infinity", "expected a number, got Infinity"),
        ("cost_usd", "1e400", "expected a number, got Infinity"),
        ("cost_usd", "1" + "0" * 400, "expected a number, got 100000000000000000000000000000000000000…"),
        ("cost_usd", "1" * 5000, "expected a number, got Infinity"),
        ("cost_usd", '"NaN"', 'expected a number, got "NaN"'),
        ("cost_usd", "true", "expected a number, got true"),
        ("cost_usd", '{"total": 1}', "expected a number, got an object"),
        ("confidence", '"high"', 'expected a number, got "high"'),
        ("confidence", '"4/5"', 'expected a number, got "4/5"'),
        ("rankings", "[1, 2]", "expected an object, got a list"),
        ("models_used", '"gpt"', 'expected a list, got "gpt"'),
        ("query_features", "[]", "expected an object, got a list"),
        ("query_summary", "7", "expected text, got 7"),
        ("query_summary", f'["{"x" * 99}"]', "expected text, got a list"),
        ("user_rating", "4.5", "expected text, got 4.5"),
        ("vault_synced", '"true"', 'expected true or false, got "true"'),
        ("vault_synced", "1", "expected true or false, got 1"),
        ("timestamp", "true", "expected a time, got true"),
        ("timestamp", "NaN", "expected a time, got NaN"),
        ("timestamp", "[1]", "expected a time, got a list"),
        ("latency_ms", "[1]", "expected a number, got a list"),
    ],
)
def test_a_bad_field_is_named_and_nothing_else_is_lost(field: str, text: str, complaint: str) -> None:
    data = with_record(**{field: "HERE"}).replace(b'"HERE"', text.encode())
    good, bad = decode(data).memory.deliberations
    assert problems(data) == [f"deliberations[1].{field}: {complaint}"]
    assert good == decode(made.dump(made.document(made.record()))).memory.deliberations[0]
    default = getattr(Deliberation(), field)
    assert getattr(bad, field) == default
    assert bad == fields.read(Deliberation, made.record(2, **{field: ...}), "", [])
    assert "d_20260328_002" in decode(data).memory.pending


@pytest.mark.parametrize(
    ("changes", "complaints", "check"),
    [
        (
            {"rankings": {"a": 1, "b": "second", "c": None, "d": "3"}},
            ['rankings["b"]: expected a number, got "second"'],
            lambda one: one.rankings == {"a": 1.0, "d": 3.0},
        ),
        (
            {"models_used": ["a", 5, "b"]},
            ["models_used[1]: expected text, got 5"],
            lambda one: one.models_used == ("a", "b"),
        ),
        (
            {"query_features": {"length": "52", "keywords": "compare", "category": 3}},
            [
                "query_features.category: expected text, got 3",
                'query_features.keywords: expected a list, got "compare"',
            ],
            lambda one: one.query_features.length == 52 and one.category == "other",
        ),
        (
            {"query_features": {"length": 52.5}},
            ["query_features.length: expected a whole number, got 52.5"],
            lambda one: one.query_features.length is None,
        ),
        (
            {"query_features": {"length": 10**400}},
            [f"query_features.length: expected a whole number, got {str(10**400)[:39]}…"],
            lambda one: one.query_features.length is None,
        ),
        (
            {"self_preference": {"a": 1}},
            ['self_preference["a"]: expected true or false, got 1'],
            lambda one: not one.self_preference,
        ),
        ({"query_features": {"length": 52.0}}, [], lambda one: one.query_features.length == 52),
        ({"outcome": "shrug", "consensus_level": "🤷"}, [], lambda one: one.outcome == "shrug"),
        (
            {"rankings": None, "models_used": None, "vault_synced": None, "query_features": None},
            [],
            lambda one: one.rankings == {} and not one.vault_synced,
        ),
    ],
)
def test_inside_a_field_only_what_is_wrong_is_dropped(changes, complaints, check) -> None:
    data = with_record(**changes)
    assert problems(data) == [f"deliberations[1].{complaint}" for complaint in complaints]
    assert check(decode(data).memory.deliberations[1])


def test_numbers_are_times_too() -> None:
    for written in (1774688728, 1774688728.5, 1774688728123):
        assert (
            decode(with_record(timestamp=written, confidence="x")).memory.deliberations[1].timestamp
            == written
        )


def test_wrong_containers_are_named_and_the_rest_is_read() -> None:
    wrong = made.document(
        made.record(),
        model_performance=[1],
        routing_model={"rules": [5, {"confidence": "x"}, {"action": "deliberate"}]},
        archived="none",
    )
    memory = decode(made.dump(wrong)).memory
    assert sorted(problems(made.dump(wrong))) == [
        'archived: expected an object, got "none"',
        "model_performance: expected an object, got a list",
        "routing_model.rules[0]: expected an object, got 5",
        'routing_model.rules[1].confidence: expected a number, got "x"',
    ]
    assert [rule.action for rule in memory.routing_model.rules] == [None, "deliberate"]
    assert memory.pending == ("d_20260328_001",)


@pytest.mark.parametrize("value", [{"a": 1}, 5, "x", True])
def test_deliberations_that_are_no_list_are_named(value: object) -> None:
    decoded = decode(made.dump(made.document(deliberations=value)))
    assert decoded.memory.deliberations == ()
    assert [problem.where for problem in decoded.problems] == ["deliberations"]


@pytest.mark.parametrize("odd", [{}, {"extra": "\ud800"}], ids=["plain", "through the standard library"])
def test_records_without_an_id_of_their_own_count_but_are_never_pending(odd: dict) -> None:
    data = made.dump(
        made.document(
            made.record(1, **odd),
            5,
            None,
            made.record(1, confidence=0.1),
            made.record(2, id=...),
            made.record(2, id=7),
            made.record(2, id="d_20260230_001"),
            made.record(2, id="xd_20260328_002"),
            made.record(3, id="d_20260328_003\n"),
            made.record(2),
        )
    )
    decoded = decode(data)
    assert [record.id for record in decoded.memory.deliberations] == [
        "d_20260328_001",
        *[None] * 6,
        "d_20260328_002",
    ]
    assert decoded.memory.pending == ("d_20260328_001", "d_20260328_002") == pending_ids(data)
    assert problems(data) == [
        "deliberations[1]: expected an object, got 5",
        "deliberations[2]: expected an object, got null",
        "deliberations[5].id: expected text, got 7",
        "deliberations[3].id: d_20260328_001 is already the id of deliberations[0]",
        "deliberations[4].id: missing",
        'deliberations[6].id: expected an id such as d_20260328_001, got "d_20260230_001"',
        'deliberations[7].id: expected an id such as d_20260328_001, got "xd_20260328_002"',
        'deliberations[8].id: expected an id such as d_20260328_001, got "d_20260328_003\\n"',
    ]


@pytest.mark.parametrize(
    "id_",
    [
        "d_20260230_001",
        "d_20261301_001",
        "d_00000101_001",
        "d_2026032_0001",
        "d_20260328_002\nd_20260328_003",
        "d_20260328_" + "1" * 5000,
    ],
)
def test_an_id_that_only_looks_like_one_is_named(id_: str) -> None:
    decoded = decode(made.dump(made.document(made.record(1, id=id_))))
    assert [problem.where for problem in decoded.problems] == ["deliberations[0].id"]
    assert decoded.memory.pending == ()


def test_repeated_keys_the_last_one_counts_and_pending_records_name_them() -> None:
    data = made.dump(made.document(made.record(1), made.record(2, vault_synced=True)), indent=None)
    data = data.replace(b'"confidence": 0.87', b'"confidence": 0.1, "confi\\u0064ence": 0.2')
    data = data.replace(b'{"version"', b'{"created": 5, "version"')
    decoded = decode(data)
    assert [record.confidence for record in decoded.memory.deliberations] == [0.2, 0.2]
    assert problems(data) == [
        "created: this key stands here more than once; the last one counts",
        "deliberations[0].confidence: this key stands here more than once; the last one counts",
    ]


@pytest.mark.parametrize(
    ("written", "version", "named"),
    [
        ("1.0", (1, 0), False),
        ("1.3", (1, 3), False),
        (1.3, (1, 3), False),
        (2, (2,), False),
        ("v1.3", (1, 3), False),
        ("1.3.0", (1, 3), False),
        ("1.4", (1, 4), False),
        ("2.0", (2, 0), False),
        ("1.10", (1, 10), False),
        (None, (1, 3), True),
        (..., (1, 3), True),
        ("latest", (1, 3), True),
        (True, (1, 3), True),
        ({"major": 2}, (1, 3), True),
        ("1." + "9" * 5000, (1, 3), True),
    ],
)
def test_versions(written: object, version: tuple[int, ...], named: bool) -> None:
    decoded = decode(made.dump(made.document(made.record(), version=written)))
    assert decoded.memory.version == version
    assert [problem.where for problem in decoded.problems] == (["version"] if named else [])
    assert decoded.memory.pending == ("d_20260328_001",)


@pytest.mark.parametrize(
    ("codec", "mark"), [("utf-8", ""), ("utf-8", "\ufeff"), ("utf-16-le", "\ufeff"), ("utf-16-be", "\ufeff")]
)
def test_encodings_and_line_endings(codec: str, mark: str) -> None:
    text = json.dumps(made.document(made.record(query_summary="Café 🏛️")), indent=2, ensure_ascii=False)
    data = (mark + text.replace("\n", "\r\n")).encode(codec)
    assert decode(data).memory.deliberations[0].query_summary == "Café 🏛️"
    assert decode(data).problems == ()


def test_half_characters_are_kept_and_hold_nothing_up() -> None:
    data = with_record(query_summary="a\ud800b")
    assert decode(data).memory.deliberations[1].query_summary == "a\ud800b"
    assert problems(data) == []


@pytest.mark.parametrize(
    ("data", "what", "where"),
    [
        (b"", "the file is empty", ""),
        (b" \r\n\t", "the file is empty", ""),
        (b"\0" * 100, "the file holds nothing but zero bytes", ""),
        (b"12", "expected an object at the top of the file, got 12", ""),
        (b"[1]", "expected an object at the top of the file, got a list", ""),
        (b'"text"', "expected an object at the top of the file, got text", ""),
        (b'{"a": 1}\n{"b": 2}', "the file is not valid JSON: extra data", "line 2, column 1"),
        (b'{"a": 1}' + b"\0" * 9, "the file is not valid JSON: extra data", "line 1, column 9"),
        ('{"é": 1,\r\n "ü": }'.encode(), "the file is not valid JSON: expecting value", "line 2, column 7"),
        (
            b'{"a": "line\nbreak"}',
            "the file is not valid JSON: invalid control character at",
            "line 1, column 12",
        ),
        (b'{"a":\n"\xff"}', "the text is not valid UTF-8", "line 2, column 2"),
        (b'{"a":\n"\xed\xa0\x80"}', "the text is not valid UTF-8", "line 2, column 2"),
        ('\ufeff{"a":1'.encode("utf-16-le") + b"\x00", "the text is not valid UTF-16", "line 1, column 7"),
        (b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "lists and objects are nested too deeply", ""),
        (
            b'{"deliberations": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
            "lists and objects are nested too deeply",
            "",
        ),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(data: bytes, what: str, where: str) -> None:
    for read in (decode, pending_ids):
        with pytest.raises(MemoryUnreadable) as caught:
            read(data)
        assert caught.value.what.startswith(what)
        assert caught.value.where == where


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_cut_off_anywhere_is_never_taken_for_a_whole_one(codec: str) -> None:
    text = json.dumps(made.document(made.record(query_summary="Café 🏛️")), indent=1, ensure_ascii=False)
    data = text.encode(codec)
    for length in range(len(data)):
        with pytest.raises(MemoryUnreadable):
            decode(data[:length])


def test_a_short_text_over_a_longer_one_is_named() -> None:
    old = made.dump(made.document(*(made.record(number) for number in range(1, 6))))
    new = made.dump(made.document(made.record()))
    with pytest.raises(MemoryUnreadable, match="line 58, column 2"):
        decode(new + old[len(new) :])


def test_the_garbage_collector_is_on_again_after_good_and_bad_files() -> None:
    decode(with_record())
    assert gc.isenabled()
    with pytest.raises(MemoryUnreadable):
        decode(b"{")
    assert gc.isenabled()
    gc.disable()
    try:
        decode(with_record())
        assert not gc.isenabled()
    finally:
        gc.enable()


def by_the_standard_library(data: bytes, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """Decode as if `msgspec` refused every file."""

    class Refusing:
        @staticmethod
        def decode(_data: bytes) -> None:
            raise decoding.msgspec.DecodeError

    with monkeypatch.context() as patch:
        for name in ("_at_once", "_in_parts", "_list_of_parts", "_one_record"):
            patch.setattr(decoding, name, Refusing)
        return decode(data)


@given(data=made.files())
def test_all_three_ways_give_the_same_views_and_name_the_same(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        slow = by_the_standard_library(data, patch)
    quick = decode(data)
    assert quick == slow
    assert quick.memory.pending == pending_ids(data)


record_values = st.one_of(
    made.values,
    st.sampled_from(
        ["1", "$2", "NaN", "1e999", "-0", "٣", "0x1", "1_0", " 7 ", 10**19, -(10**400), 1.0, 2.5]
    ),
)


@given(
    record=st.dictionaries(st.sampled_from(Deliberation.__struct_fields__), record_values)
    | st.fixed_dictionaries(dict.fromkeys(("rankings", "models_used", "query_features"), record_values))
)
def test_one_record_taken_quickly_and_field_by_field(record: dict) -> None:
    text = json.dumps({"deliberations": [record]}).encode()
    with pytest.MonkeyPatch.context() as patch:
        assert decode(text) == by_the_standard_library(text, patch)


@given(value=made.values)
def test_a_glimpse_sees_what_decoding_sees(value: object) -> None:
    document = {"version": value, "archived": value, "deliberations": [value, {"id": value}]}
    seen = look(json.dumps(document).encode())
    assert seen.version == value
    assert (seen.records[0] is None) == (not isinstance(value, dict))
    assert seen.records[1].id == value


def test_versions_compare_by_number() -> None:
    assert version_in("1.10") > version_in("1.9")
    assert version_in("") is version_in("1.") is version_in(float("nan")) is None


def test_integers_of_any_length_are_parsed() -> None:
    assert loads("[12, " + "9" * 5000 + "]") == [12, float("inf")]


@pytest.mark.parametrize("time", ["soon", "", "2026-02-30T10:00:00Z", "10:30", "2026-13-01", 3, -1.5])
def test_a_time_that_cannot_be_read_is_named_and_the_record_stays(time):
    good = {"id": "d_20260328_001", "timestamp": "2026-03-28T14:30:00Z"}
    odd = {"id": "d_20260328_002", "timestamp": time}
    decoded = decode(
        json.dumps({"version": "1.3", "deliberations": [good, odd, {"id": "d_20260328_003"}]}).encode()
    )
    assert [problem.where for problem in decoded.problems] == ["deliberations[1].timestamp"]
    assert "2026-03-28T14:30:00Z, got" in decoded.problems[0].what
    assert len(decoded.memory.identified) == 3


@pytest.mark.parametrize("time", ["28 Mar 2026", "2026-03-28 09:05", 1774688728, None, "2026-03-28T24:00:00"])
def test_a_time_in_another_form_that_can_be_read_is_no_problem(time):
    records = [{"id": "d_20260328_001", "timestamp": time}]
    assert decode(json.dumps({"version": "1.3", "deliberations": records}).encode()).problems == ()
