import pytest

from council_vault.errors import NoteRefused
from council_vault.notes import frontmatter
from council_vault.notes.kinds import END_MARKER, begin_marker
from council_vault.notes.merge import FOLD_TITLE, merge_note
from council_vault.notes.text import encode
from support import drafts, formatters

DRAFT = drafts.performance()
NEXT = drafts.performance(count=65, leader="gpt-4.1", day="2026-05-15")
LOG = drafts.log()
LOG_NEXT = drafts.log(count=4, day="2026-05-15")
REGION = DRAFT[DRAFT.index("%%") :]
NEXT_REGION = NEXT[NEXT.index("%%") :]
DRAFT_OF = {"performance": DRAFT, "log": LOG}
NEXT_OF = {"performance": NEXT, "log": LOG_NEXT}


def merge(draft, current, written=REGION, kind="performance"):
    content = current.encode() if isinstance(current, str) else current
    merged = merge_note(draft, content, kind=kind, written_region=written)
    again = merge_note(draft, encode(merged.text), kind=kind, written_region=merged.region)
    assert again == merged
    assert merged.region in merged.text.text
    return merged


def text_of(draft, current, written=REGION, kind="performance"):
    merged = merge(draft, current, written, kind)
    assert merged.problems == ()
    return encode(merged.text).decode()


def body(text):
    return text[frontmatter.body_start(text) :]


def test_a_missing_note_is_made_as_drawn():
    merged = merge(DRAFT, None, None)
    assert encode(merged.text) == DRAFT.encode()
    assert merged.region == REGION


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file_becomes_the_note(content):
    assert text_of(DRAFT, content, None) == DRAFT


@pytest.mark.parametrize("kind", ["performance", "log"])
def test_new_data_change_the_region_and_the_date_alone(kind):
    assert text_of(NEXT_OF[kind], DRAFT_OF[kind], None, kind) == NEXT_OF[kind]


def test_text_outside_the_region_is_the_users():
    mine = DRAFT.replace("# Council Model Performance\n", "    indented code\n\n\nMy title  \n")
    mine = mine.replace("status: active", "up: '[[Home]]' # mine\nstatus: archived").removesuffix("\n")
    expected = NEXT.replace("# Council Model Performance\n", "    indented code\n\n\nMy title  \n")
    expected = expected.replace("status: active", "up: '[[Home]]' # mine\nstatus: archived").removesuffix(
        "\n"
    )
    assert text_of(NEXT, mine) == expected
    assert text_of(NEXT, f"{mine}\nbelow  \n\n    code") == f"{expected}\nbelow  \n\n    code"


def test_a_deleted_heading_stays_deleted():
    mine = DRAFT.replace("# Council Model Performance\n\n", "")
    assert "# Council Model Performance" not in text_of(NEXT, mine)


def test_markers_in_other_words_stay_as_they_are():
    mine = DRAFT.replace(begin_marker("performance"), "%%council-vault:begin performance%%")
    assert text_of(NEXT, mine) == NEXT.replace(
        begin_marker("performance"), "%%council-vault:begin performance%%"
    )


@pytest.mark.parametrize("formatter", formatters.ALL)
@pytest.mark.parametrize("kind", ["performance", "log"])
@pytest.mark.parametrize("windows", [False, True])
def test_formatters_are_not_fought_and_add_nothing(formatter, kind, windows):
    draft = DRAFT_OF[kind]
    note = "\ufeff" + draft.replace("\n", "\r\n") if windows else draft
    formatted = formatter(note)
    written = draft[draft.index("%%") :]
    assert (
        formatted != note or kind == "log" or formatter in (formatters.prettier, formatters.table_formatter)
    )
    assert text_of(draft, formatted, written, kind) == formatted
    for known in (written, None):
        changed = text_of(NEXT_OF[kind], formatted, known, kind).replace("\r\n", "\n")
        fresh = body(changed)[body(changed).index("\n\n", body(changed).index("begin")) :]
        next_fresh = NEXT_OF[kind][NEXT_OF[kind].index("\n\n> [!summary]") :]
        assert fresh.split(END_MARKER)[0] == next_fresh.split(END_MARKER)[0]
        assert len(fresh.split(END_MARKER)[1].split()) == len(
            formatter(next_fresh).split(END_MARKER)[1].split()
        )


