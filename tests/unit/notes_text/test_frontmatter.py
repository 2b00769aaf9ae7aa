import re
from datetime import date

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError as RuamelError

from council_vault.errors import NoteRefused
from council_vault.notes import frontmatter
from support import drafts, formatters

DRAFT = drafts.performance()
FULL = drafts.block("Council Model Performance", "model-performance", "ai-verification")
STALE = FULL.replace("2026-05-14", "2026-05-01")
ROUND_TRIP = """# a comment
zeta: 1
date: 2026-03-28 # when
alpha: 'single'
when: 2026-03-28T09:05:28-06:00
country: NO
ver: 1.10
dur: 12:30
code: 0123
id: 2023_0129
empty:
quoted: "double: quoted"
tags: [a, b]
🏛️: 👩‍👩‍👧
"""


def note(block, body="\nBody\n"):
    return f"---\n{block}---\n{body}"


def block_of(text):
    return text.split("---\n")[1]


def merged(block):
    result = frontmatter.merge(note(block), DRAFT)
    assert result.problem is None
    assert result.text.endswith("---\n\nBody\n")
    assert frontmatter.merge(result.text, DRAFT) == frontmatter.Merged(result.text)
    return block_of(result.text)


def yaml_1_2(block):
    return YAML(typ="safe", pure=True).load(block)


def test_only_what_is_ours_changes_in_a_round_trip():
    lines = merged(ROUND_TRIP).splitlines()
    kept = [line for line in ROUND_TRIP.splitlines() if not line.startswith("date")]
    assert [line for line in lines if line in kept] == kept
    assert lines[lines.index("zeta: 1") + 1 : lines.index("alpha: 'single'")] == [
        "title: Council Model Performance",
        "date: 2026-05-14 # when",
        "type: reference",
    ]
    assert lines[lines.index("tags: [a, b]") + 1 :] == [
        "status: active",
        "council_memory: m-20251207T112104Z",
        "🏛️: 👩‍👩‍👧",
    ]


def test_a_block_that_says_the_same_is_not_touched():
    assert merged(block_of(FULL)) == block_of(FULL)
    sorted_by_linter = formatters.linter(note(block_of(FULL)))
    assert frontmatter.merge(sorted_by_linter, DRAFT) == frontmatter.Merged(sorted_by_linter)


@pytest.mark.parametrize(
    "day", ["2026-05-14", "'2026-05-14'", "2026-05-14T10:00:00", "2026-05-14T23:00:00-08:00"]
)
def test_the_same_day_in_other_words_is_not_touched(day):
    block = block_of(FULL).replace("2026-05-14", day)
    assert merged(block) == block


def test_what_the_user_decided_stays():
    block = block_of(FULL)
    block = block.replace("Council Model Performance", "'My: models'").replace("active", "archived")
    block = block.replace("type: reference", "type: decision").replace("  - council\n", "  - mine\n")
    assert merged(block) == block


@pytest.mark.parametrize(
    "tags",
    [
        "tags:",
        "tags: []",
        "tags: one",
        "tags: [1, a]",
        "tags:\n- a",
        "tags:\n  - mine\n  - no",
        "tags: [mine, [[Note]]]",
        "tags:\n  mine: {a: b}",
    ],
)
def test_tags_of_the_users_own_stay(tags):
    block = re.sub(r"tags:(\n  - .*)+", tags, block_of(FULL))
    assert merged(block) == block


@pytest.mark.parametrize(
    ("line", "invalid", "mended"),
    [
        ("title: Council Model Performance", "title:", "title: Council Model Performance"),
        ("title: Council Model Performance", 'title: "" # mine', "title: Council Model Performance # mine"),
        ("title: Council Model Performance", "title: []", "title: Council Model Performance"),
        ("type: reference", "type: Reference", "type: reference"),
        ("status: active", "status: done # yes", "status: active # yes"),
        ("date: 2026-05-14", "date:   # when", "date: 2026-05-14   # when"),
        ("date: 2026-05-14", "date: 2026-02-30", "date: 2026-05-14"),
        ("date: 2026-05-14", "date: 12345", "date: 2026-05-14"),
        ("date: 2026-05-14", "date:\n  # hm\n  2020-01-01", "date:\n  # hm\n  2026-05-14"),
        ("date: 2026-05-14", "'date': !!str 2020-01-01", "'date': 2026-05-14"),
        (
            "council_memory: m-20251207T112104Z",
            "council_memory: m-other",
            "council_memory: m-20251207T112104Z",
        ),
        ("council_memory: m-20251207T112104Z", "council_memory: ~", "council_memory: m-20251207T112104Z"),
    ],
)
def test_what_is_invalid_is_mended_on_its_line(line, invalid, mended):
    block = block_of(FULL)
    assert merged(block.replace(line, invalid)) == block.replace(line, mended)


