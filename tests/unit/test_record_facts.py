"""What is known of record notes: versions, old copies, and what a killed sync was about to write."""

from __future__ import annotations

from council_vault.facts import Facts
from council_vault.record_facts import VERSIONS_KEPT, Announced, RecordFacts
from council_vault.state import Remembering, open_state

A, B, C = ("a" * 64, "b" * 64, "c" * 64)


def test_the_last_version_is_known_by_its_digest():
    facts = RecordFacts().with_version(A).with_version(B).with_version(B)
    assert len(facts.versions) == 2
    assert (facts.is_last(A), facts.is_last(B)) == (False, True)
    many = RecordFacts()
    for number in range(VERSIONS_KEPT + 10):
        many = many.with_version(f"{number:064x}"[::-1])
    assert len(many.versions) == VERSIONS_KEPT


def test_an_earlier_version_is_an_old_copy_unless_it_came_to_be_later():
    facts = RecordFacts(at=100.0).with_version(A).with_version(B)
    assert facts.is_old(A, 99.0)
    assert facts.is_old(A, 100.0)
    assert not facts.is_old(A, 100.1)
    assert not facts.is_old(B, 99.0)
    assert not facts.is_old(C, 99.0)


def test_what_was_announced_counts_once_it_stands():
    facts = RecordFacts(rating="positive", stood="meh", announced=Announced(B[:16], "negative")).with_version(
        A
    )
    stands, other = facts.arrived(B), facts.arrived(C)
    assert (stands.rating, stands.rating_stood, stands.is_last(B)) == ("negative", "negative", True)
    assert (other.rating, other.rating_stood, other.is_last(A)) == ("positive", "meh", True)
    assert stands.announced is other.announced is None
    assert RecordFacts().arrived(A) == RecordFacts()


def test_facts_and_regions_are_remembered_and_forgotten(tmp_path):
    one = RecordFacts(
        name="a.md", mark=2**55, at=1.5, source=7, rating="positive", seen=True, versions=("x",)
    )
    with open_state(tmp_path) as state:
        assert state.records() == {}
        assert state.record_region("d_20260328_001") == ""
        state.remember(
            Remembering(
                facts=Facts(),
                records={"d_20260328_001": one, "d_20260328_002": RecordFacts()},
                record_regions={"d_20260328_001": "%% region"},
            )
        )
        state.remember(Remembering(facts=Facts(), records={"d_20260328_001": one}))
    with open_state(tmp_path) as state:
        assert state.records() == {"d_20260328_001": one, "d_20260328_002": RecordFacts()}
        assert state.record_region("d_20260328_001") == "%% region"
        state.forget_records()
        assert state.records() == {}
        state.remember(Remembering(facts=Facts(), records={"d_20260328_001": one}))
        state.forget_notes("other")
        assert state.records() == {}


def test_facts_that_cannot_be_understood_are_not_known(tmp_path):
    with open_state(tmp_path) as state:
        state.remember(Remembering(facts=Facts(), records={"a": RecordFacts(), "b": RecordFacts()}))
        state._connection.execute("UPDATE record_note SET facts = x'c1' WHERE id = 'a'")
        assert state.records() == {"b": RecordFacts()}
