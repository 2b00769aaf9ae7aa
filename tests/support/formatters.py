"""What formatters do to a note, as pure functions: Obsidian's Linter plugin, Prettier, a table formatter.

They change nothing that a reader would see, and much of what is in the file.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FENCE = re.compile(r"[> ]*(`{3,}|~{3,})")
_QUOTE = re.compile(r"((?:>[ ]?)*)(.*)")
_DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")


def linter(text: str) -> str:
    """Obsidian Linter: YAML sorted, flow style, text quoted; cells and lines trimmed; single blank lines."""
    return _sorted_frontmatter(_outside_code(text, lambda block: _tight_blank_lines(_trimmed(_cells(block)))))


def prettier(text: str) -> str:
    """Prettier: tables padded, ``_emphasis_``, ``-`` bullets, no trailing spaces, single blank lines."""
    return _outside_code(
        text, lambda block: _tight_blank_lines(_trimmed(_emphasis(_bullets(_padded_tables(block)))))
    )


def prettier_wrapping(text: str, width: int = 80) -> str:
    """Prettier with ``proseWrap: always``: paragraphs, list items and callout titles wrapped as well."""
    return _outside_code(
        prettier(text), lambda block: [part for line in block for part in _wrapped(line, width)]
    )


def table_formatter(text: str) -> str:
    """Advanced Tables: every table padded, nothing else touched."""
    return _outside_code(text, _padded_tables)


def compacting(text: str) -> str:
    """The opposite taste: ``*`` bullets, ``__strong__``, escapes, ``>`` without spaces or blank lines."""

    def change(block: list[str]) -> list[str]:
        lines = [line for line in _cells(block) if line.strip() != ">"]
        lines = [re.sub(r"^((?:> ?)*)- ", r"\1* ", line).replace("**", "__") for line in lines]
        lines = [re.sub(r"^> ", ">", line) for line in lines]
        return [
            re.sub(r"(?<=[a-z])-(?=[a-z])", r"\\-", line) if "[[" not in line and "%%" not in line else line
            for line in lines
        ]

    return _outside_code(text, change)


ALL: tuple[Callable[[str], str], ...] = (linter, prettier, prettier_wrapping, table_formatter, compacting)


def _outside_code(text: str, change: Callable[[list[str]], list[str]]) -> str:
    """Apply ``change`` to the runs of lines outside code fences and frontmatter."""
    newline = "\r\n" if "\r\n" in text else "\n"
    bom = text[:1] if text.startswith("\ufeff") else ""
    lines = text.removeprefix(bom).split(newline)
    head = lines.index("---", 1) + 1 if lines[0] == "---" and "---" in lines[1:] else 0
    changed = lines[:head]
    for run, code in _runs(lines[head:]):
        changed += run if code else change(run)
    return bom + newline.join(changed)


def _runs(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    run: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if not fence and mark:
            yield run, False
            run, fence = [line], mark[1]
        elif fence and mark and mark[1].startswith(fence) and line.strip("> ") == mark[1]:
            yield [*run, line], True
            run, fence = [], ""
        else:
            run.append(line)
    yield run, bool(fence)


def _trimmed(lines: list[str]) -> list[str]:
    return [line.rstrip() for line in lines]


def _tight_blank_lines(lines: list[str]) -> list[str]:
    return [line for index, line in enumerate(lines) if line or not index or lines[index - 1]]


def _bullets(lines: list[str]) -> list[str]:
    return [re.sub(r"^((?:> ?)*\s*)[*+] ", r"\1- ", line) for line in lines]


def _emphasis(lines: list[str]) -> list[str]:
    return [re.sub(r"(?<![*\w])\*(?![*\s])([^*]+)(?<![*\s])\*(?![*\w])", r"_\1_", line) for line in lines]


def _row(line: str) -> tuple[str, list[str]] | None:
    found = _QUOTE.match(line)
    content = found[2].strip()
    if not (content.startswith("|") and content.endswith("|") and len(content) > 2):
        return None
    return found[1], [cell.strip() for cell in _PIPE.split(content)[1:-1]]


def _cells(lines: list[str]) -> list[str]:
    """Trim the cells, and make the delimiter row as short as it can be."""
    done = []
    for line in lines:
        row = _row(line)
        if row is None:
            done.append(line)
            continue
        cells = [re.sub("-+", "---", cell) if _DELIMITER.fullmatch(cell) else cell for cell in row[1]]
        done.append(f"{row[0]}| {' | '.join(cells)} |")
    return done


def _padded_tables(lines: list[str]) -> list[str]:
    done: list[str] = []
    table: list[tuple[str, list[str]]] = []
    for line in [*lines, ""]:
        if row := _row(line):
            table.append(row)
            continue
        done += _padded(table)
        table = []
        done.append(line)
    return done[:-1]


def _padded(table: list[tuple[str, list[str]]]) -> list[str]:
    columns = max((len(cells) for _, cells in table), default=0)
    widths = [max(3, *(_width(cells[at]) for _, cells in table if at < len(cells))) for at in range(columns)]
    right = [
        any(at < len(cells) and re.fullmatch("-+:", cells[at]) for _, cells in table) for at in range(columns)
    ]
    rows = []
    for prefix, cells in table:
        padded = []
        for at, cell in enumerate(cells):
            if _DELIMITER.fullmatch(cell):
                left, end = cell[0] == ":", cell[-1] == ":"
                padded.append(":" * left + "-" * (widths[at] - left - end) + ":" * end)
            else:
                space = " " * (widths[at] - _width(cell))
                padded.append(space + cell if right[at] else cell + space)
        rows.append(f"{prefix}| {' | '.join(padded)} |")
    return rows


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _wrapped(line: str, width: int) -> list[str]:
    prefix, content = _QUOTE.match(line).groups()
    if len(line) <= width or content.startswith(("|", "#")):
        return [line]
    indent = prefix + " " * (2 if content.startswith("- ") else 0)
    lines, current = [], prefix
    for word in content.split(" "):
        if len(current) + len(word) > width and current.strip("> "):
            lines.append(current.rstrip())
            current = indent
        current += f"{word} "
    return [*lines, current.rstrip()]


def _sorted_frontmatter(text: str) -> str:
    """Sort the keys, write lists in flow style and text in double quotes, as Linter can be set to do."""
    newline = "\r\n" if "\r\n" in text else "\n"
    bom = text[:1] if text.startswith("\ufeff") else ""
    found = re.match(rf"---{newline}(.*?){newline}---(?={newline}|$)", text.removeprefix(bom), re.DOTALL)
    if found is None:
        return text
    mapping = yaml.safe_load(found[1].replace("\r\n", "\n")) or {}
    lines = [f"{key}: {_value(mapping[key])}" for key in sorted(mapping)]
    return bom + newline.join(["---", *lines, "---"]) + text.removeprefix(bom)[found.end() :]


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return (
        json.dumps(value, ensure_ascii=False)
        if isinstance(value, str)
        else yaml.safe_dump(value).split("\n")[0]
    )
