from __future__ import annotations

import re

import pytest

from council_vault.notes.cells import COLUMNS
from council_vault.notes.log_rows import rows_in
from council_vault.notes.log_table import merge_rows
from support.gfm import table_rows
from support.log_notes import BEGIN, COMPACT, END, HEAD, ids, line, row_cells, rows_for, table


def merge(text: str, wanted=None, newline: str = "\n", visible: int = 50, absent=frozenset()) -> str:
    merged = merge_rows(text, wanted or {}, newline=newline, visible=visible, absent=absent)
    again = merge_rows(merged, wanted or {}, newline=newline, visible=visible, absent=absent)
    assert again == merged
    return merged


def order(text: str) -> list[str]:
    return re.findall(r"^[> ]*\|? *(d_\d+_\d+)", text, re.MULTILINE)


OLD, MID, NEW = "d_20260327_001", "d_20260328_001", "d_20260328_002"
THREE = rows_for([OLD, MID, NEW])


def test_a_new_table_stands_below_the_region_with_blank_lines_around() -> None:
    text = merge(HEAD + "My words.\n", THREE)
    assert text == HEAD + "\n" + table([NEW, MID, OLD]) + "\nMy words.\n"


def test_a_new_table_without_a_region_goes_to_the_end() -> None:
    assert merge("# Log\nwords", {OLD: row_cells(OLD)}) == "# Log\nwords\n\n" + table([OLD])
    assert merge("", {OLD: row_cells(OLD)}) == table([OLD])


def test_nothing_to_write_touches_nothing() -> None:
    for text in ("", HEAD, HEAD + "\n" + table([]), "no newline"):
        assert merge(text) == text


def test_an_empty_table_is_used() -> None:
    assert merge(HEAD + "\n" + table([]), THREE) == HEAD + "\n" + table([NEW, MID, OLD])


def test_new_rows_go_on_top_where_the_newest_come_first() -> None:
    assert merge(HEAD + "\n" + table([MID, OLD]), THREE) == HEAD + "\n" + table([NEW, MID, OLD])


def test_a_row_that_comes_late_goes_to_its_place() -> None:
    assert merge(HEAD + "\n" + table([NEW, OLD]), THREE) == HEAD + "\n" + table([NEW, MID, OLD])
    assert merge(HEAD + "\n" + table([NEW, MID]), THREE) == HEAD + "\n" + table([NEW, MID, OLD])


def test_new_rows_go_to_the_bottom_where_the_oldest_come_first() -> None:
    assert merge(HEAD + "\n" + table([OLD, MID]), THREE) == HEAD + "\n" + table([OLD, MID, NEW])


def test_a_table_in_an_order_of_the_user_s_is_not_reordered() -> None:
    sorted_by_user = ids(4)
    mixed = [sorted_by_user[index] for index in (1, 0, 3, 2)]
    more = ids(6)
    assert order(merge(HEAD + "\n" + table(mixed), rows_for(more))) == [more[5], more[4], *mixed]


def test_numbers_past_999_are_in_order() -> None:
    some = ["d_20260328_999", "d_20260328_1000", "d_20260328_1001"]
    assert order(merge(HEAD, rows_for(some))) == some[::-1]


def test_deleted_rows_are_not_added_and_present_ones_never_removed() -> None:
    text = merge(HEAD + "\n" + table([OLD]), THREE, absent={OLD, MID})
    assert order(text) == [NEW, OLD]


def test_only_the_cell_that_differs_changes() -> None:
    text = HEAD + "\n" + table([NEW, OLD]).replace("★★★", " ★★★  ", 1)
    rated = THREE | {NEW: row_cells(NEW, rating="positive")}
    del rated[MID]
    changed = merge(text, rated)
    assert changed == text.replace("| — |", "| positive |", 1)


def test_cells_that_say_the_same_in_other_letters_stay() -> None:
    text = (
        HEAD
        + "\n"
        + line((OLD, "2026-03-27", "About 20260327_001", "claude\\-sonnet-4", "★★★", r"\$0.09", "-"))
    )
    text = text.replace("| d_", f"{COMPACT[0]}\n{COMPACT[1]}\n| d_")
    assert merge(text, {OLD: row_cells(OLD)}) == text


