from __future__ import annotations

import json
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.errors import MemoryUnreadable
from council_vault.memory import layout
from council_vault.memory.decoding import decode
from council_vault.memory.edits import Edits, RatingEdit, apply
from council_vault.memory.ids import parse_id
from support import memory_files as made

NOW = "2026-03-28T15:00:00Z"
FLAG = Edits(flags=frozenset({"d_20260328_001"}))
STAMP = Edits(last_vault_sync=NOW, vault_sync_note=None)


def flagged(*ids: str) -> Edits:
    return Edits(flags=frozenset(ids))


def rated(rating: str | None, outcome: str | None = None) -> Edits:
    return Edits(ratings={"d_20260328_001": RatingEdit(rating, outcome)})


@pytest.mark.parametrize("style", made.STYLES, ids=str)
def test_a_flag_changes_its_own_bytes_and_no_others(style: dict) -> None:
    data = made.dump(made.document(made.record(1), made.record(2)), **style)
    place = data.index(b"false")
    assert apply(data, FLAG) == data[:place] + b"true" + data[place + 5 :]


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        # A missing key comes at the end of the record, in the record's own style.
        (
            b'{"deliberations": [{"id": "d_20260328_001", "a": 0.10}]}',
            FLAG,
            b'{"deliberations": [{"id": "d_20260328_001", "a": 0.10, "vault_synced": true}]}',
        ),
        (
            b'{"deliberations":[{"id":"d_20260328_001"}]}',
            FLAG,
            b'{"deliberations":[{"id":"d_20260328_001","vault_synced":true}]}',
        ),
        (
            b'{"deliberations":[{"id": "d_20260328_001" }]}',
            FLAG,
            b'{"deliberations":[{"id": "d_20260328_001", "vault_synced": true }]}',
        ),
        (
            b'{"deliberations":[{\r\n    "id" : "d_20260328_001"\r\n  }]}',
            FLAG,
            b'{"deliberations":[{\r\n    "id" : "d_20260328_001",\r\n    "vault_synced" : true\r\n  }]}',
        ),
        (
            b'{"deliberations":[{\n\t"a": 1,\n\t"id": "d_20260328_001"\n}]}',
            rated("positive", "accepted"),
            (
                b'{"deliberations":[{\n\t"a": 1,\n\t"id": "d_20260328_001",\n\t"user_rating":'
                b' "positive",\n\t"outcome": "accepted"\n}]}'
            ),
        ),
        # At the top it stands beside its neighbours.
        (
            b'{"version": "1.2", "last_updated": "x", "deliberations": []}',
            STAMP,
            (
                b'{"version": "1.2", "last_updated": "x", "last_vault_sync": "2026-03-28T15:00:00Z",'
                b' "deliberations": []}'
            ),
        ),
        (
            b'{\n  "last_vault_sync": null,\n  "deliberations": []\n}',
            Edits(last_vault_sync=None, vault_sync_note="vault_unavailable"),
            (
                b'{\n  "last_vault_sync": null,\n  "vault_sync_note": "vault_unavailable",\n '
                b' "deliberations": []\n}'
            ),
        ),
        (
            b'{\n  "deliberations": [],\n  "x": 1\n}',
            Edits(last_vault_sync=NOW, vault_sync_note="n\xf6te"),
            (
                b'{\n  "deliberations": [],\n  "x": 1,\n  "last_vault_sync":'
                b' "2026-03-28T15:00:00Z",\n  "vault_sync_note": "n\\u00f6te"\n}'
            ),
        ),
        (b"{ }", STAMP, b'{"last_vault_sync": "2026-03-28T15:00:00Z" }'),
        # A value is replaced whole, whatever it is.
        (
            b'{"deliberations": [{"id": "d_20260328_001", "vault_synced": [1, {"]": "}"}], "b": 1}]}',
            FLAG,
            b'{"deliberations": [{"id": "d_20260328_001", "vault_synced": true, "b": 1}]}',
        ),
        (
            b'{"deliberations": [{"id": "d_20260328_001", "vault_synced": "true"}]}',
            FLAG,
            b'{"deliberations": [{"id": "d_20260328_001", "vault_synced": true}]}',
        ),
        (
            b'{"deliberations": [{"id": "d_20260328_001", "user_rating": "positive"}]}',
            rated(None),
            b'{"deliberations": [{"id": "d_20260328_001", "user_rating": null}]}',
        ),
        # Repeated keys: the one that counts.
        (
            b'{"deliberations": [{"vault_synced": false, "id": "d_20260328_001", "vault_synced": null}]}',
            FLAG,
            b'{"deliberations": [{"vault_synced": false, "id": "d_20260328_001", "vault_synced": true}]}',
        ),
        (
            (
                b'{"deliberations": [{"id": "d_20260328_001", "vault_synced": false}],'
                b' "deliberations": [{"vault_synced": false, "id": "d_20260328_001"}]}'
            ),
            FLAG,
            (
                b'{"deliberations": [{"id": "d_20260328_001", "vault_synced": false}],'
                b' "deliberations": [{"vault_synced": true, "id": "d_20260328_001"}]}'
            ),
        ),
        # Keys written with escapes are the same keys.
        (
            b'{"deliberations": [{"\\u0069d": "d_2026\\u0030328_001", "vault\\u005fsynced": false}]}',
            FLAG,
            b'{"deliberations": [{"\\u0069d": "d_2026\\u0030328_001", "vault\\u005fsynced": true}]}',
        ),
    ],
)
def test_single_edits_to_the_byte(before: bytes, edits: Edits, after: bytes) -> None:
    assert apply(before, edits) == after
    assert apply(after, edits) == after