@pytest.mark.parametrize(
    ("line", "theirs"),
    [
        ("date: 2026-05-14", "date:\n  created: 2025-01-01\n  seen: 2025-02-02"),
        ("date: 2026-05-14", "date: 2025-01-01\n  - the user's words"),
        ("date: 2026-05-14", "date: [2025-01-01, 2025-02-02]"),
        ("title: Council Model Performance", "title: [a]"),
        ("title: Council Model Performance", "title:\n  en: A\n  de: B"),
        ("type: reference", "type: {a: b}"),
        ("status: active", "status:\n- active\n- b"),
        ("status: active", "status: # c\n- x"),
        ("status: active", "status: |\n  gone\n  away"),
        ("status: active", "status: 'no\n  way'"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_property_that_the_user_made_more_of_stays_and_is_named(line, theirs, newline):
    block = (
        block_of(FULL).replace(line, theirs).replace("m-20251207T112104Z", "m-other").replace("\n", newline)
    )
    result = frontmatter.merge(f"---{newline}{block}---{newline}x", DRAFT)
    assert result.text == f"---{newline}{block}---{newline}x".replace("m-other", "m-20251207T112104Z")
    assert result.problem == (
        f"{line.partition(':')[0]} holds more than belongs there, so it stays as it is; it should say {line}"
    )


@pytest.mark.parametrize("key", frontmatter.OWNED)
def test_a_missing_key_comes_back_to_its_place(key):
    block = block_of(FULL)
    assert merged(re.sub(rf"{key}:.*\n(  - .*\n)*", "", block)) == block


@pytest.mark.parametrize("block", ["", "\n", "# only a comment\n"])
def test_an_empty_block_gets_our_lines(block):
    assert merged(block) == block + block_of(FULL)


def test_an_indented_block_keeps_its_indent():
    assert merged("  a: 1\n") == "  a: 1\n" + re.sub(r"(?m)^", "  ", block_of(FULL)).rstrip(" ")


@pytest.mark.parametrize(
    "block",
    [
        "content: x\nhandler: y\non: z\n2026: w\n",
        'a: !!int ""\nb: !!bool x\nc: !!timestamp x\nd: !!float ""\n',
        f"big: {'9' * 5000}\n",
        "when: 2026-02-30\nbig: 0001-01-01T00:00:00+23:59\n",
        "tags:\n- a\n- b\n",
        "tags: [a,\n  b,\n  c]\n",
        "text: |\n  line\n\n  more\n\n",
        "text: >-\n  date: 2020-01-01\n  title\n",
        "keep: |+\n  line\n\n\n",
        "base: &b {x: 1}\nother: *b\n<<: *b\n",
        "x: .nan\ny: .inf\n",
        "a:\n  date: 1\n  title: 2\nb: [{date: 3}]\n",
        "x: 1\nx: 2\n",
        "a: '\u2028'\n",
        "? long key\n: value\n",
    ],
)
def test_every_shape_of_the_users_own_stays_as_it_is(block):
    lines = iter(merged(block).split("\n"))
    assert all(line in lines for line in block.split("\n"))
    assert frontmatter.read(note(merged(block))).mapping["status"] == "active"


@pytest.mark.parametrize(
    "block",
    [
        "a: &x 2020-01-01\ndate: *x\n",
        "date: &x 2020-01-01\nother: *x\n",
        "{title: x, date: 2020-01-01}\n",
        "date: 2020-01-01\ndate: 2021-01-01\n",
        "a: 1\n...\n",
        "? date\n",
        "? date\nother: x\n",
        "a: x\x85date: 2020-01-01\n",
    ],
)
def test_what_cannot_be_changed_safely_is_left_and_named(block):
    text = note(block)
    result = frontmatter.merge(text, DRAFT)
    assert result.text == text
    assert "cannot be changed safely" in result.problem
    assert "council_memory: m-20251207T112104Z" in result.problem


def test_a_flow_mapping_that_is_right_is_no_problem():
    text = note(
        "{title: T, date: 2026-05-14, type: reference, tags: a, status: active, "
        "council_memory: m-20251207T112104Z}\n"
    )
    assert frontmatter.merge(text, DRAFT) == frontmatter.Merged(text)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("date: {{date}}\n", "line 2"),
        ("a: 1\nup: [[Home]] and\n", "line 3"),
        ("note: Why: a\n", "line 2"),
        ("x: !foo 1\n", "line 2"),
        ("x: @y\n", "line 2"),
        ("x: \x01\n", "special characters|control characters"),
        ("- a\nb: c\n", "line 3"),
        ("? [a]\n: b\n", "line 2"),
    ],
)
def test_a_block_that_cannot_be_read_is_left_and_named(block, reason):
    text = note(block + "council_memory: 'm-1'\n")
    result = frontmatter.merge(text, DRAFT)
    assert result.text == text
    assert re.search(f"cannot be read .*({reason})", result.problem)
    assert frontmatter.read(text).mapping is None
    assert frontmatter.stamp(text) == "m-1"
    assert text[frontmatter.body_start(text) :] == "\nBody\n"


def test_very_deep_nesting_does_not_crash():
    text = note(f"x: {'[' * 3000}\n")
    assert frontmatter.merge(text, DRAFT).text == text


def test_a_block_that_never_closes_is_left_and_named():
    text = "---\ntitle: x\ncouncil_memory: m-9\n\n# Heading\n"
    result = frontmatter.merge(text, DRAFT)
    assert result.text == text
    assert "never ends" in result.problem
    assert frontmatter.stamp(text) == "m-9"
    assert text[frontmatter.body_start(text) :] == "\n# Heading\n"
    windows = text.replace("\n", "\r\n")
    assert windows[frontmatter.body_start(windows) :] == "\r\n# Heading\r\n"
    assert frontmatter.body_start("---\ntitle: x") == len("---\ntitle: x")


@pytest.mark.parametrize(
    "text",
    [
        "# No block\n",
        "\n---\ntitle: not at the top\n---\n",
        "---\nA rule, then text\n\n---\nand more\n",
        "---\n\nOne rule alone\n",
        "---\n- a list\n- between rules\n---\n",
        "----\ntitle: too long\n----\n",
        "---",
    ],
)
def test_a_note_without_a_block_gets_ours_on_top(text):
    result = frontmatter.merge(text, DRAFT)
    gap = "" if text.startswith("\n") else "\n"
    assert result == frontmatter.Merged(FULL + gap + text)
    assert (frontmatter.read(text), frontmatter.stamp(text), frontmatter.body_start(text)) == (
        frontmatter.Reading(),
        None,
        0,
    )


def test_line_ends_are_those_of_the_note():
    text = note("a: 1\n").replace("\n", "\r\n")
    assert frontmatter.merge(text, DRAFT).text == note("a: 1\n" + block_of(FULL)).replace("\n", "\r\n")
    assert frontmatter.merge("a\r\n", DRAFT).text == (FULL + "\na\n").replace("\n", "\r\n")
    assert frontmatter.merge(note("a: 1\n").replace("\n", "\r"), DRAFT).text.count("\n") == 0


def test_a_note_that_ends_with_its_block_keeps_its_end():
    assert frontmatter.merge("---\na: 1\n---", DRAFT).text == f"---\na: 1\n{block_of(FULL)}---"


def test_a_stamp_is_found():
    assert frontmatter.stamp(FULL) == drafts.STAMP
    assert frontmatter.stamp(note("council_memory: 12\n")) == "12"
    assert frontmatter.stamp(note("council_memory:\n")) is None
    assert frontmatter.stamp(note("a: [\n")) is None


def test_a_drawn_block_is_valid():
    frontmatter.validate(DRAFT)
    assert frontmatter.read(DRAFT).mapping["date"] == date(2026, 5, 14)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("---\ntitle", "title", "does not begin with a block"),
        ("title: Council", "title: [", "line"),
        ("title: Council Model Performance", "title: 12", "title"),
        ("date: 2026-05-14", "date: 2026-05-14T10:00:00", "date"),
        ("date: 2026-05-14", "date: '2026-05-14'", "date"),
        ("type: reference", "type: note", "type"),
        ("type: reference", "type: [reference]", "type"),
        ("  - council\n", "  - 5\n", "tags"),
        ("status: active", "status: done", "status"),
        ("status: active", "status: active\nstatus: active", "status"),
        ("council_memory: m-20251207T112104Z", "x: 1", "council_memory"),
        ("council_memory: m-20251207T112104Z", "council_memory: ''", "council_memory"),
    ],
)
def test_a_drawn_block_that_is_not_valid_is_refused_and_named(old, new, named):
    with pytest.raises(NoteRefused, match=named):
        frontmatter.validate(DRAFT.replace(old, new, 1))