def test_padded_tables_stay_padded_and_other_rows_are_not_touched() -> None:
    text = (
        HEAD
        + """
| ID             | Date       | Query Summary      | Chairman        | Confidence |  Cost | Rating   |
| -------------- | ---------- | ------------------ | --------------- | ---------- | ----: | -------- |
| d_20260328_001 | 2026-03-28 | About 20260328_001 | claude-sonnet-4 | ★★★        | $0.09 | —        |
"""
    )
    wanted = {NEW: row_cells(NEW, cost="$0.005"), MID: row_cells(MID, rating="negative", cost="$1")}
    assert (
        merge(text, wanted)
        == HEAD
        + """
| ID             | Date       | Query Summary      | Chairman        | Confidence |  Cost | Rating   |
| -------------- | ---------- | ------------------ | --------------- | ---------- | ----: | -------- |
| d_20260328_002 | 2026-03-28 | About 20260328_002 | claude-sonnet-4 | ★★★        | $0.005 | —        |
| d_20260328_001 | 2026-03-28 | About 20260328_001 | claude-sonnet-4 | ★★★        |    $1 | negative |
"""
    )


def test_a_padded_cell_in_a_compact_table_keeps_its_width_and_side() -> None:
    text = "| ID | Cost | Rating |\n| --- | --- | --- |\n| d_20260327_001 |    $0.09 | —      |\n"
    merged = merge(text, {OLD: row_cells(OLD, cost="$1", rating="neutral")})
    assert merged == text.replace("   $0.09", "      $1").replace("—      ", "neutral ")


def test_tables_without_pipes_at_their_ends_and_without_spaces() -> None:
    bare = "ID | Date | Cost | Rating\n--- | --- | --- | ---\nd_20260327_001 | 2026-03-27 | $0.09 | —\n"
    assert merge(bare, THREE) == (
        "ID | Date | Cost | Rating\n--- | --- | --- | ---\n"
        "d_20260328_002 | 2026-03-28 | $0.09 | —\n"
        "d_20260328_001 | 2026-03-28 | $0.09 | —\n"
        "d_20260327_001 | 2026-03-27 | $0.09 | —\n"
    )
    tight = "|ID|Rating|\n|-|-|\n|d_20260327_001|—|\n"
    wanted = {MID: row_cells(MID), OLD: row_cells(OLD, rating="positive")}
    assert merge(tight, wanted) == "|ID|Rating|\n|-|-|\n|d_20260328_001|—|\n|d_20260327_001|positive|\n"


def test_columns_are_found_by_name_and_the_user_s_own_stay() -> None:
    head = "| My note | rating | **Query  summary** | id | Cost |\n| --- | --- | --- | --- | --- |\n"
    text = head + "| *mine* \\| ours | — | Mine | d_20260327_001 | $9 |\n"
    wanted = {
        MID: row_cells(MID, rating="neutral"),
        OLD: row_cells(OLD, rating="positive", summary="Mine", cost="$9"),
    }
    merged = merge(text, wanted)
    assert merged == text.replace(
        "| *mine*", "| | neutral | About 20260328_001 | d_20260328_001 | $0.09 |\n| *mine*"
    ).replace("ours | —", "ours | positive")
    assert {len(row) for row in table_rows(merged)} == {5}


def test_a_renamed_id_column_is_found_by_its_cells() -> None:
    text = "| Rating | Record | Cost |\n| --- | --- | --- |\n| — | d_20260327_001 | $0.09 |\n"
    assert order(merge(text, THREE).replace("| — | d", "| d")) == [NEW, MID, OLD]
    assert rows_in(text)[OLD].cells == {"Rating": "—", "ID": OLD, "Cost": "$0.09"}


def test_wikilinks_and_code_in_cells_survive() -> None:
    cell = r"[[Note\|Alias]] and `a\|b`"
    text = HEAD + "\n" + table([OLD]).replace("About 20260327_001", cell)
    merged = merge(text, {OLD: row_cells(OLD, summary=cell, rating="positive"), NEW: row_cells(NEW)})
    assert cell in merged
    assert [len(row) for row in table_rows(merged)] == [7, 7]


