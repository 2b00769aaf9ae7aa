"""State: remembered whole or not at all, and losing it loses nothing."""

from __future__ import annotations

import os
import stat

import pytest

from council_vault.errors import WriteFailed
from council_vault.facts import VERSIONS_KEPT, Facts, NoteFacts
from council_vault.state import REPLACED_KEPT, Remembering, Replaced, memory_folder, open_state


def test_what_is_remembered_is_recalled(tmp_path):
    facts = Facts(
        stamp="m-1",
        pin="/v",
        notes={"log": NoteFacts(name="a/log.md", versions=("1", "2"))},
        settled="s",
        deleted=frozenset({"d_20260101_001"}),
        standing=("said",),
        synced_at="2026-01-01T00:00:00Z",
    )
    with open_state(tmp_path / "s") as state:
        assert state.facts == Facts()
        assert state.region("log") is None
        assert state.rows() is None
        state.remember(Remembering(facts=facts, regions={"log": "é"}, rows=b"rows"))
        assert state.facts == facts
    with open_state(tmp_path / "s") as state:
        assert (state.facts, state.region("log"), state.rows()) == (facts, "é", b"rows")
        state.remember(Remembering(facts=facts))
        assert state.rows() == b"rows"


def test_paths_that_are_not_unicode_are_remembered_too(tmp_path):
    facts = Facts(pin=os.fsdecode(b"/v\xff"), standing=("\udcff", "🏛️"))
    with open_state(tmp_path) as state:
        state.remember(Remembering(facts=facts))
    with open_state(tmp_path) as state:
        assert state.facts == facts


def test_only_the_newest_replaced_versions_of_each_note_stay(tmp_path):
    def version(kind: str, number: int) -> Replaced:
        return Replaced(kind=kind, name=f"{kind}.md", at=str(number), content=b"x" * number)

    with open_state(tmp_path) as state:
        many = tuple(version("log", number) for number in range(REPLACED_KEPT + 3))
        state.remember(Remembering(facts=Facts(), replaced=(version("routing", 1), *many)))
        assert state.replaced("log") == tuple(reversed(many))[:REPLACED_KEPT]
        assert state.replaced("routing") == (version("routing", 1),)


def test_state_is_private(tmp_path):
    with open_state(tmp_path / "s"):
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "s" / "state.sqlite").stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", [b"junk" * 2000, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_broken_database_is_set_aside_and_begun_anew(tmp_path, damage):
    (tmp_path / "state.sqlite").write_bytes(damage)
    with open_state(tmp_path) as state:
        assert state.facts == Facts()
        state.remember(Remembering(facts=Facts(stamp="m")))
    assert (tmp_path / "state.broken").read_bytes() == damage
    with open_state(tmp_path) as state:
        assert state.facts.stamp == "m"


@pytest.mark.parametrize("stored", [b"\xff", b"[1]", b'{"pin": 1}', b"{"])
def test_facts_of_another_shape_are_set_aside_too(tmp_path, stored):
    with open_state(tmp_path) as state:
        state._connection.execute("INSERT INTO fact VALUES ('facts', ?)", (stored,))
        state._connection.commit()
    with open_state(tmp_path) as state:
        assert state.facts == Facts()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(WriteFailed, match=r"file/s/state\.sqlite: the program's own state cannot be used"),
        open_state(tmp_path / "file" / "s"),
    ):
        pass


def test_a_database_that_cannot_be_opened_is_named_and_left(tmp_path):
    (tmp_path / "state.sqlite").mkdir()
    with pytest.raises(WriteFailed, match="cannot be used"), open_state(tmp_path):
        pass
    assert (tmp_path / "state.sqlite").is_dir()


def test_versions_are_a_bounded_history_and_earlier_ones_are_old_copies():
    note = NoteFacts(name="n")
    for number in range(VERSIONS_KEPT + 5):
        note = note.with_version(str(number))
    assert note.versions == tuple(str(number) for number in range(5, VERSIONS_KEPT + 5))
    assert note.with_version(note.versions[-1]) is note
    assert note.is_old("7")
    assert not note.is_old(note.versions[-1])
    assert not note.is_old("never seen")


def test_what_is_only_announced_makes_nothing_old():
    note = NoteFacts(name="n").left_behind(None, "1").left_behind("1 typed", "2")
    assert note.is_old("1")
    assert note.is_old("1 typed")
    assert note.left == ("1", "2")
    note = note.announcing("2", "3")
    assert not note.is_old("2")
    assert not note.is_old("3")
    again = note.announcing("2", "4")  # "3" never stood
    assert not again.is_old("2")
    note = note.left_behind("2", "3")
    assert note.is_old("2")
    assert not note.is_old("3")
    assert note.announced == ()


def test_a_version_that_a_killed_sync_wrote_is_old_once_another_stands():
    note = NoteFacts(name="n").left_behind(None, "1").announcing("1 typed", "2")
    assert not note.is_old("1 typed")
    note = note.left_behind("2 typed", "3")
    assert all(map(note.is_old, ("1", "1 typed", "2", "2 typed")))
    assert note.left == ("1", "3")


def test_a_note_is_the_same_wherever_it_stands():
    facts = Facts().with_note("log", NoteFacts(name="a.md", versions=("1",)))
    assert facts.note("log", "b.md") == NoteFacts(name="b.md", versions=("1",))
    assert facts.note("routing", "c.md") == NoteFacts(name="c.md")


def test_a_version_that_came_back_and_was_accepted_is_not_old():
    note = NoteFacts(name="n", versions=("1", "2", "1"))
    assert not note.is_old("1")
    assert note.is_old("2")


def test_each_memory_has_its_own_folder_and_a_link_to_it_the_same(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "council-memory.json").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    one = memory_folder(tmp_path, tmp_path / "a" / "council-memory.json")
    assert one.name.startswith("a-")
    assert memory_folder(tmp_path, tmp_path / "link" / "council-memory.json") == one
    assert memory_folder(tmp_path, tmp_path / "b" / "council-memory.json") != one