def test_line_ends_and_the_bom_are_those_of_the_note():
    mine = b"\xef\xbb\xbf" + DRAFT.replace("\n", "\r\n").encode()
    assert encode(merge(NEXT, mine).text) == b"\xef\xbb\xbf" + NEXT.replace("\n", "\r\n").encode()


BLOCKS = [
    "A paragraph of mine\nin two lines\n",
    "## My heading\n",
    "- my list\n  - deeper\n\n- loose\n",
    "| mine | too |\n| --- | ---: |\n| 1 | 2 |\n",
    "> [!tip] Mine\n>\n> inside\n>\n> ```py\n> x = 1\n>\n> ```\n",
    "```py\nx = 1\n\n\ny = 2\n```\n",
    "```mermaid\ngraph TD\n    a --> b\n```\n",
    "~~~\n```\n~~~\n",
    "<!-- a comment\nof mine -->\n",
    "***\n",
    "![[embed]]\n",
    "    indented code\n",
    "> a quote of mine\n",
    "%% a comment of mine %%\n",
    "$$\nx^2\n$$\n",
]


@pytest.mark.parametrize("written", [REGION, None])
@pytest.mark.parametrize("draft", [DRAFT, NEXT])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    "before", ["## Leaderboard\n", "### Peers", "> [!note]-", "> [!question]", END_MARKER]
)
def test_blocks_of_the_users_in_the_region_move_below_it_verbatim(written, draft, block, before):
    mine = DRAFT.replace(before, f"{block}\n{before}")
    assert text_of(draft, mine, written) == f"{draft}\n{block}"


@pytest.mark.parametrize("written", [REGION, None])
def test_several_blocks_move_in_their_order_above_what_stood_below(written):
    mine = DRAFT.replace("## Leaderboard\n", "One\n\n\nTwo\n\n## Leaderboard\n").replace(
        "### Peers", "> Three\n\n### Peers"
    )
    assert text_of(NEXT, mine + "below\n", written) == f"{NEXT}\nOne\n\n\nTwo\n\n> Three\n\nbelow\n"
    assert text_of(NEXT, f"{mine}\n\nbelow\n", written) == f"{NEXT}\nOne\n\n\nTwo\n\n> Three\n\n\nbelow\n"


@pytest.mark.parametrize("written", [REGION, None])
@pytest.mark.parametrize(
    ("after", "line"),
    [
        ("## Leaderboard\n", "right below the heading\n"),
        ("> - gpt-4.1 follows at 2.2\n", "> - my own remark\n"),
        (
            "> - gpt-4.1 follows at 2.2\n",
            "> | p | q | r | s |\n> | --- | ---: | --: | --: |\n> | v | w | x | y |\n",
        ),
        ("> - gpt-4.1 follows at 2.2\n", "> ```py\n> x\n> ```\n"),
        ("> - gpt-4.1 follows at 2.2\n", "> | a | b |\n> | ---: | --: |\n> | 1 | 2 |\n"),
        ("|       12% |\n", "below the table\n"),
        ("105\n    bar [72, 60, 64]\n```\n", "below the chart\n"),
        ("105\n    bar [72, 60, 64]\n```\n", "```py\nx = 1\n```\n"),
    ],
)
def test_lines_of_the_users_in_our_blocks_move_too(written, after, line):
    mine = DRAFT.replace(after, after + line)
    assert mine != DRAFT
    assert text_of(DRAFT, mine, written) == f"{DRAFT}\n{line}"
    assert text_of(NEXT, mine, written) == f"{NEXT}\n{line}"


def test_a_row_of_the_users_in_our_table_moves_where_we_know_what_we_wrote():
    mine = DRAFT.replace("| gpt-4.1   ", "| my-model | 1.0 | 3 | 0 | — |\n| gpt-4.1   ", 1)
    assert text_of(NEXT, mine) == f"{NEXT}\n| my-model | 1.0 | 3 | 0 | — |\n"


