"""``rate``: what the person thinks, in words or signs."""

from __future__ import annotations

import pytest

from support.memory_files import record


def kept(program, number):
    return next(one for one in program.parsed()["deliberations"] if one["id"].endswith(f"_{number:03}"))


def rating(program, number):
    return kept(program, number)["user_rating"], kept(program, number)["outcome"]


@pytest.fixture
def three(program):
    program.write_memory(record(1), record(2), record(3))
    return program


@pytest.mark.parametrize(
    ("words", "now"),
    [
        (["nailed it"], ("positive", "accepted")),
        (["way", "off"], ("negative", "rejected")),
        (["okay"], ("neutral", "accepted")),
        (["👎🏽"], ("negative", "rejected")),
    ],
)
def test_the_latest_is_rated_and_the_outcome_follows(words, now, three):
    ran = three("rate", *words)
    assert ran.out == f"d_20260328_003 is rated {now[0]}.\n"
    assert rating(three, 3) == now
    assert rating(three, 2) == (None, "accepted")


def test_the_latest_is_so_by_its_time_and_then_by_its_place(program):
    late = "2026-03-28T23:00:00Z"
    program.write_memory(
        record(1, timestamp=late), record(2, timestamp="2026-03-29T00:30:00+02:00"), record(3)
    )
    assert "d_20260328_001" in program("rate", "great").out
    program.write_memory(
        record(1, timestamp=late), record(9, timestamp=late), record(4, timestamp=late), record(3)
    )
    assert "d_20260328_004" in program("rate", "great").out


def test_another_one_is_named(three):
    assert three("rate", "great", "--id", "d_20260328_001").code == 0
    assert rating(three, 1) == ("positive", "accepted")
    assert rating(three, 3) == (None, "accepted")


def test_a_rating_is_replaced_and_this_is_said(three):
    three("rate", "great")
    assert three("rate", "bad").out == "d_20260328_003 is rated negative. It was positive before.\n"
    assert rating(three, 3) == ("negative", "rejected")


def test_the_same_again_changes_nothing(three):
    three("rate", "great")
    before = three.memory.read_bytes()
    assert three("rate", "perfect").out == "d_20260328_003 is rated positive already.\n"
    assert three.memory.read_bytes() == before


def test_no_signal_leaves_it_unrated_with_an_unknown_outcome(three):
    ran = three("rate", "what about pricing?")
    assert ran.code == 0
    assert "d_20260328_003 stays unrated; its outcome is unknown" in ran.out
    assert rating(three, 3) == (None, "unknown")
    three("rate", "great")
    assert rating(three, 3) == ("positive", "accepted")


def test_no_signal_leaves_a_rating_alone(three):
    three("rate", "bad")
    before = three.memory.read_bytes()
    assert three("rate", "hmm").out == "That says nothing of the answer: d_20260328_003 stays negative.\n"
    assert three.memory.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["hmm", "--id", "d_20260328_001"], 2, 'such as "great", "not helpful", "okay" or 👍'),
        (["great", "--id", "d_20260328_01"], 2, "Did you mean d_20260328_001"),
        (["great", "--id", "x"], 2, "council-vault stats history"),
        ([], 2, "Missing argument"),
    ],
)
def test_what_cannot_be_understood_is_refused(arguments, code, said, three):
    before = three.memory.read_bytes()
    ran = three("rate", *arguments)
    assert ran.code == code
    assert said in ran.err
    assert three.memory.read_bytes() == before


def test_there_is_nothing_to_rate(program):
    assert program("rate", "great").code == 4
    assert not program.memory.exists()
    program.write_memory({"id": "no id"})
    ran = program("rate", "great")
    assert ran.code == 1
    assert "there is no deliberation to rate" in ran.err


def test_the_note_follows(three):
    three.make_vault()
    three("--vault", three.vault, "sync-vault")
    ran = three("rate", "great")
    assert ran.err.startswith("Vault synced: updated")
    (row,) = [line for line in three.log().splitlines() if line.startswith("| d_20260328_003 |")]
    assert row.endswith("| positive |")
    assert three("sync-vault").out == "Nothing to do: the vault is up to date.\n"


def test_as_json(three):
    assert three("rate", "great", "--json").json == {
        "id": "d_20260328_003",
        "user_rating": "positive",
        "outcome": "accepted",
    }


def test_two_records_with_one_id_the_first_is_meant(program):
    program.write_memory(record(1), record(1, query_summary="the second"))
    program("rate", "bad", "--id", "d_20260328_001")
    first, second = program.parsed()["deliberations"]
    assert (first["user_rating"], second["user_rating"]) == ("negative", None)
