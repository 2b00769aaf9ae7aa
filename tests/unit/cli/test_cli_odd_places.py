"""Whatever stands where a file or a folder was expected: the answer is text, never a traceback."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from support.council_files import conversation
from support.deliberations import deliberation
from support.memory_files import record
from support.program import FOLDER, LOG

LOOKING = {
    "status": ("status",),
    "dry run": ("sync-vault", "--dry-run", "--json"),
    "doctor": ("doctor",),
    "discover": ("discover",),
    "config show": ("config", "show"),
}
CHANGING = {
    "sync-vault": ("sync-vault",),
    "repair": ("doctor", "--repair"),
    "restore": ("restore",),
    "restore a note": ("restore", "--note", "log"),
    "init": ("init", "--yes"),
    "config set": ("config", "set", "notes.visible_rows", "20"),
}
LEARNING = {
    "log": ("log", "given.json"),
    "rate": ("rate", "great"),
    "stats": ("stats",),
    "rebuild": ("rebuild-router",),
    "reset": ("reset-router", "--yes"),
    "route": ("route", "Plan a week of dinners for four people"),
    "experiment": ("log-experiment", "experiment.json"),
    "import": ("import", "llm-council", "council.json"),
}
BEGINNING = ("log", "experiment", "import")  # they make a memory file where there is none
ODD = {
    "a folder": lambda path: path.mkdir(),
    "a folder with files": lambda path: shutil.copytree(Path(__file__).parent, path),
    "a pipe": os.mkfifo,
    "a link to nothing": lambda path: path.symlink_to(path.with_name("nowhere")),
    "a link to itself": lambda path: path.symlink_to(path),
    "a device": lambda path: path.symlink_to("/dev/null"),
    "nothing": lambda _path: None,
    "an empty file": lambda path: path.touch(),
    "zeros": lambda path: path.write_bytes(bytes(100)),
    "half a text": lambda path: path.write_bytes(b'{"deliberations": [{"id": "d_2026'),
    "no text": lambda path: path.write_bytes(b"\xff\xfe\x00[\xd8" * 20),
    "a number": lambda path: path.write_bytes(b"12"),
    "a deep hole": lambda path: path.write_bytes(b"[" * 100_000),
}
NO_CONTENT = ("a folder with files", "a pipe", "a link to nothing", "a link to itself", "nothing", "zeros")


@pytest.fixture
def settled(program):
    """The program after one sync of three records."""
    program.make_vault()
    program.write_memory(*(record(number) for number in (1, 2, 3)))
    assert program("sync-vault").code == 0
    return program


def put(path: Path, odd: str) -> None:
    """Put something odd where a path leads, a while ago."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    ODD[odd](path)
    if path.is_file() and not path.is_symlink():
        os.utime(path, (1e9, 1e9))


def assert_said(ran) -> None:
    """Make sure that it ended in text; an error that nobody has put into words ends the test by itself."""
    assert ran.code in range(5), ran
    if ran.code:
        assert ran.err or ran.out


@pytest.mark.parametrize("odd", ODD)
def test_in_place_of_the_memory_file(settled, odd):
    for command in (LOOKING | CHANGING).values():
        put(settled.memory, odd)
        before = settled.memory.read_bytes() if settled.memory.is_file() else None
        ran = settled(*command)
        assert_said(ran)
        if command == ("restore",) and ran.code == 0:
            assert settled.parsed()["deliberations"]
            continue
        if before is not None:
            assert settled.memory.read_bytes() == before
        if command[0] in {"status", "sync-vault", "doctor"} or command == ("restore",):
            assert ran.code in {1, 4}
            assert "council-memory.json" in ran.err


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", LEARNING)
def test_what_learns_says_that_the_memory_file_cannot_be_read(settled, name, odd):
    Path("given.json").write_text(json.dumps(deliberation()))
    Path("council.json").write_text(json.dumps(conversation()))
    experiment = {"decision": "keep", "variable_modified": "x", "modification_type": "sharpen"}
    rates = {"baseline_pass_rate": 0.5, "modified_pass_rate": 0.6}
    Path("experiment.json").write_text(json.dumps(experiment | rates))
    put(settled.memory, odd)
    ran = settled(*LEARNING[name])
    if odd in {"nothing", "a link to nothing"} and name in {*BEGINNING, "route"}:
        assert ran.code == 0
        assert settled.memory.is_file() == (name in BEGINNING)
    else:
        assert ran.code == 4
        assert "council-memory.json" in ran.err