def test_without_knowing_what_we_wrote_old_text_of_ours_is_not_taken_for_the_users():
    old = DRAFT.replace("leads with an average rank of 1.8", "leads by far").replace(
        "gpt-4.1 follows", "grok follows"
    )
    assert text_of(NEXT, old, None) == NEXT


@pytest.mark.parametrize("written", [REGION, None])
def test_what_another_machine_wrote_with_other_numbers_is_not_taken_for_the_users(written):
    theirs = drafts.performance(count=71, day="2026-06-01")
    assert text_of(NEXT, theirs, written) == NEXT


def test_a_chart_that_is_no_longer_drawn_goes():
    bare = "\n\n".join(part for part in NEXT.split("\n\n") if "mermaid" not in part and "Peers" not in part)
    assert "mermaid" in text_of(bare, DRAFT, None)
    assert text_of(bare, DRAFT, REGION) == bare


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace(END_MARKER, ""),
        lambda text: text.replace(begin_marker("performance"), ""),
        lambda text: text + REGION,
        lambda text: text.replace("begin performance", "begin routing"),
        lambda text: text.replace("# Council", "```\n# Council"),
    ],
)
def test_a_note_whose_markers_are_in_disorder_is_refused(damage):
    with pytest.raises(NoteRefused, match="stays as it is"):
        merge(NEXT, damage(DRAFT))


def test_a_note_that_is_not_utf_8_is_refused():
    with pytest.raises(NoteRefused, match="not UTF-8"):
        merge(DRAFT, DRAFT.encode("utf-16"))


def test_a_draft_without_a_region_or_valid_properties_is_refused():
    with pytest.raises(NoteRefused, match="no region"):
        merge(DRAFT[: DRAFT.index("%%")], None)
    with pytest.raises(NoteRefused, match="title"):
        merge(DRAFT.replace("title: Council Model Performance", "title: 1"), None)


def test_properties_that_cannot_be_read_are_named_and_the_body_is_merged():
    mine = DRAFT.replace("status: active", "up: [[Home]] and")
    merged = merge(NEXT, mine)
    assert "cannot be read (line" in merged.problems[0]
    assert body(merged.text.text) == body(NEXT)
    assert merged.text.text.startswith(mine[: mine.index("# Council")])


def test_a_block_that_never_closes_is_named_and_the_body_is_merged():
    mine = DRAFT.replace("---\n\n# Council", "\n# Council")
    merged = merge(NEXT, mine)
    assert "never ends" in merged.problems[0]
    assert merged.text.text == NEXT.replace("---\n\n# Council", "\n# Council").replace(
        "date: 2026-05-15", "date: 2026-05-14"
    )


def test_a_stamped_note_without_markers_gets_a_region_below_its_title():
    mine = DRAFT[: DRAFT.index("%%")] + "Kept text\n"
    assert text_of(NEXT, mine) == NEXT[: NEXT.index("%%")] + NEXT_REGION + "\nKept text\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\nintro\n\n## Mine\n", "\n{region}\nintro\n\n## Mine\n"),
        ("intro\n\n# Title\ntext", "intro\n\n# Title\n\n{region}\ntext"),
        ("## Mine\n\n# Title", "## Mine\n\n{region}\n# Title"),
        ("\n\n# Title #\n", "\n\n# Title #\n\n{region}"),
        ("# Title", "# Title\n\n{region}"),
        ("intro\n\nTitle\n=====\ntext", "intro\n\nTitle\n=====\n\n{region}\ntext"),
        ("> # quoted\n\n# Title", "> # quoted\n\n# Title\n\n{region}"),
        ("```\n# no title\n```\n", "\n{region}\n```\n# no title\n```\n"),
        ("", "\n{region}"),
        ("\n\n", "\n{region}\n\n"),
    ],
)
def test_a_region_is_put_in_with_everything_kept(old, new):
    head = drafts.block("Mine", day="2026-05-15")
    assert text_of(NEXT, head + old) == head + new.format(region=NEXT_REGION)


