"""The order of the labels in what reviewers wrote."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.importers.ballot_prose import last_list, under_heading

KNOWN = frozenset("ABCD")


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("FINAL RANKING:\n1. Response C\n2. Response A\n3. Response D\n4. Response B", "CADB"),
        ("**FINAL RANKING:**\n\n1. **Response C**\n\n2. **Response A**", "CA"),
        ("## Final Ranking\n\n- response b\n- response a", "BA"),
        ("### final ranking (best to worst):\n* Response D\n* Response A", "DA"),
        ("FINAL RANKING\n=============\n1) Response B\n2) Response A", "BA"),
        ("FINAL RANKING:\r\n1. Response B\r\n2. Response A\r\n", "BA"),
        ('Final_Ranking:\n1: Response_C\n2: Response-A\n3: [Response B]\n4: "Response D"', "CABD"),
        ("FINAL RANKING: Response C > Response A > Response B", "CAB"),
        ("FINAL RANKING:\nC > A > B", "CAB"),
        ("FINAL RANKING:\n**C** ≻ **A** = B", "CAB"),
        ("FINAL RANKING:\nc > a > b", "CAB"),
        ("My final ranking is: Response C, Response A, and Response B.", "CAB"),
        ("My final ranking is Response C, then Response A.", "CA"),
        ("FINAL RANKING: **Response B**, **Response A**", "BA"),
        ("**FINAL RANKING:**\n1. Response B 2. Response A", "BA"),
        ("**FINAL RANKING**: 1. Response A, 2. Response B, 3. Response C", "ABC"),
        ("FINAL RANKING:\n1. C\n2. **A** – good\n3. B: weak", "CAB"),
        ("FINAL RANKING:\n1️⃣ Response C\n2️⃣ Response B", "CB"),
        ("FINAL RANKING:\n🥇 Response C\n🥈 Response A\n🥉 Response B", "CAB"),
        ("FINAL RANKING:\n1st place: Response D\n2nd place: Response C", "DC"),
        ("FINAL RANKING:\nRank 1: Response D\nRank 2: Response C", "DC"),
        ("FINAL RANKING:\n#1 Response D\n#2 Response C", "DC"),
        ("FINAL RANKING:\n| Rank | Response |\n|---|---|\n| 1 | Response C |\n| 2 | Response A |", "CA"),
        ("FINAL RANKING\n| Response | Rank |\n|---|---|\n| Response C | 2 |\n| Response A | 1 |", "AC"),
        ("FINAL RANKING:\nResponse A: 2\nResponse B: 1\nResponse C: 3", "BAC"),
        ("FINAL RANKING:\nResponse A: 8/10\nResponse B: 9/10", "AB"),
        ("FINAL RANKING:\nResponse A: 8\nResponse B: 9", "AB"),
        ('FINAL RANKING:\n```json\n["Response C", "Response A"]\n```', "CA"),
        ('FINAL RANKING:\n[\n  "Response C",\n  "Response A"\n]', "CA"),
        ("FINAL RANKING:\nBased on all of the above I rank them so:\n\n1. Response C\n2. Response A", "CA"),
    ],
)
def test_the_list_is_read_however_it_is_marked_up(text, letters):
    assert under_heading(text, KNOWN) == list(letters)


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        (
            "FINAL RANKING:\n1. Response C - not Response D\n2. Response A (not Response B)",
            "CA",
        ),
        (
            "FINAL RANKING:\n1. Response C\n   Response A is long.\n   - Response D is not.\n2. Response A",
            "CA",
        ),
        ("FINAL RANKING:\n1. Response C, Response D is close behind\n2. Response A", "CA"),
        ("FINAL RANKING:\n1. Response C\nIt beats Response D.\n2. Response A", "CA"),
        ("FINAL RANKING:\n- Response C\n  Response D is worse\n- Response A", "CA"),
        ("FINAL RANKING:\n- Response C\n- Response A\n\nResponse D was not convincing.", "CA"),
        ("FINAL RANKING:\n1. Response C\n2. Response A\n\n**Reasoning:**\n1. Response D", "CA"),
        ("FINAL RANKING:\n1. Response C\n2. Response A\n\n# Notes\n3. Response D", "CA"),
        ("FINAL RANKING:\n1. Response C\n2. Response A\n\nBy clarity:\n1. Response D\n2. Response B", "CA"),
        ("FINAL RANKING: C > A\nB > D", "CA"),
        ("FINAL RANKING:\n1. Response C\n2. Response A\n\nOverall, Response D surprised me.", "CA"),
    ],
)
def test_remarks_are_no_part_of_the_list(text, letters):
    assert under_heading(text, KNOWN) == list(letters)


def test_the_last_section_counts_that_has_a_list():
    text = (
        "FINAL RANKING:\n1. Response A\n2. Response B\n\nOn second thought.\n\n"
        "FINAL RANKING:\n1. Response B\n2. Response A\n\nThis FINAL RANKING is what I stand by."
    )
    assert under_heading(text, KNOWN) == ["B", "A"]


def test_repeated_labels_count_once_and_unknown_ones_not_at_all():
    text = "FINAL RANKING:\n1. Response C\n2. Response C\n3. Response Z\n4. Response A\n5. Response C"
    assert under_heading(text, KNOWN) == ["C", "A"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Response A is better than Response B.",
        "FINAL RANKING:",
        "FINAL RANKING:\n1. A clear winner is hard to find\n2. I cannot say",
        "FINAL RANKING:\none\ntwo\nthree\nfour\nfive\nsix\n1. Response A",
    ],
)
def test_there_may_be_no_list(text):
    assert under_heading(text, KNOWN) == []


def test_labels_of_two_letters():
    text = "FINAL RANKING:\n1. Response AB\n2. Response Z\n3. Response AA"
    assert under_heading(text, frozenset({"Z", "AA", "AB"})) == ["AB", "Z", "AA"]


@given(
    order=st.permutations("ABCD"),
    heading=st.sampled_from(
        [
            "FINAL RANKING:",
            "**Final Ranking:**",
            "## FINAL RANKING",
            "final ranking:",
            "__FINAL RANKINGS__",
            "FINAL RANKING (best first):",
        ]
    ),
    mark=st.sampled_from(
        ["{n}. ", "{n}) ", "**{n}.** ", "> {n}. ", "- ", "* ", "", "{n}: ", "   {n}. ", "| {n} | "]
    ),
    word=st.sampled_from(
        ["Response {x}", "response {x}", "**Response {x}**", "Answer {x}", "`Response {x}`", "*Model {x}*"]
    ),
    behind=st.sampled_from(
        ["", " - it is good", " — *Response A is not*", "  ", ": see above", " (best)", " |"]
    ),
    gap=st.sampled_from(["\n", "\n\n", "\r\n"]),
    before=st.sampled_from(["", "1. Response D\n2. Response A\n\n", "Response B: good.\n\n"]),
)
@settings(deadline=None, max_examples=150)
def test_any_order_in_any_markup(order, heading, mark, word, behind, gap, before):
    lines = [mark.format(n=n) + word.format(x=x) + behind for n, x in enumerate(order, 1)]
    assert under_heading(before + heading + gap + gap.join(lines), KNOWN) == list(order)


@given(st.text(st.sampled_from("ABCD12.>*-|# \n:FINAL RANKING Response"), max_size=200))
@settings(deadline=None, max_examples=150)
def test_whatever_is_written_gives_known_labels_once(text):
    for found in (under_heading(text, KNOWN), last_list(text, KNOWN)):
        assert len(set(found)) == len(found)
        assert KNOWN.issuperset(found)


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("I like these:\n1. Response B\n2. Response A\n\nThat is all.", "BA"),
        ("1. Response A\n2. Response B\n\nBut in the end:\n1. Response B\n2. Response A", "BA"),
        ("Mine: none.\n\nResponse D > Response A\n", "DA"),
        ("- Response C\n- Response B\n\nResponse A is left out.", "CB"),
        ("1. Response C\n   Because.\n2. Response B\n   Why not.\n3. Response A", "CBA"),
        ("Response A:\nIt is good.\n\nResponse B:\nIt is not.", ""),
        ("Only Response A was good.", ""),
        ("1. Response A", ""),
    ],
)
def test_a_list_without_heading(text, letters):
    assert last_list(text, KNOWN) == list(letters)
