"""A brief saved as a note: in the vault, beside whatever stands there, and never over somebody's words."""

from __future__ import annotations

from datetime import timedelta

import pytest

from council_vault.briefing.brief import build_brief
from council_vault.briefing.cases import Session
from council_vault.briefing.recall import HeldSessions
from council_vault.errors import NoteRefused, VaultUnavailable, WriteFailed
from council_vault.notes import frontmatter
from council_vault.operations import saving
from council_vault.operations.brief_note import note_name, save_brief
from support.ledgers import DIRECTIVE, NOW
from support.memory_files import dump
from support.syncing import FOLDER, Road, contents_below, records


def brief_of(count, directive=DIRECTIVE, now=NOW):
    """Return a brief on so many past deliberations that all came true."""
    sessions = [
        Session(
            id=f"cs_{number}", time=now, directive=f"BTC leverage risk {'abcdefgh'[number] * 5} {number}",
            verdict=f"Lesson {number}", rating=1.0, confidence=0.9,
        )
        for number in range(count)
    ]  # fmt: skip
    return build_brief(directive, HeldSessions(sessions, {}), now=now)


@pytest.fixture
def road(tmp_path):
    made = Road(tmp_path)
    made.write_memory(*records(3))
    return made


def save(road, brief):
    return save_brief(road.workspace(), brief)


def path_of(road, brief, number=""):
    return road.vault / FOLDER / f"{note_name(brief)}{number}.md"


def test_it_stands_where_the_notes_stand(road):
    saved = save(road, brief_of(2))
    assert saved.name == f"{FOLDER}/council-brief-should-we-take-btc-leverage-risk-now-2026-10-01.md"
    assert (saved.vault, saved.written, saved.problems) == (str(road.vault), True, ())
    text = path_of(road, brief_of(2)).read_text("utf-8")
    assert frontmatter.stamp(text) == "m-20260301T000000Z"
    assert "- Lesson 1 (cs_1, 100% right)\n" in text


def test_saving_the_same_again_writes_nothing(road):
    save(road, brief_of(2))
    path = path_of(road, brief_of(2))
    before = path.stat()
    again = save(road, brief_of(2, now=NOW + timedelta(hours=2)))
    assert again.written is False
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_next_day_it_is_another_note(road):
    save(road, brief_of(2))
    save(road, brief_of(2, now=NOW + timedelta(days=1)))
    assert path_of(road, brief_of(2, now=NOW + timedelta(days=1))).exists()
    assert len(list((road.vault / FOLDER).glob("council-brief-*"))) == 2


def test_what_the_person_wrote_stays(road):
    save(road, brief_of(2))
    path = path_of(road, brief_of(2))
    text = path.read_text("utf-8").replace("status: active", "status: archived\nmood: calm")
    text = text.replace("\n%% council-vault:begin", "\nAbove.\n\n%% council-vault:begin")
    text = text.replace("## Recommended Focus", "A thought of my own on this.\n\n## Recommended Focus")
    path.write_text(f"{text}\nBelow.\n", "utf-8")

    assert save(road, brief_of(4)).written
    text = path.read_text("utf-8")
    assert "status: archived\nmood: calm\n" in text
    region_end = text.index("%% council-vault:end %%")
    assert (
        text.index("\nAbove.\n")
        < text.index("%% council-vault:begin")
        < text.index("- Lesson 3")
        < region_end
    )
    assert region_end < text.index("\nA thought of my own on this.\n") < text.index("\nBelow.\n")
    assert text.count("- Lesson 1 (cs_1") == text.count("## Recommended Focus") == 1


def test_lines_of_an_earlier_brief_are_not_taken_for_the_persons(road):
    """All of it changes, and something of the person's is in it."""
    save(road, brief_of(4))
    path = path_of(road, brief_of(4))
    path.write_text(path.read_text("utf-8").replace("## Past Del", "Mine.\n\n## Past Del"), "utf-8")
    save(road, brief_of(0))
    text = path.read_text("utf-8")
    assert text.endswith("%% council-vault:end %%\n\nMine.\n")
    assert "Lesson" not in text


def test_after_a_kill_between_writing_and_remembering(road, monkeypatch):
    save(road, brief_of(1))
    monkeypatch.setattr(saving._Composer, "remember", _killed_at_second_call(saving._Composer.remember))
    with pytest.raises(KeyboardInterrupt):
        save(road, brief_of(4))
    monkeypatch.undo()
    path = path_of(road, brief_of(4))
    assert "Lesson 3" in path.read_text("utf-8")
    save(road, brief_of(0))
    assert "Lesson" not in path.read_text("utf-8")


def _killed_at_second_call(remember):
    calls = []

    def once(self, region):
        calls.append(region)
        if len(calls) == 2:
            raise KeyboardInterrupt
        remember(self, region)

    return once


OURS, ANOTHERS = b"m-20260301T000000Z", b"m-20991231T000000Z"


def note(stamp, kind, end=b"%% council-vault:end %%"):
    """Return a note that belongs to a memory, with a region."""
    begin = b"%% council-vault:begin " + kind + b" %%"
    return b"---\ncouncil_memory: " + stamp + b"\n---\n\n" + begin + b"\n\n" + end + b"\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# My own brief\n\nwords\n",
        b"\xff\xfe not UTF-8",
        b"---\ncouncil_memory: " + OURS + b"\n---\nno region\n",
        note(OURS, b"brief", end=b"no end"),
        note(OURS, b"log"),
        note(ANOTHERS, b"brief"),
        note(OURS, b"brief").partition(b"---\n\n")[2],
    ],
)
def test_another_note_of_that_name_is_left_alone(road, content):
    path = path_of(road, brief_of(2))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    saved = save(road, brief_of(2))
    assert saved.name.endswith("-now-2026-10-01-2.md")
    assert path.read_bytes() == content
    assert "Lesson 1" in path_of(road, brief_of(2), "-2").read_text("utf-8")
    assert save(road, brief_of(2)).written is False, "the numbered one is found again"
    path_of(road, brief_of(2), "-2").write_bytes(content)
    assert save(road, brief_of(2)).name.endswith("-now-2026-10-01-3.md")


