"""A line put into somebody's own note: in its place, and no other byte changed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.notes import text
from council_vault.notes.comments import without_comments
from council_vault.notes.index_line import mentions, with_line
from council_vault.notes.markdown import lines, scan
from council_vault.shipped import shipped

LINE = "2026-03-28: A thing ([[DR-003-council-a-thing|DR-003]])"


def put(note, title="Boats"):
    return with_line(note, LINE, title)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("## Decisions\n\n- a\n- b\n", "## Decisions\n\n- a\n- b\n- L\n"),
        ("## Decisions\n- a\n\n## Next\n", "## Decisions\n- a\n- L\n\n## Next\n"),
        ("## Decisions\n* a\n  * b\n\n    c\n", "## Decisions\n* a\n  * b\n\n    c\n* L\n"),
        ("## Decisions\n  +  a\n", "## Decisions\n  +  a\n  +  L\n"),
        ("## Decisions\n- a\nlazy\n\ntext\n", "## Decisions\n- a\nlazy\n- L\n\ntext\n"),
        ("## Decisions\n- a\n\n- b\n\ntext\n", "## Decisions\n- a\n\n- b\n- L\n\ntext\n"),
        ("## Decisions\n- a\n\n* b\n", "## Decisions\n- a\n- L\n\n* b\n"),
        ("## Decisions\n- [x] a\n", "## Decisions\n- [x] a\n- L\n"),
        ("## Decisions\n- a\n---\n", "## Decisions\n- a\n- L\n---\n"),
        ("## Decisions\n- a\n```\ncode\n```\n", "## Decisions\n- a\n- L\n```\ncode\n```\n"),
        # the newest first
        (
            "## Decisions\n- 2026-02-01 a\n- 2026-01-01 b\n",
            "## Decisions\n- L\n- 2026-02-01 a\n- 2026-01-01 b\n",
        ),
        (
            "## Decisions\n- 2026-01-01 a\n- 2026-02-01 b\n",
            "## Decisions\n- 2026-01-01 a\n- 2026-02-01 b\n- L\n",
        ),
        # no list
        ("## Decisions", "## Decisions\n\n- L"),
        ("## Decisions\n", "## Decisions\n\n- L\n"),
        ("## Decisions\n\n\n## Next", "## Decisions\n\n- L\n\n\n## Next"),
        ("## Decisions\n## Next\n", "## Decisions\n\n- L\n\n## Next\n"),
        ("## Decisions\ntext\n\n---\n\n## Next\n", "## Decisions\ntext\n\n- L\n\n---\n\n## Next\n"),
        ("## Decisions\n1. a\n", "## Decisions\n1. a\n\n- L\n"),
        ("## Decisions\n| a |\n| - |\n| b |\n", "## Decisions\n| a |\n| - |\n| b |\n\n- L\n"),
        ("## Decisions\n> - a\n", "## Decisions\n> - a\n\n- L\n"),
        ("## Decisions\n### 2026\n- a\n", "## Decisions\n\n- L\n\n### 2026\n- a\n"),
        ("Decisions\n---\ntext\n", "Decisions\n---\ntext\n\n- L\n"),
        # where the end of the section cannot be seen
        ("## Decisions\n```\nopen\n", "## Decisions\n\n- L\n\n```\nopen\n"),
        ("## Decisions\n- a %%b\nc%%\n", "## Decisions\n\n- L\n\n- a %%b\nc%%\n"),
        # line ends
        ("## Decisions\r\n- a\r\n", "## Decisions\r\n- a\r\n- L\r\n"),
        ("## Decisions\r\n- a", "## Decisions\r\n- a\r\n- L"),
        ("## Decisions\r- a\r", "## Decisions\r- a\r- L\r"),
        ("---\ntitle: x\n---\n## Decisions\n", "---\ntitle: x\n---\n## Decisions\n\n- L\n"),
    ],
)
def test_where_it_goes(note, expected):
    assert put(note) == expected.replace("L", LINE)


@pytest.mark.parametrize(
    "title",
    [
        "Decisions", "DECISIONS", "Key decisions", "Council decisions", "📌 **Decisions** that stand",
        "Decision log", "Decision records", "Activity", "Recent activity", "activity log ##", "Activities",
    ],
)  # fmt: skip
def test_what_the_section_may_be_called(title):
    assert put(f"# Boats\n\n## {title}\n") == f"# Boats\n\n## {title}\n\n- {LINE}\n"


@pytest.mark.parametrize(
    "note",
    [
        "",
        "# Boats\n\n## Notes\n",
        "## Deciding\n",
        "## Indecisions\n",
        "## Open decisions\n",
        "## Decisions to make\n",
        "## Upcoming activity\n",
        "text: Decisions\n",
        "```\n## Decisions\n```\n",
        "~~~\n## Decisions\n",
        "%%\n## Decisions\n%%\n",
        "<!--\n## Decisions\n-->\n",
        "> ## Decisions\n",
        "- ## Decisions\n",
        "    ## Decisions\n",
        "---\n## Decisions: x\n---\n",
        "---\nDecisions: x\n---\n",
        "## Decisions %% never closed\n",
    ],
)
def test_without_such_a_heading_nothing_is_added(note):
    assert put(note) is None


def test_decisions_go_before_activity_and_the_first_before_others():
    note = "## Activity\n\n## Past decisions\n\n## Decisions\n"
    assert put(note) == f"## Activity\n\n## Past decisions\n\n- {LINE}\n\n## Decisions\n"


def test_the_title_of_the_note_is_no_heading_of_a_section():
    assert put("# Decisions\n", "decisions") is None
    assert put("# Decisions\n\n## Activity\n", "Decisions") == f"# Decisions\n\n## Activity\n\n- {LINE}\n"


@pytest.mark.parametrize(
    ("note", "name", "expected"),
    [
        ("- [[DR-003-council-a|x]]", "DR-003-council-a", True),
        ("- [[dr-003-COUNCIL-a]]", "DR-003-council-a", True),
        ("- [x](11-Knowledge/DR-003-council-a.md)", "DR-003-council-a", True),
        ("- [x](DR-003-council-%C3%A9.md)", "DR-003-council-é", True),
        ("- [[DR-003-council-é]]", "DR-003-council-é", True),
        ("- [[DR-003-council-a-b]]", "DR-003-council-a", False),
        ("- [[XDR-003-council-a]]", "DR-003-council-a", False),
        ("", "DR-003-council-a", False),
    ],
)
def test_what_the_note_speaks_of_already(note, name, expected):
    assert mentions(note, name) is expected


BLOCKS = [
    "## Decisions", "# Activity", "### Notes", "- a", "- 2026-01-01 b", "- 2026-02-01 c", "  - d",
    "* e", "1. f", "text", "", "```", "~~~", "%%", "%% x %%", "<!--", "-->", "> quote", "> - q",
    "---", "===", "| a | b |", "    code", "\ttab", "- [ ] task", "  ", "^block", "$$", "é😀",
]  # fmt: skip


@given(
    st.lists(st.sampled_from(BLOCKS), max_size=14),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "---\ntitle: x\n---\n"]),
)
@settings(max_examples=400, deadline=None)
def test_every_other_byte_stays(blocks, newline, ended, bom, head):
    body = "\n".join(blocks) + ("\n" if ended else "")
    before = text.encode(text.NoteText(text=(head + body).replace("\n", newline), bom=bom))
    note = text.decode(before)
    changed = with_line(note.text, LINE, "Boats")
    if changed is None:
        return
    after = text.encode(text.NoteText(text=changed, bom=note.bom, newline=note.newline))
    place = next(at for at in range(len(after)) if at >= len(before) or before[at] != after[at])
    added = len(after) - len(before)
    # What was added stands in one piece, wherever among equal bytes that begins.
    starts = [
        at for at in range(max(0, place - added), place + 1) if after[:at] + after[at + added :] == before
    ]
    assert starts
    pieces = {after[at : at + added].decode(errors="replace") for at in starts}
    assert any(set(piece.replace(LINE, "")) <= set("\r\n -*+") and LINE in piece for piece in pieces)
    if not ended and not (head + body).endswith("\n"):
        assert not changed.endswith(("\n", "\r"))
    assert mentions(changed, "DR-003-council-a-thing")
    seen = [line for line in scan(lines(without_comments(changed))) if LINE in line.raw]
    assert [(line.state, line.items, line.quotes) for line in seen] == [("text", 1, 0)]


@pytest.mark.parametrize(
    "note", sorted(shipped("vault_fixtures").glob("*/**/*.md")), ids=lambda path: path.name
)
def test_notes_as_people_keep_them(note):
    if "council-deliberation-log" in note.name:
        return
    before = text.decode(note.read_bytes()).text
    after = put(before)
    if after is not None:
        newline = text.dominant_newline(before)
        added = f"- {LINE}{newline}"
        assert before in {after.replace(added, "", 1), after.replace(newline + added, "", 1)}
