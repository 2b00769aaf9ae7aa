"""A vault on Google Drive, through real HTTP: the contract of all stores, and what only Drive can do."""

from __future__ import annotations

import pytest

from council_vault.errors import FileChanged, NoteRefused, VaultUnavailable
from council_vault.files import digest
from integration.vault_contract import FOLDER, NOTE, VaultContract
from support.drive_vault import drive_place


@pytest.fixture
def vault(emulator):
    with drive_place(emulator) as place:
        yield place
        assert not place.unfinished()


class TestDriveVault(VaultContract):
    """The contract, on a Drive."""


# What is asked of Drive


def operations(vault):
    return [request.operation for request in vault.emulator.requests]


def is_creation(request):
    return request.operation == "files.create"


def is_update(request):
    return request.operation == "files.update" and request.path.startswith("/upload/")


def test_nothing_is_written_where_nothing_changes(vault):
    vault.put(NOTE, b"x")
    version = vault.store.read(NOTE).version
    vault.store.glance(NOTE)
    vault.store.list()
    vault.store.exists("Other.md")
    vault.store.write(NOTE, b"x", version)
    assert vault.emulator.writes == []


def test_a_note_is_read_with_one_question_for_all_its_folders(vault):
    vault.put(NOTE, b"x")
    vault.store.read(NOTE)
    vault.emulator.forget_requests()
    vault.store.read(NOTE)
    assert operations(vault) == ["files.list", "files.get"]
    vault.store.write(NOTE, b"y", digest(b"x"))
    assert operations(vault)[2:] == [
        "files.list", "files.get", "files.update", "revisions.list", "files.update"
    ]  # fmt: skip


def test_every_request_takes_shared_drives_in(vault):
    vault.store.write(NOTE, b"x", None)
    vault.store.write(NOTE, b"y", vault.store.read(NOTE).version)
    vault.store.list()
    for request in vault.emulator.requests:
        if request.operation in {"files.get", "files.list", "files.create", "files.update"}:
            assert request.flag("supportsAllDrives"), request
        if request.operation == "files.list":
            assert request.flag("includeItemsFromAllDrives")


def test_notes_are_markdown_with_identifiers_of_our_own_choice(vault):
    vault.store.write(NOTE, b"x", None)
    made = vault.emulator.get(vault.id(NOTE))
    assert made["mimeType"] == "text/markdown"
    assert [r.operation for r in vault.emulator.requests].count("files.generateIds") == 1


def test_much_content_goes_in_parts(vault):
    vault.store.write(NOTE, b"x" * 6_000_000, None)
    vault.store.write(NOTE, b"y" * 6_000_000, vault.store.read(NOTE).version)
    assert vault.get(NOTE) == b"y" * 6_000_000
    assert "upload" in operations(vault)


def test_all_pages_are_read_and_empty_ones_passed_over(vault):
    for number in range(7):
        vault.put(f"Notes/{number}.md", b"x")
    vault.emulator.page_lists(2, empty_pages=True)
    assert len(vault.store.list()) == 8
    assert vault.store.exists("Notes/6.md")


def test_many_folders_are_listed_together_and_those_left_out_again(vault):
    for number in range(45):
        vault.put(f"Daily/{number:02}/note.md", b"x")
    vault.emulator.forget_requests()
    assert len(vault.store.list("Daily")) == 45
    assert len(vault.emulator.requests) < 12
    left_out = {vault.id(f"Daily/{number:02}") for number in (3, 30)}
    forgetful = vault.client.search

    def search(query, **options):
        return [
            item for item in forgetful(query, **options) if " or " not in query or item.parent not in left_out
        ]

    vault.client.search = search
    assert len(vault.store.list("Daily")) == 45


# Names


@pytest.mark.parametrize("name", ["Ben's Vault/What's \\ next.md", "x' or name contains '/n' or 'a.md"])
def test_quotes_and_backslashes_in_names(vault, name):
    vault.store.write(name, b"x", None)
    assert vault.store.read(name).content == vault.get(name) == b"x"
    assert vault.store.list() == tuple(sorted(["_System/MEMORY.md", name]))


