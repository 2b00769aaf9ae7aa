"""One daemon for each memory, and what it tells of itself."""

from __future__ import annotations

import pytest

from council_vault.errors import AlreadyRunning, WriteFailed
from council_vault.service.presence import Activity, Presence, present


@pytest.fixture
def places(tmp_path):
    return tmp_path / "states" / "kept", tmp_path / "states" / "locks"


def test_where_nothing_is_kept_none_is_running(places):
    assert present(*places) is None
    assert not places[0].exists()


def test_what_is_told_is_heard_until_the_end(places):
    presence = Presence(*places)
    assert present(*places) == Activity()
    told = Activity(pid=12, since="today", did="something", troubles=("one", "two"))
    presence.tell(told)
    assert present(*places) == told
    assert (places[0] / "daemon.json").stat().st_mode & 0o777 == 0o600
    presence.end()
    assert present(*places) is None
    assert list(places[0].iterdir()) == []


def test_a_second_claim_is_refused_and_names_the_first(places):
    first = Presence(*places)
    with pytest.raises(AlreadyRunning, match=r"a daemon keeps it already: process \d+ \(.*One is enough"):
        Presence(*places)
    first.end()
    Presence(*places).end()


def test_one_memory_does_not_keep_another_waiting(places, tmp_path):
    first = Presence(*places)
    second = Presence(tmp_path / "states" / "other", places[1])
    second.end()
    first.end()


def test_who_only_looks_leaves_the_claim_free(places):
    Presence(*places).end()
    (places[0] / "daemon.json").write_bytes(b"{}")  # as one who was killed leaves it
    for _ in range(3):
        assert present(*places) is None
    Presence(*places).end()


def test_the_same_is_not_told_twice(places):
    presence = Presence(*places)
    presence.tell(Activity(pid=1))
    before = (places[0] / "daemon.json").stat()
    presence.tell(Activity(pid=1))
    assert (places[0] / "daemon.json").stat().st_ino == before.st_ino
    presence.tell(Activity(pid=2))
    assert present(*places) == Activity(pid=2)
    presence.end()


def test_what_could_not_be_told_is_told_when_it_can(places):
    presence = Presence(*places)
    file = places[0] / "daemon.json"
    file.unlink()
    file.mkdir()
    with pytest.raises(WriteFailed, match="what the daemon is doing cannot be told"):
        presence.tell(Activity(pid=1))
    assert [path.name for path in places[0].iterdir()] == ["daemon.json"]
    file.rmdir()
    presence.tell(Activity(pid=1))
    assert present(*places) == Activity(pid=1)
    presence.end()


@pytest.mark.parametrize("content", [b"", b"{", b'{"pid": "many"}', b"\xff"])
def test_what_cannot_be_understood_says_only_that_it_runs(content, places):
    presence = Presence(*places)
    (places[0] / "daemon.json").write_bytes(content)
    assert present(*places) == Activity()
    presence.end()


def test_on_a_full_disk_it_claims_all_the_same(places):
    places[0].mkdir(parents=True)
    (places[0] / "daemon.json").mkdir()
    presence = Presence(*places)
    with pytest.raises(AlreadyRunning):
        Presence(*places)
    (places[0] / "daemon.json").rmdir()
    presence.tell(Activity())
    assert present(*places) == Activity()
    presence.end()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "states").write_text("a file")
    with pytest.raises(WriteFailed, match="states/kept: the program's own state cannot be kept there"):
        Presence(tmp_path / "states" / "kept", tmp_path / "locks")