@pytest.mark.parametrize(
    "decorated",
    [
        r"d\_20260327\_001",
        "d&#95;20260327&#95;001",
        "**d_20260327_001**",
        "~~d_20260327_001~~",
        "`d_20260327_001`",
        "[d_20260327_001](<../Records/d_20260327_001.md>)",
        "[[d_20260327_001]]",
        r"[[Records/2026/d_20260327_001#Why\|the first]]",
        r"[[The first\|d_20260327_001]]",
        "\u00a0d_20260327_001\u200b",
    ],
)
@pytest.mark.parametrize("place", ["in the table", "renamed column", "quarter", "below a gap"])
def test_an_id_that_is_linked_or_escaped_is_the_same_row(decorated: str, place: str) -> None:
    text = HEAD + "\n" + table([NEW, OLD])
    if place == "quarter":
        quarter = "".join(f"> {each}\n" for each in table([OLD]).splitlines())
        text = HEAD + "\n" + table([NEW]) + f"\n> [!note]- Older deliberations, 2026 Q1 (1)\n>\n{quarter}"
    elif place == "renamed column":
        text = text.replace("| ID |", "| Record |")
    elif place == "below a gap":
        text = text.replace(f"| {OLD} ", f"\n| {OLD} ")
    text = text.replace(f"| {OLD} |", f"| {decorated} |")
    assert rows_in(text).keys() == {NEW, OLD}
    assert merge(text, rows_for([NEW, OLD])) == text
    merged = merge(text, {OLD: row_cells(OLD, rating="positive"), NEW: row_cells(NEW)})
    assert (
        f"| {decorated} | 2026-03-27 | About 20260327_001 | claude-sonnet-4 | ★★★ | $0.09 | positive |"
        in merged
    )
    assert merge(text, THREE, visible=1).count(f"| {decorated} |") == 1
    assert len(rows_in(merge(text, THREE, visible=1))) == 3


@pytest.mark.parametrize(
    "cell", ["d_20260327_001 and more", "d_20260327_001, d_20260326_001", "see [[d_20260327_001]]"]
)
def test_a_cell_that_says_more_than_an_id_is_not_the_row(cell: str) -> None:
    text = HEAD + "\n" + table([NEW, OLD]).replace(f"| {OLD} |", f"| {cell} |")
    assert rows_in(text).keys() == {NEW}


def test_a_row_with_too_few_cells_gets_the_one_it_lacks() -> None:
    text = f"{COMPACT[0]}\n{COMPACT[1]}\n| {OLD} | 2026-03-27 | About 20260327_001 |\n"
    merged = merge(text, {OLD: row_cells(OLD)})
    assert merged == table([OLD]).replace(" $0.09 | — |", " $0.09 |")
    bare = f"ID | Cost | Rating\n--- | --- | ---\n{OLD} | $0.09\n"
    assert merge(bare, {OLD: row_cells(OLD, rating="positive")}).endswith(f"{OLD} | $0.09 | positive\n")


def test_crlf_stays_crlf() -> None:
    text = (HEAD + "\n" + table([OLD])).replace("\n", "\r\n")
    merged = merge(text, THREE, newline="\r\n", visible=2)
    assert "\n" not in merged.replace("\r\n", "")
    assert order(merged) == [NEW, MID, OLD]
    assert len(rows_in(merged)) == 3


def test_old_mac_line_ends_stay() -> None:
    text = (HEAD + "\n" + table([OLD])).replace("\n", "\r")
    merged = merge(text, THREE, newline="\r")
    assert "\n" not in merged
    assert merged.replace("\r", "\n") == HEAD + "\n" + table([NEW, MID, OLD])
    assert rows_in(merged).keys() == THREE.keys()


def test_a_note_that_ends_without_a_newline() -> None:
    text = HEAD + "\n" + table([OLD, MID]).rstrip("\n")
    assert merge(text, THREE) == HEAD + "\n" + table([OLD, MID, NEW])
    assert merge(text, {MID: row_cells(MID, rating="neutral")}).endswith("| neutral |")
    moved = merge(HEAD + "\n" + table([MID, OLD]).rstrip("\n"), visible=1)
    assert order(moved) == [MID, OLD]
    assert moved.endswith(line(row_cells(OLD)) + "\n")