@pytest.mark.parametrize(
    "decoy",
    [
        {"query_summary": '"vault_synced": false'},
        {"query_summary": '{"id": "d_20260328_001", "vault_synced": false}'},
        {"query_summary": 'ends in \\"vault_synced'},
        {"self_preference": {"vault_synced": False}},
        {"aaa": "vault_synced"},
        {"aaa": [{"id": "d_20260328_001", "vault_synced": False}]},
    ],
    ids=str,
)
@pytest.mark.parametrize("own", [False, ...], ids=["with a flag of its own", "without"])
def test_only_the_record_s_own_key_is_meant(decoy: dict, own: object) -> None:
    data = made.dump(
        {
            "aa": [made.record(1)],
            **made.document(made.record(2, **decoy), made.record(1, vault_synced=own, **decoy)),
        }
    )
    edited = json.loads(apply(data, FLAG))
    expected = json.loads(data)
    expected["deliberations"][1]["vault_synced"] = True
    assert edited == expected


def test_of_two_records_with_one_id_only_the_first_is_flagged() -> None:
    data = made.dump(
        made.document(
            {"id": 5}, "d_20260328_001", made.record(1), made.record(1), made.record(11, id="d_20260328_0011")
        )
    )
    flags = [
        one.get("vault_synced")
        for one in json.loads(apply(data, FLAG))["deliberations"]
        if isinstance(one, dict)
    ]
    assert flags == [None, True, False, False]


@pytest.mark.parametrize("id_", ["d_20260328_009", "x", "d_20260230_001"])
def test_an_id_that_is_not_there_or_is_none_changes_nothing(id_: str) -> None:
    data = made.dump(
        made.document(made.record(1), made.record(2, id="x"), made.record(3, id="d_20260230_001"))
    )
    assert apply(data, Edits(flags=frozenset({id_}), ratings={id_: RatingEdit("positive")})) is data


def test_what_already_says_so_stays_as_it_is_written() -> None:
    data = made.dump(
        made.document(
            made.record(1, vault_synced=True, user_rating="positive"),
            last_vault_sync=NOW,
            vault_sync_note=...,
        )
    )
    data = data.replace(b'"positive"', b'"\\u0070ositive"')
    edits = Edits(
        flags=FLAG.flags,
        ratings={"d_20260328_001": RatingEdit("positive")},
        last_vault_sync=NOW,
        vault_sync_note=None,
    )
    assert apply(data, edits) is data


