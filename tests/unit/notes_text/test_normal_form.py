import pytest

from council_vault.notes.normal_form import cells, heading, is_delimiter_row, same
from support import drafts, formatters

TABLE = "| a | b |\n| --- | ---: |\n| x | 1 |\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TABLE, "|a|b|\n|-|-:|\n|x|1|\n"),
        (TABLE, "| a     |    b |\n| ----- | ---: |\n| x     |    1 |\n"),
        (TABLE, TABLE.replace("\n", "  \r\n")),
        ("> a\n>\n> b", ">a\n>b"),
        ("> > a", ">>a"),
        ("a\n\n\n\nb\n", "\na\n\nb"),
        ("a *b* **c** ***d***", "a _b_ __c__ **_d_**"),
        ("- a\n- b", "* a\n+ b"),
        ("- a\n  - b", "* a\n    * b"),
        ("1. a\n2. b", "1) a\n1) b"),
        ("snake_case * x", r"snake\_case \* x"),
        ("# Title", "# Title ##"),
        ("# The Title", "# the title"),
        ("# Title", "Title\n====="),
        ("## Title\ntext", "Title\n---\ntext"),
        ("> ## Title", "> Title\n> ---"),
        ("***", "---"),
        ("```py\nx\n```", "~~~~ py\nx\n~~~~"),
        ("a long line of text", "a long line\nof text"),
        ("- a long item", "- a long\n  item"),
        ("> [!note]  Title here", "> [!note] Title\n> here"),
        ('"it\'s"...', "“it’s”…"),
        ("a  b", "a b"),
        ("a  \nb", "a\\\nb"),
        ("[[a|b]] and\n[[c|d]]", "[[a|b]] and [[c|d]]"),
    ],
)
def test_what_formatters_change_is_the_same(one, other):
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TABLE, TABLE.replace("1", "2")),
        (TABLE, TABLE.replace("---:", "---")),
        ("> a", "a"),
        ("> a", "> > a"),
        ("- a", "a"),
        ("- a\n- b", "- a\n  - b"),
        ("# a", "## a"),
        ("```\nx\n```", "```\nx \n```"),
        ("```\nx\n```", "```\n x\n```"),
        ("```\nx\n\ny\n```", "```\nx\ny\n```"),
        ("```py\nx\n```", "```\nx\n```"),
        ("```\n*x*\n```", "```\n_x_\n```"),
        ("a", "b"),
        ("a", ""),
        ("a\nb", "a\nb\nc"),
        ("A", "a"),
    ],
)
def test_what_says_something_else_is_not(one, other):
    assert not same(one, other)


@pytest.mark.parametrize("formatter", formatters.ALL)
@pytest.mark.parametrize("draft", [drafts.performance(), drafts.log()])
def test_whole_notes_are_the_same_after_formatters(formatter, draft):
    body = draft.split("---\n", 2)[2]
    formatted = formatter(draft).split("---\n", 2)[2]
    assert same(body, formatted)
    assert not same(body, formatted.replace("gpt-4.1", "gpt-4.2"))


def test_cells_keep_what_is_escaped():
    assert cells(r"| a \| b | `c` |  |") == [r"a \| b", "`c`", ""]
    assert cells("a | b") == ["a", "b"]
    assert cells("") == []


def test_headings_and_delimiter_rows_are_known():
    assert heading("## A # b ##") == (2, "A # b")
    assert heading("#") == (1, "")
    assert heading("#tag") is None
    assert is_delimiter_row("|-|:-:|")
    assert not is_delimiter_row("---")
    assert not is_delimiter_row("| - | a |")
