"""What every vault store must do: one suite, inherited by a test class per store.

A subclass gives the fixture ``vault``, a `Place`: the store under test, and the same vault seen from outside.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Protocol

import pytest

from council_vault.errors import FileChanged, NoteRefused, VaultUnavailable
from council_vault.files import digest

if TYPE_CHECKING:
    from council_vault.vault.store import VaultStore

FOLDER = "_Shared Knowledge/Agents and Plugins"
NOTE = f"{FOLDER}/council-deliberation-log.md"

REFUSED = [
    "../outside.md",
    "Projects/../../outside.md",
    "/etc/outside.md",
    ".obsidian/plugin.md",
    "Projects/.hidden/note.md",
    ".note.md",
    "",
    "nul\0byte.md",
    "Old/vault/note.md",
    f"{FOLDER}/council-deliberation-log (conflicted copy 2026-03-28).md",
    f"{FOLDER}/council-deliberation-log.sync-conflict-20260328-101010-ABC.md",
    f"{FOLDER}/council-deliberation-log (1).md",
]


class Place(Protocol):
    """A store, and what other programs do to the same vault."""

    store: VaultStore

    def put(self, name: str, content: bytes) -> None:
        """Write a file as another program does."""

    def get(self, name: str) -> bytes | None:
        """Return a file's bytes."""

    def everything(self) -> dict[str, bytes | None]:
        """Return all files and folders with their bytes; folders are ``None``."""

    def lose_marker(self) -> None:
        """Take away what shows that this is a vault."""


