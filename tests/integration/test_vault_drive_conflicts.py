"""Others who write to a note on Drive at the same moment: nothing of theirs is lost, whatever goes wrong."""

from __future__ import annotations

import functools
import itertools

import pytest

from council_vault.errors import FileChanged, VaultUnavailable, WriteFailed
from council_vault.files import digest
from council_vault.vault.conflict_copies import is_conflict_copy
from support.drive_emulator import CUT_BODY, DROPPED, LOST_REPLY, status
from support.drive_vault import drive_place

NOTE = "Folder/log.md"
READ, OURS, THEIRS, LATER = b"read\n", b"read\nours\n", b"read\ntheirs\n", b"read\nlater\n"


@pytest.fixture
def vault(emulator):
    with drive_place(emulator) as place:
        place.put(NOTE, READ)
        yield place
        assert not place.unfinished()


def is_update(request):
    return request.operation == "files.update" and request.path.startswith("/upload/")


def edit_before(vault, content, when, **options):
    vault.emulator.before(when, lambda: vault.put(NOTE, content), **options)


def copies(vault):
    return [content for name, content in vault.everything().items() if is_conflict_copy(name)]


def write(vault):
    """Do as a sync does: read, merge, write, and begin anew where somebody was quicker."""
    store = vault.store
    for _ in range(5):
        note = store.read(NOTE)
        if b"ours" in note.content:
            return
        try:
            store.write(NOTE, note.content + b"ours\n", note.version)
        except FileChanged:
            continue
    assert b"ours" in store.read(NOTE).content


def test_an_edit_that_was_overwritten_is_put_back(vault):
    vault.store.read(NOTE)
    edit_before(vault, THEIRS, is_update)
    with pytest.raises(FileChanged, match="taken back"):
        vault.store.write(NOTE, OURS, digest(READ))
    assert vault.store.read(NOTE).content == vault.get(NOTE) == THEIRS
    assert [each["content"] for each in vault.emulator.revisions(vault.id(NOTE))] == [
        READ,
        THEIRS,
        OURS,
        THEIRS,
    ]
    write(vault)
    assert vault.get(NOTE) == THEIRS + b"ours\n"
    assert copies(vault) == []


def test_what_is_put_back_is_kept_for_ever_until_it_stands(vault):
    edit_before(vault, THEIRS, is_update)
    pinned = []
    vault.emulator.before(
        is_update,
        lambda: pinned.extend(
            each["content"] for each in vault.emulator.revisions(vault.id(NOTE)) if each["keepForever"]
        ),
        times=None,
    )
    write(vault)
    assert pinned == [THEIRS]


def test_two_edits_in_a_row_are_one_that_was_overwritten(vault):
    edit_before(vault, b"half", is_update)
    edit_before(vault, THEIRS, is_update)
    write(vault)
    assert vault.get(NOTE) == THEIRS + b"ours\n"
    assert copies(vault) == []


def test_the_same_words_written_again_are_no_loss(vault):
    edit_before(vault, READ, is_update)
    with pytest.raises(FileChanged):
        vault.store.write(NOTE, OURS, digest(READ))
    write(vault)
    assert vault.get(NOTE) == READ + b"ours\n"


def test_an_edit_after_ours_stands(vault):
    edit_before(vault, LATER, lambda request: request.operation == "revisions.list")
    with pytest.raises(FileChanged):
        vault.store.write(NOTE, OURS, digest(READ))
    assert vault.get(NOTE) == LATER
    assert copies(vault) == []


def test_an_edit_before_ours_and_one_after_are_both_kept(vault):
    edit_before(vault, THEIRS, is_update)
    edit_before(vault, LATER, lambda request: request.operation == "revisions.list")
    with pytest.raises(FileChanged):
        vault.store.write(NOTE, OURS, digest(READ))
    assert vault.get(NOTE) == LATER
    assert copies(vault) == [THEIRS]


def test_an_edit_after_ours_that_holds_the_one_before_is_enough(vault):
    edit_before(vault, THEIRS, is_update)
    edit_before(vault, THEIRS, lambda request: request.operation == "revisions.list")
    write(vault)
    assert vault.get(NOTE) == THEIRS + b"ours\n"
    assert copies(vault) == []


