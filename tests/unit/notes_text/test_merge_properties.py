"""Whatever people and formatters do to a note, a merge loses none of their lines and is done at once."""

from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.errors import NoteRefused
from council_vault.notes import frontmatter
from council_vault.notes.kinds import END_MARKER
from council_vault.notes.markdown import lines, scan
from council_vault.notes.merge import merge_note
from council_vault.notes.normal_form import normal_line
from council_vault.notes.text import encode
from support import drafts, formatters

DRAFTS = {
    "performance": (drafts.performance(), drafts.performance(count=65, leader="grok-3", day="2026-05-15")),
    "log": (drafts.log(), drafts.log(count=4, day="2026-05-15")),
}
KINDS = st.sampled_from(sorted(DRAFTS))
NEWLINES = st.sampled_from(["\n", "\r\n"])
WORDS = st.text(alphabet="abcdéxyz🏛", min_size=3, max_size=8)
TEMPLATES = st.sampled_from(
    [
        "mine {0}\nand {1}\n",
        "## Mine {0}\n{1}\n",
        "- {0}\n  - {1}\n",
        "| {0} | b |\n| --- | --- |\n| {1} | 2 |\n",
        "> [!tip] {0}\n>\n> {1}\n",
        "```py\n{0}\n\n{1}\n```\n",
        "~~~\n```\n{0} {1}\n~~~\n",
        "    {0} {1}\n",
        "{0}  \n{1}\\\n",
        "<!-- {0}\n{1} -->\n",
        "[[{0}|{1}]]\n",
        "> ```\n> {0}\n> ```\n\n{1}\n",
        "%% {0} %%\n#{1}\n",
        "***\n{0} {1}\n",
    ]
)


@st.composite
def blocks_of_text(draw, least=0, most=3):
    """Text that no draft holds: every word ends in a number of its own."""
    made = []
    for number in range(draw(st.integers(least, most))):
        words = (f"q{draw(WORDS)}{number}{place}q" for place in "ab")
        made.append(draw(TEMPLATES).format(*words))
    return "\n".join(made)


def region_of(draft):
    return draft[draft.index("%%") : draft.index(END_MARKER)] + END_MARKER + "\n"


def person_lines(text):
    return [line for line in text.splitlines() if line.strip("> ")]


def is_subsequence(some, every):
    rest = iter(every)
    return all(line in rest for line in some)


@settings(max_examples=60, deadline=None)
@given(KINDS, blocks_of_text(), blocks_of_text(), NEWLINES, st.booleans())
def test_text_outside_the_region_is_byte_identical(kind, above, below, newline, final):
    draft, following = DRAFTS[kind]
    note = draft.replace("%% council-vault:begin", f"{above}\n%% council-vault:begin") + f"\n{below}"
    note = (note if final else note.rstrip("\n")).replace("\n", newline)
    merged = merge_note(following, note.encode(), kind=kind, written_region=region_of(draft)).text.text
    before, after = (
        note[frontmatter.body_start(note) : note.index("%% council-vault:b")],
        note.split(END_MARKER)[1],
    )
    assert merged[frontmatter.body_start(merged) :].startswith(before)
    assert merged.split(END_MARKER)[1] == after
    assert newline == "\n" or merged.count("\n") == merged.count("\r\n")


@settings(max_examples=60, deadline=None)
@given(KINDS, blocks_of_text(least=1), st.integers(0, 40), st.booleans(), st.booleans(), NEWLINES)
def test_what_is_written_into_the_region_is_kept_line_by_line(kind, mine, place, known, changes, newline):
    draft, following = DRAFTS[kind]
    inside = lines(region_of(draft))
    scanned = scan(inside)
    gaps = [at for at in range(1, len(inside)) if scanned[at].blank and not scanned[at].quotes]
    at = gaps[place % len(gaps)]
    region = "".join(inside[:at]) + f"\n{mine}\n" + "".join(inside[at:])
    note = draft.replace(region_of(draft), region).replace("\n", newline)
    written = region_of(draft) if known else None
    target = following if changes else draft
    merged = merge_note(target, note.encode(), kind=kind, written_region=written)
    text = merged.text.text.replace("\r\n", "\n")
    assert is_subsequence(person_lines(mine), text.split(END_MARKER)[1].splitlines())
    assert merged.region.replace("\r\n", "\n") == region_of(target)
    assert merge_note(target, encode(merged.text), kind=kind, written_region=merged.region) == merged


