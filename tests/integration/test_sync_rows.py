"""A record has one row at most, whoever wrote it; what a person deletes stays deleted."""

from __future__ import annotations

import pytest

from support.syncing import NAMES, records, stats_below

ALL = [f"d_20260328_{number:03d}" for number in range(1, 11)]


@pytest.fixture
def ten(road):
    road.write_memory(*records(10))
    road.settle()
    return road


def more(road, day="20260401"):
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, day)))


def test_a_deleted_row_stays_deleted_and_its_record_stays_flagged(ten):
    ten.delete_rows(ALL[3])
    ten.sync()
    more(ten)
    ten.sync()
    assert ALL[3] not in ten.ids()
    assert len(ten.ids()) == 10
    assert ALL[3] in ten.flagged()
    ten.change_memory(lambda whole: whole["deliberations"][3].update(vault_synced=False, cost_usd=9.0))
    ten.settle()
    assert ALL[3] not in ten.ids()
    assert ALL[3] in ten.flagged()


def test_full_brings_deleted_rows_back(ten):
    ten.delete_rows(ALL[3], ALL[4])
    ten.settle()
    report = ten.sync(full=True)
    assert sorted(ten.ids()) == ALL
    assert not report.failed
    ten.settle()
    assert sorted(ten.ids()) == ALL


def test_most_rows_gone_at_once_are_put_back_and_this_is_said_once(ten):
    ten.delete_rows(*ALL[:6])
    report = ten.sync()
    assert sorted(ten.ids()) == ALL
    assert len(ten.ids()) == 10
    assert [message for message in report.messages if "6 rows" in message]
    assert not ten.sync().messages


def test_a_deleted_table_is_built_again(ten):
    text = ten.text("log")
    start = text.index("| ID |")
    ten.path("log").write_text(text[:start])
    ten.sync()
    assert sorted(ten.ids()) == ALL
    assert ten.text("log").count("| ID |") == 1
    ten.settle()


def test_a_deleted_note_is_made_again(ten):
    before = ten.path("log").read_bytes()
    ten.path("log").unlink()
    ten.path("routing").unlink()
    ten.sync()
    assert ten.path("log").read_bytes() == before
    assert ten.path("routing").exists()


def test_a_row_deleted_before_the_note_was_lost_stays_deleted(ten):
    ten.delete_rows(ALL[3])
    ten.settle()
    ten.path("log").unlink()
    ten.settle()
    assert sorted(ten.ids()) == [one for one in ALL if one != ALL[3]]


def test_a_row_that_no_later_read_has_seen_is_put_back(road):
    road.sync()
    road.delete_rows("d_20260328_002")
    road.sync()
    assert len(road.ids()) == 3


def test_a_row_that_comes_back_by_hand_is_ours_again(ten):
    line = ten.line(ALL[3])
    ten.delete_rows(ALL[3])
    ten.settle()
    ten.edit("log", ten.line(ALL[2]), f"{ten.line(ALL[2])}\n{line}")
    ten.settle()
    assert sorted(ten.ids()) == ALL


def test_lost_state_brings_deleted_rows_back_and_no_row_twice(ten, tmp_path):
    ten.delete_rows(ALL[3])
    ten.settle()
    ten.states = tmp_path / "new-states"
    ten.settle()
    assert sorted(ten.ids()) == ALL


def test_rows_of_compacted_records_stay_as_they_are(ten):
    before = {one: ten.line(one) for one in ALL}

    def compact(whole):
        for record in whole["deliberations"][:6]:
            for field in ("query_summary", "query_hash"):
                del record[field]
            record["query_features"] = {"category": "other"}
        del whole["deliberations"][:3]
        whole["archived"] = {"count": 3}

    ten.change_memory(compact)
    more(ten)
    report = ten.sync()
    assert not report.messages
    assert {one: ten.line(one) for one in ALL} == before
    assert len(ten.ids()) == 11
    ten.settle()
    assert {one: ten.line(one) for one in ALL} == before


def test_a_table_sorted_by_the_person_stays_sorted(ten):
    text = ten.text("log")
    rows = [line for line in text.split("\n") if line.startswith("| d_")]
    start = text.index(rows[0])
    ten.path("log").write_text(text[:start] + "\n".join(reversed(rows)) + "\n")
    more(ten)
    ten.settle()
    assert ten.ids() == [*ALL, "d_20260401_001"]


def test_columns_of_the_persons_own_stay(ten):
    lines = ten.text("log").split("\n")
    widened = [
        f"{line} {'Why' if 'ID' in line else '---' if '---' in line else 'x'} |"
        if line.startswith("|")
        else line
        for line in lines
    ]
    ten.path("log").write_text("\n".join(widened))
    more(ten)
    ten.settle()
    rows = ten.rows()
    assert {len(row) for row in rows} == {8}
    assert [row[-1] for row in rows] == ["", *["x"] * 10]