def test_names_that_no_path_can_mean_are_left_out(vault):
    for title in ("a/b.md", "..", "tab\there.md", "x" * 300 + ".md"):
        vault.emulator.add_file(title, b"x", vault.root)
    vault.emulator.add_file("inside.md", b"x", vault.emulator.add_folder("In/Out", vault.root))
    assert vault.store.list() == ("_System/MEMORY.md",)
    assert not vault.store.exists("In/Out/inside.md")


def test_a_document_of_google_is_no_note(vault):
    folder = vault.folder(FOLDER)
    title = NOTE.rpartition("/")[2]
    document = vault.emulator.add_file(title, b"", folder)
    vault.emulator._store.get(document).revisions.clear()  # it has no bytes of its own
    with pytest.raises(NoteRefused, match="document of Google's"):
        vault.store.read(NOTE)
    with pytest.raises(NoteRefused):
        vault.store.write(NOTE, b"ours", None)
    assert not vault.store.exists(NOTE)
    assert vault.store.list() == ("_System/MEMORY.md",)


# Several of one name


def test_of_several_with_one_name_the_oldest_is_used_and_the_others_are_left_alone(vault, caplog):
    vault.put(NOTE, b"oldest")
    title = NOTE.rpartition("/")[2]
    folder = vault.id(FOLDER)
    twin = vault.emulator.add_folder("Agents and Plugins", vault.id("_Shared Knowledge"))
    for parent, content in ((folder, b"second"), (twin, b"third")):
        vault.emulator.add_file(title, content, parent, ago=0.0)
    before = vault.emulator.tree(vault.root)
    assert vault.store.read(NOTE).content == b"oldest"
    assert vault.store.list().count(NOTE) == 1
    vault.store.write(NOTE, b"ours", digest(b"oldest"))
    vault.store.read(NOTE)
    after = vault.emulator.tree(vault.root)
    assert vault.get(NOTE) == b"ours"
    assert sorted(map(str, after[NOTE])) == sorted(map(str, [b"ours", b"second", b"third"]))
    assert set(after) == set(before)
    said = [record.message for record in caplog.records]
    assert [sum(name in message for message in said) for name in (title, "Agents and Plugins")] == [1, 1]


def test_of_several_system_folders_the_one_with_the_marker_counts(vault):
    vault.emulator.trash(vault.id("_System"))
    vault.emulator.add_folder("_System", vault.root)
    with pytest.raises(VaultUnavailable):
        vault.store.list()
    vault.emulator.add_file("MEMORY.md", b"here", vault.emulator.add_folder("_System", vault.root))
    assert vault.store.read("_System/MEMORY.md").content == b"here"
    assert vault.store.list() == ("_System/MEMORY.md",)


def test_no_twins_where_lists_lag_behind(vault):
    vault.emulator.lag_lists(7)
    for number in range(3):
        vault.store.write(f"{FOLDER}/{number}.md", b"1", None)
        with pytest.raises(FileChanged):
            vault.new_store().write(f"{FOLDER}/{number}.md", b"1", None)
    for number in range(3):
        vault.store.write(f"{FOLDER}/{number}.md", b"2", vault.store.read(f"{FOLDER}/{number}.md").version)
    assert list(vault.everything().values()).count(b"2") == 3


def test_of_two_notes_made_at_once_the_older_one_stays(vault):
    folder = vault.folder(FOLDER)
    title = NOTE.rpartition("/")[2]
    vault.emulator.before(is_creation, lambda: vault.emulator.add_file(title, b"theirs", folder))
    with pytest.raises(FileChanged, match="somebody else made the note"):
        vault.store.write(NOTE, b"ours", None)
    assert vault.get(NOTE) == b"theirs"
    vault.everything()


@pytest.mark.parametrize("used", [False, True])
def test_of_two_folders_made_at_once_the_older_one_is_used(vault, used):
    def theirs():
        vault.put("Projects/theirs.md", b"theirs")
        vault.emulator._store.get(vault.id("Projects")).created -= 1

    def use_ours():
        for identifier, item in vault.emulator.files.items():
            if item["name"] == "Projects" and identifier != vault.id("Projects"):
                vault.emulator.add_file("quick.md", b"theirs", identifier)

    vault.emulator.before(is_creation, theirs)
    if used:
        vault.emulator.before(lambda request: request.operation == "files.list", use_ours, times=2, skip=1)
    vault.store.write("Projects/ours.md", b"ours", None)
    assert vault.get("Projects/theirs.md") == b"theirs"
    assert vault.get("Projects/ours.md") == b"ours"
    assert isinstance(vault.emulator.tree(vault.root)["Projects"], list) == used


