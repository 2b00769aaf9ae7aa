"""What people and formatters do to the notes between syncs stays, byte for byte."""

from __future__ import annotations

import shutil

import pytest
import yaml

from council_vault.shipped import shipped
from support import formatters
from support.gfm import table_rows
from support.syncing import NAMES, Road, contents_below, records, stats_below, without_ours

TOP = """zeta: last letter first
date: 2020-01-01
# a comment of mine
aliases: [ 'one',  two ]
when: 2026-03-28T09:05:28-06:00
country: "NO"
ver: 1.10
dur: 12:30
code: 0123
empty:
emoji: 🏛️ Café
lesson: >-
  Ask earlier,
  and ask one thing.
"""
BOTTOM = """
## Mine

	tab, trailing spaces:{trailing}

    code of four spaces

- [ ] ask 中文 👩‍👩‍👧


<!-- hidden -->
last line
""".replace("{trailing}", "   ")


def write_into(road, kind):
    """Let a person write above, below and into the properties of a note."""
    text = road.text(kind)
    head, title, rest = text.partition("\n# ")
    head = head.replace("---\n", f"---\n{TOP}", 1).replace("\ndate: 2026", "\nolddate: 2026", 1)
    line, _, body = rest.partition("\n")
    road.path(kind).write_bytes(
        f"{head}{title}{line} (ours)\n\nMy own words above. \n{body}{BOTTOM}".encode()
    )


def test_words_properties_comments_and_the_tables_place_survive_ten_syncs(road):
    road.sync()
    for kind in NAMES:
        write_into(road, kind)
    # The table moves to the very end, below the person's words.
    text = road.text("log")
    table = "\n".join(line for line in text.split("\n") if line.startswith("|"))
    moved = f"{text.replace(f'{table}', 'The table has gone below.')}\n\n{table}\n| tail |\nunder the table\n"
    road.path("log").write_bytes(moved.encode())
    mine = {kind: without_ours(road.text(kind)) for kind in NAMES}
    for turn in range(10):
        road.change_memory(
            lambda whole, turn=turn: (
                whole["deliberations"].extend(records(1, f"202604{turn + 10}")),
                whole["deliberations"][turn % 3].update(
                    user_rating=["positive", "negative", None][turn % 3], cost_usd=turn + 0.5
                ),
            )
        )
        assert road.sync().changed
        for kind in NAMES:
            assert without_ours(road.text(kind)) == mine[kind]
        assert len(road.ids()) == len(set(road.ids())) == 4 + turn
    text = road.text("log")
    assert text.index("The table has gone below.") < text.index("| ID |")
    assert text.endswith("| tail |\nunder the table\n")
    properties = yaml.safe_load(text.split("---\n")[1])
    assert properties["country"] == "NO"
    assert str(properties["date"]) == "2026-04-19"


def test_what_is_written_into_a_region_moves_below_it_once(road):
    road.sync()
    for kind in NAMES:
        title = "> [!info]" if kind == "routing" else "> [!summary]"
        road.edit(kind, title, f"My own thought, in the wrong place.\n\n{title}")
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    road.sync()
    for kind in NAMES:
        text = road.text(kind)
        assert text.count("My own thought, in the wrong place.") == 1
        assert text.index("council-vault:end") < text.index("My own thought")
    road.settle()
    assert road.text("log").count("My own thought, in the wrong place.") == 1


def test_an_old_copy_with_words_in_the_region_keeps_them(road):
    road.sync()
    road.edit("routing", "> [!info]", "Mine, in the region.\n\n> [!info]")
    with_mine = road.text("routing").encode()
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    road.sync()
    road.path("routing").write_bytes(with_mine)  # a sync service puts the earlier version back
    road.sync()
    assert road.text("routing").count("Mine, in the region.") == 1


def test_an_old_copy_is_brought_up_to_date_and_leaves_nothing_of_itself_behind(road):
    road.sync()
    old = {kind: road.path(kind).read_bytes() for kind in NAMES}
    road.change_memory(lambda whole: whole["deliberations"].extend(records(20, "20260401")))
    road.sync()
    new = {kind: road.path(kind).read_bytes() for kind in NAMES}
    for kind in NAMES:
        road.path(kind).write_bytes(old[kind])
    road.sync()
    assert {kind: road.path(kind).read_bytes() for kind in NAMES} == new


def test_a_heading_that_was_deleted_stays_deleted(road):
    road.sync()
    road.edit("performance", "# Council Model Performance\n", "")
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    road.sync()
    assert "# Council Model Performance" not in road.text("performance")


@pytest.mark.parametrize("formatter", formatters.ALL, ids=lambda formatter: formatter.__name__)
def test_formatters_are_not_fought_and_nothing_is_lost(road, formatter):
    road.write_memory(*records(70, "20260101"), *records(3))
    road.settle()
    for kind in NAMES:
        road.path(kind).write_bytes((road.text(kind) + "\n* mine *and* __yours__\n").encode())
        road.path(kind).write_bytes(formatter(road.text(kind)).encode())
    formatted = {kind: road.path(kind).read_bytes() for kind in NAMES}
    road.sync()
    assert {kind: road.path(kind).read_bytes() for kind in NAMES} == formatted
    road.change_memory(lambda whole: whole["deliberations"].extend(records(2, "20260401")))
    mine = {kind: without_ours(road.text(kind))[-4:] for kind in NAMES}
    for _ in range(2):
        road.sync()
        ids = road.ids()
        assert len(ids) == len(set(ids)) == 75
        assert {kind: without_ours(road.text(kind))[-4:] for kind in NAMES} == mine
        for kind in NAMES:
            assert (
                road.text(kind).count("council-vault:begin")
                == road.text(kind).count("council-vault:end")
                == 1
            )
            road.path(kind).write_bytes(formatter(road.text(kind)).encode())
    before = stats_below(road.vault)
    road.sync()
    road.sync()
    assert stats_below(road.vault) == before