def test_a_row_written_by_an_agent_is_not_written_again(ten):
    ten.edit(
        "log", ten.line(ALL[9]), f"| d_20260401_001 | 2026-04-01 | By hand | me | | | |\n{ten.line(ALL[9])}"
    )
    more(ten)
    ten.settle()
    assert ten.ids().count("d_20260401_001") == 1
    assert ten.row("d_20260401_001")[2] == "By hand"
    assert "d_20260401_001" in ten.flagged()


def test_a_similar_id_is_another_record(road):
    road.write_memory(*records(1), *records(1, first=10), *records(1, first=1000))
    road.settle()
    assert road.ids() == ["d_20260328_1000", "d_20260328_010", "d_20260328_001"]


def test_older_rows_go_to_the_quarters_and_none_is_lost(road):
    road.settings["notes"] = {"visible_rows": 3}
    road.write_memory(*records(4, "20251230"), *records(4, "20260102"), *records(2))
    road.settle()
    text = road.text("log")
    assert "Older deliberations, 2026 Q1 (3)" in text
    assert "Older deliberations, 2025 Q4 (4)" in text
    ids = [line.split("|")[1].strip() for line in text.split("\n") if line.lstrip("> ").startswith("| d_")]
    assert len(ids) == len(set(ids)) == 10
    more(road)
    road.settle()
    text = road.text("log")
    assert "Older deliberations, 2026 Q1 (4)" in text
    before = stats_below(road.vault)
    road.sync()
    assert stats_below(road.vault) == before


@pytest.mark.parametrize("opening", ["<!-- not closed", "```", "~~~", "%%"])
def test_rows_are_never_put_where_something_unclosed_hides_them(road, opening):
    road.settings["notes"] = {"visible_rows": 3}
    road.write_memory(*records(3))
    road.settle()
    road.path("log").write_text(f"{road.text('log')}\n{opening}\n")
    before = road.text("log")
    road.change_memory(lambda whole: whole["deliberations"].extend(records(2, "20260401")))
    for _ in range(3):
        report = road.sync()
        sizes = len(road.text("log"))
        lines = [
            line.split("|")[1]
            for line in road.text("log").split("\n")
            if line.lstrip("> ").startswith("| d_")
        ]
        assert len(lines) == len(set(lines))
    if report.failed:
        assert road.text("log") == before
        assert "never closed" in report.notes[-1].reason
        assert len(road.flagged()) == 3
    road.path("log").write_text(road.text("log").replace(f"\n{opening}\n", ""))
    road.settle()
    assert len(road.flagged()) == 5
    assert sizes < 2 * len(before)


@pytest.mark.parametrize(
    ("opening", "closing"), [("<!--", "-->"), ("```", "```"), ("%%", "%%"), ("~~~", "~~~~")]
)
@pytest.mark.parametrize("kind", NAMES)
def test_a_note_that_is_commented_out_as_a_whole_never_grows(ten, kind, opening, closing):
    head, end, body = ten.text(kind).partition("\n---\n")
    ten.path(kind).write_text(f"{head}{end}{opening}\n{body}\n{closing}\n")
    more(ten)
    sizes = []
    for _ in range(3):
        report = ten.sync()
        sizes.append(len(ten.text(kind)))
    assert sizes[0] == sizes[1] == sizes[2]
    assert ten.text(kind).count("council-vault:begin") <= 2
    assert {note.kind for note in report.notes if note.outcome == "refused"} <= {kind}


def test_properties_that_swallow_the_region_are_named(ten):
    text = ten.text("log").replace("Z\n---\n", "Z\n", 1) + "\n---\n\nmine\n"
    ten.path("log").write_text(text)
    more(ten)
    report = ten.sync()
    assert report.failed
    assert "Put --- on a line of its own" in report.notes[-1].reason
    assert ten.text("log") == text


def test_a_comment_opened_between_the_rows_never_makes_the_note_grow(road):
    road.settings["notes"] = {"visible_rows": 3}
    road.write_memory(*records(3, "20251230"), *records(3))
    road.settle()
    line = road.line("d_20260328_002")
    road.edit("log", line, f"<!-- not closed\n{line}")
    before = road.text("log")
    more(road)
    for _ in range(3):
        report = road.sync()
        assert "never closed" in report.notes[-1].reason
        assert road.text("log") == before
    assert "d_20260401_001" not in road.flagged()
    road.edit("log", "<!-- not closed\n", "")
    road.settle()
    assert "d_20260401_001" in road.flagged()
    assert len(road.ids()) == 7
