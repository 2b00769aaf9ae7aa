"""A vault that is a folder: the contract of all stores, and what only folders can do."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from council_vault import files
from council_vault.errors import FileChanged, NoteRefused, VaultUnavailable, WriteFailed
from council_vault.files import Replacer
from council_vault.files.names import short
from council_vault.vault.local import LocalVault
from integration.vault_contract import FOLDER, NOTE, VaultContract
from support.places import as_nobody, dead_mount, make_vault, read_only, small_disk


class LocalPlace:
    """A vault in a folder, from inside and outside."""

    def __init__(self, root: Path, locks: Path) -> None:
        self.root = root
        self.rescued: list[tuple[Path, bytes]] = []
        self.store = LocalVault(
            root, Replacer(locks, lambda path, content: self.rescued.append((path, content)))
        )

    def put(self, name: str, content: bytes) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def get(self, name: str) -> bytes | None:
        return files.read(self.root / name)

    def everything(self) -> dict[str, bytes | None]:
        return {
            str(path.relative_to(self.root)): path.read_bytes() if path.is_file() else None
            for path in self.root.rglob("*")
        }

    def lose_marker(self) -> None:
        shutil.rmtree(self.root / "_System")


@pytest.fixture
def vault(tmp_path):
    place = LocalPlace(make_vault(tmp_path / "Vault"), tmp_path / "locks")
    yield place
    place.store.settle()
    assert not [name for name in place.everything() if name.endswith((".part", ".swap"))]


class TestLocalVault(VaultContract):
    """The contract, on a folder."""


def test_the_place_is_the_resolved_folder(vault, tmp_path):
    (tmp_path / "link").symlink_to(vault.root)
    assert LocalPlace(tmp_path / "link", tmp_path / "locks").store.place == str(vault.root)


# Other writers


def test_a_write_that_had_to_be_taken_back_is_named(vault):
    vault.put(NOTE, b"read")
    vault.put("Other.md", b"read")
    vault.store.write(NOTE, b"ours", vault.store.read(NOTE).version)
    vault.store.write("Other.md", b"ours", vault.store.read("Other.md").version)
    displaced = next((vault.root / FOLDER).glob(".*.swap"))
    try:  # somebody who had the note at hand writes into what we displaced
        writer = os.open(displaced, os.O_WRONLY | os.O_NONBLOCK)
    except BlockingIOError:
        writer = None
    else:
        os.write(writer, b"theirs")
        os.close(writer)
    assert vault.store.settle() == (NOTE,)
    assert vault.get(NOTE) == (b"read" if writer is None else b"theirs")
    assert vault.get("Other.md") == b"ours"
    vault.store.write(NOTE, b"ours", vault.store.read(NOTE).version)
    assert vault.store.settle() == ()
    assert vault.get(NOTE) == b"ours"


def test_what_a_killed_predecessor_left_is_settled_before_the_note_is_read(vault, tmp_path):
    vault.put(NOTE, b"ours")
    parent = (vault.root / NOTE).parent
    read, ours = short(b"read"), short(b"ours")
    swap = parent / f".{Path(NOTE).name}.{read}-{ours}.swap"
    swap.write_bytes(b"theirs, hidden by the kill")
    assert vault.store.read(NOTE).content == b"theirs, hidden by the kill"
    assert not swap.exists()


def test_no_folder_is_made_for_a_note_that_is_gone(vault):
    before = vault.root.stat().st_mtime_ns
    with pytest.raises(FileChanged):
        vault.store.write("Gone/note.md", b"ours", files.digest(b"read"))
    assert vault.root.stat().st_mtime_ns == before


# Links


def test_linked_folders_and_notes_are_followed_and_stay_links(vault, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "note.md").write_bytes(b"theirs")
    (vault.root / "Linked").symlink_to(outside)
    (vault.root / "Single.md").symlink_to(outside / "note.md")
    vault.store.write("Linked/deep/new.md", b"ours", None)
    vault.store.write("Single.md", b"ours", vault.store.read("Single.md").version)
    assert vault.store.settle() == ()
    assert (outside / "deep" / "new.md").read_bytes() == b"ours"
    assert (outside / "note.md").read_bytes() == b"ours"
    assert (vault.root / "Single.md").is_symlink()
    assert vault.store.list() == ("Linked/deep/new.md", "Linked/note.md", "Single.md", "_System/MEMORY.md")


def test_links_that_lead_back_or_nowhere_are_not_listed(vault, tmp_path):
    vault.put("Projects/a.md", b"x")
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    (outside / "inner" / "b.md").touch()
    links = {
        "Projects/up": vault.root,
        "Projects/above": tmp_path,
        "Projects/self": Path("self"),
        "Projects/circle.md": Path("circle.md"),
        "Projects/gone.md": tmp_path / "nowhere.md",
        "Shortcut": vault.root / "Projects",
        "Y outside": outside,
        "A inner": outside / "inner",
        "Z inner": outside / "inner",
    }
    for name, target in links.items():
        (vault.root / name).symlink_to(target)
    (outside / "inner" / "back").symlink_to(vault.root / "Projects")
    (outside / "again").symlink_to(outside)
    assert vault.store.list() == ("Projects/a.md", "Y outside/inner/b.md", "_System/MEMORY.md")


@pytest.mark.parametrize("target", [".obsidian", "Old", ".hidden"])
def test_links_to_what_is_left_alone_are_refused(vault, target):
    vault.put("Old/.obsidian/app.json", b"{}")
    vault.put(f"{target}/there.md", b"theirs")
    (vault.root / "Link").symlink_to(vault.root / target)
    (vault.root / "Note.md").symlink_to(vault.root / target / "there.md")
    before = vault.everything()
    for name in ("Link/there.md", "Link/new.md", "Note.md"):
        with pytest.raises(NoteRefused):
            vault.store.read(name)
        with pytest.raises(NoteRefused):
            vault.store.write(name, b"ours", None)
    assert vault.everything() == before


def test_a_link_to_another_whole_vault_is_refused(vault, tmp_path):
    other = make_vault(tmp_path / "Other vault")
    (vault.root / "Other").symlink_to(other)
    with pytest.raises(NoteRefused, match="a vault inside the vault"):
        vault.store.write("Other/new.md", b"ours", None)
    assert vault.store.list() == ("_System/MEMORY.md",)


def test_names_that_are_no_unicode_are_not_listed(vault):
    (Path(os.fsdecode(os.fsencode(vault.root) + b"/caf\xe9.md"))).touch()
    (Path(os.fsdecode(os.fsencode(vault.root) + b"/dir\xe9"))).mkdir()
    assert vault.store.list() == ("_System/MEMORY.md",)


def test_ten_thousand_notes_are_listed(vault):
    for number in range(100):
        folder = vault.root / "Daily" / f"{number:03}"
        folder.mkdir(parents=True)
        for other in range(100):
            (folder / f"{other:03}.md").touch()
    assert len(vault.store.list()) == 10_001


# Disks and rights


def test_an_unmounted_vault_gets_nothing(tmp_path):
    mount = tmp_path / "mount"
    with small_disk(mount):
        place = LocalPlace(make_vault(mount), tmp_path / "locks")
        place.store.write("A.md", b"x", None)
        place.store.settle()
        version = place.store.read("A.md").version
    for attempt in (
        lambda: place.store.write(NOTE, b"ours", None),
        lambda: place.store.write("A.md", b"ours", version),
        lambda: place.store.read("A.md"),
        place.store.list,
    ):
        with pytest.raises(VaultUnavailable, match=r"_System/MEMORY\.md is gone"):
            attempt()
    assert list(mount.iterdir()) == []


def test_a_vault_whose_folder_is_gone_is_not_made_again(vault):
    shutil.rmtree(vault.root)
    with pytest.raises(VaultUnavailable, match="there is no such folder"):
        vault.store.write(NOTE, b"ours", None)
    assert not vault.root.exists()


def test_a_vault_on_a_dead_mount_is_unavailable(tmp_path):
    mount = tmp_path / "mount"
    with dead_mount(mount):
        store = LocalPlace(mount, tmp_path / "locks").store
        for attempt in (
            store.list,
            lambda: store.read(NOTE),
            lambda: store.exists(NOTE),
            lambda: store.write(NOTE, b"ours", None),
        ):
            with pytest.raises(VaultUnavailable, match="lost its connection"):
                attempt()


def test_a_full_disk_leaves_the_note_as_it_was_and_no_litter(tmp_path):
    with small_disk(tmp_path / "disk", 128) as disk:
        place = LocalPlace(make_vault(disk), tmp_path / "locks")
        place.store.write(NOTE, b"before", None)
        place.store.settle()
        before = place.everything()
        with pytest.raises(WriteFailed, match=r"council-deliberation-log\.md.*no space left.*Make room"):
            place.store.write(NOTE, b"x" * 200_000, place.store.read(NOTE).version)
        with pytest.raises(WriteFailed):
            place.store.write("New folder/deep/note.md", b"x" * 200_000, None)
        assert place.store.settle() == ()
        assert place.everything() == before


def test_a_read_only_disk_is_said_and_still_read(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        place = LocalPlace(make_vault(disk), tmp_path / "locks")
        place.put(NOTE, b"before")
        with read_only(disk):
            note = place.store.read(NOTE)
            with pytest.raises(WriteFailed, match=r"council-deliberation-log\.md: "):
                place.store.write(NOTE, b"ours", note.version)
            with pytest.raises(WriteFailed, match=r"New: the folder cannot be made: read-only"):
                place.store.write("New/note.md", b"ours", None)
            assert place.store.settle() == ()
        assert place.get(NOTE) == b"before"


def test_notes_and_folders_without_rights_are_named():
    with as_nobody() as folder:
        place = LocalPlace(make_vault(folder / "Vault"), folder / "locks")
        place.put("Closed.md", b"theirs")
        place.put("Shut/note.md", b"theirs")
        place.put("Open/note.md", b"theirs")
        (place.root / "Closed.md").chmod(0)
        (place.root / "Shut").chmod(0)
        (place.root / "Open").chmod(0o500)
        try:
            with pytest.raises(WriteFailed, match=r"Closed\.md: it cannot be read"):
                place.store.read("Closed.md")
            with pytest.raises(WriteFailed, match=r"Open/new\.md: .*permission denied"):
                place.store.write("Open/new.md", b"ours", None)
            for attempt in (place.store.read, place.store.exists):
                with pytest.raises(WriteFailed, match=r"Shut/note\.md: it cannot be looked at"):
                    attempt("Shut/note.md")
            assert place.store.list() == ("Closed.md", "Open/note.md", "_System/MEMORY.md")
        finally:
            (place.root / "Shut").chmod(0o700)
            (place.root / "Open").chmod(0o700)


def test_a_vault_whose_marker_may_not_be_seen_is_unavailable():
    with as_nobody() as folder:
        place = LocalPlace(make_vault(folder / "Vault"), folder / "locks")
        (place.root / "_System").chmod(0)
        try:
            with pytest.raises(VaultUnavailable, match="it may not be read"):
                place.store.write(NOTE, b"ours", None)
        finally:
            (place.root / "_System").chmod(0o700)
        assert set(place.everything()) == {"_System", "_System/MEMORY.md"}


@pytest.mark.parametrize("linked", [False, True])
def test_a_list_that_would_not_be_whole_is_not_given(vault, tmp_path, linked):
    vault.put("A.md", b"x")
    mount = tmp_path / "mounted" if linked else vault.root / "mounted"
    if linked:
        (vault.root / "link").symlink_to(mount)
    with dead_mount(mount), pytest.raises(VaultUnavailable, match=r"cannot be listed.*lost"):
        vault.store.list()


def test_a_folder_somebody_used_meanwhile_is_kept(vault):
    class Rude(Replacer):
        """Somebody puts a file into the new folder, and then the write fails."""

        def replace(self, path, _data, _expected):
            (path.parent / "theirs.txt").touch()
            raise WriteFailed("the write failed", where=path)

    store = LocalVault(vault.root, Rude(vault.root.parent / "locks", lambda *_: None))
    with pytest.raises(WriteFailed, match="the write failed"):
        store.write("New/deep/note.md", b"ours", None)
    assert (vault.root / "New" / "deep" / "theirs.txt").exists()