@pytest.mark.parametrize("odd", [odd for odd in ODD if odd != "a pipe"])
def test_in_place_of_the_settings(settled, odd):
    understood = odd in {"a link to nothing", "a device", "nothing", "an empty file"}
    for command in (LOOKING | CHANGING).values():
        put(settled.config, odd)
        ran = settled(*command)
        assert_said(ran)
        if not understood:
            assert ran.code in {1, 2}
            assert "config.toml" in ran.err


@pytest.mark.parametrize("odd", NO_CONTENT)
@pytest.mark.parametrize("place", ["", "_System", FOLDER, LOG])
def test_in_place_of_the_vault_and_what_is_in_it(settled, odd, place):
    untouched = settled.memory.read_bytes()
    for command in LOOKING.values():
        put(settled.vault / place, odd)
        assert_said(settled(*command))
    assert settled.memory.read_bytes() == untouched
    for command in ("sync-vault", "restore a note"):
        put(settled.vault / place, odd)
        assert_said(settled(*CHANGING[command]))


@pytest.mark.parametrize("odd", NO_CONTENT)
@pytest.mark.parametrize("place", ["locks", "state.sqlite", "snapshots", "snapshots/index.json", "rescued"])
def test_in_place_of_what_is_kept(settled, odd, place):
    (kept,) = (path for path in settled.states.iterdir() if path.name.startswith("workspace-"))
    folder = settled.states if place == "locks" else kept
    for command in ("sync-vault", "restore", "restore a note"):
        put(folder / place, odd)
        assert_said(settled(*CHANGING[command]))
    for command in ("status", "doctor"):
        put(folder / place, odd)
        assert_said(settled(*LOOKING[command]))


def test_in_folders_whose_names_are_no_text(program):
    program.make_vault()
    for name in ("workspace", "vault"):
        odd = program.base / f"{name} \udce9"
        getattr(program, name).rename(odd)
        setattr(program, name, odd)
    program.memory = program.workspace / "council-memory.json"
    program.write_memory(record(1), record(1))
    named = ("--workspace", program.workspace, "--vault", program.vault)
    assert program(*named, "sync-vault").code == 0
    assert "d_20260328_001" in program.log()
    for command in (LOOKING | CHANGING).values():
        assert_said(program(*named, *command))
    shown = program(*named, "status", "--json").json
    assert (shown["memory"], shown["vault"]) == (str(program.memory), str(program.vault))
    assert shown["pending"] == ["d_20260328_002"]
    ran = program("config", "set", "vault.path", program.vault)
    assert ran.code == 2
    assert "a settings file can only hold Unicode" in ran.err


@pytest.mark.parametrize(
    "folder", ["..", "notes/../..", "/notes", "C:\\notes", ".obsidian", "notes/.trash", "a\nb", "x" * 300]
)
def test_a_folder_for_notes_that_no_note_can_be_in_is_a_wrong_setting(program, folder):
    program.make_vault()
    program.write_memory(record(1))
    program("config", "set", "vault.folder", folder)
    for command in ("sync-vault", "status", "daemon", "doctor"):
        ran = program(command)
        assert ran.code == 2
        assert ran.err.startswith(f"council-vault: vault.folder is {folder!r}, where no note can be: ")
    assert program("config", "set", "vault.folder", "notes").code == 0
    assert program("sync-vault").code == 0
