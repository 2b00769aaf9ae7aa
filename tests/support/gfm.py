"""A GFM reader for tests: what markdown-it sees in a note."""

from __future__ import annotations

from markdown_it import MarkdownIt

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def table_rows(text: str) -> list[list[str]]:
    """Return the cells of every row of every table, headers left out, as they are shown."""
    rows: list[list[str]] = []
    in_body = False
    for token in _READER.parse(text):
        if token.type in {"tbody_open", "tbody_close"}:
            in_body = token.type == "tbody_open"
        elif token.type == "tr_open" and in_body:
            rows.append([])
        elif token.type == "inline" and in_body:
            rows[-1].append(
                "".join(
                    "\n" if child.type in {"softbreak", "hardbreak"} else child.content
                    for child in token.children or []
                )
            )
    return rows


def inline_types(text: str) -> set[str]:
    """Return the types of everything inline in a text, such as ``em_open`` or ``link_open``."""
    return {child.type for token in _READER.parse(text) for child in token.children or []}


def blocks(text: str) -> list[str]:
    """Return the types of the blocks of a text."""
    return [token.type for token in _READER.parse(text)]