SINGLE = st.sampled_from(
    [
        "mine",
        "> mine",
        "> - mine",
        "> | mine | x |",
        "| mine | x |",
        "- mine",
        "## mine",
        "    mine",
        "```mine",
        "mine  ",
        ">> mine",
        "<!-- mine -->",
        "***mine***",
        "> [!tip] mine",
        "> ```mine",
    ]
)


@settings(max_examples=200, deadline=None)
@given(KINDS, SINGLE, st.integers(1, 60), st.booleans(), st.booleans())
def test_a_line_of_the_users_is_kept_wherever_it_was_put(kind, mine, place, known, changes):
    draft, following = DRAFTS[kind]
    inside = lines(region_of(draft))
    at = 1 + place % (len(inside) - 1)
    note = draft.replace(region_of(draft), "".join([*inside[:at], f"{mine}\n", *inside[at:]]))
    target = following if changes else draft
    in_row_or_chart = inside[at].startswith(("|", "> |")) or scan(inside)[at].state in ("code", "fence")
    written = region_of(draft) if known or in_row_or_chart else None
    try:
        merged = merge_note(target, note.encode(), kind=kind, written_region=written)
    except NoteRefused:
        assert mine.startswith("```")
        return
    assert mine in merged.text.text.split(END_MARKER)[1].split("\n")


@settings(max_examples=50, deadline=None)
@given(
    KINDS, blocks_of_text(), st.lists(st.sampled_from(formatters.ALL), min_size=1, max_size=3), st.booleans()
)
def test_formatters_and_merges_in_turn_come_to_rest(kind, mine, formatted_by, known):
    draft, following = DRAFTS[kind]
    note = f"{draft}\n{mine}"
    written = region_of(draft)
    for formatter in formatted_by:
        formatted = formatter(note)
        known_region = written if known else None
        kept = merge_note(draft, formatted.encode(), kind=kind, written_region=known_region)
        assert kept.text.text == formatted
        merged = merge_note(following, formatted.encode(), kind=kind, written_region=known_region)
        assert merge_note(following, encode(merged.text), kind=kind, written_region=merged.region) == merged
        assert said_below(merged.text.text) == said_below(formatted)
        note, written = merged.text.text, merged.region
        draft, following = following, draft


def said_below(text):
    below = scan(lines(text.split(END_MARKER)[1]))
    return [normal_line(line) for line in below if not line.blank]


@settings(max_examples=50, deadline=None)
@given(KINDS, blocks_of_text(), NEWLINES, st.sampled_from(["", "---\nalias: x\n---\n", drafts.block("Mine")]))
def test_a_note_without_a_region_gets_one_and_keeps_every_line(kind, mine, newline, head):
    draft, following = DRAFTS[kind]
    note = (head + mine).replace("\n", newline)
    merged = merge_note(draft, note.encode(), kind=kind, written_region=None)
    kept = merged.text.text.splitlines()
    folded = [f"> {line}" for line in person_lines(mine)]
    assert is_subsequence(person_lines(mine), kept) or is_subsequence(folded, kept)
    assert merge_note(draft, encode(merged.text), kind=kind, written_region=None) == merged
    later = merge_note(following, encode(merged.text), kind=kind, written_region=merged.region).text.text
    assert later.split(END_MARKER)[1] == merged.text.text.split(END_MARKER)[1]


MARKERS = st.sampled_from(
    [
        "%% council-vault:begin log %%",
        END_MARKER,
        "%% council-vault:begin routing %%",
        "%% council-vault:end",
        "```",
        "> ```",
        "<!--",
        "-->",
        "text",
        "",
        "# Title",
        "> %% council-vault:begin log %%",
        "- item",
        "| a | b |",
        "| - | - |",
        "---",
        "title: x",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(MARKERS, max_size=10), st.booleans())
def test_a_note_in_any_disorder_is_refused_or_kept(pieces, known):
    text = "\n".join(pieces)
    draft = DRAFTS["log"][1]
    try:
        merged = merge_note(
            draft, text.encode(), kind="log", written_region=region_of(draft) if known else None
        )
    except NoteRefused:
        return
    assert merged.region
    assert merge_note(draft, encode(merged.text), kind="log", written_region=merged.region) == merged
    assert is_subsequence(
        sorted(line for line in pieces if line in ("text", "- item", "title: x", "# Title", "| a | b |")),
        sorted(line.removeprefix("> ") for line in merged.text.text.splitlines()),
    )