# Trash, shortcuts, shared drives


@pytest.mark.parametrize("thrown_away", ["root", "above", "gone"])
def test_a_vault_in_the_trash_is_unavailable(vault, thrown_away):
    vault.put(NOTE, b"x")
    above = vault.emulator.add_folder("Above")
    vault.emulator.move(vault.root, above)
    assert vault.store.read(NOTE).content == b"x"
    if thrown_away == "gone":
        vault.emulator.delete(vault.root)
    else:
        vault.emulator.trash(vault.root if thrown_away == "root" else above)
    expected = "gone" if thrown_away == "gone" else "in the trash"
    for store in (vault.store, vault.new_store()):
        with pytest.raises(VaultUnavailable, match=expected):
            store.write(NOTE, b"ours", digest(b"x"))
    assert vault.emulator.writes == []


def test_a_note_that_was_thrown_away_a_moment_ago_is_gone(vault):
    vault.put(NOTE, b"x")
    vault.store.read(NOTE)
    note = vault.id(NOTE)
    vault.emulator.before(
        lambda request: request.operation == "files.get", lambda: vault.emulator.trash(note)
    )
    with pytest.raises(FileChanged, match="gone"):
        vault.store.write(NOTE, b"ours", digest(b"x"))
    vault.emulator.untrash(note)
    vault.emulator.before(
        lambda request: request.operation == "files.get", lambda: vault.emulator.delete(note)
    )
    assert vault.store.read(NOTE) is None


def test_a_folder_that_was_thrown_away_a_moment_ago_gets_nothing(vault):
    folder = vault.folder(FOLDER)
    vault.emulator.before(
        lambda request: request.operation == "files.get" and request.file == folder,
        lambda: vault.emulator.trash(folder),
    )
    with pytest.raises(FileChanged, match="folder"):
        vault.store.write(NOTE, b"ours", None)
    vault.store.write(NOTE, b"ours", None)
    assert vault.get(NOTE) == b"ours"


def test_a_folder_that_is_no_vault_is_refused(vault):
    file = vault.put("file.md", b"x")
    with pytest.raises(VaultUnavailable, match="not a folder"):
        vault.new_store(file).list()
    with pytest.raises(VaultUnavailable, match=r"_System/MEMORY\.md is gone"):
        vault.new_store(vault.folder("Plain")).list()


def test_a_vault_may_be_reached_by_a_shortcut(vault):
    store = vault.new_store(vault.emulator.add_shortcut("Vault", vault.root))
    store.write(NOTE, b"ours", None)
    assert vault.get(NOTE) == b"ours"


def test_shortcuts_to_folders_and_notes_are_followed(vault):
    outside = vault.emulator.add_folder("Outside")
    note = vault.emulator.add_file("note.md", b"theirs", outside)
    vault.emulator.add_shortcut("Linked", outside, vault.root)
    vault.emulator.add_shortcut("Single.md", note, vault.root)
    vault.store.write("Linked/deep/new.md", b"ours", None)
    vault.store.write("Single.md", b"ours", vault.store.read("Single.md").version)
    assert vault.emulator.tree(outside) == {"deep": None, "deep/new.md": b"ours", "note.md": b"ours"}
    assert vault.store.list() == ("Linked/deep/new.md", "Linked/note.md", "Single.md", "_System/MEMORY.md")


def test_shortcuts_that_lead_back_or_nowhere_are_not_listed(vault):
    vault.put("Projects/a.md", b"x")
    above = vault.emulator.add_folder("Above")
    vault.emulator.move(vault.root, above)
    outside = vault.emulator.add_folder("Outside")
    gone = vault.emulator.add_file("gone.md", b"x", outside)
    for name, target in {
        "up": vault.root,
        "above": above,
        "out": outside,
        "again": outside,
        "gone.md": gone,
    }.items():
        vault.emulator.add_shortcut(name, target, vault.id("Projects"))
    vault.emulator.add_file("b.md", b"x", outside)
    vault.emulator.add_shortcut("back", vault.id("Projects"), outside)
    vault.emulator.trash(gone)
    listed = vault.store.list()
    assert len(listed) == 3
    assert {"Projects/a.md", "_System/MEMORY.md"} < set(listed)
    for name in ("Projects/gone.md", "Projects/up/Projects/a.md"):
        with pytest.raises(NoteRefused):
            vault.store.read(name)
    assert not vault.store.exists("Projects/gone.md")


