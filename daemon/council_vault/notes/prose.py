"""Any text as one line of prose in a note: a heading, a list item, a callout's title; nothing live in it."""

from __future__ import annotations

import re

from council_vault.notes.cell_text import cut, escape, undecorated

LONGEST_LINE = 400  # characters shown

# What makes a line more than a paragraph: the sign of a list, a quotation, a heading, a fence or a rule.
_BLOCK_MARK = re.compile(
    r"(?P<number>\d{1,9}(?=[.)]))?(?P<mark>[-+*.)](?=\s|$)|>|\#{1,6}(?=\s|$)|~~~|[-_*=](?:\ *[-_*=])*\ *$)"
)
_ALIVE = re.compile(
    r"(?<=[<%\[{:])(?=[<%\[{:])"
)  # between signs that mean something together: <% [[ %% {{ ::
_NO_PROPERTY = str.maketrans({"`": "'"})


def line(text: str, limit: int = LONGEST_LINE) -> str:
    """Return the raw Markdown of a line that shows at most ``limit`` characters of ``text``, undecorated."""
    shown = escape(cut(undecorated(text), limit))
    mark = _BLOCK_MARK.match(shown)
    return shown if mark is None else f"{mark['number'] or ''}\\{shown[mark.start('mark') :]}"


def property_text(text: str, limit: int = LONGEST_LINE) -> str:
    """Return ``text`` as the value of a property, where nothing can be escaped: live signs are put apart."""
    return _ALIVE.sub(" ", cut(undecorated(text), limit).translate(_NO_PROPERTY))