@pytest.mark.parametrize(
    "below",
    [
        "<!-- TBLFM: @2$3=a|b -->\n",
        "My words, directly below.\n",
        "My words\nand more\n\nand more\n",
        "## Next\n",
        "> quoted\n",
        "```\ncode\n```\n",
        "%% a comment %%\n",
        "| **Total** | | | | | $1 | |\n",
        "<details>\n",
        "- a list\n",
    ],
)
def test_what_stands_directly_below_the_table_stays_last(below: str) -> None:
    text = HEAD + "\n" + table([MID]) + below
    merged = merge(text, THREE)
    assert merged == HEAD + "\n" + table([NEW, MID, OLD]) + below
    oldest_first = merge(HEAD + "\n" + table([OLD, MID]) + below, THREE)
    assert oldest_first == HEAD + "\n" + table([OLD, MID, NEW]) + below
    moved = merge(text, THREE, visible=2)
    assert below.partition("\n\n")[0].rstrip("\n") in moved
    assert order(moved) == [NEW, MID, OLD]
    assert [len(row) for row in table_rows(moved) if row[0] == OLD] == [7]


def test_older_rows_go_to_the_callout_of_their_quarter() -> None:
    some = ["d_20251231_001", "d_20260101_001", "d_20260331_001", "d_20260401_001", "d_20260402_001"]
    text = merge(HEAD + "\nMy words.\n", rows_for(some), visible=1)
    assert text == (
        HEAD
        + "\n"
        + table(some[4:])
        + "\n> [!note]- Older deliberations, 2026 Q2 (1)\n>\n"
        + quoted(some[3:4])
        + "\n> [!note]- Older deliberations, 2026 Q1 (2)\n>\n"
        + quoted([some[2], some[1]])
        + "\n> [!note]- Older deliberations, 2025 Q4 (1)\n>\n"
        + quoted(some[:1])
        + "\nMy words.\n"
    )


def quoted(record_ids) -> str:
    return "".join(f"> {row}\n" for row in table(record_ids).splitlines())


def test_rows_move_as_the_user_left_them_and_counts_are_right() -> None:
    some = ["d_20251230_001", "d_20251231_001", "d_20260101_001"]
    text = merge(HEAD, rows_for(some), visible=2).replace("About 20251231_001", "My [[words]]   here")
    later = [*some, "d_20260102_001"]
    merged = merge(
        text, rows_for(later) | {some[1]: row_cells(some[1], summary="My [[words]]   here")}, visible=2
    )
    assert "> [!note]- Older deliberations, 2025 Q4 (2)\n" in merged
    assert "> | d_20251231_001 | 2025-12-31 | My [[words]]   here |" in merged
    assert order(merged) == later[::-1]


def test_a_quarter_gets_its_place_among_the_others() -> None:
    some = ["d_20250101_001", "d_20250401_001", "d_20250701_001", "d_20251001_001"]
    without = merge(HEAD, rows_for([some[0], some[2], some[3]]), visible=1)
    assert order(merge(without, rows_for(some), visible=1)) == some[::-1]
    oldest_last = merge(HEAD, rows_for(some[1:]), visible=1)
    assert order(merge(oldest_last, rows_for(some), visible=1)) == some[::-1]


def test_a_title_without_a_count_or_opened_by_the_user_stays_so() -> None:
    some = ids(3)
    text = merge(HEAD, rows_for(some[:2]), visible=1).replace(
        "[!note]- Older deliberations, 2025 Q4 (1)", "[!quote]+ older Deliberations, 2025 Q4"
    )
    merged = merge(text, rows_for(some), visible=1)
    assert "> [!quote]+ older Deliberations, 2025 Q4\n" in merged
    assert order(merged) == some[::-1]
    assert merged.count("[!") == 2


def test_a_wrong_count_is_set_right() -> None:
    text = merge(HEAD, rows_for(ids(3)), visible=1)
    assert merge(text.replace("(2)", "(137)"), visible=1) == text