def test_an_unreadable_block_with_a_stamp_counts_as_stamped():
    mine = "---\nup: [[Home]] and\ncouncil_memory: m-1\n---\nkept\n"
    merged = merge(NEXT, mine)
    assert merged.text.text == f"{mine.removesuffix('kept' + chr(10))}\n{NEXT_REGION}\nkept\n"


OLD_NOTE = """---
title: Model notes
tags: [council]
---

# How the models do

| model | rank |
| ----- | ---- |
| a     | 1    |

> quote

```py
x = 1

y = "> z"
```
    code  \n
- end without a newline"""


def test_a_note_that_an_agent_made_is_taken_over_and_its_text_folded():
    text = text_of(NEXT, OLD_NOTE)
    lines = OLD_NOTE.split("---\n", 2)[2].strip("\n").split("\n")
    quoted = "".join(f"> {line}\n" if line.strip() else ">\n" for line in lines)
    assert body(text) == f"{body(NEXT)}\n{FOLD_TITLE}\n>\n{quoted}"
    assert text.startswith(
        "---\ntitle: Model notes\ndate: 2026-05-15\ntype: reference\ntags: [council]\nstatus"
    )


def test_a_note_without_properties_is_taken_over():
    text = text_of(NEXT, "\n\nold\r\n")
    assert (
        text == f"{NEXT}\n{FOLD_TITLE}\n>\n> old\n".replace("\n", "\r\n").replace("\r\n", "\n")
        or "\r\n" in text
    )
    assert text.replace("\r\n", "\n") == f"{NEXT}\n{FOLD_TITLE}\n>\n> old\n"


@pytest.mark.parametrize(
    "old", ["", "\n", "# Council Model Performance\n", "\n\n# council model performance #\n"]
)
def test_nothing_is_folded_where_nothing_stood(old):
    assert body(text_of(NEXT, f"---\nalias: x\n---\n{old}")) == body(NEXT)


def test_what_is_folded_stays_as_it_is_for_ever():
    first = text_of(DRAFT, OLD_NOTE)
    second = text_of(NEXT, first)
    assert body(second) == body(NEXT) + first[first.index(FOLD_TITLE) - 1 :]


LOG_REGION = LOG_NEXT[LOG_NEXT.index("%%") : LOG_NEXT.index(END_MARKER)] + END_MARKER + "\n"
TABLE = "| ID | Rating |\n|---|---|\n| d_20260514_001 | good |\n"
QUOTED = "".join(f"> {line}\n" for line in TABLE.splitlines())


@pytest.mark.parametrize("head", ["", drafts.block("Log", day="2026-05-15"), "---\ntitle: Log\n---\n"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"# Log\n\nintro\n\n{TABLE}after", "# Log\n\nintro\n\n{region}\n{table}after"),
        (f"intro\n{TABLE}", "intro\n\n{region}\n{table}"),
        (f"# Log\n\n> [!note]- Old\n{QUOTED}", "# Log\n\n{region}\n> [!note]- Old\n{quoted}"),
        (
            f"# Log\n<details>\n\n{TABLE}\n</details>\n",
            "# Log\n\n{region}\n<details>\n\n{table}\n</details>\n",
        ),
        ("# Log\n\nno table\n", "# Log\n\n{region}\nno table\n"),
        (f"# Log\n```\n{TABLE}```\n{TABLE}", "# Log\n```\n{table}```\n\n{region}\n{table}"),
    ],
)
def test_a_log_is_never_folded(head, old, new):
    text = text_of(LOG_NEXT, head + old, None, "log")
    assert body(text).strip("\n") == new.format(region=LOG_REGION, table=TABLE, quoted=QUOTED).strip("\n")


def test_an_empty_log_becomes_the_note():
    assert body(text_of(LOG_NEXT, "---\nalias: x\n---\n", None, "log")) == body(LOG_NEXT)
