"""Where the notes are: moved, linked, in a vault that is gone, doubled, or another one's."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from council_vault import files
from council_vault.errors import VaultAmbiguous, VaultUnavailable
from council_vault.shipped import shipped
from council_vault.vault.local import LocalVault
from support.memory_files import document, dump
from support.syncing import FOLDER, NAMES, Road, contents_below, records, stats_below


def more(road, day="20260401"):
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, day)))


def move(road, kind, to):
    target = road.vault / to
    target.parent.mkdir(parents=True, exist_ok=True)
    road.path(kind).rename(target)
    return target


# Moved notes and links


def test_moved_and_renamed_notes_are_found_and_kept_up_to_date_where_they_are(road):
    road.settle()
    log = move(road, "log", "Council/What we asked.md")
    performance = move(road, "performance", "Ränge.md")
    more(road)
    report = road.sync()
    assert "d_20260401_001" in log.read_text()
    assert "2026-04-01" in performance.read_text()
    assert not road.path("log").exists()
    assert not road.path("performance").exists()
    assert {note.name for note in report.notes} >= {"Council/What we asked.md", "Ränge.md"}
    text = road.text("routing")
    assert "[[What we asked|Log]]" in text
    assert "[[Ränge|Model performance]]" in text
    before = stats_below(road.vault)
    assert not road.sync().changed
    assert not road.sync().changed
    assert stats_below(road.vault) == before


def test_a_moved_note_is_found_without_any_state(road, tmp_path):
    road.settle()
    log = move(road, "log", "Elsewhere/log of mine.md")
    road.states = tmp_path / "new-states"
    more(road)
    road.settle()
    assert "d_20260401_001" in log.read_text()
    assert not road.path("log").exists()


def test_of_two_notes_that_say_they_are_the_same_one_is_kept_and_the_other_named(road):
    road.settle()
    first = move(road, "routing", "A/routing.md")
    shutil.copy(first, road.vault / "B.md")
    other = (road.vault / "B.md").read_bytes()
    more(road)
    report = road.sync()
    assert [message for message in report.messages if "A/routing.md" in message and "B.md" in message]
    assert "2026-04-01" in first.read_text()
    assert (road.vault / "B.md").read_bytes() == other
    assert not road.path("routing").exists()


def test_a_note_that_only_quotes_a_marker_or_is_of_another_memory_is_not_taken(road):
    road.settle()
    text = road.text("routing")
    road.path("routing").unlink()
    foreign = text.replace("council_memory: m-", "council_memory: m-1")
    (road.vault / "foreign.md").write_text(foreign)
    (road.vault / "quoting.md").write_text(f"```\n{text}```\n")
    (road.vault / "latin.md").write_bytes(text.encode() + b"\xff")
    (road.vault / "x (conflicted copy 2026-01-01).md").write_text(text)
    before = {name: (road.vault / name).read_bytes() for name in ("foreign.md", "quoting.md", "latin.md")}
    road.settle()
    assert road.path("routing").exists()
    assert {name: (road.vault / name).read_bytes() for name in before} == before


def test_links_carry_the_path_where_a_name_is_ambiguous(road):
    other = road.vault / "Old" / "council-deliberation-log.md"
    other.parent.mkdir()
    other.write_text("not ours\n")
    road.settle()
    assert f"[[{FOLDER}/council-deliberation-log|Log]]" in road.text("routing")
    assert "[[council-model-performance|Model performance]]" in road.text("routing")
    assert other.read_text() == "not ours\n"


def test_links_are_markdown_where_the_vault_wants_that(road):
    road.settle()
    assert "[[council-deliberation-log|Log]]" in road.text("routing")
    settings = road.vault / ".obsidian" / "app.json"
    settings.write_text('{"useMarkdownLinks": true, "x": [1]}')
    before = settings.read_bytes()
    road.settle()
    assert "[Log](council-deliberation-log.md)" in road.text("routing")
    move(road, "log", "My notes (old)/log.md")
    road.settle()
    assert "[Log](../../My%20notes%20%28old%29/log.md)" in road.text("routing")
    assert settings.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b'{"useMarkdownLinks": "yes"}', b'{"a": "\xff"}', b"{"]
)
def test_settings_of_obsidian_that_make_no_sense_change_nothing(road, content):
    (road.vault / ".obsidian" / "app.json").write_bytes(content)
    assert not road.sync().failed
    assert "[[council-deliberation-log|Log]]" in road.text("routing")


def test_settings_of_obsidian_that_cannot_be_read_change_nothing(road):
    settings = road.vault / ".obsidian" / "app.json"
    settings.unlink()
    settings.mkdir()
    assert not road.sync().failed
    assert "[[council-deliberation-log|Log]]" in road.text("routing")


def test_conflict_copies_are_named_once_and_left_alone(road):
    road.settle()
    copies = [
        road.path("log").with_name("council-deliberation-log.sync-conflict-20260328-101010-ABCDEFG.md"),
        road.path("log").with_name("council-deliberation-log (1).md"),
        road.path("log").with_name("council-deliberation-log 1.md"),
        road.vault / "Council-Model-Performance (Conflicted copy 2026-03-28).md",
    ]
    for copy in copies:
        copy.write_text(
            "| ID | Date | Query Summary | Chairman |\n|---|---|---|---|\n| d_20260401_009 | | | |\n"
        )
    before = {copy: copy.read_bytes() for copy in copies}
    more(road)
    (message,) = road.sync().messages
    assert all(copy.name in message for copy in copies)
    assert message.endswith(". Take from them what you need, and delete them.")
    more(road, "20260402")
    assert not road.sync().messages
    assert {copy: copy.read_bytes() for copy in copies} == before
    assert len(road.ids()) == 5
    # Obsidian writes a new one: it is named
    (road.vault / "council-routing-intelligence.conflict1.md").write_text("x")
    more(road, "20260403")
    (message,) = road.sync().messages
    assert "conflict1" in message


# The vault itself


def test_without_a_vault_the_memory_says_so_once_and_records_stay_pending(road):
    road.search_vault()
    shutil.rmtree(road.vault)
    with pytest.raises(VaultUnavailable):
        road.sync()
    said = road.parsed()
    assert said["vault_sync_note"] == "vault_unavailable"
    assert said["last_vault_sync"] is None
    assert not road.flagged()
    before = stats_below(road.folder)
    for _ in range(3):
        with pytest.raises(VaultUnavailable):
            road.sync()
    assert stats_below(road.folder) == before
    shutil.copytree(shipped("vault_fixtures") / "empty", road.vault)
    road.sync()
    said = road.parsed()
    assert said["vault_sync_note"] is None
    assert said["last_vault_sync"]
    assert len(road.flagged()) == 3


def test_an_unmounted_vault_is_never_written_to(road):
    road.settle()
    away = road.base / "away"
    road.vault.rename(away)
    road.vault.mkdir()
    before = contents_below(away)
    with pytest.raises(VaultUnavailable):
        road.sync()
    assert not list(road.vault.iterdir())
    road.vault.rmdir()
    away.rename(road.vault)
    road.settle()
    assert contents_below(road.vault) == before


def test_two_vaults_are_named_and_none_is_written_to(road):
    road.search_vault()
    shutil.copytree(road.vault, road.base / "other vault")
    before = contents_below(road.base)
    with pytest.raises(VaultAmbiguous) as caught:
        road.sync()
    assert str(road.vault) in str(caught.value)
    assert "other vault" in str(caught.value)
    after = contents_below(road.base)
    assert {name: after[name] for name in before if "council-memory" not in name} == {
        name: before[name] for name in before if "council-memory" not in name
    }
    road.settings["vault"]["name"] = "other vault"
    road.sync()
    assert (road.base / "other vault" / NAMES["log"]).exists()


def test_the_first_vault_is_pinned_until_another_is_adopted(road):
    road.search_vault()
    road.settle()
    other = road.base / "other vault"
    shutil.copytree(shipped("vault_fixtures") / "empty", other)
    more(road)
    road.sync()
    assert "d_20260401_001" in road.ids()
    assert not (other / FOLDER).exists()
    shutil.rmtree(road.vault)
    with pytest.raises(VaultUnavailable):
        road.sync()
    assert not (other / FOLDER).exists()
    road.sync(adopt_vault=True)
    road.vault = other
    assert len(road.ids()) == 4
    more(road, "20260402")
    road.sync()
    assert len(road.ids()) == 5


def test_an_explicit_vault_always_counts_and_becomes_the_pin(road):
    road.settle()
    other = road.base / "other vault"
    shutil.copytree(shipped("vault_fixtures") / "empty", other)
    road.settings["vault"] = {"path": str(other)}
    report = road.sync()
    assert report.vault == str(other)
    assert (other / NAMES["log"]).exists()
    road.settings["vault"] = {"mounts": (str(road.base),), "path": None}
    assert road.sync().vault == str(other)


def test_a_vault_that_goes_away_in_the_middle_is_said_to_be_unavailable(road, monkeypatch):
    write = LocalVault.write

    def unmounting(vault, name, content, expected):
        if "routing" in name:
            road.vault.rename(road.base / "away")
        return write(vault, name, content, expected)

    monkeypatch.setattr(LocalVault, "write", unmounting)
    with pytest.raises(VaultUnavailable):
        road.sync()
    monkeypatch.undo()
    assert not road.vault.exists()
    assert not road.flagged()
    assert road.parsed()["vault_sync_note"] == "vault_unavailable"
    (road.base / "away").rename(road.vault)
    road.settle()
    assert len(road.ids()) == 3
    assert road.parsed()["vault_sync_note"] is None


# Two memories


@pytest.fixture
def second(road, tmp_path):
    """Another workspace with other records, whose vault is the same."""
    road.settle()
    other = Road(tmp_path / "second")
    shutil.rmtree(other.vault)
    other.vault = road.vault
    other.write_memory(*records(3, "20260401"), created="2026-02-02T00:00:00Z")
    return other


def test_a_log_of_another_memory_is_refused_with_both_named(road, second):
    before = contents_below(road.vault)
    report = second.sync()
    assert report.failed
    assert {note.outcome for note in report.notes} == {"refused"}
    reason = report.notes[0].reason
    assert "m-20260301T000000Z" in reason
    assert "m-20260202T000000Z" in reason
    assert contents_below(road.vault) == before
    assert not second.flagged()
    assert second.sync().failed


def test_a_refused_log_can_be_adopted(road, second):
    report = second.sync(adopt_log=True)
    assert not report.failed
    assert len(second.ids()) == 6
    assert "council_memory: m-20260202T000000Z" in second.text("log")
    assert len(second.flagged()) == 3
    second.settle()


def test_a_workspace_name_gives_a_memory_notes_of_its_own(road, second):
    second.sync()
    before = contents_below(road.vault)
    second.settings["workspace"] = {"name": "Lab: two"}
    second.settle()
    after = contents_below(road.vault)
    assert {name: after[name] for name in before} == before
    new = {name.rsplit("/", 1)[1] for name in after if name not in before}
    assert len(new) == 3
    assert all("Lab- two" in name for name in new)
    assert len(second.flagged()) == 3


def test_another_memory_with_ids_that_happen_to_be_the_same_is_refused_too(road, second):
    second.write_memory(
        *[one | {"query_summary": "All else", "cost_usd": 5.0, "confidence": 0.1} for one in records(3)],
        *records(2, "20260401"),
        created="2026-02-02T00:00:00Z",
    )
    before = contents_below(road.vault)
    report = second.sync()
    assert report.failed
    assert contents_below(road.vault) == before
    assert not second.flagged()


def test_a_name_given_later_gives_new_notes_and_leaves_the_old_ones(road):
    road.settle()
    before = contents_below(road.vault)
    road.settings["workspace"] = {"name": "Mine"}
    road.settle()
    after = contents_below(road.vault)
    assert {name: after[name] for name in before} == before
    assert f"{FOLDER}/council-deliberation-log-Mine.md" in after
    assert after[f"{FOLDER}/council-deliberation-log-Mine.md"].count(b"\n| d_") == 3


def test_other_records_under_the_same_stamp_are_another_memory(road):
    road.settle()
    before = contents_below(road.vault)
    road.memory.write_bytes(
        dump(document(*[one | {"query_summary": "All else", "cost_usd": 5.0} for one in records(3)]))
    )
    report = road.sync()
    assert {note.outcome for note in report.notes} == {"refused"}
    assert contents_below(road.vault) == before
    road.settings["workspace"] = {"name": "Other"}
    report = road.sync()
    assert not report.failed
    after = contents_below(road.vault)
    assert {name: after[name] for name in before} == before
    assert after[f"{FOLDER}/council-deliberation-log-Other.md"].count(b"All else") == 3


def test_the_same_memory_with_another_created_keeps_its_notes(road):
    road.settle()
    stamp = next(line for line in road.text("log").split("\n") if line.startswith("council_memory"))
    for created in ("2026-03-30T00:00:00Z", ..., None, "soon"):
        road.write_memory(*records(4), created=created)
        assert not road.sync().failed
        assert stamp in road.text("log")
        assert len(road.ids()) == 4


def test_without_created_the_earliest_record_names_the_memory(road):
    road.write_memory(*records(2), created=...)
    road.settle()
    assert "council_memory: m-20260328T140100Z" in road.text("log")


def test_where_rows_overlap_and_nothing_is_remembered_the_stamp_is_renewed(road, tmp_path):
    road.settle()
    road.states = tmp_path / "new-states"
    road.write_memory(*records(4), created="2026-03-30T00:00:00Z")
    road.settle()
    assert "council_memory: m-20260330T000000Z" in road.text("log")
    assert len(road.ids()) == 4


def test_an_empty_memory_at_first_and_records_later(road):
    road.write_memory(created=...)
    road.settle()
    assert not road.ids()
    road.write_memory(*records(2), created="2026-03-30T00:00:00Z")
    road.settle()
    assert len(road.ids()) == 2
    assert (
        len({line for kind in NAMES for line in road.text(kind).split("\n") if "council_memory" in line}) == 1
    )


def test_locks_are_of_the_memory_and_not_of_the_path_to_it(road):
    link = road.base / "link"
    link.symlink_to(road.folder)
    road.sync()
    road.folder = link
    before = stats_below(road.base / "workspace", road.vault)
    assert not road.sync().changed
    assert stats_below(road.base / "workspace", road.vault) == before
    assert files.read(link / "council-memory.json") == road.memory.read_bytes()


def test_folders_whose_names_are_not_unicode(road):
    for attribute in ("vault", "folder"):
        path = road.base / os.fsdecode(attribute.encode() + b"\xff")
        getattr(road, attribute).rename(path)
        setattr(road, attribute, path)
    road.memory = road.folder / "council-memory.json"
    (road.folder / os.fsdecode(b"council-memory (conflicted copy \xff).json")).write_text("{}")
    ran = road.run("--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["vault"] == str(road.vault)
    for _ in range(2):
        ran = road.run()
        assert (ran.returncode, ran.stdout) == (0, "Nothing to do: the vault is up to date.\n"), ran.stderr
    assert len(road.ids()) == 3