def test_a_column_of_the_user_s_moves_with_its_row() -> None:
    some = ids(4)
    text = merge(HEAD, rows_for(some[:2]), visible=1)
    main = text.index("| ID")
    grown = text[:main] + text[main:].replace("| Rating |", "| Rating | Project |", 1).replace(
        "| --- |\n", "| --- | --- |\n", 1
    ).replace(" | — |\n", " | — | Apollo |\n", 1)
    merged = merge(grown, rows_for(some[:3]), visible=1)
    assert "> | ID | Date | Query Summary | Chairman | Confidence | Cost | Rating | Project |\n" in merged
    assert f"> {line((*row_cells(some[1]), 'Apollo'))}\n" in merged
    assert f"> {line(row_cells(some[0]))}\n" in merged
    assert line(row_cells(some[2])) + " |\n" in merged
    again = merge(merged, rows_for(some), visible=1)
    assert again.count("Project") == 2
    assert order(again) == some[::-1]


def test_a_column_without_content_is_not_carried_over() -> None:
    some = ids(3)
    text = merge(HEAD, rows_for(some[:2]), visible=1)
    main = text.index("| ID")
    grown = text[:main] + text[main:].replace("| Rating |", "| Rating | Project |", 1).replace(
        "| --- |\n", "| --- | --- |\n", 1
    )
    merged = merge(grown, rows_for(some), visible=1)
    assert merged.count("Project") == 1
    assert f"> {line(row_cells(some[1]))}\n" in merged


def test_rows_in_details_are_honoured_where_they_stand() -> None:
    some = ids(4)
    details = "<details>\n<summary>Older</summary>\n\n" + table([some[0]]) + "\n</details>\n"
    text = HEAD + "\n" + table([some[2], some[1]]) + "\n" + details
    merged = merge(text, rows_for(some) | {some[0]: row_cells(some[0], rating="positive")}, visible=2)
    assert details.replace("| — |", "| positive |") in merged
    assert order(merged) == [some[3], some[2], some[1], some[0]]
    only = HEAD + "\n" + details
    assert merge(only, rows_for(some[:2])) == HEAD + "\n" + table([some[1]]) + "\n" + details


def test_rows_moved_elsewhere_are_not_added_again_and_stay() -> None:
    some = ids(5)
    favourites = "\n## Favourites\n\n" + table([some[3]])
    text = HEAD + "\n" + table([some[2], some[1], some[0]]) + favourites
    merged = merge(text, rows_for(some))
    assert merged == HEAD + "\n" + table([some[4], *some[2::-1]]) + favourites
    above = "# Log\n" + favourites + "\n" + HEAD + "\n" + table([some[2], some[1], some[0]])
    assert merge(above, rows_for(some)) == "# Log\n" + favourites + "\n" + HEAD + "\n" + table(
        [some[4], *some[2::-1]]
    )


def test_a_row_twice_is_never_removed() -> None:
    some = ids(4)
    text = HEAD + "\n" + table([some[1], some[1], some[0]])
    merged = merge(text, rows_for(some[:2]) | {some[1]: row_cells(some[1], rating="positive")})
    assert merged == text.replace("| — |", "| positive |", 1)
    moved = merge(text, rows_for(some), visible=1)
    assert sorted(order(moved)) == sorted([some[1], *some])
    assert "(4)" in moved


@pytest.mark.parametrize(
    "other",
    [
        "```\n{table}```\n",
        "~~~~md\n```\n{table}```\n~~~~\n",
        "> ```\n> x\n> ```\n\n```md\n```py\n{table}```\n",
        "<!--\n{table}-->\n",
        "    {row}\n\n    | ID | Date | Cost |\n    | --- | --- | --- |\n    | {id} | | |\n",
        "We saw {id} and | {id} |.\n",
        "| Deliberation | Why |\n| --- | --- |\n| {id} | good |\n",
        "| --- |\n| {id} |\n",
        "| ID | Cost |\n| --- |\n| {id} | 5 |\n",
        "| ID | Amount |\n| --- | --- |\n| {id} | 5 |\n",
        "| a |\n| --- |\n",
        "{id}\n---\n",
    ],
)
def test_what_is_no_table_of_ours(other: str) -> None:
    text = (
        HEAD
        + "\n"
        + other.replace("{table}", table([OLD])).replace("{id}", OLD).replace("{row}", line(row_cells(OLD)))
    )
    assert rows_in(text) == {}
    merged = merge(text, THREE)
    assert merged == text.replace(END + "\n", END + "\n\n" + table([NEW, MID, OLD]))