def test_merging_needs_a_valid_draft():
    with pytest.raises(ValueError, match="no valid frontmatter"):
        frontmatter.merge("x", "no block")


TOKENS = st.sampled_from(
    [
        "a",
        "date",
        "1",
        "0x",
        "1e5",
        ":",
        ": ",
        " ",
        "  ",
        "\n",
        "\r\n",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "#",
        "&a ",
        "*a",
        "!!int ",
        "!!bool ",
        "!!timestamp ",
        "!!set ",
        "? ",
        "|",
        ">",
        "'",
        '"',
        "\\",
        "%",
        "@",
        "`",
        "<<",
        "=",
        "~",
        "2026-02-30",
        "\t",
        "\x85",
        "\x00",
        "\u2028",
        "🏛️",
        "---",
        "...",
        "_",
    ]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(TOKENS, max_size=12).map("".join))
def test_nothing_that_stands_in_a_block_crashes_or_is_lost(inner):
    text = note(f"{inner}\n")
    result = frontmatter.merge(text, DRAFT)
    assert result.text == text or result.problem is None or "holds more than" in result.problem
    rest = iter(result.text)
    assert all(char in rest for char in inner if char in "🏛#&*@%`")
    assert result.text.endswith("---\n\nBody\n")
    frontmatter.stamp(text)


