"""Whatever a vault looks like, its notes are listed once, and what is listed can be read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.files import Replacer
from council_vault.vault.local import LocalVault
from support.places import make_vault

NAMES = ("a", "B", "ä", "c d")
KINDS = ("folder", "note", "link", "link out", ".obsidian", "_System", ".dot")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(KINDS), st.integers(0, 20), st.integers(0, 20), st.sampled_from(NAMES)),
        max_size=25,
    )
)
def test_every_listed_note_is_listed_once_and_can_be_read(plan):
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary).resolve()
        root = make_vault(base / "Vault")
        outside = base / "outside"
        (outside / "deep").mkdir(parents=True)
        (outside / "deep" / "far.md").write_bytes(b"outside/deep/far.md")
        _grow(root, [outside, outside / "deep", base], plan)
        store = LocalVault(root, Replacer(base / "locks", lambda *_: None))

        listed = store.list()

        assert "_System/MEMORY.md" in listed
        assert len({os.path.realpath(root / name) for name in listed}) == len(listed)
        for name in listed:
            note = store.read(name)
            assert note.content == (root / name).read_bytes()
            assert store.exists(name)
            assert not any(part.startswith(".") for part in name.split("/"))
        missing = {str(path.relative_to(root)) for path in _plain_notes(root)} - set(listed)
        assert not missing


def _grow(root: Path, outside: list[Path], plan: list[tuple[str, int, int, str]]) -> None:
    folders = [root]
    for kind, where, other, name in plan:
        parent = folders[where % len(folders)]
        try:
            if kind in {"folder", ".dot"}:
                folder = parent / (name if kind == "folder" else f".{name}")
                folder.mkdir()
                folders.append(folder)
            elif kind == "note":
                (parent / f"{name}.md").write_text(f"{parent}/{name}")
            elif kind == "link":
                (parent / f"to {name}").symlink_to(folders[other % len(folders)])
            elif kind == "link out":
                (parent / f"out {name}").symlink_to(outside[other % len(outside)])
            elif parent != root:
                make_vault(parent, obsidian=kind == ".obsidian")
        except FileExistsError:
            continue


def _plain_notes(folder: Path) -> list[Path]:
    """The notes that are reached without links, dot-folders and inner vaults."""
    found = []
    for path in folder.iterdir():
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            if not (path / ".obsidian").exists() and not (path / "_System" / "MEMORY.md").exists():
                found += _plain_notes(path)
        elif path.suffix == ".md":
            found.append(path)
    return found
