"""What must hold of every merge: no row twice, none missing, no byte of the user's lost."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.notes.cells import COLUMNS
from council_vault.notes.log_rows import rows_in
from council_vault.notes.log_table import merge_rows
from council_vault.notes.row_order import sort_key
from council_vault.notes.tables import table as padded
from support.gfm import table_rows
from support.log_notes import HEAD, ids, is_row, row_cells, rows_for, table

ALL = ids(40, per_day=3, every=11)  # five quarters
SUBSET = st.sets(st.sampled_from(ALL))
TEXT = st.sampled_from(
    [
        "",
        "My words.\n",
        "# Heading\n\n- [[link]] d_20260328_001\n",
        "```\n" + table(ALL[:2]) + "```\n",
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n",
        "> [!tip] Mine\n> text\n",
        "<details>\n<summary>x</summary>\n\n| x |\n| --- |\n\n</details>\n",
        "%% hidden %%\n",
        "no newline",
    ]
)
BELOW = st.sampled_from(["", "<!-- TBLFM: @2=1 -->\n", "Directly below.\n", "\n\n\n"])


def styled(text: str, style: str) -> str:
    """Write the table's own lines in another style."""
    if style == "padded" and text:
        rows = [line.strip("| ").split(" | ") for line in text.splitlines()]
        return padded([rows[0], *rows[2:]], "lllllrl") + "\n"
    lines = []
    for line in text.splitlines(keepends=True):
        if line.startswith("|") and style == "bare":
            line = line.rstrip("\n").strip("|").strip() + "\n"  # noqa: PLW2901
        elif line.startswith("|") and style == "tight":
            line = re.sub(r" ?(?<!\\)\| ?", "|", line.rstrip("\n")) + "\n"  # noqa: PLW2901
        elif line.startswith("|") and style == "extra":
            line = line.rstrip("\n") + (" --- |\n" if "---" in line else " Mine |\n")  # noqa: PLW2901
        lines.append(line)
    return "".join(lines)


@st.composite
def notes(draw):
    """A note as a person may have made it: text, line end, and the ids of its rows, some of them twice."""
    present = draw(st.lists(st.sampled_from(ALL), max_size=20))
    if draw(st.booleans()):
        present = sorted(set(present), key=sort_key, reverse=draw(st.booleans()))
    split = draw(st.integers(0, len(present)))
    style = draw(st.sampled_from(["plain", "bare", "tight", "extra", "padded"]))
    main = styled(table(present[:split]), style) + draw(BELOW) if draw(st.booleans()) or split else ""
    rest = present[split:]
    elsewhere = draw(st.sampled_from(["details", "heading", "quarter"]))
    others = ""
    if rest and elsewhere == "details":
        others = "<details>\n<summary>Older</summary>\n\n" + table(rest) + "\n</details>\n"
    elif rest and elsewhere == "heading":
        others = "## Elsewhere\n\n" + table(rest)
    elif rest:
        quoted = "".join(f"> {line}\n" for line in table(rest).splitlines())
        others = "> [!note]- Older deliberations, 2025 Q4 (99)\n>\n" + quoted
    parts = [draw(TEXT), draw(st.sampled_from([HEAD, ""])), main, others, draw(TEXT)]
    text = "\n".join(parts)
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return text.replace("\n", newline), newline, present


def not_rows(text: str) -> list[str]:
    """The lines that are no rows, and no blank ones; counts and the heads of quarters may change."""
    lines = [re.sub(r"(Older deliberations.*)\(\d+\)", r"\1", line) for line in re.split("\r?\n", text)]
    return [
        line
        for line in lines
        if line.strip("> ") and not is_row(line) and not re.match(r"> \| (ID|---) \|", line)
    ]


def is_subsequence(some: list[str], of: list[str]) -> bool:
    rest = iter(of)
    return all(line in rest for line in some)