def test_the_outcome_is_left_unless_it_is_given() -> None:
    data = made.dump(made.document(made.record(1, outcome="rejected")))
    assert json.loads(apply(data, rated("neutral")))["deliberations"][0]["outcome"] == "rejected"
    assert json.loads(apply(data, rated("positive", "accepted")))["deliberations"][0]["outcome"] == "accepted"


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
def test_encoding_mark_and_line_ends_stay(codec: str) -> None:
    mark = "\ufeff" if codec.startswith("utf-16") else ""
    text = mark + json.dumps(
        made.document(made.record(1, query_summary="é 🏛️")), indent=2, ensure_ascii=False
    ).replace("\n", "\r\n")
    expected = text.replace('"vault_synced": false', '"vault_synced": true')
    assert apply(text.encode(codec), FLAG) == expected.encode(codec)


@pytest.mark.parametrize("oddity", [b"NaN", b"-Infinity", b'"\\ud800"', b"1e400", b"9" * 5000])
def test_odd_files_are_edited_like_any_other(oddity: bytes) -> None:
    data = made.dump(
        made.document(made.record(1, confidence="HERE"), 5, [1, {"a": []}], "x", made.record(2))
    ).replace(b'"HERE"', oddity)
    place = data.rindex(b"false")
    assert apply(data, flagged("d_20260328_002")) == data[:place] + b"true" + data[place + 5 :]


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"deliberations": [{"id": "d_20260328_001"', b"[]", b"\xff", b"\0\0"]
)
def test_nothing_comes_of_a_half_written_file(data: bytes) -> None:
    with pytest.raises(MemoryUnreadable):
        apply(data, FLAG)


@pytest.mark.parametrize("deliberations", ["null", "5", '"x"', "{}", "[]"])
def test_a_file_without_a_list_of_records_takes_the_stamp(deliberations: str) -> None:
    data = f'{{"last_vault_sync": null, "deliberations": {deliberations}}}'.encode()
    assert apply(data, Edits(flags=FLAG.flags, last_vault_sync=NOW)) == data.replace(
        b"null", f'"{NOW}"'.encode(), 1
    )


# The oracle: places found with the standard library's own scanner, character by character.

_decoder = json.JSONDecoder()


def members(text: str, start: int) -> list[tuple[str, int, int]]:
    """Return key, start and end of the value of each member of the object at ``start``."""
    found, position = [], start + 1
    while (key_at := re.compile(r"[\s,]*").match(text, position).end()) and text[key_at] == '"':
        key, colon = _decoder.raw_decode(text, key_at)
        value_at = re.compile(r"\s*:\s*").match(text, colon).end()
        _, position = _decoder.raw_decode(text, value_at)
        found.append((key, value_at, position))
    return found


def elements(text: str, start: int) -> list[int]:
    found, position = [], start + 1
    while text[at := re.compile(r"[\s,]*").match(text, position).end()] != "]":
        found.append(at)
        _, position = _decoder.raw_decode(text, at)
    return found


def expected_pattern(text: str, edits: Edits) -> re.Pattern[str]:
    """Return what the edited text must look like; what is inserted is left open."""
    root = members(text, text.index("{"))
    array = {key: at for key, at, _ in root}.get("deliberations")
    changes: list[tuple[int, int, str]] = []

    def want(found: list, whole: int, values: dict, beside: tuple = ()) -> None:
        last = {key: (start, end) for key, start, end in found}
        for key, value in values.items():
            if key not in last:
                if value is not None:
                    near = next(
                        (last[name][1] for name in beside if name in last),
                        found[-1][2] if found else whole + 1,
                    )
                    changes.append((near, near, ".*"))
            elif type(now := json.loads(text[slice(*last[key])])) is not type(value) or now != value:
                changes.append((*last[key], re.escape(json.dumps(value))))

    stamps = {"last_vault_sync": edits.last_vault_sync, "vault_sync_note": edits.vault_sync_note}
    want(
        root,
        text.index("{"),
        {key: value for key, value in stamps.items() if value is not msgspec.UNSET},
        ("last_vault_sync", "last_updated", "created", "version"),
    )
    seen = set()
    for at in elements(text, array) if array is not None and text[array] == "[" else ():
        one = json.loads(text[at : _decoder.raw_decode(text, at)[1]])
        id_ = one.get("id") if isinstance(one, dict) else None
        if parse_id(id_) and id_ not in seen:
            seen.add(id_)
            rating = edits.ratings.get(id_)
            values = {"vault_synced": True} if id_ in edits.flags else {}
            values |= {"user_rating": rating.rating} if rating else {}
            values |= {"outcome": rating.outcome} if rating and rating.outcome is not None else {}
            want(members(text, at), at, values)
    parts, end = [], 0
    for start, stop, new in sorted(set(changes)):
        parts += [re.escape(text[end:start]), new]
        end = stop
    return re.compile("".join([*parts, re.escape(text[end:])]), re.DOTALL)


edits_made = st.builds(
    lambda flags, ratings, stamps: Edits(flags=flags, ratings=ratings, **stamps),
    st.frozensets(made.ids, max_size=6),
    st.dictionaries(
        made.ids,
        st.builds(
            RatingEdit,
            st.sampled_from([None, "positive", "negativ"]),
            st.sampled_from([None, "accepted", "réjeté"]),
        ),
        max_size=3,
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "last_vault_sync": st.none() | st.just(NOW),
            "vault_sync_note": st.sampled_from([None, "vault_unavailable"]),
        },
    ),
)


