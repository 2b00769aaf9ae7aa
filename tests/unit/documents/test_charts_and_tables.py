"""The parts that notes are made of: charts, tables, figures, names of categories."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from council_vault.notes import categories
from council_vault.notes.charts import bar_chart
from council_vault.notes.figures import decimal, listing, percent, plural
from council_vault.notes.model_names import model_names
from council_vault.notes.tables import quote, table, width

INIT = (
    '%%{init: {"xyChart": {"width": 340, "height": 126, "xAxis": {"labelFontSize": 13}, "yAxis": '
    '{"labelFontSize": 11, "titleFontSize": 13}}, "themeVariables": {"xyChart": {"backgroundColor": '
    '"transparent", "plotColorPalette": "#7c6bd6, #d9534f, #3a9a5b"}}}}%%'
)


def chart(*labels: str, **options: object) -> str:
    bars = [(label, 1.0) for label in labels]
    return bar_chart(bars, **{"axis": "a", "top": 105, "digits": 0, **options})


def labels_of(text: str) -> list[str]:
    line = next(line for line in text.split("\n") if "x-axis" in line)
    return json.loads(line.split("x-axis ")[1])


def test_a_chart_in_full() -> None:
    bars = [("One", 0.5), ("Two", 0.25)]
    assert bar_chart(bars, axis="worth", top=1.05, digits=2, lines=(0.4, 0.6)).split("\n") == [
        "```mermaid",
        INIT,
        "xychart-beta horizontal",
        '    x-axis ["One", "Two"]',
        '    y-axis "worth" 0 --> 1.05',
        "    bar [0.50, 0.25]",
        "    line [0.4, 0.4]",
        "    line [0.6, 0.6]",
        "```",
    ]


def test_one_bar_is_no_chart_and_the_ninth_is_left_out() -> None:
    assert chart() == chart("one") == ""
    nine = chart(*"abcdefghi")
    assert labels_of(nine) == list("abcdefgh")
    assert '"height": 294' in nine


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("claude-sonnet-4", "claude-sonnet-4"),
        ("gemini-2.5-pro-preview", "gemini-2.5-pro"),
        ("x" * 18, "x" * 18),
        ("x" * 19, "x" * 17 + "…"),
        ("a-" + "x" * 30, "a-" + "x" * 15 + "…"),
        ("模型" * 20, "模型模型模型模型…"),
        ('say "hi" %%{init}%%', "say hi init"),
        ("a::b council-vault:end", "a: b council-vault"),
        ("\u202e\x00", "?"),
        ("", "?"),
        ("Größe 🏛️", "Größe 🏛️"),
    ],
)
def test_labels_fit_and_cannot_break_the_chart(label: str, shown: str) -> None:
    assert labels_of(chart(label, "other"))[0] == shown


def test_labels_that_would_look_alike_are_numbered() -> None:
    alike = ["long-model-name-one", "long-model-name-two", "long-model-name-three"]
    assert labels_of(chart(*alike)) == ["long-model-name", "long-model-name 2", "long-model-name 3"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=2, max_size=8))
@example(["", "\u093c"])
def test_labels_of_any_text(texts: list[str]) -> None:
    labels = labels_of(chart(*texts))
    assert len(set(labels)) == len(texts)
    for label in labels:
        assert 0 < width(label) <= 18
        assert not re.search(r'["\n\r%\[\]{}`]', label)


def test_a_table_in_full() -> None:
    rows = [("Model", "n"), ("a", "5"), ("b \\| c", "1234")]
    assert table(rows, "lr").split("\n") == [
        "| Model  |    n |",
        "| ------ | ---: |",
        "| a      |    5 |",
        "| b \\| c | 1234 |",
    ]


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("—", 1), ("★★", 2), ("中文", 4), ("⚠️ 18%", 6), ("é", 1), ("e\u0301", 1), ("🏛️", 2), ("", 0)],
)
def test_width_in_a_font_of_fixed_width(text: str, columns: int) -> None:
    assert width(text) == columns


def test_a_row_that_is_too_short_is_an_error() -> None:
    with pytest.raises(ValueError, match="1 cells in a row, but 2 letters in 'lr'"):
        table([("a", "b"), ("c",)], "lr")


def test_quote_puts_every_line_into_the_callout() -> None:
    assert quote("a\n\nb") == "> a\n>\n> b"


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [
        (1.84, 1, "1.8"),
        (2, 2, "2.00"),
        (-0.0, 1, "0.0"),
        (-0.04, 1, "0.0"),
        (-0.06, 1, "-0.1"),
        (None, 1, "—"),
        (float("nan"), 1, "—"),
        (float("inf"), 1, "—"),
        (1e300, 1, "—"),
    ],
)
def test_decimal(number: float | None, digits: int, text: str) -> None:
    assert decimal(number, digits) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.38, "38%"), (0, "0%"), (1, "100%"), (None, "—"), (-0.001, "0%"), (0.155, "16%")]
)
def test_percent(share: float | None, text: str) -> None:
    assert percent(share) == text


def test_words_follow_their_number() -> None:
    assert [plural(count, "answer") for count in (0, 1, 2)] == ["answers", "answer", "answers"]


def test_a_long_list_is_cut_with_its_number() -> None:
    assert listing(["a", "b"], 2) == "a, b"
    assert listing(["a", "b", "c", "d"], 2) == "a, b and 2 more"


@pytest.mark.parametrize(
    ("category", "title", "in_sentence"),
    [
        ("architecture_decision", "Architecture", "architecture"),
        ("factual_lookup", "Factual lookup", "factual lookup"),
        ("other", "Other", "other"),
        ("data_migration", "Data migration", "data migration"),
        ("SQL tuning", "SQL tuning", "SQL tuning"),
        ("GraphQL_schema", "GraphQL schema", "GraphQL schema"),
        ("a_thing", "A thing", "a thing"),
        ("a|b", "A\\|b", "a\\|b"),
        ("__", "Other", "other"),
        ("[[x]]", "x", "x"),
    ],
)
def test_categories_for_people(category: str, title: str, in_sentence: str) -> None:
    assert categories.title(category) == title
    assert categories.in_sentence(categories.title(category)) == in_sentence


def test_long_names_of_models_are_cut_unless_that_makes_them_alike() -> None:
    long, other = f"x/{'m' * 50}", f"x/{'n' * 50}"
    twins = (f"x/{'t' * 50}a", f"x/{'t' * 50}b")
    names = model_names([long, other, *twins, "y/a|b"])
    assert names == {
        long: "m" * 39 + "…",
        other: "n" * 39 + "…",
        twins[0]: "t" * 50 + "a",
        twins[1]: "t" * 50 + "b",
        "y/a|b": "a\\|b",
    }