KEYS = st.sampled_from(
    ["zeta", "'quoted key'", '"date of birth"', "2026", "on", "content", "über", "🏛️", "aliases"]
)
SCALARS = st.sampled_from(
    [
        "1",
        "1.10",
        "NO",
        "12:30",
        "0123",
        "",
        "~",
        "'it''s'",
        '"a: \\"b\\""',
        "[a, b]",
        "{a: 1, b: [c]}",
        "2026-03-28",
        "2026-02-30",
        "text # comment",
        "# comment",
        "[[Home]]",
        "\n  - a\n  - b # c",
        "\n- a\n- b",
        "\n  x: 1\n  y:\n    - 2",
        "|\n  block\n  text",
        ">-\n  folded\n\n  text",
        "[a,\n  b]",
        '"two\n  lines"',
        "plain\n  lines",
        "&a x",
        "1e10",
    ]
)
OURS = st.sampled_from(
    [
        "title: Mine",
        "title:",
        'title: "x: y" # keep',
        "date: 2020-01-01",
        "date: '2020-01-01' # day",
        "date:",
        "type: reference",
        "type: odd",
        "tags: [a]",
        "tags:\n- a",
        "tags:\n  - a\n  # c\n  - b",
        "tags: {a: b}",
        "status: archived",
        "status: gone",
        "council_memory: m-1",
        "'council_memory': \"m-2\"",
    ]
)
LINES = st.lists(
    st.one_of(st.builds("{}: {}".format, KEYS, SCALARS), OURS, st.sampled_from(["# comment", ""])), max_size=8
)


@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_blocks_of_every_shape_say_the_same_afterwards_and_ours(lines, newline):
    text = note("".join(f"{line}\n" for line in lines)).replace("\n", newline)
    before = frontmatter.read(text)
    assume(before.mapping is not None)
    result = frontmatter.merge(text, DRAFT)
    if result.problem:
        assert result.text == text
        return
    after = frontmatter.read(result.text).mapping
    theirs = {key: value for key, value in before.mapping.items() if key not in frontmatter.OWNED}
    assert repr(theirs) == repr({key: value for key, value in after.items() if key not in frontmatter.OWNED})
    assert (after["date"], after["council_memory"]) == (
        date(2026, 5, 14),
        drafts.STAMP,
    ) or "2026-05-14" in text
    assert set(frontmatter.OWNED) <= set(after)
    physical = [line for line in text.split(newline) if not _owned(line)]
    rest = iter(result.text.split(newline))
    assert all(line in rest for line in physical)
    assert frontmatter.merge(result.text, DRAFT) == frontmatter.Merged(result.text)
    _reads_alike(text, result.text)


def _owned(line):
    return re.match(r"['\"]?(title|date|type|tags|status|council_memory)['\"]?:", line) is not None


def _reads_alike(before, after):
    """Where a YAML 1.2 reader understood the block before, it reads the same after."""
    try:
        old = yaml_1_2(re.split(r"---\r?\n", before)[1]) or {}
    except (RuamelError, ValueError):
        return
    new = yaml_1_2(re.split(r"---\r?\n", after)[1])
    for key, value in old.items():
        if key not in frontmatter.OWNED:
            assert repr(new[key]) == repr(value)
    assert (
        new["council_memory"]
        == yaml.safe_load(re.split(r"---\r?\n", after)[1])["council_memory"]
        == drafts.STAMP
    )
