"""What is known of changes on Drive without looking at each note."""

from __future__ import annotations

import pytest

from council_vault.errors import VaultUnavailable
from council_vault.files import digest
from support.drive_emulator import status
from support.drive_vault import drive_place

NOTE, OTHER = "Folder/log.md", "Folder/other.md"


@pytest.fixture
def vault(emulator):
    with drive_place(emulator) as place:
        place.put(NOTE, b"read")
        place.put(OTHER, b"read")
        assert place.store.may_have_changed([NOTE])
        assert place.store.may_have_changed([NOTE])
        assert not place.store.may_have_changed([NOTE])
        emulator.forget_requests()
        yield place


def told(vault, names=(NOTE,)):
    """Return how often it is said that notes may have changed."""
    return [vault.store.may_have_changed(names) for _ in range(3)].count(True)


def test_that_nothing_changed_takes_one_request(vault):
    assert not vault.store.may_have_changed([NOTE, OTHER])
    assert [request.operation for request in vault.emulator.requests] == ["changes.list"]


@pytest.mark.parametrize(
    "change",
    [
        lambda vault: vault.put(NOTE, b"theirs"),
        lambda vault: vault.store.write(NOTE, b"ours", digest(b"read")),
        lambda vault: vault.emulator.trash(vault.id(NOTE)),
        lambda vault: vault.emulator.delete(vault.id(NOTE)),
        lambda vault: vault.emulator.move(vault.id(NOTE), vault.root),
        lambda vault: vault.put("LOG.md", b"elsewhere, and named alike"),
        lambda vault: vault.emulator.rename(vault.id("Folder"), "Another"),
        lambda vault: vault.emulator.trash(vault.id("Folder")),
        lambda vault: vault.lose_marker(),
    ],
    ids=[
        "edited",
        "ours",
        "trashed",
        "deleted",
        "moved",
        "alike",
        "folder renamed",
        "folder trashed",
        "vault gone",
    ],
)
def test_what_may_concern_a_note_is_told_twice_since_lists_lag_behind(change, vault):
    change(vault)
    assert told(vault) == 2


def test_what_concerns_none_of_the_notes_is_not_told(vault):
    vault.put(OTHER, b"theirs")
    vault.emulator.add_file("photo.jpg", b"x")
    assert told(vault) == 0


def test_a_change_that_is_told_is_not_lost_when_another_follows(vault):
    vault.put(NOTE, b"theirs")
    assert vault.store.may_have_changed([NOTE])
    vault.put(OTHER, b"theirs")
    assert vault.store.may_have_changed([NOTE])
    assert not vault.store.may_have_changed([NOTE])


def test_the_feed_is_read_to_its_end(vault):
    for number in range(1001):
        vault.emulator.add_file(f"{number}.txt", b"")
    vault.put(NOTE, b"theirs")
    assert told(vault) == 2
    assert [request.operation for request in vault.emulator.requests] == ["changes.list"] * 4


@pytest.mark.parametrize("code", [400, 404, 410])
def test_where_the_place_is_forgotten_everything_may_have_changed(code, vault):
    vault.emulator.fail(lambda request: request.operation == "changes.list", status(code))
    assert told(vault) == 2


def test_nothing_is_missed_while_drive_cannot_be_asked(vault):
    vault.emulator.fail(None, status(503), times=None)
    vault.put(NOTE, b"theirs")
    with pytest.raises(VaultUnavailable):
        vault.store.may_have_changed([NOTE])
    vault.emulator.reset_faults()
    assert told(vault) == 2


def test_a_vault_on_a_shared_drive_has_a_feed_of_its_own(emulator):
    with drive_place(emulator) as place:
        drive = emulator.add_shared_drive("Team")
        root = emulator.add_folder("Vault", drive)
        emulator.add_file("MEMORY.md", b"", emulator.add_folder("_System", root))
        note = emulator.add_file("log.md", b"read", root)
        place.store = place.new_store(root)
        assert told(place, ["log.md"]) == 2
        place.put("log.md", b"of the person's own")
        assert told(place, ["log.md"]) == 0
        emulator.edit(note, b"theirs")
        assert told(place, ["log.md"]) == 2
