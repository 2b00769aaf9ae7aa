import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from council_vault.notes.markdown import is_break, lines, scan


def states(text):
    return [line.state for line in scan(lines(text))]


@given(
    st.lists(st.sampled_from(["a", "\n", "\r\n", "\r", "\u2028", "\x85", "\x0b", "\x0c", "\x1c"])).map(
        "".join
    )
)
def test_lines_end_where_markdown_ends_them_and_nothing_is_lost(text):
    assert "".join(lines(text)) == text
    assert all(
        line.rstrip("\r\n").count("\n") == line.rstrip("\r\n").count("\r") == 0 for line in lines(text)
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```\na\n```\nb", "fcf."),
        ("~~~ py\n```\n~~~\nb", "fcf."),
        ("````md\n```py\nx\n```\n````\nb", "fcccf."),
        ("```\na\n``` x\nb", "fccc"),
        ("```\na\n    ```\n```  \nb", "fccf."),
        ("``` a`b\nx", ".."),
        ("    ```\nx", ".."),
        ("   ```\nx\n```", "fcf"),
        ("> ```\n> a\n> ```\nb", "fcf."),
        ("> ```\n> a\nb", "fc."),
        (">```\n>a\n>\n>```\n", "fccf"),
        ("> > ```\n> > a\n> b", "fc."),
        ("- ```\n  a\n  ```\nb", "fcf."),
        ("- x\n\n  ~~~\n  a\n\n  b\n  ~~~\n", "..fcccf"),
        ("- x\n  ```\nout", ".f."),
        ("1. x\n   - y\n     ```\n     a\n     ```\n", "..fcf"),
        ("1. a\n   > ```\n   > x\n   b", ".fc."),
        ("-\n  ```\n  a", ".fc"),
        ("* * *\n```\na", ".fc"),
        ("```\n\n```", "fcf"),
        ("```\n", "f"),
        ("<!-- a\n```\n--> b\n```\n", "!!!f"),
        ("<!-- one line -->\nb", "!."),
        ("> <!-- a\nb", "!."),
        ("    <!-- code\nb", ".."),
        ("text <!-- not a block\nb", ".."),
    ],
)
def test_code_and_comments_are_told_from_text(text, code):
    names = {"text": ".", "fence": "f", "code": "c", "comment": "!"}
    assert "".join(names[state] for state in states(text)) == code


def test_each_line_knows_what_it_stands_in():
    found = scan(lines("> - a\n>   b\n>\n> > c\n1. d\n\n   e\n\nf\n+\tg\n"))
    assert [(line.quotes, line.items, line.opens_item, line.content) for line in found] == [
        (1, 1, True, "a"),
        (1, 1, False, "b"),
        (1, 1, False, ""),
        (2, 0, False, "c"),
        (0, 1, True, "d"),
        (0, 1, False, ""),
        (0, 1, False, "e"),
        (0, 1, False, ""),
        (0, 0, False, "f"),
        (0, 1, True, "g"),
    ]
    assert [line.blank for line in found] == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
        True,
        False,
        False,
    ]
    assert not scan(["-\n"])[0].blank


@pytest.mark.parametrize(("text", "rule"), [("---", True), ("* * *", True), ("- -", False), ("- a", False)])
def test_a_rule_is_no_list(text, rule):
    assert is_break(text) is rule
    assert scan([text])[0].opens_item is (not rule)


PIECES = [
    "    ```",
    "1) ~~~",
    "<!-- x",
    "y -->",
    "* * *",
    "\t```",
    "   - e",
    "```",
    "````",
    "~~~",
    "```py",
    "> ```",
    "> a",
    "- b",
    "  ```",
    "  c",
    "",
    "text",
    ">",
    "> - ```",
    ">   d",
    "# h",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=9))
def test_fences_open_and_close_where_a_markdown_parser_says(pieces):
    text = "".join(f"{piece}\n" for piece in pieces)
    inside = set()
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence":
            inside.update(range(token.map[0] + 1, token.map[0] + 1 + token.content.count("\n")))
    found = states(text)
    assert {number for number, state in enumerate(found) if state == "code"} == inside & set(
        range(len(found))
    )


@pytest.mark.parametrize("mark", ["- ", "> ", "1. ", "> - "])
def test_a_line_of_endless_marks_is_read_to_a_depth_and_then_text(mark):
    deep = mark * 20_000 + "x\n"
    first, second = scan([deep, "after\n"])
    assert first.raw == deep
    assert first.quotes + first.items == 100
    assert first.content.endswith("x")
    assert second.content == "after"