def test_the_agents_old_log_is_taken_over_with_every_word(tmp_path):
    road = Road(tmp_path, "studio")
    road.memory.write_bytes((shipped("vault_fixtures") / "workspace" / "council-memory.json").read_bytes())
    before = contents_below(road.vault)
    old = road.text("log")
    report = road.sync()
    assert not report.failed
    new = road.text("log")
    old_lines, new_lines = old.split("\n"), iter(new.split("\n"))
    changed = {
        line
        for line in old_lines
        if not any(line == other for other in new_lines) and not (new_lines := iter(new.split("\n")))
    }
    assert all(line.startswith(("date:", "| d_")) for line in changed)
    ids = [row[0] for row in table_rows(new)]
    assert "<details>" in new
    # rows in HTML are rows too, although a Markdown reader may not show them
    rows = [line.split("|")[1].strip() for line in new.split("\n") if line.lstrip("> ").startswith("| d_")]
    assert len(rows) == len(set(rows)) == 64
    assert set(ids) <= set(rows)
    after = contents_below(road.vault)
    assert {name for name in after if after[name] != before.get(name)} == set(NAMES.values())
    assert road.flagged() == set(rows)
    assert any("conflicted copy" in message for message in report.messages)
    assert not any("conflicted copy" in message for message in road.sync().messages)


def test_a_rating_that_stands_in_the_old_log_alone_reaches_the_memory(tmp_path):
    road = Road(tmp_path, "studio")
    road.memory.write_bytes((shipped("vault_fixtures") / "workspace" / "council-memory.json").read_bytes())
    assert road.record("d_20251220_001")["user_rating"] is None
    road.sync()
    rated = road.record("d_20251220_001")
    assert (rated["user_rating"], rated["outcome"]) == ("positive", "accepted")
    assert road.row("d_20251220_001")[-1] == "👍"


def test_windows_line_ends_and_byte_order_marks_stay(tmp_path):
    road = Road(tmp_path, "windows")
    road.memory.write_bytes((shipped("vault_fixtures") / "workspace" / "council-memory.json").read_bytes())
    before = contents_below(road.vault)
    road.sync()
    content = road.path("log").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf---\r\n")
    assert content.count(b"\n") == content.count(b"\r\n")
    assert content.count(b"\xef\xbb\xbf") == 1
    assert b"hive: 4\r\n" in content
    assert b"Jonas: borrowed from Ines to see how it looks here.\r\n" in content
    after = contents_below(road.vault)
    assert {name for name in after if after[name] != before.get(name)} == set(NAMES.values())
    road.settle()
    assert content.count(b"| d_") == 64 == road.path("log").read_bytes().count(b"| d_")


def test_a_vault_with_its_folder_missing_gets_it(road):
    assert not (road.vault / "_Shared Knowledge").exists()
    before = contents_below(road.vault)
    road.sync()
    after = contents_below(road.vault)
    assert {name for name in after if name not in before} == set(NAMES.values())
    assert {name: after[name] for name in before} == before


def test_notes_made_by_an_agent_are_folded_below_the_region(road):
    for kind in ("performance", "routing"):
        road.path(kind).parent.mkdir(parents=True, exist_ok=True)
        road.path(kind).write_text(f"---\ntitle: Old\n---\n\n# What {kind} was\n\nAn agent's words.\n")
    road.settle()
    for kind in ("performance", "routing"):
        text = road.text(kind)
        assert text.index("council-vault:end") < text.index("> An agent's words.")
        assert "title: Old" in text


def test_a_template_of_the_persons_own_is_used_and_a_broken_one_is_named(road, tmp_path):
    templates = tmp_path / "templates"
    shutil.copytree(shipped("templates"), templates)
    template = templates / "council-routing-intelligence.md.j2"
    assert template.is_file(), sorted(templates.iterdir())
    template.write_text(template.read_text().replace("{{ begin }}", "{{ begin }}\n\nOur own words.", 1))
    road.settings["notes"] = {"templates": str(templates)}
    road.settle()
    assert "Our own words." in road.text("routing")
    before = road.path("routing").read_bytes()
    template.write_text("{% if %}")
    report = road.sync()
    assert [message for message in report.messages if "council-routing-intelligence.md.j2" in message]
    assert "Our own words." not in road.text("routing")
    assert road.path("routing").read_bytes() != before
    assert not report.failed


def test_a_note_whose_last_line_has_no_end_gets_one_where_rows_are_added(road):
    road.sync()
    road.path("log").write_bytes(road.path("log").read_bytes().rstrip(b"\n"))
    road.path("routing").write_bytes(road.path("routing").read_bytes() + b"mine, no end")
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260327")))
    road.sync()
    assert road.ids()[-1] == "d_20260327_001"
    assert road.text("log").endswith(" |\n")
    assert road.text("routing").endswith("mine, no end")