class VaultContract:
    """The suite."""

    # Reading and writing

    def test_a_note_that_does_not_exist_is_none(self, vault):
        assert vault.store.read(NOTE) is None
        assert not vault.store.exists(NOTE)

    def test_a_note_is_created_with_its_folders_and_read_back(self, vault):
        vault.store.write(NOTE, b"# Log\n", None)
        assert vault.store.settle() == ()
        note = vault.store.read(NOTE)
        assert note.content == vault.get(NOTE) == b"# Log\n"
        assert vault.store.exists(NOTE)

    def test_all_notes_in_a_folder_are_glanced_at_as_each_of_them_is(self, vault):
        names = [f"{FOLDER}/Council Records/2026 Q{number}/d_2026010{number}_001.md" for number in (1, 2)]
        for name in (NOTE, *names):
            vault.store.write(name, b"# " + name.encode(), None)
        vault.store.settle()
        seen = vault.store.glances(f"{FOLDER}/Council Records")
        assert sorted(seen) == names
        assert {name: glance.mark for name, glance in seen.items()} == {
            name: vault.store.glance(name).mark for name in names
        }
        assert all(glance.at == vault.store.glance(name).at for name, glance in seen.items())
        assert sorted(vault.store.glances()) == list(vault.store.list())
        assert vault.store.glances("Nowhere") == {}

    def test_only_what_was_written_is_glanced_at_otherwise(self, vault):
        names = [f"{FOLDER}/one.md", f"{FOLDER}/two.md"]
        for name in names:
            vault.store.write(name, b"# One", None)
        vault.store.settle()
        before = vault.store.glances(FOLDER)
        vault.put(names[0], b"# Other")
        after = vault.store.glances(FOLDER)
        assert [name for name in names if after[name].mark != before[name].mark] == [names[0]]

    def test_only_the_note_is_written(self, vault):
        before = vault.everything()
        vault.store.write(NOTE, b"# Log\n", None)
        vault.store.settle()
        after = vault.everything()
        folders = {"_Shared Knowledge": None, FOLDER: None}
        assert after == {**before, **folders, NOTE: b"# Log\n"}

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\xef\xbb\xbf# BOM\r\n\r\n",
            b"no newline",
            b"\x00\xff binary",
            "é 🏛 \u2028".encode(),
            b"x" * 5_000_000,
        ],
        ids=["empty", "bom-crlf", "bare", "binary", "unicode", "5-megabytes"],
    )
    def test_bytes_stay_as_they_are(self, vault, content):
        vault.store.write(NOTE, b"before", None)
        vault.store.settle()
        vault.store.write(NOTE, content, vault.store.read(NOTE).version)
        vault.store.settle()
        assert vault.store.read(NOTE).content == vault.get(NOTE) == content

    def test_versions_are_equal_exactly_when_bytes_are(self, vault):
        vault.put("A.md", b"same")
        vault.put("B.md", b"same")
        first, second = vault.store.read("A.md"), vault.store.read("B.md")
        assert first == vault.store.read("A.md")
        vault.put("A.md", b"diff")
        assert vault.store.read("A.md").version != first.version == second.version == digest(b"same")

    def test_a_glance_tells_when_a_note_may_have_changed_and_how_long_ago(self, vault):
        assert vault.store.glance(NOTE) is None
        vault.put(NOTE, b"same size 1")
        first = vault.store.glance(NOTE)
        assert -1 < first.age < 60
        vault.store.read(NOTE)
        assert vault.store.glance(NOTE).mark == first.mark
        vault.put(NOTE, b"same size 2")
        assert vault.store.glance(NOTE).mark != first.mark

    @pytest.mark.parametrize(
        "name",
        [
            "Träume & Pläne/Größe ☂.md",
            "日本/東京.md",
            "Ben O'Hara.md",
            "a 'b' \"c\" $(d).md",
            "x" * 200 + ".md",
        ],
    )
    def test_names_of_every_kind(self, vault, name):
        vault.store.write(name, b"x", None)
        vault.store.settle()
        assert vault.store.read(name).content == vault.get(name) == b"x"
        assert vault.store.list() == tuple(sorted(["_System/MEMORY.md", name]))

    # Conditions

    def test_creation_never_overwrites(self, vault):
        vault.put(NOTE, b"theirs")
        with pytest.raises(FileChanged):
            vault.store.write(NOTE, b"ours", None)
        assert vault.store.settle() == ()
        assert vault.get(NOTE) == b"theirs"

    def test_a_version_that_is_gone_is_not_overwritten(self, vault):
        vault.put(NOTE, b"one")
        read = vault.store.read(NOTE)
        vault.put(NOTE, b"two")
        with pytest.raises(FileChanged):
            vault.store.write(NOTE, b"ours", read.version)
        assert vault.store.settle() == ()
        assert vault.get(NOTE) == b"two"

    def test_a_note_that_is_gone_is_not_made_again(self, vault):
        before = vault.everything()
        with pytest.raises(FileChanged):
            vault.store.write(NOTE, b"ours", "0" * 64)
        with pytest.raises(FileChanged):
            vault.store.write("Top.md", b"ours", "0" * 64)
        vault.store.settle()
        assert vault.everything() == before

    def test_a_change_in_between_is_read_and_merged_again(self, vault):
        vault.put(NOTE, b"theirs 1\n")
        others = iter([b"theirs 1\ntheirs 2\n", b"theirs 1\ntheirs 2\ntheirs 3\n"])
        attempts = 0
        while True:
            attempts += 1
            note = vault.store.read(NOTE)
            if change := next(others, None):
                vault.put(NOTE, change)
            try:
                vault.store.write(NOTE, note.content + b"ours\n", note.version)
            except FileChanged:
                continue
            if not vault.store.settle():
                break
        assert attempts == 3
        assert vault.get(NOTE) == b"theirs 1\ntheirs 2\ntheirs 3\nours\n"

    def test_several_notes_settle_together(self, vault):
        names = [f"{FOLDER}/{number}.md" for number in range(3)]
        for name in names:
            vault.store.write(name, b"1", None)
        assert vault.store.settle() == ()
        for name in names:
            vault.store.write(name, b"2", vault.store.read(name).version)
        assert vault.store.settle() == ()
        assert vault.store.settle() == ()
        assert [vault.get(name) for name in names] == [b"2"] * 3

    def test_a_note_can_be_written_twice_before_it_settles(self, vault):
        vault.store.write(NOTE, b"1", None)
        vault.store.write(NOTE, b"2", vault.store.read(NOTE).version)
        assert vault.store.settle() == ()
        assert vault.get(NOTE) == b"2"

    # What is left alone

    @pytest.mark.parametrize("name", REFUSED)
    def test_what_is_not_a_note_of_this_vault_is_refused(self, vault, name):
        vault.put("Old/vault/.obsidian/app.json", b"{}")
        vault.put("Old/vault/note.md", b"theirs")
        for copy in REFUSED[-3:]:
            vault.put(copy, b"theirs")
        before = vault.everything()
        with pytest.raises(NoteRefused):
            vault.store.read(name)
        for expected in (None, "0" * 64):
            with pytest.raises(NoteRefused):
                vault.store.write(name, b"ours", expected)
        assert vault.store.settle() == ()
        assert vault.everything() == before

    def test_the_settings_of_obsidian_are_read_and_never_written(self, vault):
        assert vault.store.read(".obsidian/app.json") is None
        vault.put(".obsidian/app.json", b'{"useMarkdownLinks": true}')
        note = vault.store.read(".obsidian/app.json")
        assert note.content == b'{"useMarkdownLinks": true}'
        with pytest.raises(NoteRefused):
            vault.store.write(".obsidian/app.json", b"{}", note.version)

    def test_a_folder_in_a_notes_place_is_refused(self, vault):
        vault.put(f"{NOTE}/inside.md", b"theirs")
        before = vault.everything()
        with pytest.raises(NoteRefused, match=r"council-deliberation-log\.md: this is a folder"):
            vault.store.read(NOTE)
        with pytest.raises(NoteRefused, match="this is a folder"):
            vault.store.write(NOTE, b"ours", None)
        assert not vault.store.exists(NOTE)
        assert vault.everything() == before

    # Names that look alike

    @pytest.mark.parametrize("other", ["Council-Deliberation-LOG.md", "council-deliberation-log.MD"])
    def test_a_note_that_differs_in_case_is_the_same_note(self, vault, other):
        vault.put(f"{FOLDER}/{other}", b"theirs")
        note = vault.store.read(NOTE)
        assert note.content == b"theirs"
        assert vault.store.exists(NOTE)
        with pytest.raises(FileChanged):
            vault.store.write(NOTE, b"ours", None)
        vault.store.write(NOTE, b"ours", note.version)
        assert vault.store.settle() == ()
        assert vault.get(f"{FOLDER}/{other}") == b"ours"
        assert vault.store.list() == (f"{FOLDER}/{other}", "_System/MEMORY.md")

    @pytest.mark.parametrize(("asked", "there"), [("NFC", "NFD"), ("NFD", "NFC")])
    def test_a_folder_in_the_other_unicode_form_is_the_same_folder(self, vault, asked, there):
        vault.put(unicodedata.normalize(there, "Pläne/Café/Alt.md"), b"x")
        name = unicodedata.normalize(asked, "Pläne/Café/Neu.md")
        vault.store.write(name, b"new", None)
        vault.store.settle()
        assert vault.get(unicodedata.normalize(there, "Pläne/Café/") + "Neu.md") == b"new"
        assert len(vault.store.list(unicodedata.normalize(asked, "Pläne"))) == 2

    def test_the_exact_name_comes_first(self, vault):
        vault.put("log.md", b"exact")
        vault.put("LOG.md", b"loud")
        assert vault.store.read("log.md").content == b"exact"
        assert vault.store.read("LOG.md").content == b"loud"
        assert vault.store.read("Log.md").content in {b"exact", b"loud"}

    # Listing

    def test_notes_are_listed_without_what_is_hidden_or_another_vault(self, vault):
        notes = [
            "Home.md",
            "Projects/Tidewatch/Tidewatch.md",
            "Projects/LOUD.MD",
            "People/Tomás.md",
            f"{FOLDER}/council-deliberation-log (conflicted copy 2026-03-28).md",
        ]
        others = [
            "Projects/picture.png",
            "Projects/plan.canvas",
            ".trash/Gone.md",
            ".obsidian/plugins/x/README.md",
            "Projects/.git/note.md",
            "Old/vault/.obsidian/app.json",
            "Old/vault/Inside.md",
            "Old/second/_System/MEMORY.md",
            "Old/second/deep/Inside.md",
        ]
        for name in notes + others:
            vault.put(name, b"x")
        assert vault.store.list() == tuple(sorted([*notes, "_System/MEMORY.md"]))
        assert vault.store.list("Projects") == ("Projects/LOUD.MD", "Projects/Tidewatch/Tidewatch.md")
        assert vault.store.list("Projects/Tidewatch/") == ("Projects/Tidewatch/Tidewatch.md",)
        assert vault.store.list("Nowhere") == vault.store.list("Home.md") == ()
        with pytest.raises(NoteRefused):
            vault.store.list(".trash")

    def test_folders_are_listed_without_what_is_hidden_or_another_vault(self, vault):
        for name in (
            "Projects/Tidewatch/deep/Note.md",
            "Projects/Boathouse/picture.png",
            "Projects/Note.md",
            "Projects/.git/note.md",
            "Projects/Old/.obsidian/app.json",
            "Projects/Older/_System/MEMORY.md",
        ):
            vault.put(name, b"x")
        assert vault.store.folders("Projects") == ("Projects/Boathouse", "Projects/Tidewatch")
        assert vault.store.folders("PROJECTS/tidewatch") == ("Projects/Tidewatch/deep",)
        assert vault.store.folders() == ("Projects", "_System")
        assert vault.store.folders("Projects/Tidewatch/deep") == vault.store.folders("Projects/Old") == ()
        assert vault.store.folders("Nowhere") == vault.store.folders("Projects/Note.md") == ()
        with pytest.raises(NoteRefused):
            vault.store.folders(".git")

    # Where the vault is gone

    def test_nothing_is_made_where_the_vault_is_gone(self, vault):
        vault.put("Top.md", b"theirs")
        version = vault.store.read("Top.md").version
        vault.lose_marker()
        before = vault.everything()
        for attempt in (
            lambda: vault.store.write(NOTE, b"ours", None),
            lambda: vault.store.write("Top.md", b"ours", version),
            lambda: vault.store.read(NOTE),
            lambda: vault.store.glance(NOTE),
            lambda: vault.store.exists(NOTE),
            vault.store.list,
            vault.store.folders,
        ):
            with pytest.raises(VaultUnavailable):
                attempt()
        assert vault.store.settle() == ()
        assert vault.everything() == before

    def test_the_place_is_named(self, vault):
        assert vault.store.place
