"""What a synthesis adds to the best answer: the formula by hand, and what always holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning.stats import WASTED_BELOW, WORTH_DELIBERATING_ABOVE
from council_vault.learning.value import value_added
from support.memory_files import REAL_DATA

if TYPE_CHECKING:
    import random

# Four points each, no two of which share a word.
TOP = "Ship small changes. Roll back fast.\n- Measure latency daily\n- Alert somebody"
SECOND = "Encrypt backups nightly.\n1. Rotate credentials\n2. Audit access logs\n3. Patch servers"
THIRD = "Write runbooks early. Train newcomers well. Draw diagrams. Record decisions"
FOURTH = "Cache images near users.\nCompress large files\nBatch queries\nAvoid polling"
DISAGREEMENT = "The models disagree about budgets"


def lines(*texts: str) -> str:
    return "\n".join(texts)


@pytest.mark.parametrize(
    ("synthesis", "others", "expected"),
    [
        # Nothing but the top answer.
        (TOP, [SECOND, THIRD], 0.0),
        ("Roll back fast.", [SECOND, THIRD], 0.0),
        # Two of four points from one other answer: 2/4 * 0.5; two models are no breadth among three.
        (
            lines("Ship small changes.", "Roll back fast.", "Rotate credentials", "Patch servers"),
            [SECOND, THIRD],
            0.25,
        ),
        # Three models: 2/4 * 0.5 + 0.3.
        (
            lines("Ship small changes.", "Roll back fast.", "Rotate credentials", "Draw diagrams"),
            [SECOND, THIRD],
            0.55,
        ),
        # Three models without the top one: 3/3 * 0.5 + 0.3.
        (lines("Rotate credentials", "Draw diagrams", "Batch queries"), [SECOND, THIRD, FOURTH], 0.8),
        # Both of a council of two: 1/2 * 0.5 + 0.3.
        (lines("Ship small changes.", "Rotate credentials"), [SECOND], 0.55),
        # The other one alone: 2/2 * 0.5.
        (lines("Patch servers", "Rotate credentials"), [SECOND], 0.5),
        # The chairman is no model: 2/4 * 0.5.
        (
            lines("Ship small changes.", "Rotate credentials", "Buy umbrellas", "Roll back fast"),
            [SECOND, THIRD],
            0.25,
        ),
        # Nobody else answered: 1/2 * 0.5.
        (lines("Ship small changes.", "Buy umbrellas"), [], 0.25),
        (lines("Ship small changes.", "Buy umbrellas"), ["", "Error: timeout", "<think>hm"], 0.25),
        # A failed answer makes a council of three one of two.
        (lines("Ship small changes.", "Rotate credentials"), [SECOND, "Error: timeout"], 0.55),
        # A disagreement: 1/2 * 0.5 + 0.2, and with breadth 3/4 * 0.5 + 0.3 + 0.2.
        (lines("Ship small changes.", DISAGREEMENT), [SECOND, THIRD], 0.45),
        (
            lines("Ship small changes.", "Rotate credentials", "Draw diagrams", DISAGREEMENT),
            [SECOND, THIRD],
            0.875,
        ),
        # All there is: 4/4 * 0.5 + 0.3 + 0.2.
        (
            lines("Rotate credentials", "Draw diagrams", "Batch queries", DISAGREEMENT),
            [SECOND, THIRD, FOURTH],
            1.0,
        ),
        # One point of four: 1/4 * 0.5, between the two thresholds.
        (lines(TOP, "Buy umbrellas today").replace("- Alert somebody\n", ""), [SECOND, THIRD], 0.125),
        # What is said twice counts once: 1/2 * 0.5.
        (
            lines("Ship small changes.", "Rotate credentials", "**Rotate** the credentials!"),
            [SECOND, THIRD],
            0.25,
        ),
        # Inflected and in other words, but more than half the same.
        (lines("Shipping only small changes", "Rotate your credential"), [SECOND, THIRD], 0.25),
        # A synthesis of headings only, one without words, one word.
        ("# Ship small changes", [SECOND, THIRD], 0.0),
        ("👍", [SECOND, THIRD], 0.0),
        ("Umbrellas.", [SECOND, THIRD], 0.5),
        ("<think>Buy umbrellas. Buy hats.</think>Ship small changes.", [SECOND, THIRD], 0.0),
    ],
)
def test_the_formula(synthesis: str, others: list[str], expected: float) -> None:
    assert value_added(synthesis, TOP, others) == pytest.approx(expected, abs=1e-12)


def test_a_disagreement_that_the_top_answer_knows_adds_nothing() -> None:
    assert value_added(DISAGREEMENT, f"{TOP}\n{DISAGREEMENT}", [SECOND, THIRD]) == 0


def test_a_point_is_credited_to_the_answer_that_says_most_of_it() -> None:
    little = "Rotate credentials and certificates monthly"
    synthesis = lines("Ship small changes.", little)
    assert value_added(synthesis, TOP, ["Rotate certificates monthly", little]) == pytest.approx(0.25)
    # Once the better one is taken by the last point, there are three models.
    synthesis = lines(synthesis, "Rotate certificates monthly")
    assert value_added(synthesis, TOP, ["Rotate certificates monthly", little]) == pytest.approx(
        2 / 3 * 0.5 + 0.3
    )


def test_the_top_answer_comes_first_even_if_another_says_more() -> None:
    synthesis = "Ship small changes often, nightly"
    assert value_added(synthesis, TOP, [synthesis, THIRD]) == 0


def test_the_thresholds() -> None:
    nine_of_ten = [f"Topic{n} matters{n} here{n}" for n in range(9)]
    top = lines(*nine_of_ten)
    wasted = value_added(lines(top, "Buy umbrellas"), top, [SECOND, THIRD])
    assert wasted == pytest.approx(0.05)  # 1/10 * 0.5
    assert wasted is not None
    assert wasted < WASTED_BELOW
    worth = value_added(
        lines("Ship small changes", "Rotate credentials", "Patch servers", "Audit access logs"),
        TOP,
        [SECOND, THIRD],
    )
    assert worth == pytest.approx(0.375)  # 3/4 * 0.5
    assert worth is not None
    assert worth > WORTH_DELIBERATING_ABOVE


@pytest.mark.parametrize(
    ("top", "other", "synthesis", "expected"),
    [
        ("用微服务。部署更快。", "单体更简单。", "用微服务。单体更简单。", 0.55),
        ("用微服务。部署更快。", "单体更简单。", "我们部署更快。用微服务！", 0.0),
        ("ใช้ไมโครเซอร์วิส", "โมโนลิธเรียบง่ายกว่า", "ใช้ไมโครเซอร์วิส\nโมโนลิธเรียบง่ายกว่า", 0.55),
        (
            "استخدم الخدمات المصغرة.",
            "التطبيق الموحد أبسط.",
            "استخدم الخدمات المصغرة. التطبيق الموحد أبسط.",
            0.55,
        ),
        (
            "마이크로서비스를 사용하세요.",
            "모놀리스가 더 간단합니다.",
            "마이크로서비스는 사용하세요. 모놀리스가 더 간단합니다.",
            0.55,
        ),
        ("छोटे बदलाव भेजो।", "जल्दी वापस लौटो।", "छोटे बदलाव भेजो। जल्दी वापस लौटो।", 0.55),
    ],
)
def test_any_script(top: str, other: str, synthesis: str, expected: float) -> None:
    assert value_added(synthesis, top, [other]) == pytest.approx(expected)


@pytest.mark.parametrize(
    "missing", [None, "", " \n", "Error: Unable to generate final synthesis.", "<think>hm"]
)
def test_none_where_there_is_no_synthesis_or_no_top_answer(missing: str | None) -> None:
    assert value_added(missing, TOP, [SECOND]) is None
    assert value_added(TOP, missing, [SECOND]) is None


VOCABULARY = """
ship small changes roll back fast measure latency alert encrypt backups rotate credentials audit patch
servers runbooks train newcomers draw diagrams record cache images users compress batch queries
微服务 单体 部署 सेवा 42 7
""".split()  # noqa: SIM905 - forty quoted words cannot be read
SENTENCE = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=7).map(" ".join)
LINE = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "- ", "1. ", "## ", "> ", "**"]),
    SENTENCE,
    st.sampled_from(["", ".", "!", ":", "。", ". The models disagree here."]),
)
TEXT = st.lists(LINE, min_size=1, max_size=10).map("\n".join)
OTHERS = st.lists(TEXT | st.sampled_from(["", "Error: timeout"]), max_size=4)
ANYTHING = st.text(max_size=80)


@settings(max_examples=60, deadline=None)
@given(TEXT | ANYTHING, TEXT | ANYTHING, st.lists(TEXT | ANYTHING, max_size=4))
def test_it_is_in_zero_to_one(synthesis: str, top: str, others: list[str]) -> None:
    value = value_added(synthesis, top, others)
    assert value is None or 0 <= value <= 1


@settings(max_examples=60, deadline=None)
@given(
    TEXT,
    OTHERS,
    st.randoms(use_true_random=False),
    st.sampled_from(["", "- ", "* ", "7. ", "> ", "> - ", "### ", "| "]),
)
def test_it_is_zero_for_the_top_answer_in_any_dress(
    top: str, others: list[str], chance: random.Random, mark: str
) -> None:
    rows = top.splitlines()
    chance.shuffle(rows)
    bare = [row.lstrip("-1.#>* ") for row in rows]
    for synthesis in (
        top,
        "\n\n".join(rows),
        "\n".join(mark + row for row in bare),
        "\n".join(map(str.upper, rows)),
    ):
        assert value_added(synthesis, top, others) == 0
    bold = "\n".join(" ".join(f"**{word}**" for word in row.split()) for row in bare)
    assert value_added(bold, top, others) == 0
    assert value_added(f"<think>Buy umbrellas. Buy hats</think>{top}", top, others) == 0


@settings(max_examples=60, deadline=None)
@given(ANYTHING, OTHERS)
def test_it_is_zero_for_any_text_that_is_the_top_answer(top: str, others: list[str]) -> None:
    assert value_added(top, top, others) in {0, None}


NEW = st.lists(
    st.sampled_from(["umbrella", "hat", "glove", "新想法", "dissent", "99"]), min_size=1, max_size=5
).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, OTHERS, NEW, st.sampled_from(["", "- ", "2. ", "## ", "**", "> "]), st.booleans())
def test_it_never_falls_when_a_point_is_added_that_the_top_answer_lacks(
    synthesis: str, top: str, others: list[str], new: str, mark: str, in_front: bool
) -> None:
    before = value_added(synthesis, top, others)
    longer = f"{mark}{new}\n{synthesis}" if in_front else f"{synthesis}\n{mark}{new}"
    assert before is not None
    for answers in (others, [*others, new]):
        after = value_added(longer, top, answers)
        unchanged = value_added(synthesis, top, answers)
        assert after is not None
        assert unchanged is not None
        assert after >= unchanged


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, OTHERS, NEW)
def test_a_sentence_behind_the_last_one_is_a_point_too(
    synthesis: str, top: str, others: list[str], new: str
) -> None:
    before = value_added(f"{synthesis} so.", top, others)
    after = value_added(f"{synthesis} so. {new}", top, others)
    assert before is not None
    assert after is not None
    assert after >= before


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, OTHERS)
def test_the_order_of_the_other_answers_makes_no_difference(
    synthesis: str, top: str, others: list[str]
) -> None:
    assert value_added(synthesis, top, others) == value_added(synthesis, top, others[::-1])


def test_two_that_say_the_same_are_credited_in_any_order() -> None:
    synthesis, both = (
        lines("Ship small changes.", "Rotate credentials", "Patch servers"),
        "Rotate credentials",
    )
    for others in ([both, f"{both}\nPatch servers"], [f"{both}\nPatch servers", both]):
        assert value_added(synthesis, TOP, others) == pytest.approx(2 / 3 * 0.5 + 0.3)


@pytest.mark.skipif(not REAL_DATA.is_dir(), reason="needs ../shared/council-data")
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("karpathy-clean-1.json", 0.3, 1),
        ("karpathy-clean-2.json", 0.3, 1),
        ("karpathy-think-blocks-odd-labels.json", 0.1, 1),
        ("karpathy-tie-error-synthesis.json", None, None),
        ("karpathy-one-answer-no-reviews.json", None, None),
    ],
)
def test_real_councils(name: str, least: float | None, most: float | None) -> None:
    _, council = json.loads((REAL_DATA / name).read_text(encoding="utf-8"))["messages"]
    answers = [stage["response"] for stage in council["stage1"]]
    for top in answers:
        value = value_added(council["stage3"]["response"], top, [one for one in answers if one is not top])
        if least is None or most is None:
            assert value is None
        else:
            assert value is not None
            assert least <= value <= most
        assert value_added(top, top, answers) == 0