def test_an_edit_while_another_is_put_back_is_kept_too(vault):
    edit_before(vault, THEIRS, is_update)
    edit_before(vault, LATER, is_update, skip=1)
    with pytest.raises(FileChanged):
        vault.store.write(NOTE, OURS, digest(READ))
    assert vault.get(NOTE) == THEIRS
    assert copies(vault) == [LATER]


def test_an_update_that_is_sent_again_over_an_edit_is_taken_back(vault):
    vault.emulator.fail(is_update, LOST_REPLY, times=2)  # the library sends it again once by itself
    edit_before(vault, THEIRS, is_update, skip=1)
    edit_before(vault, LATER, is_update, skip=2)
    with pytest.raises(FileChanged):
        vault.store.write(NOTE, OURS, digest(READ))
    assert vault.get(NOTE) == LATER
    assert copies(vault) == [THEIRS]


def test_a_note_without_an_extension_has_copies_too(vault):
    vault.put("Folder/README", READ)
    vault.emulator.before(is_update, lambda: vault.put("Folder/README", THEIRS))
    vault.emulator.before(
        lambda request: request.operation == "revisions.list", lambda: vault.put("Folder/README", LATER)
    )
    with pytest.raises(FileChanged):
        vault.store.write("Folder/README", OURS, digest(READ))
    assert copies(vault) == [THEIRS]


def test_a_list_of_revisions_that_lags_behind_is_waited_for(vault):
    listed = vault.client.revisions._listed
    lag = iter([2, 1])
    vault.client.revisions._listed = lambda identifier: listed(identifier)[: -1 if next(lag, 0) else None]
    edit_before(vault, THEIRS, is_update)
    write(vault)
    assert len(vault.time.pauses) == 2
    assert vault.get(NOTE) == THEIRS + b"ours\n"


def test_where_the_old_revision_is_gone_nothing_is_said(vault):
    vault.emulator.fail(is_update, LOST_REPLY, times=None)
    with pytest.raises(VaultUnavailable):
        vault.store.write(NOTE, OURS, digest(READ))
    vault.emulator.reset_faults()
    vault.emulator.purge_revisions(vault.id(NOTE))
    assert vault.new_store().read(NOTE).content == OURS


SCENES = {
    "nobody": [],
    "before ours": [THEIRS],
    "before and after ours": [THEIRS, LATER],
    "while it is put back": [THEIRS, None, LATER],
}


def stage(vault, scene):
    """Let others write at their moments: before the update, after it, before the one that puts back."""
    for content, (when, skip) in zip(
        SCENES[scene],
        [(is_update, 0), (lambda request: request.operation == "revisions.list", 0), (is_update, 1)],
        strict=False,
    ):
        if content is not None:
            edit_before(vault, content, when, skip=skip)


def lost(vault):
    """Return the words of others that a write of ours has hidden, and that are nowhere now."""
    revisions = vault.emulator.revisions(vault.id(NOTE))
    said = b"".join([vault.get(NOTE), *copies(vault)])
    hidden = [
        before["content"]
        for before, after in itertools.pairwise(revisions)
        if after["lastModifyingUser"]["me"] and not before["lastModifyingUser"]["me"]
    ]
    return [words for words in hidden if words.splitlines()[-1] not in said]


def interrupted(emulator, step, how, act):
    """Let an act go on until its n-th request and no further; say whether it came to its end before."""
    emulator.fail(step, how)
    emulator.fail(step + 1, DROPPED, times=None)
    try:
        act()
    except VaultUnavailable:
        return False
    finally:
        emulator.reset_faults()
    return True


