"""Records of decisions in a vault: written once, beside whatever stands there, and told in an index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import frontmatter as reader
import pytest

import council_vault
from council_vault.errors import FileChanged, InputError, MemoryUnreadable, VaultUnavailable, WriteFailed
from council_vault.notes import frontmatter
from council_vault.notes.decision_input import read_decision
from council_vault.operations.decision import write_decision
from council_vault.vault.local import LocalVault
from support.memory_files import dump
from support.syncing import FOLDER, contents_below, records

ID = "d_20260328_001"
PROJECT = "Projects/Boats"
KNOWLEDGE = f"{PROJECT}/11-Knowledge"
INDEX = b"# Boats\n\n## Decisions\n\n- one\n\n## Else\n"


def put(road, name, content=b"x\n"):
    path = road.vault / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture
def boats(road):
    """A project with an index."""
    return put(road, f"{PROJECT}/Boats.md", INDEX)


def decide(road, title="Buy it?", number=1, **fields):
    given = {"deliberation_id": f"d_20260328_{number:03d}", "title": title} | fields
    return write_decision(road.workspace(), read_decision(given))


def note_of(road, decided):
    return (road.vault / decided.name).read_text("utf-8")


# Where it stands


def test_in_the_projects_folder(road, boats):
    decided = decide(road, project="Boats")
    assert decided.name == f"{KNOWLEDGE}/DR-001-council-buy-it.md"
    assert (decided.vault, decided.written, decided.index) == (str(road.vault), True, f"{PROJECT}/Boats.md")
    assert decided.problems == ()
    properties = reader.loads(note_of(road, decided)).metadata
    assert properties["project"] == "Boats"
    assert properties["title"] == "DR-001: Buy it?"
    assert properties["participants"]
    assert properties["council_memory"] == "m-20260301T000000Z"
    frontmatter.validate(note_of(road, decided))


def test_beside_the_councils_notes_where_there_is_no_project(road):
    decided = decide(road)
    assert decided.name == f"{FOLDER}/council-decision-buy-it-2026-03-28.md"
    assert (decided.written, decided.index, decided.problems) == (True, None, ())
    assert reader.loads(note_of(road, decided)).metadata["project"] is None


def test_a_project_that_has_no_folder_is_said(road, boats):
    decided = decide(road, project="Planes")
    assert decided.name.startswith(f"{FOLDER}/council-decision-")
    assert decided.problems == (
        "Projects has no folder of that project, so the record is where the council's notes are",
    )
    assert reader.loads(note_of(road, decided)).metadata["project"] == "Planes"
    assert not (road.vault / "Projects/Planes").exists()
    assert boats.read_bytes() == INDEX


def test_a_folder_with_nothing_in_it_is_a_project(road):
    (road.vault / PROJECT).mkdir(parents=True)
    decided = decide(road, project="boats")
    assert decided.name.startswith(f"{KNOWLEDGE}/DR-001-")
    assert decided.problems == (
        f"No line on it was added: {PROJECT} has no index note, such as Boats.md or Index.md",
    )


@pytest.mark.parametrize(
    "project", ["BOATS", " boats ", "[[Boats]]", "[[Projects/Boats/Boats|Boats]]", "**Boats**"]
)
def test_a_project_by_another_spelling(road, boats, project):
    decided = decide(road, project=project)
    assert decided.name.startswith(KNOWLEDGE)
    assert reader.loads(note_of(road, decided)).metadata["project"] == "Boats"


def test_a_project_in_the_other_unicode_form(road):
    put(road, unicodedata.normalize("NFD", "projects/Café/Café.md"), INDEX)
    decided = decide(road, project=unicodedata.normalize("NFC", "CAFÉ"))
    assert unicodedata.normalize("NFC", decided.name).startswith("projects/Café/11-Knowledge/DR-001-")
    assert (road.vault / decided.name).exists()
    assert decided.index is not None
    assert [path.name for path in road.vault.iterdir() if path.name.casefold() == "projects"] == ["projects"]


def test_the_number_is_the_next_one(road, boats):
    put(road, f"{PROJECT}/11-knowledge/DR-041 Old.md")
    put(road, f"{PROJECT}/11-knowledge/dr-7.md")
    put(road, f"{PROJECT}/DR-099 elsewhere.md")
    assert decide(road, project="Boats").name == f"{PROJECT}/11-knowledge/DR-042-council-buy-it.md"
    assert decide(road, number=2, project="Boats").name == f"{PROJECT}/11-knowledge/DR-043-council-buy-it.md"


def test_another_note_of_that_name_is_left_alone(road):
    standing = put(road, f"{FOLDER}/council-decision-buy-it-2026-03-28.md", b"mine\n")
    decided = decide(road)
    assert decided.name == f"{FOLDER}/council-decision-buy-it-2026-03-28-2.md"
    assert standing.read_bytes() == b"mine\n"
    assert decide(road, number=2).name.endswith("-3.md")


def test_one_who_is_quicker_is_not_written_over(road, boats, monkeypatch):
    """The name is free when it is chosen, and taken when it is written to."""
    write = LocalVault.write

    def slow(self, name, content, expected):
        if expected is None and "DR-001" in name:
            put(road, name, b"quicker\n")
        write(self, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", slow)
    assert decide(road, project="Boats").name == f"{KNOWLEDGE}/DR-002-council-buy-it.md"
    assert (road.vault / KNOWLEDGE / "DR-001-council-buy-it.md").read_bytes() == b"quicker\n"


def test_a_write_that_is_taken_back_is_made_again(road, monkeypatch):
    settle = LocalVault.settle
    taken = []

    def once(self):
        names = (*self._written.values(),)
        settle(self)
        if taken or not names:
            return ()
        taken.extend(names)
        return names

    monkeypatch.setattr(LocalVault, "settle", once)
    assert decide(road).name.endswith("-2026-03-28-2.md")
    assert taken == [f"{FOLDER}/council-decision-buy-it-2026-03-28.md"]


def test_where_every_name_is_taken(road, monkeypatch):
    def taken(*_):
        raise FileChanged("it is there")

    monkeypatch.setattr(LocalVault, "write", taken)
    with pytest.raises(WriteFailed, match="every name for the record is taken"):
        decide(road)


# Once


def test_a_second_call_says_where_it_is_and_writes_nothing(road, boats):
    first = decide(road, project="Boats")
    before = {path: path.stat().st_mtime_ns for path in road.vault.rglob("*")}
    again = decide(road, "Another title", project="Boats", rationale="More")
    assert (again.name, again.written, again.index, again.problems) == (first.name, False, None, ())
    assert {path: path.stat().st_mtime_ns for path in road.vault.rglob("*")} == before
    assert list(again.sentences()) == ["It was there already; nothing of it was changed."]


@pytest.mark.parametrize("project", [None, "Boats"])
def test_it_is_found_wherever_it_was_moved(road, boats, project):
    first = decide(road, project=project)
    moved = road.vault / "Archive" / "What we did.md"
    moved.parent.mkdir()
    (road.vault / first.name).rename(moved)
    index = boats.read_bytes()
    shutil.rmtree(road.states)
    again = decide(road, project=project)
    assert (again.name, again.written) == ("Archive/What we did.md", False)
    assert boats.read_bytes() == index


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("deliberation_id: d", 'deliberation_id:   "d'),
        ("status: active", "status: superseded\nmood: calm"),
        ("status: active", "up: [[Home]] and"),
        ("\n", "\r\n"),
    ],
)
def test_it_is_found_whatever_became_of_its_properties(road, old, new):
    path = road.vault / decide(road).name
    changed = path.read_text("utf-8").replace(old, new)
    path.write_text(changed.replace('"d_20260328_001', '"d_20260328_001"'), "utf-8", newline="")
    assert decide(road).written is False


def test_what_only_mentions_the_deliberation_is_another_note(road):
    put(road, "Note.md", f"# About {ID}\n\ndeliberation_id: {ID}\n".encode())
    put(road, "Other.md", f"---\ndeliberation_id: {ID}1\n---\n".encode())
    put(road, "Bytes.md", b"\xff" + ID.encode())
    put(road, "x (conflicted copy 2026-03-28).md", f"---\ndeliberation_id: {ID}\n---\n".encode())
    put(road, ".trash/Gone.md", f"---\ndeliberation_id: {ID}\n---\n".encode())
    assert decide(road).written


def test_the_record_of_another_memory_is_another_one(road):
    put(road, "Theirs.md", f"---\ndeliberation_id: {ID}\ncouncil_memory: m-20200101T000000Z\n---\n".encode())
    assert decide(road).written
    put(road, "Ours.md", f"---\ndeliberation_id: {ID[:-1]}2\n---\n".encode())
    assert decide(road, number=2).name == "Ours.md"


def test_without_a_memory_file_and_when_there_is_one(road):
    road.memory.unlink()
    decided = decide(road)
    assert frontmatter.stamp(note_of(road, decided)) == "m-unknown"
    assert not road.memory.exists()
    road.write_memory(*records(1))
    assert decide(road).name == decided.name
    second = decide(road, number=2)
    assert frontmatter.stamp(note_of(road, second)) == "m-20260301T000000Z"
    road.memory.unlink()
    assert decide(road, number=2).name == second.name


def test_a_memory_whose_created_was_rewritten_is_still_the_same(road):
    road.settle()
    decided = decide(road)
    road.change_memory(lambda memory: memory.update(created="2027-01-01T00:00:00Z"))
    assert decide(road).name == decided.name


# What it is made of


def test_what_is_not_given_comes_from_the_memory(road):
    decided = write_decision(road.workspace(), read_decision({"deliberation_id": ID}))
    assert decided.name == f"{FOLDER}/council-decision-question-1-of-20260328-2026-03-28.md"
    assert "> - **Cost**: $0.01\n" in note_of(road, decided)
    with pytest.raises(InputError, match="title: required"):
        write_decision(road.workspace(), read_decision({"deliberation_id": "d_20260328_099"}))


def test_it_links_to_the_log_and_to_the_models(road):
    text = note_of(road, decide(road))
    assert "> [[council-model-performance|Model performance]] · [[council-deliberation-log|Log]]\n" in text
    put(road, ".obsidian/app.json", b'{"useMarkdownLinks": true}')
    road.sync()
    moved = road.vault / "Elsewhere" / "my log.md"
    moved.parent.mkdir()
    road.path("log").rename(moved)
    text = note_of(road, decide(road, number=2))
    assert "[Log](../../Elsewhere/my%20log.md)" in text


def test_a_template_whose_note_cannot_be_kept(road):
    templates = road.base / "templates"
    templates.mkdir()
    (templates / "council-decision.md.j2").write_text("# No properties\n")
    road.settings["notes"] = {"templates": str(templates)}
    decided = decide(road)
    assert decided.written
    assert "council-decision.md.j2" in decided.problems[0]
    assert "Buy it?" in note_of(road, decided)


def test_a_sync_leaves_it_alone(road):
    road.settle()
    decided = decide(road)
    before = note_of(road, decided)
    assert not road.sync().changed
    for kind in ("log", "performance", "routing"):
        road.path(kind).unlink()
    road.sync()
    assert note_of(road, decided) == before


def test_the_memory_file_is_never_touched(road):
    data = dump(road.parsed())
    road.memory.write_bytes(data)
    decide(road)
    assert road.memory.read_bytes() == data


# The index


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (INDEX, INDEX.replace(b"- one\n", b"- one\n- LINE\n")),
        (b"\xef\xbb\xbf## Activity\r\n* one\r\n", b"\xef\xbb\xbf## Activity\r\n* one\r\n* LINE\r\n"),
        (b"## decisions", b"## decisions\n\n- LINE"),
    ],
)
def test_a_line_in_the_index_and_no_other_byte(road, boats, before, after):
    boats.write_bytes(before)
    decide(road, project="Boats")
    line = b"2026-03-28: Buy it? ([[DR-001-council-buy-it|DR-001]])"
    assert boats.read_bytes() == after.replace(b"LINE", line)


def test_a_line_with_a_link_as_the_vault_wants_it(road, boats):
    put(road, ".obsidian/app.json", b'{"useMarkdownLinks": true}')
    decide(road, project="Boats")
    assert b"- 2026-03-28: Buy it? ([DR-001](11-Knowledge/DR-001-council-buy-it.md))\n" in boats.read_bytes()


def test_without_a_heading_for_it_nothing_is_added_and_this_is_said(road, boats):
    boats.write_bytes(b"# Boats\n\n```\n## Decisions\n```\n")
    decided = decide(road, project="Boats")
    assert decided.written
    assert decided.index is None
    assert decided.problems == (
        f"No line on it was added: {PROJECT}/Boats.md has no heading for decisions or activity",
    )
    assert boats.read_bytes() == b"# Boats\n\n```\n## Decisions\n```\n"
    assert decide(road, project="Boats").problems == decided.problems
    boats.write_bytes(INDEX)
    assert decide(road, project="Boats").index == f"{PROJECT}/Boats.md"


def test_a_line_that_was_deleted_stays_deleted(road, boats):
    decide(road, project="Boats")
    boats.write_bytes(INDEX)
    assert decide(road, project="Boats").index is None
    assert boats.read_bytes() == INDEX


def test_a_line_is_there_once_though_the_state_is_lost(road, boats):
    decide(road, project="Boats")
    after = boats.read_bytes()
    shutil.rmtree(road.states)
    assert decide(road, project="Boats").index is None
    assert boats.read_bytes() == after


def test_the_index_that_changes_meanwhile_is_read_again(road, boats, monkeypatch):
    write = LocalVault.write
    theirs = iter([b"- theirs\n", b"- theirs too\n"])

    def slow(self, name, content, expected):
        if name.endswith("Boats.md") and (line := next(theirs, None)):
            boats.write_bytes(boats.read_bytes().replace(b"- one\n", b"- one\n" + line))
        write(self, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", slow)
    assert decide(road, project="Boats").index is not None
    assert boats.read_bytes().startswith(
        b"# Boats\n\n## Decisions\n\n- one\n- theirs too\n- theirs\n- 2026-03-28: Buy it? ("
    )


def test_a_line_that_is_taken_back_is_added_again(road, boats, monkeypatch):
    settle = LocalVault.settle
    taken = []

    def once(self):
        names = [name for name in self._written.values() if name.endswith("Boats.md")]
        settle(self)
        if taken or not names:
            return ()
        taken.extend(names)
        boats.write_bytes(INDEX.replace(b"one", b"theirs"))
        return tuple(names)

    monkeypatch.setattr(LocalVault, "settle", once)
    assert decide(road, project="Boats").index == taken[0] == f"{PROJECT}/Boats.md"
    assert b"- theirs\n- 2026-03-28: Buy it? (" in boats.read_bytes()


def test_an_index_that_always_changes_is_given_up(road, boats, monkeypatch):
    write = LocalVault.write

    def hasty(self, name, content, expected):
        if name.endswith("Boats.md"):
            raise FileChanged("again")
        write(self, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", hasty)
    decided = decide(road, project="Boats")
    assert decided.written
    assert "kept being changed by another program; the next call adds the line" in decided.problems[0]
    monkeypatch.undo()
    assert decide(road, project="Boats").index is not None


@pytest.mark.parametrize("content", [b"\xff\xfe## Decisions\n", b"## Decisions\n\0"])
def test_an_index_that_is_no_text_is_left_alone(road, boats, content):
    boats.write_bytes(content)
    decided = decide(road, project="Boats")
    assert decided.written
    assert "the note is not UTF-8 text" in decided.problems[0]
    assert boats.read_bytes() == content


def test_an_index_that_goes_away_is_not_made(road, boats, monkeypatch):
    write = LocalVault.write

    def write_and_remove(self, name, content, expected):
        write(self, name, content, expected)
        boats.unlink()

    monkeypatch.setattr(LocalVault, "write", write_and_remove)
    decided = decide(road, project="Boats")
    assert decided.written
    assert decided.problems
    assert not boats.exists()


_KILLED = """
import os, sys
from council_vault.vault.local import LocalVault
write, settle = LocalVault.write, LocalVault.settle
left = int(sys.argv.pop(1))
def dying(step):
    def call(self, *given):
        global left
        if left == 0:
            os.kill(os.getpid(), 9)
        left -= 1
        done = step(self, *given)
        if left == 0:
            os.kill(os.getpid(), 9)
        return done
    return call
