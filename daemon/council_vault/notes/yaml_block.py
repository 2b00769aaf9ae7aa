"""Where the entries of a YAML mapping stand in its text, and how some of them are changed in place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from council_vault.notes.markdown import lines
from council_vault.notes.text import with_newlines
from council_vault.notes.yaml_scalar import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from yaml import Node

_REST_OF_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


class Entry(msgspec.Struct, frozen=True):
    """One key of a mapping and its value, as offsets into the text.

    ``start`` and ``end`` enclose whole lines; ``column`` is the indent of the mapping; an entry
    without a value has ``value_start == value_end``. ``alias`` says that the value stands elsewhere.
    """

    key: str
    start: int
    end: int
    column: int
    key_end: int
    value_start: int
    value_end: int
    alias: bool


def entries(block: str) -> list[Entry] | None:
    """Return the entries of a block mapping in their order; ``None`` for anything else, as for ``{a: b}``.

    Args:
        block: lines that can be read as YAML.
    """
    import yaml  # noqa: PLC0415 - heavy

    root = yaml.compose(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    return [_entry(block, root.start_mark.column, key, value) for key, value in root.value]


def spliced(
    block: str, drawn: str, wanted: Mapping[str, object], order: Sequence[str], newline: str
) -> str | None:
    """Return ``block`` with the ``wanted`` entries changed in place, or put in where they are missing.

    Args:
        block: the lines of a mapping.
        drawn: the lines of another one, that holds the wanted entries as they are written when new.
        wanted: the values, by key.
        order: in which our keys follow each other; the last of them stays the last.
        newline: the line end for new lines.

    Returns:
        ``None`` where the places cannot be told: no block mapping, a key twice or without a colon, a value
        that is an alias, lines that end where only some readers see an end.
    """
    found = entries(block)
    if found is None:
        return None
    ours = {entry.key: entry for entry in found if entry.key in order}
    twice = len(ours) < sum(entry.key in order for entry in found)
    if twice or any(ours[key].alias for key in wanted if key in ours):
        return None
    new_lines = {entry.key: drawn[entry.start : entry.end] for entry in entries(drawn) or ()}
    edits: list[tuple[int, int, str]] = []
    for key, value in wanted.items():
        if key in ours:
            edit = _replacement(block, ours[key], value)
            if edit is None:
                return None
            edits.append(edit)
        else:
            place = _place(key, ours, order, len(block))
            if place and block[place - 1] not in "\r\n":
                return None
            indent = " " * (found[0].column if found else 0)
            text = "".join(indent + line for line in lines(with_newlines(new_lines[key], newline)))
            edits.append((place, place, text))
    return _applied(block, edits)


def _entry(block: str, column: int, key: Node, value: Node) -> Entry:
    start = key.start_mark.index - key.start_mark.column
    alias = value.start_mark.index < key.end_mark.index
    value_end = key.end_mark.index if alias else _end(value)
    behind = max(value_end, key.end_mark.index)
    rest = None if behind and block[behind - 1] in "\r\n" else _REST_OF_LINE.match(block, behind)
    return Entry(
        key=key.value if isinstance(key.value, str) else "",
        start=start,
        end=rest.end() if rest else behind,
        column=column,
        key_end=key.end_mark.index,
        value_start=value.start_mark.index,
        value_end=value_end,
        alias=alias,
    )


def _end(node: Node) -> int:
    """Return where a value ends; the end marks of block lists and mappings reach past comments."""
    if node.value and not isinstance(node.value, str) and not getattr(node, "flow_style", False):
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _replacement(block: str, entry: Entry, value: object) -> tuple[int, int, str] | None:
    """Return the edit that gives a key its value, ``None`` for a key without a colon, such as ``? date``."""
    text = one_line(value)
    between = block[entry.key_end : entry.value_start]
    if value is None and re.fullmatch(r":[ \t]+", between):
        return entry.key_end + 1, entry.value_end, ""
    if entry.value_start == entry.value_end or ("\n" in between.replace("\r", "\n") and "#" not in between):
        colon = block.find(":", entry.key_end) + 1
        return (colon, entry.value_end, f" {text}") if colon else None
    tail = re.search(r"[\r\n]+\Z", block[entry.value_start : entry.value_end])
    return entry.value_start, entry.value_end, text + (tail[0] if tail else "")


def _place(key: str, ours: Mapping[str, Entry], order: Sequence[str], end: int) -> int:
    """Return where a missing entry goes: behind the one before it in ``order``, else before the first."""
    if not ours:
        return end
    if key == order[-1]:
        return max(entry.end for entry in ours.values())
    before = [ours[other].end for other in order[: order.index(key)] if other in ours]
    return before[-1] if before else min(entry.start for entry in ours.values())


def _applied(block: str, edits: Sequence[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, text in sorted(edits, key=lambda edit: edit[:2]):
        parts += block[done:start], text
        done = end
    return "".join((*parts, block[done:]))