def text_of(data: bytes) -> str:
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data.decode(codec)
    return data.decode()


def edited_document(document: dict, edits: Edits) -> dict:
    """Make the edits on the parsed document."""

    def put(target: dict, key: str, value: object) -> None:
        if value is not None or key in target:
            target[key] = value

    seen = set()
    records = document.get("deliberations")
    for one in records if isinstance(records, list) else ():
        id_ = one.get("id") if isinstance(one, dict) else None
        if parse_id(id_) and id_ not in seen:
            seen.add(id_)
            if id_ in edits.flags:
                one["vault_synced"] = True
            if id_ in edits.ratings:
                put(one, "user_rating", edits.ratings[id_].rating)
                put(one, "outcome", edits.ratings[id_].outcome or one.get("outcome"))
    for key in ("last_vault_sync", "vault_sync_note"):
        if getattr(edits, key) is not msgspec.UNSET:
            put(document, key, getattr(edits, key))
    return document


@given(data=made.files(), edits=edits_made)
@settings(deadline=None, max_examples=150)
def test_every_other_byte_stays_and_twice_is_once(data: bytes, edits: Edits) -> None:
    edited = apply(data, edits)
    assert expected_pattern(text_of(data), edits).fullmatch(text_of(edited))
    assert json.loads(text_of(edited).removeprefix("\ufeff")) == edited_document(
        json.loads(text_of(data).removeprefix("\ufeff")), edits
    )
    assert apply(edited, edits) == edited
    memory = decode(edited).memory
    for id_ in edits.flags & memory.identified.keys():
        assert memory.identified[id_].vault_synced
    for id_ in edits.ratings.keys() & memory.identified.keys():
        assert memory.identified[id_].user_rating == edits.ratings[id_].rating
    if edits.last_vault_sync is not msgspec.UNSET:
        assert memory.last_vault_sync == edits.last_vault_sync


@given(data=made.files(), edits=edits_made)
@settings(deadline=None, max_examples=60)
def test_places_are_the_same_without_msgspec(data: bytes, edits: Edits) -> None:
    def refuse(*_args: object, **_named: object) -> None:
        raise msgspec.DecodeError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout.msgspec.json, "decode", refuse)
        slow = apply(data, edits)
    assert apply(data, edits) == slow