def test_tables_in_the_region_and_in_the_frontmatter_are_not_ours() -> None:
    inside = HEAD.replace("> [!summary] 3 deliberations\n", table([OLD])).replace(
        "type: reference\n", f"type: |\n{table([OLD])}"
    )
    assert rows_in(inside) == {}
    assert merge(inside, {OLD: row_cells(OLD)}) == inside + "\n" + table([OLD])


def test_an_answer_with_markdown_in_it_does_not_fool_us() -> None:
    answer = "# H1\n```md\n```py\nx\n```\n```\n---\ntags: evil\n---\n| a |\n| --- |\n"
    text = (
        HEAD
        + "\n"
        + table([OLD])
        + "\n## Answer\n\n"
        + answer
        + "\n````\n````\nnever closed\n"
        + table([MID])
    )
    merged = merge(text, THREE)
    assert merged == HEAD + "\n" + table([NEW, MID, OLD]) + text.partition(table([OLD]))[2]


def test_rows_below_a_gap_in_the_table_are_found() -> None:
    stray = f"\n{line(row_cells(OLD))}\n"
    text = HEAD + "\n" + table([MID]) + stray
    assert rows_in(text)[OLD].cells["Rating"] == "—"
    merged = merge(text, THREE | {OLD: row_cells(OLD, rating="positive")})
    assert merged == HEAD + "\n" + table([NEW, MID]) + stray.replace("—", "positive")
    odd = f"| {OLD} | only | four | cells |\n"
    assert merge(odd, {OLD: row_cells(OLD)}) == odd + "\n" + table([OLD])
    assert rows_in(line(row_cells(OLD)))[OLD].cells["Cost"] == "$0.09"


def test_the_table_may_stand_anywhere_in_a_callout_too() -> None:
    text = "> [!info] My log\n" + quoted([MID]) + "> and my words\n\n" + HEAD
    merged = merge(text, THREE, visible=2)
    assert merged.startswith(
        "> [!info] My log\n"
        + quoted([NEW, MID])
        + "> and my words\n\n> [!note]- Older deliberations, 2026 Q1 (1)\n"
    )
    assert order(merged) == [NEW, MID, OLD]


def test_quarters_without_a_main_table_get_one_above_them() -> None:
    some = ids(5)
    text = merge(HEAD, rows_for(some[:3]), visible=1)
    lost = re.sub(r"^\|.*\n", "", text, flags=re.MULTILINE)
    merged = merge(lost, rows_for(some), visible=2)
    assert order(merged) == some[::-1]
    bare = lost.partition(END + "\n")[2].lstrip("\n")
    assert order(merge(bare, rows_for(some), visible=2)) == some[::-1]
    only_older = merge(bare, rows_for([some[0], some[1], "d_20250101_001"]), visible=2)
    assert only_older.endswith(quoted(["d_20250101_001"]))
    assert merge(HEAD, rows_for(some), visible=0).count("[!note]") == 1


def test_sixty_and_five_thousand_rows() -> None:
    for count in (1, 60, 5000):
        some = ids(count, per_day=5)
        text = merge(HEAD, rows_for(some))
        assert order(text) == some[::-1]
        assert len(re.findall(r"^\| d_", text, re.MULTILINE)) == min(50, count)
        titles = re.findall(
            r"^> \[!note\]- Older deliberations, (\d{4}) Q(\d) \((\d+)\)$", text, re.MULTILINE
        )
        assert sum(int(rows) for *_, rows in titles) == max(0, count - 50)
        assert titles == sorted(titles, reverse=True)
        assert {len(row) for row in table_rows(text)} == {len(COLUMNS)}
        assert BEGIN in text


def test_a_title_twice_is_ours_once() -> None:
    text = "| ID | Cost | Cost |\n| --- | --- | --- |\n| d_20260327_001 | $0.01 | mine |\n"
    assert merge(text, {OLD: row_cells(OLD)}) == text.replace("$0.01", "$0.09")


def test_a_table_quoted_in_a_list_s_callout_is_no_quarter() -> None:
    text = "Older deliberations, 2026 Q1 (1)\n" + quoted([OLD])
    assert rows_in(text)[OLD].home.place == "table"
