"""What the vault says that bears on a question."""

from __future__ import annotations

import pytest

from council_vault.context import Source, vault_context
from council_vault.errors import VaultUnavailable
from support.syncing import FOLDER, Road, contents_below, records

MEMORY = "_System/MEMORY.md"
LOG = f"{FOLDER}/council-deliberation-log.md"
TIDEWATCH = "Projects/Tidewatch/Tidewatch.md"


@pytest.fixture
def road(tmp_path):
    made = Road(tmp_path)
    made.write_memory(*records(7))
    return made


@pytest.fixture
def studio(tmp_path):
    made = Road(tmp_path, "studio")
    made.write_memory(*records(7))
    return made


def ask(road, query="What?", budget=100_000):
    return vault_context(road.workspace(), query, budget)


def put(road, name, content=b"x\n"):
    path = road.vault / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def names(context):
    return [source.name for source in context.sources]


def test_memory_project_and_rows(studio):
    context = ask(studio, "Should Tidewatch push?")
    assert context.sources == (Source(MEMORY, True), Source(TIDEWATCH, True), Source(LOG, True))
    assert (context.vault, context.budget, context.problems) == (str(studio.vault), 100_000, ())
    assert list(context.sentences()) == []
    titles = [line for line in context.text.splitlines() if line.startswith("# ")]
    assert titles == [
        f"# Memory ({MEMORY})", f"# Project Tidewatch ({TIDEWATCH})", f"# Latest deliberations ({LOG})",
    ]  # fmt: skip
    for word in ("Gauge keys", "marinas", "Nine harbours", "uptime:", "Boathouse, bought"):
        assert word not in context.text
    assert "\n### Council decisions\n\n- 2025-12-08: one schema" in context.text
    assert context.text.endswith("| gpt-4.1 | ★★★ | $0.11 | negative |\n\n")


def test_the_newest_five_rows_of_the_log(road):
    road.sync()
    rows = [line for line in ask(road).text.splitlines() if line.startswith("| d_")]
    assert [row.split(" | ")[0] for row in rows] == [f"| d_20260328_00{number}" for number in (7, 6, 5, 4, 3)]
    assert rows[0].startswith("| d_20260328_007 | 2026-03-28 | Question 7 of 20260328 | ")


def test_rows_are_the_newest_by_their_ids_wherever_they_stand(road):
    put(
        road,
        LOG,
        b"| Rating | ID | Mine | Query Summary |\n|-|-|-|-|\n| - | d_20260101_001 | x | old |\n"
        b"| bad | d_20260201_010 | x | new |\n| - | d_20260201_009 | x | newer |\n",
    )
    assert ask(road).text.endswith(
        "| ID | Date | Query Summary | Chairman | Confidence | Cost | Rating |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| d_20260201_010 |  | new |  |  |  | bad |\n"
        "| d_20260201_009 |  | newer |  |  |  | - |\n"
        "| d_20260101_001 |  | old |  |  |  | - |\n\n"
    )


def test_a_log_that_was_moved_is_found(road):
    road.sync()
    moved = road.vault / "Elsewhere" / "my log.md"
    moved.parent.mkdir()
    road.path("log").rename(moved)
    assert names(ask(road)) == [MEMORY, "Elsewhere/my log.md"]
    road.sync()
    assert names(ask(road)) == [MEMORY, "Elsewhere/my log.md"]
    moved.unlink()
    assert names(ask(road)) == [MEMORY]


def test_the_log_of_a_memory_with_a_name(road):
    road.settings["workspace"] = {"name": "home"}
    road.sync()
    assert names(ask(road)) == [MEMORY, f"{FOLDER}/council-deliberation-log-home.md"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("Is the boathouse worth it?", ["Projects/Boathouse/Boathouse.md"]),
        ("Boathouse before Tidewatch's harbour", ["Projects/Boathouse/Boathouse.md", TIDEWATCH]),
        ("Boathouses? Tide watch?", []),
        ("../Projects/Tidewatch/../..", [TIDEWATCH]),
        ("", []),
        ("x" * 100_000, []),
        ("\ud800\0\u202e", []),
    ],
)
def test_projects_that_the_question_names(studio, query, named):
    assert names(ask(studio, query)) == [MEMORY, *named, LOG]


def test_a_project_without_an_index_is_said(road):
    (road.vault / "Projects" / "Boats").mkdir(parents=True)
    context = ask(road, "boats?")
    assert names(context) == [MEMORY]
    assert list(context.sentences()) == ["The project Boats has no index note."]


def test_notes_that_cannot_be_read_are_said_and_the_others_go_on(road):
    put(road, "Projects/Boats/Boats.md", b"\xff\xfe\0")
    put(road, LOG, b"%% council-vault:begin log %%\n")
    context = ask(road, "boats?")
    assert names(context) == [MEMORY]
    assert [problem.partition(":")[0] for problem in context.problems] == [
        "Projects/Boats/Boats.md is left out", f"{LOG} is left out",
    ]  # fmt: skip


def test_a_vault_without_a_memory_note(road):
    put(road, ".obsidian/app.json", b"{}")
    (road.vault / MEMORY).unlink()
    context = ask(road)
    assert (context.text, context.tokens, context.sources) == ("", 0, ())
    assert list(context.sentences()) == ["The vault says nothing that bears on it and fits."]


def test_nothing_that_moves_a_cursor_or_turns_text_round(road):
    put(road, MEMORY, "a\x1b[2Jb\u202ec\x07\td\n".encode())
    assert "a[2Jbc\td\n" in ask(road).text


@pytest.mark.parametrize("budget", [1, 10, 30, 60, 100, 250, 500, 1000, 2000])
def test_it_stays_within_the_budget_and_cuts_no_line(studio, budget):
    whole = ask(studio, "Tidewatch?").text.splitlines()
    context = ask(studio, "Tidewatch?", budget)
    assert len(context.text) <= budget * 4
    assert context.tokens == -(-len(context.text) // 4) <= budget
    assert set(context.text.splitlines()) <= set(whole)
    assert context == ask(studio, "Tidewatch?", budget)
    if context.sources:
        assert context.sources[0].name == MEMORY


def test_what_is_cut_is_said(studio):
    context = ask(studio, "Tidewatch?", 700)
    assert [source.whole for source in context.sources] == [False, True, True]
    assert list(context.sentences()) == [f"Cut to 700 tokens: {MEMORY}."]


def test_nothing_is_written(studio):
    before = contents_below(studio.vault), studio.memory.read_bytes()
    ask(studio, "Tidewatch?")
    assert (contents_below(studio.vault), studio.memory.read_bytes()) == before


def test_without_a_memory_file(studio):
    studio.memory.unlink()
    assert names(ask(studio)) == [MEMORY, LOG]
    assert not studio.memory.exists()


def test_a_vault_that_is_not_there(road):
    road.vault.rename(road.base / "away")
    with pytest.raises(VaultUnavailable):
        ask(road)