def test_shortcuts_to_folders_are_folders(vault):
    vault.put("Old/.obsidian/app.json", b"{}")
    gone = vault.emulator.add_folder("Gone")
    outside = vault.emulator.add_folder("Outside")
    for name, target in {"Linked": outside, "Dead": gone, "Link": vault.id("Old")}.items():
        vault.emulator.add_shortcut(name, target, vault.root)
    vault.emulator.trash(gone)
    assert vault.store.folders() == ("Linked", "_System")


def test_a_shortcut_to_a_folder_that_is_gone_says_so(vault):
    outside = vault.emulator.add_folder("Outside")
    vault.emulator.add_shortcut("Linked", outside, vault.root)
    vault.emulator.delete(outside)
    with pytest.raises(NoteRefused, match=r"Linked: this is a shortcut to what is gone"):
        vault.store.write("Linked/new.md", b"ours", None)
    assert vault.store.list("Linked") == ()


@pytest.mark.parametrize("target", [".obsidian", "Old", "Plain/.hidden"])
def test_shortcuts_to_what_is_left_alone_are_refused(vault, target):
    vault.put("Old/.obsidian/app.json", b"{}")
    there = vault.put(f"{target}/there.md", b"theirs")
    vault.emulator.add_shortcut("Link", vault.id(target), vault.root)
    vault.emulator.add_shortcut("Note.md", there, vault.root)
    before = vault.everything()
    for name in ("Link/there.md", "Link/new.md", "Note.md"):
        with pytest.raises(NoteRefused):
            vault.store.read(name)
        with pytest.raises(NoteRefused):
            vault.store.write(name, b"ours", None)
    assert vault.everything() == before
    assert "Link/there.md" not in vault.store.list()


def test_a_vault_on_a_shared_drive(vault):
    emulator = vault.emulator
    drive = emulator.add_shared_drive("Team")
    vault.root = emulator.add_folder("Vault", drive)
    vault.put("_System/MEMORY.md", b"")
    mine = emulator.add_file("mine.md", b"x", emulator.add_folder("Mine"))
    emulator.add_shortcut("Mine", emulator.get(mine)["parents"][0], vault.root)
    store = vault.new_store(vault.root)
    store.write(NOTE, b"1", None)
    store.write(NOTE, b"2", store.read(NOTE).version)
    assert vault.get(NOTE) == store.read(NOTE).content == b"2"
    assert store.list() == tuple(sorted([NOTE, "_System/MEMORY.md", "Mine/mine.md"]))


def test_a_folder_moved_to_another_drive_is_followed(vault):
    vault.put(NOTE, b"x")
    vault.store.read(NOTE)
    vault.emulator.move(vault.root, vault.emulator.add_shared_drive("Team"))
    assert vault.store.read(NOTE).content == b"x"
    vault.store.write("New/note.md", b"ours", None)
    assert vault.get("New/note.md") == b"ours"


def test_a_folder_of_many_notes_is_listed(vault):
    folder = vault.folder("Daily")
    for number in range(3000):
        vault.emulator.add_file(f"{number}.md", b"", folder)
    assert len(vault.store.list()) == 3001


def test_what_may_be_ours_is_told_without_reading(vault, emulator):
    vault.put("Inbox/Shopping.md", b"milk")
    vault.put("Inbox/My council log.md", b"came by a mount of Drive")
    vault.store.write("Inbox/Log.md", b"# Log\n", None)
    (made,) = (identifier for identifier, file in emulator.files.items() if file["name"] == "Log.md")
    emulator.rename(made, "Renamed.md")
    emulator.forget_requests()
    assert vault.store.may_be_ours() == ("Inbox/My council log.md", "Inbox/Renamed.md")
    assert not any("alt=media" in request.query for request in emulator.requests)