LocalVault.write, LocalVault.settle = dying(write), dying(settle)
from council_vault.cli.main import main
main()
"""


@pytest.mark.parametrize("steps", range(6))
def test_a_killed_command_leaves_no_half(road, boats, steps):
    """Killed before or after each write: the next call completes it, and writes nothing twice."""
    given = road.base / "given.json"
    given.write_text(f'{{"deliberation_id": "{ID}", "title": "Buy it?", "project": "Boats"}}')
    environment = os.environ | {
        "PYTHONPATH": str(Path(council_vault.__file__).parents[1]), "HOME": str(road.home),
        "XDG_STATE_HOME": str(road.states.parent / "xdg"), "XDG_CONFIG_HOME": str(road.base / "config"),
    }  # fmt: skip
    command = ["--workspace", road.folder, "--vault", road.vault, "decision", given]
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, str(steps), *command],
        env=environment,
        check=False,
        capture_output=True,
    )
    assert killed.returncode == (-9 if steps < 5 else 0), killed.stderr.decode()
    again = subprocess.run(
        [sys.executable, "-m", "council_vault.cli.main", *command],
        env=environment,
        check=True,
        capture_output=True,
    )
    assert again.stdout.decode().strip() == f"{KNOWLEDGE}/DR-001-council-buy-it.md"
    assert [path.name for path in (road.vault / KNOWLEDGE).iterdir()] == ["DR-001-council-buy-it.md"]
    assert boats.read_text().count("[[DR-001-council-buy-it|DR-001]]") == 1


# What is hostile

HOSTILE = [
    "../../../etc/passwd", "CON", "aux.md", "😀" * 300, "?!...;", "a\0b", "\u202eלהרוג\u202c",
    "x" * 5_000, "...hidden", ".obsidian/app.json", "[[Home]] ![[Home]]",
    "%% council-vault:end %%", "C:\\Windows\\System32", "/etc/passwd", "note (1)",
    "log (conflicted copy 2026-03-28)", "\ud800", "-", "~", "a/b/c", "`rm -rf`", "<% tp.file %>",
]  # fmt: skip


@pytest.mark.parametrize("project", [None, "Boats", "same"])
def test_hostile_titles_give_safe_and_distinct_notes(road, boats, project):
    before = contents_below(road.vault)
    names = set()
    for number, title in enumerate(HOSTILE, start=1):
        decided = decide(road, title, number, project=title if project == "same" else project)
        assert decided.written
        assert Path(decided.name).parent.as_posix() == (KNOWLEDGE if project == "Boats" else FOLDER)
        names.add(decided.name)
        assert (
            decide(road, title, number, project=title if project == "same" else project).name == decided.name
        )
        frontmatter.validate(note_of(road, decided))
        assert not {sign for sign in ("[[Home", "%%", "<%", "`", "\u202e") if sign in note_of(road, decided)}
    after = contents_below(road.vault)
    assert len(names) == len({name.casefold() for name in names}) == len(HOSTILE)
    assert after.keys() - before.keys() == names
    changed = {name for name in before if after[name] != before[name]}
    assert changed == ({f"{PROJECT}/Boats.md"} if project == "Boats" else set())
    assert {path.name for path in road.base.iterdir()} == {"home", "states", "vault", "workspace"}
    if project == "Boats":
        added = boats.read_text("utf-8").splitlines()
        assert len(added) == len(INDEX.decode().splitlines()) + len(HOSTILE)
        assert not any("%%" in line or "[[Home" in line for line in added)


def test_a_project_whose_folder_has_a_hostile_name(road):
    for name in ("%% x %%", "`a` ::", "#tag"):
        put(road, f"Projects/{name}/{name}.md", INDEX)
        decided = decide(road, number=len(name), project=name)
        assert decided.name.startswith(f"Projects/{name}/11-Knowledge/DR-001-")
        assert "%%" not in note_of(road, decided)
        assert "`" not in note_of(road, decided)


# What is not there


def test_a_vault_that_is_not_there(road):
    road.vault.rename(road.base / "away")
    with pytest.raises(VaultUnavailable):
        decide(road)
    assert not road.vault.exists()


def test_a_memory_that_cannot_be_read(road):
    road.memory.write_bytes(b"{")
    os.utime(road.memory, (1, 1))
    with pytest.raises(MemoryUnreadable):
        decide(road)


def test_a_folder_that_cannot_be_made(road):
    (road.vault / "file").write_text("")
    road.settings["vault"] = {"path": str(road.vault), "folder": "file/folder"}
    with pytest.raises(WriteFailed, match="file"):
        decide(road)