@pytest.mark.parametrize(
    ("scene", "how"),
    [
        ("nobody", LOST_REPLY),
        ("before ours", DROPPED),
        ("before and after ours", LOST_REPLY),
        ("while it is put back", DROPPED),
        ("while it is put back", LOST_REPLY),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_whatever_is_interrupted_is_finished_by_who_reads_next(emulator, how, scene):
    finished = False
    for step in itertools.count(6):  # nothing is written before
        with drive_place(emulator) as vault:
            vault.put(NOTE, READ)
            stage(vault, scene)
            finished = interrupted(emulator, step, how, functools.partial(write, vault))
            vault.restart()
            write(vault)
            assert (lost(vault), vault.unfinished()) == ([], []), step
            assert vault.get(NOTE).count(b"ours\n") == 1
        if finished:
            break
    assert step > 10


@pytest.mark.parametrize(
    ("scene", "how"),
    [
        ("before ours", CUT_BODY),
        ("before ours", status(429, retry_after="3")),
        ("while it is put back", LOST_REPLY),
        ("while it is put back", status(500, effect=True)),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_whatever_fails_for_a_moment_nothing_is_lost(emulator, how, scene):
    for step in itertools.count(1):
        with drive_place(emulator) as vault:
            vault.put(NOTE, READ)
            stage(vault, scene)
            emulator.forget_requests()
            emulator.fail(step, how)
            emulator.fail(step, how)  # the library sends again once by itself what was dropped
            write(vault)
            emulator.reset_faults()
            assert (lost(vault), vault.unfinished()) == ([], []), step
            assert vault.get(NOTE).count(b"ours\n") == 1
        if step > len(emulator.requests):
            break


MADE = {
    "New": None,
    "New/Folder": None,
    "New/Folder/note.md": OURS,
    "_System": None,
    "_System/MEMORY.md": b"",
}


@pytest.mark.parametrize("how", [DROPPED, LOST_REPLY, status(500, effect=True)], ids=lambda fault: fault.name)
@pytest.mark.parametrize("lag", [0, 4])
def test_a_note_is_made_once_whatever_fails_for_a_moment(emulator, how, lag):
    for step in itertools.count(1):
        with drive_place(emulator) as vault:
            emulator.forget_requests()
            emulator.lag_lists(lag)
            emulator.fail(step, how)
            emulator.fail(step, how)
            vault.store.write("New/Folder/note.md", OURS, None)
            emulator.reset_faults()
            emulator.lag_lists(0)
            assert vault.everything() == MADE, step
        if step > len(emulator.requests):
            break


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("how", [DROPPED, LOST_REPLY], ids=lambda fault: fault.name)
def test_a_note_is_made_once_whatever_is_interrupted(emulator, how, restarted):
    finished = False
    for step in itertools.count(1):
        with drive_place(emulator) as vault:
            make = functools.partial(vault.store.write, "New/Folder/note.md", OURS, None)
            emulator.lag_lists(0 if restarted else 4)
            finished = interrupted(emulator, step, how, make)
            if restarted:
                vault.restart()
            if vault.store.read("New/Folder/note.md") is None:
                vault.store.write("New/Folder/note.md", OURS, None)
            emulator.lag_lists(0)
            assert vault.everything() == MADE, step
        if finished:
            break


@pytest.mark.parametrize("content", [OURS, THEIRS])
def test_a_creation_that_is_carried_out_late_makes_no_twin(vault, content):
    def is_creation(request):
        return request.operation == "files.create"

    vault.emulator.fail(is_creation, status(503), times=None)
    with pytest.raises(VaultUnavailable):
        vault.store.write("New.md", content, None)
    vault.emulator.reset_faults()
    late = functools.partial(
        vault.emulator._store.create,
        "New.md",
        "text/markdown",
        vault.root,
        content,
        item_id=vault.client._created[vault.root, "New.md"],
    )
    vault.emulator.before(is_creation, late)
    if content == OURS:
        vault.store.write("New.md", OURS, None)
    else:
        with pytest.raises(FileChanged, match="made before"):
            vault.store.write("New.md", OURS, None)
    assert vault.get("New.md") == content
    vault.everything()


def test_an_identifier_whose_note_was_thrown_away_is_not_used_again(vault):
    vault.store.write("New.md", OURS, None)
    made = vault.id("New.md")
    vault.emulator.trash(made)
    vault.client._created[vault.root, "New.md"] = made  # as if no list had shown it yet
    vault.store.write("New.md", OURS, None)
    assert vault.id("New.md") not in {made, None}


def test_a_refusal_concerns_one_note(vault):
    vault.emulator.fail(is_update, status(403, "insufficientFilePermissions"))
    with pytest.raises(WriteFailed, match=r"Folder/log\.md: it cannot be written: it may not be changed"):
        vault.store.write(NOTE, OURS, digest(READ))
    assert vault.get(NOTE) == READ