@given(notes(), SUBSET, SUBSET, st.integers(0, 12))
@settings(max_examples=250, deadline=None)
def test_every_merge(note, records, absent, visible) -> None:
    text, newline, present = note
    before = Counter(
        re.findall(
            r"^[> ]*\|? ?(d_\d+_\d+) *\|", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE
        )
    )
    assert before == Counter(present)
    wanted = rows_for(sorted(records))
    merged = merge_rows(text, wanted, newline=newline, visible=visible, absent=absent)

    assert merge_rows(merged, wanted, newline=newline, visible=visible, absent=absent) == merged
    after = Counter(
        re.findall(
            r"^[> ]*\|? ?(d_\d+_\d+) *\|", re.sub(r"```.*?```", "", merged, flags=re.DOTALL), re.MULTILINE
        )
    )
    assert after == before + Counter(records - absent - before.keys())
    assert rows_in(merged).keys() == after.keys()
    assert is_subsequence(not_rows(text), not_rows(merged))
    if newline == "\r\n":
        assert "\n" not in merged.replace("\r\n", "")
    assert {len(row) for row in table_rows(merged) if row[0].startswith("d_")} <= {
        len(COLUMNS),
        len(COLUMNS) + 1,
    }
    assert sum(is_row(line) for line in re.split("\r?\n", merged)) >= after.total()


@given(st.lists(SUBSET, min_size=1, max_size=4), st.integers(1, 12), st.sampled_from(["", "words\n"]))
@settings(max_examples=100, deadline=None)
def test_merging_in_steps_is_merging_at_once(steps, visible, tail) -> None:
    text = HEAD + "\n" + tail
    known: set[str] = set()
    stepwise = text
    for step in steps:
        known |= step
        stepwise = merge_rows(stepwise, rows_for(known), newline="\n", visible=visible, absent=())
    at_once = merge_rows(text, rows_for(known), newline="\n", visible=visible, absent=())
    if [*steps] == sorted(steps, key=lambda step: max(step, default="")) and is_in_order(steps):
        assert stepwise == at_once
    main = re.findall(r"^\| (d_\d+_\d+)", stepwise, re.MULTILINE)
    assert main == sorted(known, key=sort_key, reverse=True)[: len(main)]
    for title, rows in re.findall(r"^> \[!note\]- (Older [^\n]*)\n((?:>[^\n]*\n)*)", stepwise, re.MULTILINE):
        found = re.findall(r"^> \| (d_\d+_\d+)", rows, re.MULTILINE)
        assert title.endswith(f"({len(found)})")
        assert {f"{record_id[2:6]} Q{(int(record_id[6:8]) + 2) // 3}" for record_id in found} == {
            title.split(", ")[1][:7]
        }
        assert found == sorted(found, key=sort_key, reverse=True)


def is_in_order(steps) -> bool:
    """Whether no step brings a record that is older than one of an earlier step."""
    newest = ""
    for step in steps:
        if any(record_id < newest for record_id in step):
            return False
        newest = max([newest, *step])
    return True


@given(
    st.sampled_from(ALL),
    st.sampled_from(COLUMNS[1:]),
    st.text(alphabet="ab|\\`[]", min_size=1, max_size=9).map(str.strip),
)
@settings(max_examples=100, deadline=None)
def test_one_changed_cell_changes_one_line(record_id, column, value) -> None:
    text = merge_rows(HEAD, rows_for(ALL), newline="\n", visible=10, absent=())
    value = value.replace("\\", "").replace("|", r"\|") or "x"
    cells = list(row_cells(record_id))
    cells[COLUMNS.index(column)] = value
    merged = merge_rows(
        text, {record_id: type(row_cells(record_id))(*cells)}, newline="\n", visible=10, absent=()
    )
    changed = [
        (old, new) for old, new in zip(text.split("\n"), merged.split("\n"), strict=True) if old != new
    ]
    assert [new.removeprefix("> ") for _, new in changed] == [f"| {' | '.join(cells)} |"]
