import pytest

from council_vault.errors import NoteRefused
from council_vault.notes.kinds import END_MARKER, begin_marker
from council_vault.notes.regions import find_region, marked_kind

BEGIN = begin_marker("log")
INSIDE = "\nours\n\n"
REGION = f"{BEGIN}\n{INSIDE}{END_MARKER}\n"


def parts(text, body=0):
    region = find_region(text, "log", body)
    return (
        text[region.start : region.inside],
        text[region.inside : region.close],
        text[region.close : region.end],
    )


@pytest.mark.parametrize(
    "begin",
    [
        BEGIN,
        "%% council-vault:begin log %%",
        "%%council-vault:begin log%%  ",
        "   %%  council-vault:begin   log (my own words, 100% mine) %%",
        "%% council-vault:begin log (rewritten at every sync; your own text goes\nabove or below) %%",
        "%% council-vault:begin log\n(rewritten at every sync; your own\ntext goes above or below)\n%%",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tail", ["", "\nbelow\n"])
def test_a_region_is_found_by_its_tokens(begin, newline, tail):
    text = f"above\n\n{begin}\n{INSIDE}%%council-vault:end %% {tail}".replace("\n", newline)
    end = "%%council-vault:end %% " + ("\n" if tail else "")
    assert parts(text) == tuple(part.replace("\n", newline) for part in (f"{begin}\n", INSIDE, end))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        "the token council-vault:begin log alone",
        f"Write `{BEGIN}` at the begin",
        f"```\n{REGION}```\n",
        f"~~~~\n```\n{REGION}```\n~~~~\ntext",
        f"> ```\n> {BEGIN}\n\ntext",
        f"<!--\n{REGION}-->\n",
        f"text\n\n    {BEGIN}\n    {END_MARKER}\n",
    ],
)
def test_an_example_of_a_marker_is_none(text):
    assert find_region(text, "log") is None
    assert marked_kind(text) is None


def test_an_example_does_not_hide_the_region():
    text = f"```\n{REGION}```\n\n> {BEGIN}\n\n{REGION}"
    assert text[find_region(text, "log").start :] == REGION
    assert marked_kind(text) == "log"


def test_the_frontmatter_is_not_searched():
    text = f"---\n{REGION}---\n{REGION}"
    assert find_region(text, "log", text.rindex("---") + 4).start == text.rindex("---") + 4


@pytest.mark.parametrize(
    ("text", "line", "what", "remedy"),
    [
        (f"a\n{BEGIN}\nours\n", 2, "no end marker below", END_MARKER),
        (f"a\n\nours\n{END_MARKER}\n", 4, "no begin marker above", BEGIN),
        (f"{END_MARKER}\n{BEGIN}\n", 1, "no begin marker above", BEGIN),
        (f"{BEGIN}\n{BEGIN}\n{END_MARKER}\n", 2, "end marker is missing above", END_MARKER),
        (f"{BEGIN}\n{BEGIN}\n{END_MARKER}\n{END_MARKER}\n", 2, "end marker is missing above", END_MARKER),
        (f"{BEGIN}\n{END_MARKER}\n{END_MARKER}\n", 3, "no begin marker above", BEGIN),
        (f"{REGION}\n{REGION}", 7, "second region", "Delete one of the two"),
        (f"{REGION}\n{BEGIN}", 7, "no end marker below", END_MARKER),
        (REGION.replace("log", "routing"), 1, "marked as routing, not as log", "where it belongs"),
        (REGION.replace("begin log", "begin"), 1, "marked as nothing, not as log", "where it belongs"),
        (REGION.replace(" %%\n", "\n"), 1, "damaged", END_MARKER),
        (f"{BEGIN}\nours\n%% council-vault:end\n", 3, "damaged", END_MARKER),
        (f"{BEGIN} mine\nours\n{END_MARKER}", 1, "text follows a marker", "a line of its own"),
        (f"{BEGIN}\nours\n{END_MARKER} mine", 3, "text follows a marker", "a line of its own"),
        (f"```\n{REGION}", 2, "never closed", "Take them out"),
        (f"<!--\n{REGION}", 2, "never closed", "Take them out"),
        (f"> {BEGIN}\n> ours\n> {END_MARKER}\n", 1, "callout", "Take them out"),
        (f"- {BEGIN}\n  ours\n  {END_MARKER}\n", 1, "list", "Take them out"),
        (f"```\n{BEGIN}\n```mermaid\n```\n{END_MARKER}\n", 5, "no begin marker above", BEGIN),
    ],
)
def test_markers_in_disorder_are_refused_with_the_remedy(text, line, what, remedy):
    with pytest.raises(NoteRefused, match=what) as refused:
        find_region(text, "log")
    assert refused.value.where == f"line {line}"
    assert remedy in refused.value.remedy
    assert "stays as it is" in refused.value.what


def test_line_numbers_count_the_frontmatter():
    text = f"---\na: 1\n---\n{BEGIN}\n"
    with pytest.raises(NoteRefused) as refused:
        find_region(text, "log", text.index("%%"))
    assert refused.value.where == "line 4"


@pytest.mark.parametrize("above", ["| a | b |\n", "> callout\n", "- item\n", "text\n", "<!-- c -->\n"])
def test_a_marker_right_below_something_else_is_found(above):
    assert find_region(f"{above}{BEGIN}\n{above}{END_MARKER}\n", "log").start == len(above)


def test_the_kind_of_a_damaged_region_is_known():
    assert marked_kind("%% council-vault:begin performance") == "performance"
    assert marked_kind(f"{END_MARKER}\n%% council-vault:begin routing %% x") == "routing"