def test_one_who_is_quicker_is_not_written_over(road, monkeypatch):
    """The name is free when it is chosen, and taken when it is written to."""
    path = path_of(road, brief_of(2))
    choose = saving._free

    def chosen(*given):
        name = choose(*given)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("quicker\n")
        return name

    monkeypatch.setattr(saving, "_free", chosen)
    with pytest.raises(NoteRefused, match="another note of that name"):
        save(road, brief_of(2))
    assert path.read_text() == "quicker\n"


def test_it_links_to_the_notes_that_there_are(road):
    save(road, brief_of(1))
    path = path_of(road, brief_of(1))
    assert "[[" not in path.read_text("utf-8")
    road.sync()
    save(road, brief_of(1))
    text = path.read_text("utf-8")
    assert (
        "\n> [[council-model-performance|Model performance]] · [[council-routing-intelligence|Routing]] · "
        "[[council-deliberation-log|Log]]\n" in text
    )
    moved = road.vault / "Elsewhere" / "my log.md"
    moved.parent.mkdir()
    road.path("log").rename(moved)
    (road.vault / ".obsidian").mkdir(exist_ok=True)
    (road.vault / ".obsidian" / "app.json").write_text('{"useMarkdownLinks": true}')
    save(road, brief_of(1))
    assert "[Log](../../Elsewhere/my%20log.md)" in path.read_text("utf-8")


def test_a_sync_goes_on_as_if_there_was_no_brief(road):
    road.settle()
    save(road, brief_of(2))
    before = contents_below(road.vault)
    assert not road.sync().changed
    road.change_memory(lambda memory: memory["deliberations"].extend(records(1, first=4)))
    assert road.sync().entries == 1
    path = path_of(road, brief_of(2))
    assert path.read_bytes() == before[path.relative_to(road.vault).as_posix()]
    for kind in ("log", "performance", "routing"):
        road.path(kind).unlink()
    road.sync()
    assert path.read_bytes() == before[path.relative_to(road.vault).as_posix()], (
        "it is not taken for one of these"
    )


def test_a_memory_whose_created_was_rewritten_is_still_the_same(road):
    road.settle()
    save(road, brief_of(1))
    road.change_memory(lambda memory: memory.update(created="2027-01-01T00:00:00Z"))
    assert save(road, brief_of(2)).name.endswith("-now-2026-10-01.md")


def test_without_a_memory_file(road):
    road.memory.unlink()
    saved = save(road, brief_of(2))
    assert saved.written
    assert frontmatter.stamp(path_of(road, brief_of(2)).read_text("utf-8")) == "m-unknown"
    assert save(road, brief_of(3)).name == saved.name
    assert not road.memory.exists()


@pytest.mark.parametrize(
    "directive",
    [
        "../../../etc/passwd",
        "CON",
        "😀" * 300,
        "?!...",
        "x" * 10_000,
        "\u202eמה עושים?\u202c",
        "a\0b",
        "note (1)",
        "",
    ],
)
def test_any_directive_gives_one_new_note_in_the_folder(road, directive):
    before = contents_below(road.base / "vault")
    brief = brief_of(0, directive)
    save(road, brief)
    save(road, brief)
    after = contents_below(road.base / "vault")
    (new,) = after.keys() - before.keys()
    assert new.startswith(f"{FOLDER}/council-brief-")
    assert {name: after[name] for name in before} == before
    assert {path.name for path in road.base.iterdir()} == {"home", "states", "vault", "workspace"}


def test_a_vault_that_is_not_there(road):
    road.vault.rename(road.base / "away")
    with pytest.raises(VaultUnavailable):
        save(road, brief_of(2))
    assert not road.vault.exists()
    assert "vault_sync_note" not in road.memory.read_text()


def test_a_folder_in_its_place(road):
    path_of(road, brief_of(2)).mkdir(parents=True)
    with pytest.raises(NoteRefused, match="this is a folder"):
        save(road, brief_of(2))


def test_a_folder_that_cannot_be_made(road):
    (road.vault / "file").write_text("")
    road.settings["vault"] = {"path": str(road.vault), "folder": "file/folder"}
    with pytest.raises(WriteFailed, match="file"):
        save(road, brief_of(2))


def test_a_template_whose_note_cannot_be_kept(road):
    templates = road.base / "templates"
    templates.mkdir()
    (templates / "council-brief.md.j2").write_text("# No properties\n")
    road.settings["notes"] = {"templates": str(templates)}
    saved = save(road, brief_of(2))
    assert saved.written
    assert "council-brief.md.j2" in saved.problems[0]
    assert "Lesson 1" in path_of(road, brief_of(2)).read_text("utf-8")


def test_a_block_of_properties_that_cannot_be_read_is_named(road):
    save(road, brief_of(1))
    path = path_of(road, brief_of(1))
    path.write_text(path.read_text("utf-8").replace("date: ", "up: [[Home]] and\ndate: "), "utf-8")
    saved = save(road, brief_of(2))
    assert saved.written
    assert "the frontmatter cannot be read" in saved.problems[0]
    assert "Lesson 1" in path.read_text("utf-8")


def test_the_memory_file_is_never_touched(road):
    data = dump(road.parsed())
    road.memory.write_bytes(data)
    save(road, brief_of(2))
    assert road.memory.read_bytes() == data
